define i32 @u8_u8_s8_3x32_row_avx512maddwd__n31_a40.560_b64.2560_c31_p4_bias_clipc1200000.42c80000_w0.31.1.0_z10_s1.3.0.0.40_s0.3.40.1280.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	vmovups 124(%rcx), %zmm0
	vmovups 0(%rcx), %zmm2
	vmovdqa32 %zmm2, %zmm4
	vmovups 188(%rcx), %zmm1{%k1}{z}
	vmovups 64(%rcx), %zmm3{%k1}{z}
	vmovdqa32 %zmm3, %zmm5
	test %r9, %r9
	jz 3f
	2:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	add $$320, %r13
	vpmovsxbw 0(%rdx), %zmm6
	vpmovsxbw 32(%rdx), %zmm7
	vpbroadcastw 40(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 80(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 64(%rdx), %zmm6
	vpmovsxbw 96(%rdx), %zmm7
	vpbroadcastw 42(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 82(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 128(%rdx), %zmm6
	vpmovsxbw 160(%rdx), %zmm7
	vpbroadcastw 44(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 84(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 192(%rdx), %zmm6
	vpmovsxbw 224(%rdx), %zmm7
	vpbroadcastw 46(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 86(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 256(%rdx), %zmm6
	vpmovsxbw 288(%rdx), %zmm7
	vpbroadcastw 48(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 88(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 320(%rdx), %zmm6
	vpmovsxbw 352(%rdx), %zmm7
	vpbroadcastw 50(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 90(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 384(%rdx), %zmm6
	vpmovsxbw 416(%rdx), %zmm7
	vpbroadcastw 52(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 92(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 448(%rdx), %zmm6
	vpmovsxbw 480(%rdx), %zmm7
	vpbroadcastw 54(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 94(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 512(%rdx), %zmm6
	vpmovsxbw 544(%rdx), %zmm7
	vpbroadcastw 56(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 96(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 576(%rdx), %zmm6
	vpmovsxbw 608(%rdx), %zmm7
	vpbroadcastw 58(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 98(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 640(%rdx), %zmm6
	vpmovsxbw 672(%rdx), %zmm7
	vpbroadcastw 60(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 100(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 704(%rdx), %zmm6
	vpmovsxbw 736(%rdx), %zmm7
	vpbroadcastw 62(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 102(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 768(%rdx), %zmm6
	vpmovsxbw 800(%rdx), %zmm7
	vpbroadcastw 64(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 104(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 832(%rdx), %zmm6
	vpmovsxbw 864(%rdx), %zmm7
	vpbroadcastw 66(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 106(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 896(%rdx), %zmm6
	vpmovsxbw 928(%rdx), %zmm7
	vpbroadcastw 68(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 108(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 960(%rdx), %zmm6
	vpmovsxbw 992(%rdx), %zmm7
	vpbroadcastw 70(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 110(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1024(%rdx), %zmm6
	vpmovsxbw 1056(%rdx), %zmm7
	vpbroadcastw 72(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 112(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1088(%rdx), %zmm6
	vpmovsxbw 1120(%rdx), %zmm7
	vpbroadcastw 74(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 114(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1152(%rdx), %zmm6
	vpmovsxbw 1184(%rdx), %zmm7
	vpbroadcastw 76(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 116(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1216(%rdx), %zmm6
	vpmovsxbw 1248(%rdx), %zmm7
	vpbroadcastw 78(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 118(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	mov $$2, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	add $$192, %r13
	vpmovsxbw 1280(%rdx), %zmm6
	vpmovsxbw 1312(%rdx), %zmm7
	vpbroadcastw 40(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 80(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 120(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1344(%rdx), %zmm6
	vpmovsxbw 1376(%rdx), %zmm7
	vpbroadcastw 42(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 82(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 122(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1408(%rdx), %zmm6
	vpmovsxbw 1440(%rdx), %zmm7
	vpbroadcastw 44(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 84(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 124(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1472(%rdx), %zmm6
	vpmovsxbw 1504(%rdx), %zmm7
	vpbroadcastw 46(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 86(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 126(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1536(%rdx), %zmm6
	vpmovsxbw 1568(%rdx), %zmm7
	vpbroadcastw 48(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 88(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 128(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1600(%rdx), %zmm6
	vpmovsxbw 1632(%rdx), %zmm7
	vpbroadcastw 50(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 90(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 130(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1664(%rdx), %zmm6
	vpmovsxbw 1696(%rdx), %zmm7
	vpbroadcastw 52(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 92(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 132(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1728(%rdx), %zmm6
	vpmovsxbw 1760(%rdx), %zmm7
	vpbroadcastw 54(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 94(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 134(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1792(%rdx), %zmm6
	vpmovsxbw 1824(%rdx), %zmm7
	vpbroadcastw 56(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 96(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 136(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	vpmovsxbw 1856(%rdx), %zmm6
	vpmovsxbw 1888(%rdx), %zmm7
	vpbroadcastw 58(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm0, %zmm0
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm1, %zmm1
	vpbroadcastw 98(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm3, %zmm3
	vpbroadcastw 138(%rsi), %ymm8
	vpmovzxbw %ymm8, %zmm8
	vpmaddwd %zmm6, %zmm8, %zmm9
	vpaddd %zmm9, %zmm4, %zmm4
	vpmaddwd %zmm7, %zmm8, %zmm9
	vpaddd %zmm9, %zmm5, %zmm5
	add $$20, %rsi
	add $$640, %rdx
	dec %rax
	jnz 1b
	add $$520, %rsi
	add $$1280, %rdx
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
