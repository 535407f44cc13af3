define i32 @f32_f32_f32_3x32_row_avx512__n31_a32.v_b32.3072_c31_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	shl $$2, %r14
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
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	prefetcht1 320(%r13)
	prefetcht1 384(%r13)
	prefetcht1 448(%r13)
	prefetcht1 512(%r13)
	prefetcht1 576(%r13)
	prefetcht1 640(%r13)
	prefetcht1 704(%r13)
	prefetcht1 768(%r13)
	prefetcht1 832(%r13)
	prefetcht1 896(%r13)
	prefetcht1 960(%r13)
	add $$1024, %r13
	vmovups 0(%rdx), %zmm6
	vmovups 64(%rdx), %zmm7
	vbroadcastss 0(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 128(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 128(%rdx), %zmm6
	vmovups 192(%rdx), %zmm7
	vbroadcastss 4(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 132(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 256(%rdx), %zmm6
	vmovups 320(%rdx), %zmm7
	vbroadcastss 8(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 136(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 384(%rdx), %zmm6
	vmovups 448(%rdx), %zmm7
	vbroadcastss 12(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 140(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 512(%rdx), %zmm6
	vmovups 576(%rdx), %zmm7
	vbroadcastss 16(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 144(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 640(%rdx), %zmm6
	vmovups 704(%rdx), %zmm7
	vbroadcastss 20(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 148(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 768(%rdx), %zmm6
	vmovups 832(%rdx), %zmm7
	vbroadcastss 24(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 152(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 896(%rdx), %zmm6
	vmovups 960(%rdx), %zmm7
	vbroadcastss 28(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 156(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1024(%rdx), %zmm6
	vmovups 1088(%rdx), %zmm7
	vbroadcastss 32(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 160(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1152(%rdx), %zmm6
	vmovups 1216(%rdx), %zmm7
	vbroadcastss 36(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 164(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1280(%rdx), %zmm6
	vmovups 1344(%rdx), %zmm7
	vbroadcastss 40(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 168(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1408(%rdx), %zmm6
	vmovups 1472(%rdx), %zmm7
	vbroadcastss 44(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 172(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1536(%rdx), %zmm6
	vmovups 1600(%rdx), %zmm7
	vbroadcastss 48(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 176(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1664(%rdx), %zmm6
	vmovups 1728(%rdx), %zmm7
	vbroadcastss 52(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 180(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1792(%rdx), %zmm6
	vmovups 1856(%rdx), %zmm7
	vbroadcastss 56(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 184(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 1920(%rdx), %zmm6
	vmovups 1984(%rdx), %zmm7
	vbroadcastss 60(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 188(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2048(%rdx), %zmm6
	vmovups 2112(%rdx), %zmm7
	vbroadcastss 64(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 192(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2176(%rdx), %zmm6
	vmovups 2240(%rdx), %zmm7
	vbroadcastss 68(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 196(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2304(%rdx), %zmm6
	vmovups 2368(%rdx), %zmm7
	vbroadcastss 72(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 200(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2432(%rdx), %zmm6
	vmovups 2496(%rdx), %zmm7
	vbroadcastss 76(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 204(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2560(%rdx), %zmm6
	vmovups 2624(%rdx), %zmm7
	vbroadcastss 80(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 208(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2688(%rdx), %zmm6
	vmovups 2752(%rdx), %zmm7
	vbroadcastss 84(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 212(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2816(%rdx), %zmm6
	vmovups 2880(%rdx), %zmm7
	vbroadcastss 88(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 216(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 2944(%rdx), %zmm6
	vmovups 3008(%rdx), %zmm7
	vbroadcastss 92(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 220(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3072(%rdx), %zmm6
	vmovups 3136(%rdx), %zmm7
	vbroadcastss 96(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 224(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3200(%rdx), %zmm6
	vmovups 3264(%rdx), %zmm7
	vbroadcastss 100(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 228(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3328(%rdx), %zmm6
	vmovups 3392(%rdx), %zmm7
	vbroadcastss 104(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 232(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3456(%rdx), %zmm6
	vmovups 3520(%rdx), %zmm7
	vbroadcastss 108(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 236(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3584(%rdx), %zmm6
	vmovups 3648(%rdx), %zmm7
	vbroadcastss 112(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 240(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3712(%rdx), %zmm6
	vmovups 3776(%rdx), %zmm7
	vbroadcastss 116(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 244(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3840(%rdx), %zmm6
	vmovups 3904(%rdx), %zmm7
	vbroadcastss 120(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 248(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vmovups 3968(%rdx), %zmm6
	vmovups 4032(%rdx), %zmm7
	vbroadcastss 124(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vbroadcastss 252(%rsi), %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	mov $$4, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	prefetcht1 320(%r13)
	prefetcht1 384(%r13)
	prefetcht1 448(%r13)
	add $$512, %r13
	vmovups 4096(%rdx), %zmm6
	vmovups 4160(%rdx), %zmm7
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
	vmovups 4288(%rdx), %zmm7
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
	vmovups 4416(%rdx), %zmm7
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
	vmovups 4544(%rdx), %zmm7
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
	vmovups 4672(%rdx), %zmm7
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
	vmovups 4800(%rdx), %zmm7
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
	vmovups 4928(%rdx), %zmm7
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
	vmovups 5056(%rdx), %zmm7
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
	vmovups 5184(%rdx), %zmm7
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
	vmovups 5312(%rdx), %zmm7
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
	vmovups 5440(%rdx), %zmm7
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
	vmovups 5568(%rdx), %zmm7
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
	vmovups 5696(%rdx), %zmm7
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
	vmovups 5824(%rdx), %zmm7
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
	vmovups 5952(%rdx), %zmm7
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
	vmovups 6080(%rdx), %zmm7
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
	add $$-256, %rsi
	add %r14, %rsi
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
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r14},={r13},0,1,2,3,4,5,6,7,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
