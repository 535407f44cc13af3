define i32 @u8_u8_s8_3x16_row_avx2complement__n15_a40.560_b128.2560_c15_p4_bias_clipc1200000.42c80000_w0.15.1.0_z10_s1.3.0.0.40_s0.3.40.1280.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vmovups 60(%rcx), %ymm0
	vmovups 0(%rcx), %ymm2
	vmovdqa %ymm2, %ymm4
	vmaskmovps 92(%rcx), %ymm15, %ymm1
	vmaskmovps 32(%rcx), %ymm15, %ymm3
	vmovdqa %ymm3, %ymm5
	mov $$65537, %r10d
	vmovd %r10d, %xmm10
	vbroadcastss %xmm10, %ymm10
	test %r9, %r9
	jz 3f
	2:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	add $$320, %r13
	vmovdqu 0(%rdx), %ymm6
	vmovdqu 32(%rdx), %ymm7
	vpbroadcastd 40(%rsi), %ymm8
	vpxor 64(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 96(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 80(%rsi), %ymm8
	vpxor 64(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 96(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 128(%rdx), %ymm6
	vmovdqu 160(%rdx), %ymm7
	vpbroadcastd 44(%rsi), %ymm8
	vpxor 192(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 224(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 84(%rsi), %ymm8
	vpxor 192(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 224(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 256(%rdx), %ymm6
	vmovdqu 288(%rdx), %ymm7
	vpbroadcastd 48(%rsi), %ymm8
	vpxor 320(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 352(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 88(%rsi), %ymm8
	vpxor 320(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 352(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 384(%rdx), %ymm6
	vmovdqu 416(%rdx), %ymm7
	vpbroadcastd 52(%rsi), %ymm8
	vpxor 448(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 480(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 92(%rsi), %ymm8
	vpxor 448(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 480(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 512(%rdx), %ymm6
	vmovdqu 544(%rdx), %ymm7
	vpbroadcastd 56(%rsi), %ymm8
	vpxor 576(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 608(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 96(%rsi), %ymm8
	vpxor 576(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 608(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 640(%rdx), %ymm6
	vmovdqu 672(%rdx), %ymm7
	vpbroadcastd 60(%rsi), %ymm8
	vpxor 704(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 736(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 100(%rsi), %ymm8
	vpxor 704(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 736(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 768(%rdx), %ymm6
	vmovdqu 800(%rdx), %ymm7
	vpbroadcastd 64(%rsi), %ymm8
	vpxor 832(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 864(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 104(%rsi), %ymm8
	vpxor 832(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 864(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 896(%rdx), %ymm6
	vmovdqu 928(%rdx), %ymm7
	vpbroadcastd 68(%rsi), %ymm8
	vpxor 960(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 992(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 108(%rsi), %ymm8
	vpxor 960(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 992(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1024(%rdx), %ymm6
	vmovdqu 1056(%rdx), %ymm7
	vpbroadcastd 72(%rsi), %ymm8
	vpxor 1088(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1120(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 112(%rsi), %ymm8
	vpxor 1088(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1120(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1152(%rdx), %ymm6
	vmovdqu 1184(%rdx), %ymm7
	vpbroadcastd 76(%rsi), %ymm8
	vpxor 1216(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1248(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 116(%rsi), %ymm8
	vpxor 1216(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1248(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	add $$320, %r13
	vmovdqu 1280(%rdx), %ymm6
	vmovdqu 1312(%rdx), %ymm7
	vpbroadcastd 40(%rsi), %ymm8
	vpxor 1344(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 1376(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 80(%rsi), %ymm8
	vpxor 1344(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1376(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 120(%rsi), %ymm8
	vpxor 1344(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1376(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1408(%rdx), %ymm6
	vmovdqu 1440(%rdx), %ymm7
	vpbroadcastd 44(%rsi), %ymm8
	vpxor 1472(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 1504(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 84(%rsi), %ymm8
	vpxor 1472(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1504(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 124(%rsi), %ymm8
	vpxor 1472(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1504(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1536(%rdx), %ymm6
	vmovdqu 1568(%rdx), %ymm7
	vpbroadcastd 48(%rsi), %ymm8
	vpxor 1600(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 1632(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 88(%rsi), %ymm8
	vpxor 1600(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1632(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 128(%rsi), %ymm8
	vpxor 1600(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1632(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1664(%rdx), %ymm6
	vmovdqu 1696(%rdx), %ymm7
	vpbroadcastd 52(%rsi), %ymm8
	vpxor 1728(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 1760(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 92(%rsi), %ymm8
	vpxor 1728(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1760(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 132(%rsi), %ymm8
	vpxor 1728(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1760(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1792(%rdx), %ymm6
	vmovdqu 1824(%rdx), %ymm7
	vpbroadcastd 56(%rsi), %ymm8
	vpxor 1856(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 1888(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 96(%rsi), %ymm8
	vpxor 1856(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 1888(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 136(%rsi), %ymm8
	vpxor 1856(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 1888(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 1920(%rdx), %ymm6
	vmovdqu 1952(%rdx), %ymm7
	vpbroadcastd 60(%rsi), %ymm8
	vpxor 1984(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 2016(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 100(%rsi), %ymm8
	vpxor 1984(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 2016(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 140(%rsi), %ymm8
	vpxor 1984(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 2016(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 2048(%rdx), %ymm6
	vmovdqu 2080(%rdx), %ymm7
	vpbroadcastd 64(%rsi), %ymm8
	vpxor 2112(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 2144(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 104(%rsi), %ymm8
	vpxor 2112(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 2144(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 144(%rsi), %ymm8
	vpxor 2112(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 2144(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 2176(%rdx), %ymm6
	vmovdqu 2208(%rdx), %ymm7
	vpbroadcastd 68(%rsi), %ymm8
	vpxor 2240(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 2272(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 108(%rsi), %ymm8
	vpxor 2240(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 2272(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 148(%rsi), %ymm8
	vpxor 2240(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 2272(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 2304(%rdx), %ymm6
	vmovdqu 2336(%rdx), %ymm7
	vpbroadcastd 72(%rsi), %ymm8
	vpxor 2368(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 2400(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 112(%rsi), %ymm8
	vpxor 2368(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 2400(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 152(%rsi), %ymm8
	vpxor 2368(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 2400(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vmovdqu 2432(%rdx), %ymm6
	vmovdqu 2464(%rdx), %ymm7
	vpbroadcastd 76(%rsi), %ymm8
	vpxor 2496(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpxor 2528(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastd 116(%rsi), %ymm8
	vpxor 2496(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpxor 2528(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastd 156(%rsi), %ymm8
	vpxor 2496(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm6, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpxor 2528(%rdx), %ymm8, %ymm9
	vpmaddubsw %ymm7, %ymm9, %ymm9
	vpmaddwd %ymm10, %ymm9, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	add $$560, %rsi
	add $$2560, %rdx
	dec %r9
	jnz 2b
	3:
	mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	mov $$1120403456, %r10d
	vmovd %r10d, %xmm6
	vbroadcastss %xmm6, %ymm6
	mov $$10, %r10d
	vmovd %r10d, %xmm8
	vbroadcastss %xmm8, %ymm8
	vcvtdq2ps %ymm0, %ymm0
	vmulps 0(%r8), %ymm0, %ymm0
	vminps %ymm0, %ymm6, %ymm0
	vcvtps2dq %ymm0, %ymm0
	vpaddd %ymm8, %ymm0, %ymm0
	vcvtdq2ps %ymm1, %ymm1
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm1, %ymm1
	vminps %ymm1, %ymm6, %ymm1
	vcvtps2dq %ymm1, %ymm1
	vpaddd %ymm8, %ymm1, %ymm1
	vcvtdq2ps %ymm2, %ymm2
	vmulps 0(%r8), %ymm2, %ymm2
	vminps %ymm2, %ymm6, %ymm2
	vcvtps2dq %ymm2, %ymm2
	vpaddd %ymm8, %ymm2, %ymm2
	vcvtdq2ps %ymm3, %ymm3
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm3, %ymm3
	vminps %ymm3, %ymm6, %ymm3
	vcvtps2dq %ymm3, %ymm3
	vpaddd %ymm8, %ymm3, %ymm3
	vpackssdw %ymm2, %ymm0, %ymm0
	vextracti128 $$1, %ymm0, %xmm2
	vpackuswb %xmm2, %xmm0, %xmm0
	vpshufd $$0xd8, %xmm0, %xmm0
	vmovq %xmm0, 0(%rdi)
	vmovhps %xmm0, 15(%rdi)
	vextracti128 $$1, %ymm1, %xmm9
	vpackssdw %xmm9, %xmm1, %xmm1
	vpackuswb %xmm1, %xmm1, %xmm1
	vmovd %xmm1, 8(%rdi)
	vpextrw $$2, %xmm1, 12(%rdi)
	vpextrb $$6, %xmm1, 14(%rdi)
	vextracti128 $$1, %ymm3, %xmm9
	vpackssdw %xmm9, %xmm3, %xmm3
	vpackuswb %xmm3, %xmm3, %xmm3
	vmovd %xmm3, 23(%rdi)
	vpextrw $$2, %xmm3, 27(%rdi)
	vpextrb $$6, %xmm3, 29(%rdi)
	vcvtdq2ps %ymm4, %ymm4
	vmulps 0(%r8), %ymm4, %ymm4
	vminps %ymm4, %ymm6, %ymm4
	vcvtps2dq %ymm4, %ymm4
	vpaddd %ymm8, %ymm4, %ymm4
	vcvtdq2ps %ymm5, %ymm5
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm5, %ymm5
	vminps %ymm5, %ymm6, %ymm5
	vcvtps2dq %ymm5, %ymm5
	vpaddd %ymm8, %ymm5, %ymm5
	vextracti128 $$1, %ymm4, %xmm9
	vpackssdw %xmm9, %xmm4, %xmm4
	vpackuswb %xmm4, %xmm4, %xmm4
	vmovq %xmm4, 30(%rdi)
	vextracti128 $$1, %ymm5, %xmm9
	vpackssdw %xmm9, %xmm5, %xmm5
	vpackuswb %xmm5, %xmm5, %xmm5
	vmovd %xmm5, 38(%rdi)
	vpextrw $$2, %xmm5, 42(%rdi)
	vpextrb $$6, %xmm5, 44(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+fma" }
attributes #1 = { noduplicate }
