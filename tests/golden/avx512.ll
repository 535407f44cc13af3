define i32 @f32_f32_f32_3x32_row_avx512__n31_a32.448_b32.3072_c31_p9216_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	vmovups 0(%rcx), %zmm6
	vmovaps %zmm6, %zmm0
	vmovaps %zmm6, %zmm2
	vmovaps %zmm6, %zmm4
	vmovups 64(%rcx), %zmm7{%k1}{z}
	vmovaps %zmm7, %zmm1
	vmovaps %zmm7, %zmm3
	vmovaps %zmm7, %zmm5
	test %r9, %r9
	jz 3f
	2:
	vmovups 0(%rdx), %zmm6
	prefetcht1 36864(%rdx)
	vmovups 64(%rdx), %zmm7
	prefetcht1 36928(%rdx)
	vbroadcastss 0(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 128(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 128(%rdx), %zmm6
	prefetcht1 36992(%rdx)
	vmovups 192(%rdx), %zmm7
	prefetcht1 37056(%rdx)
	vbroadcastss 4(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 132(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 256(%rdx), %zmm6
	prefetcht1 37120(%rdx)
	vmovups 320(%rdx), %zmm7
	prefetcht1 37184(%rdx)
	vbroadcastss 8(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 136(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 384(%rdx), %zmm6
	prefetcht1 37248(%rdx)
	vmovups 448(%rdx), %zmm7
	prefetcht1 37312(%rdx)
	vbroadcastss 12(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 140(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 512(%rdx), %zmm6
	prefetcht1 37376(%rdx)
	vmovups 576(%rdx), %zmm7
	prefetcht1 37440(%rdx)
	vbroadcastss 16(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 144(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 640(%rdx), %zmm6
	prefetcht1 37504(%rdx)
	vmovups 704(%rdx), %zmm7
	prefetcht1 37568(%rdx)
	vbroadcastss 20(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 148(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 768(%rdx), %zmm6
	prefetcht1 37632(%rdx)
	vmovups 832(%rdx), %zmm7
	prefetcht1 37696(%rdx)
	vbroadcastss 24(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 152(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 896(%rdx), %zmm6
	prefetcht1 37760(%rdx)
	vmovups 960(%rdx), %zmm7
	prefetcht1 37824(%rdx)
	vbroadcastss 28(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 156(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1024(%rdx), %zmm6
	prefetcht1 37888(%rdx)
	vmovups 1088(%rdx), %zmm7
	prefetcht1 37952(%rdx)
	vbroadcastss 32(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 160(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1152(%rdx), %zmm6
	prefetcht1 38016(%rdx)
	vmovups 1216(%rdx), %zmm7
	prefetcht1 38080(%rdx)
	vbroadcastss 36(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 164(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1280(%rdx), %zmm6
	prefetcht1 38144(%rdx)
	vmovups 1344(%rdx), %zmm7
	prefetcht1 38208(%rdx)
	vbroadcastss 40(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 168(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1408(%rdx), %zmm6
	prefetcht1 38272(%rdx)
	vmovups 1472(%rdx), %zmm7
	prefetcht1 38336(%rdx)
	vbroadcastss 44(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 172(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1536(%rdx), %zmm6
	prefetcht1 38400(%rdx)
	vmovups 1600(%rdx), %zmm7
	prefetcht1 38464(%rdx)
	vbroadcastss 48(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 176(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1664(%rdx), %zmm6
	prefetcht1 38528(%rdx)
	vmovups 1728(%rdx), %zmm7
	prefetcht1 38592(%rdx)
	vbroadcastss 52(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 180(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1792(%rdx), %zmm6
	prefetcht1 38656(%rdx)
	vmovups 1856(%rdx), %zmm7
	prefetcht1 38720(%rdx)
	vbroadcastss 56(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 184(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1920(%rdx), %zmm6
	prefetcht1 38784(%rdx)
	vmovups 1984(%rdx), %zmm7
	prefetcht1 38848(%rdx)
	vbroadcastss 60(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 188(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2048(%rdx), %zmm6
	prefetcht1 38912(%rdx)
	vmovups 2112(%rdx), %zmm7
	prefetcht1 38976(%rdx)
	vbroadcastss 64(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 192(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2176(%rdx), %zmm6
	prefetcht1 39040(%rdx)
	vmovups 2240(%rdx), %zmm7
	prefetcht1 39104(%rdx)
	vbroadcastss 68(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 196(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2304(%rdx), %zmm6
	prefetcht1 39168(%rdx)
	vmovups 2368(%rdx), %zmm7
	prefetcht1 39232(%rdx)
	vbroadcastss 72(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 200(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2432(%rdx), %zmm6
	prefetcht1 39296(%rdx)
	vmovups 2496(%rdx), %zmm7
	prefetcht1 39360(%rdx)
	vbroadcastss 76(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 204(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2560(%rdx), %zmm6
	prefetcht1 39424(%rdx)
	vmovups 2624(%rdx), %zmm7
	prefetcht1 39488(%rdx)
	vbroadcastss 80(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 208(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2688(%rdx), %zmm6
	prefetcht1 39552(%rdx)
	vmovups 2752(%rdx), %zmm7
	prefetcht1 39616(%rdx)
	vbroadcastss 84(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 212(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2816(%rdx), %zmm6
	prefetcht1 39680(%rdx)
	vmovups 2880(%rdx), %zmm7
	prefetcht1 39744(%rdx)
	vbroadcastss 88(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 216(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2944(%rdx), %zmm6
	prefetcht1 39808(%rdx)
	vmovups 3008(%rdx), %zmm7
	prefetcht1 39872(%rdx)
	vbroadcastss 92(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 220(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3072(%rdx), %zmm6
	prefetcht1 39936(%rdx)
	vmovups 3136(%rdx), %zmm7
	prefetcht1 40000(%rdx)
	vbroadcastss 96(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 224(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3200(%rdx), %zmm6
	prefetcht1 40064(%rdx)
	vmovups 3264(%rdx), %zmm7
	prefetcht1 40128(%rdx)
	vbroadcastss 100(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 228(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3328(%rdx), %zmm6
	prefetcht1 40192(%rdx)
	vmovups 3392(%rdx), %zmm7
	prefetcht1 40256(%rdx)
	vbroadcastss 104(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 232(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3456(%rdx), %zmm6
	prefetcht1 40320(%rdx)
	vmovups 3520(%rdx), %zmm7
	prefetcht1 40384(%rdx)
	vbroadcastss 108(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 236(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3584(%rdx), %zmm6
	prefetcht1 40448(%rdx)
	vmovups 3648(%rdx), %zmm7
	prefetcht1 40512(%rdx)
	vbroadcastss 112(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 240(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3712(%rdx), %zmm6
	prefetcht1 40576(%rdx)
	vmovups 3776(%rdx), %zmm7
	prefetcht1 40640(%rdx)
	vbroadcastss 116(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 244(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3840(%rdx), %zmm6
	prefetcht1 40704(%rdx)
	vmovups 3904(%rdx), %zmm7
	prefetcht1 40768(%rdx)
	vbroadcastss 120(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 248(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3968(%rdx), %zmm6
	prefetcht1 40832(%rdx)
	vmovups 4032(%rdx), %zmm7
	prefetcht1 40896(%rdx)
	vbroadcastss 124(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 252(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	mov $$4, %rax
	1:
	vmovups 4096(%rdx), %zmm6
	prefetcht1 40960(%rdx)
	vmovups 4160(%rdx), %zmm7
	prefetcht1 41024(%rdx)
	vbroadcastss 0(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 128(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 256(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4224(%rdx), %zmm6
	prefetcht1 41088(%rdx)
	vmovups 4288(%rdx), %zmm7
	prefetcht1 41152(%rdx)
	vbroadcastss 4(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 132(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 260(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4352(%rdx), %zmm6
	prefetcht1 41216(%rdx)
	vmovups 4416(%rdx), %zmm7
	prefetcht1 41280(%rdx)
	vbroadcastss 8(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 136(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 264(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4480(%rdx), %zmm6
	prefetcht1 41344(%rdx)
	vmovups 4544(%rdx), %zmm7
	prefetcht1 41408(%rdx)
	vbroadcastss 12(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 140(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 268(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4608(%rdx), %zmm6
	prefetcht1 41472(%rdx)
	vmovups 4672(%rdx), %zmm7
	prefetcht1 41536(%rdx)
	vbroadcastss 16(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 144(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 272(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4736(%rdx), %zmm6
	prefetcht1 41600(%rdx)
	vmovups 4800(%rdx), %zmm7
	prefetcht1 41664(%rdx)
	vbroadcastss 20(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 148(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 276(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4864(%rdx), %zmm6
	prefetcht1 41728(%rdx)
	vmovups 4928(%rdx), %zmm7
	prefetcht1 41792(%rdx)
	vbroadcastss 24(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 152(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 280(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 4992(%rdx), %zmm6
	prefetcht1 41856(%rdx)
	vmovups 5056(%rdx), %zmm7
	prefetcht1 41920(%rdx)
	vbroadcastss 28(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 156(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 284(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5120(%rdx), %zmm6
	prefetcht1 41984(%rdx)
	vmovups 5184(%rdx), %zmm7
	prefetcht1 42048(%rdx)
	vbroadcastss 32(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 160(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 288(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5248(%rdx), %zmm6
	prefetcht1 42112(%rdx)
	vmovups 5312(%rdx), %zmm7
	prefetcht1 42176(%rdx)
	vbroadcastss 36(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 164(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 292(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5376(%rdx), %zmm6
	prefetcht1 42240(%rdx)
	vmovups 5440(%rdx), %zmm7
	prefetcht1 42304(%rdx)
	vbroadcastss 40(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 168(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 296(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5504(%rdx), %zmm6
	prefetcht1 42368(%rdx)
	vmovups 5568(%rdx), %zmm7
	prefetcht1 42432(%rdx)
	vbroadcastss 44(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 172(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 300(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5632(%rdx), %zmm6
	prefetcht1 42496(%rdx)
	vmovups 5696(%rdx), %zmm7
	prefetcht1 42560(%rdx)
	vbroadcastss 48(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 176(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 304(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5760(%rdx), %zmm6
	prefetcht1 42624(%rdx)
	vmovups 5824(%rdx), %zmm7
	prefetcht1 42688(%rdx)
	vbroadcastss 52(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 180(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 308(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 5888(%rdx), %zmm6
	prefetcht1 42752(%rdx)
	vmovups 5952(%rdx), %zmm7
	prefetcht1 42816(%rdx)
	vbroadcastss 56(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 184(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 312(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 6016(%rdx), %zmm6
	prefetcht1 42880(%rdx)
	vmovups 6080(%rdx), %zmm7
	prefetcht1 42944(%rdx)
	vbroadcastss 60(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vbroadcastss 188(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 316(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	add $$64, %rsi
	add $$2048, %rdx
	dec %rax
	jnz 1b
	add $$1536, %rsi
	add $$4096, %rdx
	dec %r9
	jnz 2b
	3:
	vpxord %zmm6, %zmm6, %zmm6
	mov $$1086324736, %r10d
	vpbroadcastd %r10d, %zmm7
	vaddps 0(%r8), %zmm0, %zmm0
	vmaxps %zmm0, %zmm6, %zmm0
	vminps %zmm0, %zmm7, %zmm0
	vmovups %zmm0, 0(%rdi)
	vaddps 64(%r8), %zmm1, %zmm1{%k1}
	vmaxps %zmm1, %zmm6, %zmm1
	vminps %zmm1, %zmm7, %zmm1
	vmovups %zmm1, 64(%rdi){%k1}
	vaddps 124(%r8), %zmm2, %zmm2
	vmaxps %zmm2, %zmm6, %zmm2
	vminps %zmm2, %zmm7, %zmm2
	vmovups %zmm2, 124(%rdi)
	vaddps 188(%r8), %zmm3, %zmm3{%k1}
	vmaxps %zmm3, %zmm6, %zmm3
	vminps %zmm3, %zmm7, %zmm3
	vmovups %zmm3, 188(%rdi){%k1}
	vaddps 248(%r8), %zmm4, %zmm4
	vmaxps %zmm4, %zmm6, %zmm4
	vminps %zmm4, %zmm7, %zmm4
	vmovups %zmm4, 248(%rdi)
	vaddps 312(%r8), %zmm5, %zmm5{%k1}
	vmaxps %zmm5, %zmm6, %zmm5
	vminps %zmm5, %zmm7, %zmm5
	vmovups %zmm5, 312(%rdi){%k1}
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
