define i32 @f32_f32_f32_3x16_row_avx2__n15_a32.448_b16.1536_c15_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.512.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vmovups 0(%rcx), %ymm6
	vmovaps %ymm6, %ymm0
	vmovaps %ymm6, %ymm2
	vmovaps %ymm6, %ymm4
	vmaskmovps 32(%rcx), %ymm15, %ymm7
	vmovaps %ymm7, %ymm1
	vmovaps %ymm7, %ymm3
	vmovaps %ymm7, %ymm5
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
	add $$512, %r13
	vmovups 0(%rdx), %ymm6
	vmovups 32(%rdx), %ymm7
	vbroadcastss 0(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 128(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 64(%rdx), %ymm6
	vmovups 96(%rdx), %ymm7
	vbroadcastss 4(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 132(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 128(%rdx), %ymm6
	vmovups 160(%rdx), %ymm7
	vbroadcastss 8(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 136(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 192(%rdx), %ymm6
	vmovups 224(%rdx), %ymm7
	vbroadcastss 12(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 140(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 256(%rdx), %ymm6
	vmovups 288(%rdx), %ymm7
	vbroadcastss 16(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 144(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 320(%rdx), %ymm6
	vmovups 352(%rdx), %ymm7
	vbroadcastss 20(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 148(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 384(%rdx), %ymm6
	vmovups 416(%rdx), %ymm7
	vbroadcastss 24(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 152(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 448(%rdx), %ymm6
	vmovups 480(%rdx), %ymm7
	vbroadcastss 28(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 156(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 512(%rdx), %ymm6
	vmovups 544(%rdx), %ymm7
	vbroadcastss 32(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 160(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 576(%rdx), %ymm6
	vmovups 608(%rdx), %ymm7
	vbroadcastss 36(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 164(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 640(%rdx), %ymm6
	vmovups 672(%rdx), %ymm7
	vbroadcastss 40(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 168(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 704(%rdx), %ymm6
	vmovups 736(%rdx), %ymm7
	vbroadcastss 44(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 172(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 768(%rdx), %ymm6
	vmovups 800(%rdx), %ymm7
	vbroadcastss 48(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 176(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 832(%rdx), %ymm6
	vmovups 864(%rdx), %ymm7
	vbroadcastss 52(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 180(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 896(%rdx), %ymm6
	vmovups 928(%rdx), %ymm7
	vbroadcastss 56(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 184(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 960(%rdx), %ymm6
	vmovups 992(%rdx), %ymm7
	vbroadcastss 60(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 188(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1024(%rdx), %ymm6
	vmovups 1056(%rdx), %ymm7
	vbroadcastss 64(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 192(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1088(%rdx), %ymm6
	vmovups 1120(%rdx), %ymm7
	vbroadcastss 68(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 196(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1152(%rdx), %ymm6
	vmovups 1184(%rdx), %ymm7
	vbroadcastss 72(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 200(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1216(%rdx), %ymm6
	vmovups 1248(%rdx), %ymm7
	vbroadcastss 76(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 204(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1280(%rdx), %ymm6
	vmovups 1312(%rdx), %ymm7
	vbroadcastss 80(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 208(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1344(%rdx), %ymm6
	vmovups 1376(%rdx), %ymm7
	vbroadcastss 84(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 212(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1408(%rdx), %ymm6
	vmovups 1440(%rdx), %ymm7
	vbroadcastss 88(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 216(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1472(%rdx), %ymm6
	vmovups 1504(%rdx), %ymm7
	vbroadcastss 92(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 220(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1536(%rdx), %ymm6
	vmovups 1568(%rdx), %ymm7
	vbroadcastss 96(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 224(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1600(%rdx), %ymm6
	vmovups 1632(%rdx), %ymm7
	vbroadcastss 100(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 228(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1664(%rdx), %ymm6
	vmovups 1696(%rdx), %ymm7
	vbroadcastss 104(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 232(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1728(%rdx), %ymm6
	vmovups 1760(%rdx), %ymm7
	vbroadcastss 108(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 236(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1792(%rdx), %ymm6
	vmovups 1824(%rdx), %ymm7
	vbroadcastss 112(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 240(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1856(%rdx), %ymm6
	vmovups 1888(%rdx), %ymm7
	vbroadcastss 116(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 244(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1920(%rdx), %ymm6
	vmovups 1952(%rdx), %ymm7
	vbroadcastss 120(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 248(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 1984(%rdx), %ymm6
	vmovups 2016(%rdx), %ymm7
	vbroadcastss 124(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 252(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	mov $$4, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	add $$256, %r13
	vmovups 2048(%rdx), %ymm6
	vmovups 2080(%rdx), %ymm7
	vbroadcastss 0(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 128(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 256(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2112(%rdx), %ymm6
	vmovups 2144(%rdx), %ymm7
	vbroadcastss 4(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 132(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 260(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2176(%rdx), %ymm6
	vmovups 2208(%rdx), %ymm7
	vbroadcastss 8(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 136(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 264(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2240(%rdx), %ymm6
	vmovups 2272(%rdx), %ymm7
	vbroadcastss 12(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 140(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 268(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2304(%rdx), %ymm6
	vmovups 2336(%rdx), %ymm7
	vbroadcastss 16(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 144(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 272(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2368(%rdx), %ymm6
	vmovups 2400(%rdx), %ymm7
	vbroadcastss 20(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 148(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 276(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2432(%rdx), %ymm6
	vmovups 2464(%rdx), %ymm7
	vbroadcastss 24(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 152(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 280(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2496(%rdx), %ymm6
	vmovups 2528(%rdx), %ymm7
	vbroadcastss 28(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 156(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 284(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2560(%rdx), %ymm6
	vmovups 2592(%rdx), %ymm7
	vbroadcastss 32(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 160(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 288(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2624(%rdx), %ymm6
	vmovups 2656(%rdx), %ymm7
	vbroadcastss 36(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 164(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 292(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2688(%rdx), %ymm6
	vmovups 2720(%rdx), %ymm7
	vbroadcastss 40(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 168(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 296(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2752(%rdx), %ymm6
	vmovups 2784(%rdx), %ymm7
	vbroadcastss 44(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 172(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 300(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2816(%rdx), %ymm6
	vmovups 2848(%rdx), %ymm7
	vbroadcastss 48(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 176(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 304(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2880(%rdx), %ymm6
	vmovups 2912(%rdx), %ymm7
	vbroadcastss 52(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 180(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 308(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 2944(%rdx), %ymm6
	vmovups 2976(%rdx), %ymm7
	vbroadcastss 56(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 184(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 312(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vmovups 3008(%rdx), %ymm6
	vmovups 3040(%rdx), %ymm7
	vbroadcastss 60(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vbroadcastss 188(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vbroadcastss 316(%rsi), %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	add $$64, %rsi
	add $$1024, %rdx
	dec %rax
	jnz 1b
	add $$1536, %rsi
	add $$2048, %rdx
	dec %r9
	jnz 2b
	3:
	mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vxorps %ymm6, %ymm6, %ymm6
	mov $$1086324736, %r10d
	vmovd %r10d, %xmm7
	vbroadcastss %xmm7, %ymm7
	vaddps 0(%r8), %ymm0, %ymm0
	vmaxps %ymm0, %ymm6, %ymm0
	vminps %ymm0, %ymm7, %ymm0
	vmovups %ymm0, 0(%rdi)
	vmaskmovps 32(%r8), %ymm15, %ymm8
	vaddps %ymm8, %ymm1, %ymm1
	vmaxps %ymm1, %ymm6, %ymm1
	vminps %ymm1, %ymm7, %ymm1
	vmaskmovps %ymm1, %ymm15, 32(%rdi)
	vaddps 60(%r8), %ymm2, %ymm2
	vmaxps %ymm2, %ymm6, %ymm2
	vminps %ymm2, %ymm7, %ymm2
	vmovups %ymm2, 60(%rdi)
	vmaskmovps 92(%r8), %ymm15, %ymm8
	vaddps %ymm8, %ymm3, %ymm3
	vmaxps %ymm3, %ymm6, %ymm3
	vminps %ymm3, %ymm7, %ymm3
	vmaskmovps %ymm3, %ymm15, 92(%rdi)
	vaddps 120(%r8), %ymm4, %ymm4
	vmaxps %ymm4, %ymm6, %ymm4
	vminps %ymm4, %ymm7, %ymm4
	vmovups %ymm4, 120(%rdi)
	vmaskmovps 152(%r8), %ymm15, %ymm8
	vaddps %ymm8, %ymm5, %ymm5
	vmaxps %ymm5, %ymm6, %ymm5
	vminps %ymm5, %ymm7, %ymm5
	vmaskmovps %ymm5, %ymm15, 152(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+fma" }
attributes #1 = { noduplicate }
