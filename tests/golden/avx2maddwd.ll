define i32 @u8_u8_s8_3x16_row_avx2maddwd__n15_a40.560_b32.1280_c15_p4_bias_clipc1200000.42c80000_w0.15.1.0_z10_s1.3.0.0.40_s0.3.40.640.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vmovups 60(%rcx), %ymm0
	vmovups 0(%rcx), %ymm2
	vmovdqa %ymm2, %ymm4
	vmaskmovps 92(%rcx), %ymm15, %ymm1
	vmaskmovps 32(%rcx), %ymm15, %ymm3
	vmovdqa %ymm3, %ymm5
	test %r9, %r9
	jz 3f
	2:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	add $$192, %r13
	vpmovsxbw 0(%rdx), %ymm6
	vpmovsxbw 16(%rdx), %ymm7
	vpbroadcastw 40(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 80(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 32(%rdx), %ymm6
	vpmovsxbw 48(%rdx), %ymm7
	vpbroadcastw 42(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 82(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 64(%rdx), %ymm6
	vpmovsxbw 80(%rdx), %ymm7
	vpbroadcastw 44(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 84(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 96(%rdx), %ymm6
	vpmovsxbw 112(%rdx), %ymm7
	vpbroadcastw 46(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 86(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 128(%rdx), %ymm6
	vpmovsxbw 144(%rdx), %ymm7
	vpbroadcastw 48(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 88(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 160(%rdx), %ymm6
	vpmovsxbw 176(%rdx), %ymm7
	vpbroadcastw 50(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 90(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 192(%rdx), %ymm6
	vpmovsxbw 208(%rdx), %ymm7
	vpbroadcastw 52(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 92(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 224(%rdx), %ymm6
	vpmovsxbw 240(%rdx), %ymm7
	vpbroadcastw 54(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 94(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 256(%rdx), %ymm6
	vpmovsxbw 272(%rdx), %ymm7
	vpbroadcastw 56(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 96(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 288(%rdx), %ymm6
	vpmovsxbw 304(%rdx), %ymm7
	vpbroadcastw 58(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 98(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 320(%rdx), %ymm6
	vpmovsxbw 336(%rdx), %ymm7
	vpbroadcastw 60(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 100(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 352(%rdx), %ymm6
	vpmovsxbw 368(%rdx), %ymm7
	vpbroadcastw 62(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 102(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 384(%rdx), %ymm6
	vpmovsxbw 400(%rdx), %ymm7
	vpbroadcastw 64(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 104(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 416(%rdx), %ymm6
	vpmovsxbw 432(%rdx), %ymm7
	vpbroadcastw 66(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 106(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 448(%rdx), %ymm6
	vpmovsxbw 464(%rdx), %ymm7
	vpbroadcastw 68(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 108(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 480(%rdx), %ymm6
	vpmovsxbw 496(%rdx), %ymm7
	vpbroadcastw 70(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 110(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 512(%rdx), %ymm6
	vpmovsxbw 528(%rdx), %ymm7
	vpbroadcastw 72(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 112(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 544(%rdx), %ymm6
	vpmovsxbw 560(%rdx), %ymm7
	vpbroadcastw 74(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 114(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 576(%rdx), %ymm6
	vpmovsxbw 592(%rdx), %ymm7
	vpbroadcastw 76(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 116(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 608(%rdx), %ymm6
	vpmovsxbw 624(%rdx), %ymm7
	vpbroadcastw 78(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 118(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	mov $$2, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	add $$128, %r13
	vpmovsxbw 640(%rdx), %ymm6
	vpmovsxbw 656(%rdx), %ymm7
	vpbroadcastw 40(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 80(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 120(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 672(%rdx), %ymm6
	vpmovsxbw 688(%rdx), %ymm7
	vpbroadcastw 42(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 82(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 122(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 704(%rdx), %ymm6
	vpmovsxbw 720(%rdx), %ymm7
	vpbroadcastw 44(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 84(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 124(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 736(%rdx), %ymm6
	vpmovsxbw 752(%rdx), %ymm7
	vpbroadcastw 46(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 86(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 126(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 768(%rdx), %ymm6
	vpmovsxbw 784(%rdx), %ymm7
	vpbroadcastw 48(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 88(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 128(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 800(%rdx), %ymm6
	vpmovsxbw 816(%rdx), %ymm7
	vpbroadcastw 50(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 90(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 130(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 832(%rdx), %ymm6
	vpmovsxbw 848(%rdx), %ymm7
	vpbroadcastw 52(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 92(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 132(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 864(%rdx), %ymm6
	vpmovsxbw 880(%rdx), %ymm7
	vpbroadcastw 54(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 94(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 134(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 896(%rdx), %ymm6
	vpmovsxbw 912(%rdx), %ymm7
	vpbroadcastw 56(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 96(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 136(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	vpmovsxbw 928(%rdx), %ymm6
	vpmovsxbw 944(%rdx), %ymm7
	vpbroadcastw 58(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm0, %ymm0
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm1, %ymm1
	vpbroadcastw 98(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm3, %ymm3
	vpbroadcastw 138(%rsi), %xmm8
	vpmovzxbw %xmm8, %ymm8
	vpmaddwd %ymm6, %ymm8, %ymm9
	vpaddd %ymm9, %ymm4, %ymm4
	vpmaddwd %ymm7, %ymm8, %ymm9
	vpaddd %ymm9, %ymm5, %ymm5
	add $$20, %rsi
	add $$320, %rdx
	dec %rax
	jnz 1b
	add $$520, %rsi
	add $$640, %rdx
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
	vextracti128 $$1, %ymm0, %xmm9
	vpackssdw %xmm9, %xmm0, %xmm0
	vpackuswb %xmm0, %xmm0, %xmm0
	vmovq %xmm0, 0(%rdi)
	vcvtdq2ps %ymm1, %ymm1
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm1, %ymm1
	vminps %ymm1, %ymm6, %ymm1
	vcvtps2dq %ymm1, %ymm1
	vpaddd %ymm8, %ymm1, %ymm1
	vextracti128 $$1, %ymm1, %xmm9
	vpackssdw %xmm9, %xmm1, %xmm1
	vpackuswb %xmm1, %xmm1, %xmm1
	vmovd %xmm1, 8(%rdi)
	vpextrw $$2, %xmm1, 12(%rdi)
	vpextrb $$6, %xmm1, 14(%rdi)
	vcvtdq2ps %ymm2, %ymm2
	vmulps 0(%r8), %ymm2, %ymm2
	vminps %ymm2, %ymm6, %ymm2
	vcvtps2dq %ymm2, %ymm2
	vpaddd %ymm8, %ymm2, %ymm2
	vextracti128 $$1, %ymm2, %xmm9
	vpackssdw %xmm9, %xmm2, %xmm2
	vpackuswb %xmm2, %xmm2, %xmm2
	vmovq %xmm2, 15(%rdi)
	vcvtdq2ps %ymm3, %ymm3
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm3, %ymm3
	vminps %ymm3, %ymm6, %ymm3
	vcvtps2dq %ymm3, %ymm3
	vpaddd %ymm8, %ymm3, %ymm3
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
	vextracti128 $$1, %ymm4, %xmm9
	vpackssdw %xmm9, %xmm4, %xmm4
	vpackuswb %xmm4, %xmm4, %xmm4
	vmovq %xmm4, 30(%rdi)
	vcvtdq2ps %ymm5, %ymm5
	vmaskmovps 32(%r8), %ymm15, %ymm9
	vmulps %ymm9, %ymm5, %ymm5
	vminps %ymm5, %ymm6, %ymm5
	vcvtps2dq %ymm5, %ymm5
	vpaddd %ymm8, %ymm5, %ymm5
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
