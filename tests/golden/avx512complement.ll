define i32 @u8_u8_s8_3x32_row_avx512complement__n31_a40.560_b256.5120_c31_p4_bias_clipc1200000.42c80000_w0.31.1.0_z10_s1.3.0.0.40_s0.3.40.2560.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	vmovups 124(%rcx), %zmm0
	vmovups 0(%rcx), %zmm2
	vmovdqa32 %zmm2, %zmm4
	vmovups 188(%rcx), %zmm1{%k1}{z}
	vmovups 64(%rcx), %zmm3{%k1}{z}
	vmovdqa32 %zmm3, %zmm5
	mov $$65537, %r10d
	vpbroadcastd %r10d, %zmm10
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
	add $$640, %r13
	vmovdqu32 0(%rdx), %zmm6
	vmovdqu32 64(%rdx), %zmm7
	vpbroadcastd 40(%rsi), %zmm8
	vpxord 128(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 192(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 80(%rsi), %zmm8
	vpxord 128(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 192(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 256(%rdx), %zmm6
	vmovdqu32 320(%rdx), %zmm7
	vpbroadcastd 44(%rsi), %zmm8
	vpxord 384(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 448(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 84(%rsi), %zmm8
	vpxord 384(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 448(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 512(%rdx), %zmm6
	vmovdqu32 576(%rdx), %zmm7
	vpbroadcastd 48(%rsi), %zmm8
	vpxord 640(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 704(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 88(%rsi), %zmm8
	vpxord 640(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 704(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 768(%rdx), %zmm6
	vmovdqu32 832(%rdx), %zmm7
	vpbroadcastd 52(%rsi), %zmm8
	vpxord 896(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 960(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 92(%rsi), %zmm8
	vpxord 896(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 960(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 1024(%rdx), %zmm6
	vmovdqu32 1088(%rdx), %zmm7
	vpbroadcastd 56(%rsi), %zmm8
	vpxord 1152(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 1216(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 96(%rsi), %zmm8
	vpxord 1152(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 1216(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 1280(%rdx), %zmm6
	vmovdqu32 1344(%rdx), %zmm7
	vpbroadcastd 60(%rsi), %zmm8
	vpxord 1408(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 1472(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 100(%rsi), %zmm8
	vpxord 1408(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 1472(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 1536(%rdx), %zmm6
	vmovdqu32 1600(%rdx), %zmm7
	vpbroadcastd 64(%rsi), %zmm8
	vpxord 1664(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 1728(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 104(%rsi), %zmm8
	vpxord 1664(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 1728(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 1792(%rdx), %zmm6
	vmovdqu32 1856(%rdx), %zmm7
	vpbroadcastd 68(%rsi), %zmm8
	vpxord 1920(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 1984(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 108(%rsi), %zmm8
	vpxord 1920(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 1984(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 2048(%rdx), %zmm6
	vmovdqu32 2112(%rdx), %zmm7
	vpbroadcastd 72(%rsi), %zmm8
	vpxord 2176(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 2240(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 112(%rsi), %zmm8
	vpxord 2176(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 2240(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 2304(%rdx), %zmm6
	vmovdqu32 2368(%rdx), %zmm7
	vpbroadcastd 76(%rsi), %zmm8
	vpxord 2432(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 2496(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 116(%rsi), %zmm8
	vpxord 2432(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 2496(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
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
	add $$640, %r13
	vmovdqu32 2560(%rdx), %zmm6
	vmovdqu32 2624(%rdx), %zmm7
	vpbroadcastd 40(%rsi), %zmm8
	vpxord 2688(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 2752(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 80(%rsi), %zmm8
	vpxord 2688(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 2752(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 120(%rsi), %zmm8
	vpxord 2688(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 2752(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 2816(%rdx), %zmm6
	vmovdqu32 2880(%rdx), %zmm7
	vpbroadcastd 44(%rsi), %zmm8
	vpxord 2944(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 3008(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 84(%rsi), %zmm8
	vpxord 2944(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 3008(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 124(%rsi), %zmm8
	vpxord 2944(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 3008(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 3072(%rdx), %zmm6
	vmovdqu32 3136(%rdx), %zmm7
	vpbroadcastd 48(%rsi), %zmm8
	vpxord 3200(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 3264(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 88(%rsi), %zmm8
	vpxord 3200(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 3264(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 128(%rsi), %zmm8
	vpxord 3200(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 3264(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 3328(%rdx), %zmm6
	vmovdqu32 3392(%rdx), %zmm7
	vpbroadcastd 52(%rsi), %zmm8
	vpxord 3456(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 3520(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 92(%rsi), %zmm8
	vpxord 3456(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 3520(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 132(%rsi), %zmm8
	vpxord 3456(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 3520(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 3584(%rdx), %zmm6
	vmovdqu32 3648(%rdx), %zmm7
	vpbroadcastd 56(%rsi), %zmm8
	vpxord 3712(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 3776(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 96(%rsi), %zmm8
	vpxord 3712(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 3776(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 136(%rsi), %zmm8
	vpxord 3712(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 3776(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 3840(%rdx), %zmm6
	vmovdqu32 3904(%rdx), %zmm7
	vpbroadcastd 60(%rsi), %zmm8
	vpxord 3968(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 4032(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 100(%rsi), %zmm8
	vpxord 3968(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 4032(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 140(%rsi), %zmm8
	vpxord 3968(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 4032(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 4096(%rdx), %zmm6
	vmovdqu32 4160(%rdx), %zmm7
	vpbroadcastd 64(%rsi), %zmm8
	vpxord 4224(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 4288(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 104(%rsi), %zmm8
	vpxord 4224(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 4288(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 144(%rsi), %zmm8
	vpxord 4224(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 4288(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 4352(%rdx), %zmm6
	vmovdqu32 4416(%rdx), %zmm7
	vpbroadcastd 68(%rsi), %zmm8
	vpxord 4480(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 4544(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 108(%rsi), %zmm8
	vpxord 4480(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 4544(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 148(%rsi), %zmm8
	vpxord 4480(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 4544(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 4608(%rdx), %zmm6
	vmovdqu32 4672(%rdx), %zmm7
	vpbroadcastd 72(%rsi), %zmm8
	vpxord 4736(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 4800(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 112(%rsi), %zmm8
	vpxord 4736(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 4800(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 152(%rsi), %zmm8
	vpxord 4736(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 4800(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vmovdqu32 4864(%rdx), %zmm6
	vmovdqu32 4928(%rdx), %zmm7
	vpbroadcastd 76(%rsi), %zmm8
	vpxord 4992(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpxord 5056(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastd 116(%rsi), %zmm8
	vpxord 4992(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpxord 5056(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastd 156(%rsi), %zmm8
	vpxord 4992(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm6, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpxord 5056(%rdx), %zmm8, %zmm9
	vpmaddubsw %zmm7, %zmm9, %zmm9
	vpmaddwd %zmm10, %zmm9, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	add $$560, %rsi
	add $$5120, %rdx
	dec %r9
	jnz 2b
	3:
	mov $$3240099840, %r10d
	vpbroadcastd %r10d, %zmm6
	mov $$1120403456, %r10d
	vpbroadcastd %r10d, %zmm7
	mov $$10, %r10d
	vpbroadcastd %r10d, %zmm8
	vcvtdq2ps %zmm0, %zmm0
	vmulps 0(%r8), %zmm0, %zmm0
	vmaxps %zmm0, %zmm6, %zmm0
	vminps %zmm0, %zmm7, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm8, %zmm0, %zmm0
	vpmovdb %zmm0, 0(%rdi)
	vcvtdq2ps %zmm1, %zmm1
	vmulps 64(%r8), %zmm1, %zmm1{%k1}
	vmaxps %zmm1, %zmm6, %zmm1
	vminps %zmm1, %zmm7, %zmm1
	vcvtps2dq %zmm1, %zmm1
	vpaddd %zmm8, %zmm1, %zmm1
	vpmovdb %zmm1, 16(%rdi){%k1}
	vcvtdq2ps %zmm2, %zmm2
	vmulps 0(%r8), %zmm2, %zmm2
	vmaxps %zmm2, %zmm6, %zmm2
	vminps %zmm2, %zmm7, %zmm2
	vcvtps2dq %zmm2, %zmm2
	vpaddd %zmm8, %zmm2, %zmm2
	vpmovdb %zmm2, 31(%rdi)
	vcvtdq2ps %zmm3, %zmm3
	vmulps 64(%r8), %zmm3, %zmm3{%k1}
	vmaxps %zmm3, %zmm6, %zmm3
	vminps %zmm3, %zmm7, %zmm3
	vcvtps2dq %zmm3, %zmm3
	vpaddd %zmm8, %zmm3, %zmm3
	vpmovdb %zmm3, 47(%rdi){%k1}
	vcvtdq2ps %zmm4, %zmm4
	vmulps 0(%r8), %zmm4, %zmm4
	vmaxps %zmm4, %zmm6, %zmm4
	vminps %zmm4, %zmm7, %zmm4
	vcvtps2dq %zmm4, %zmm4
	vpaddd %zmm8, %zmm4, %zmm4
	vpmovdb %zmm4, 62(%rdi)
	vcvtdq2ps %zmm5, %zmm5
	vmulps 64(%r8), %zmm5, %zmm5{%k1}
	vmaxps %zmm5, %zmm6, %zmm5
	vminps %zmm5, %zmm7, %zmm5
	vcvtps2dq %zmm5, %zmm5
	vpaddd %zmm8, %zmm5, %zmm5
	vpmovdb %zmm5, 78(%rdi){%k1}
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
