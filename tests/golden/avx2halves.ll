define i32 @bf16_bf16_bf16_3x16_row_avx2halves__n15_a32.448_b16.1536_c15_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.512.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
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
	add $$256, %r13
	vbroadcasti128 0(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 16(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 0(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 64(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 32(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 48(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 2(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 66(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 64(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 80(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 4(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 68(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 96(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 112(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 6(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 70(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 128(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 144(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 8(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 72(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 160(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 176(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 10(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 74(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 192(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 208(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 12(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 76(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 224(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 240(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 14(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 78(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 256(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 272(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 16(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 80(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 288(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 304(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 18(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 82(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 320(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 336(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 20(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 84(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 352(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 368(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 22(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 86(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 384(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 400(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 24(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 88(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 416(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 432(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 26(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 90(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 448(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 464(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 28(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 92(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 480(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 496(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 30(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 94(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 512(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 528(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 32(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 96(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 544(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 560(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 34(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 98(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 576(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 592(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 36(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 100(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 608(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 624(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 38(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 102(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 640(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 656(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 40(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 104(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 672(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 688(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 42(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 106(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 704(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 720(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 44(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 108(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 736(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 752(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 46(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 110(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 768(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 784(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 48(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 112(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 800(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 816(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 50(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 114(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 832(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 848(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 52(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 116(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 864(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 880(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 54(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 118(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 896(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 912(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 56(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 120(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 928(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 944(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 58(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 122(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 960(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 976(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 60(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 124(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 992(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1008(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 62(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 126(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	mov $$4, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	add $$128, %r13
	vbroadcasti128 1024(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1040(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 0(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 64(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 128(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1056(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1072(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 2(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 66(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 130(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1088(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1104(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 4(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 68(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 132(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1120(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1136(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 6(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 70(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 134(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1152(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1168(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 8(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 72(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 136(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1184(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1200(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 10(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 74(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 138(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1216(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1232(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 12(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 76(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 140(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1248(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1264(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 14(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 78(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 142(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1280(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1296(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 16(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 80(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 144(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1312(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1328(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 18(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 82(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 146(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1344(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1360(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 20(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 84(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 148(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1376(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1392(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 22(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 86(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 150(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1408(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1424(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 24(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 88(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 152(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1440(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1456(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 26(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 90(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 154(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1472(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1488(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 28(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 92(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 156(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	vbroadcasti128 1504(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vbroadcasti128 1520(%rdx), %ymm7
	vpshufb 7f+0(%rip), %ymm7, %ymm7
	vpbroadcastw 30(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm0
	vfmadd231ps %ymm8, %ymm7, %ymm1
	vpbroadcastw 94(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm2
	vfmadd231ps %ymm8, %ymm7, %ymm3
	vpbroadcastw 158(%rsi), %ymm8
	vpslld $$16, %ymm8, %ymm8
	vfmadd231ps %ymm8, %ymm6, %ymm4
	vfmadd231ps %ymm8, %ymm7, %ymm5
	add $$32, %rsi
	add $$512, %rdx
	dec %rax
	jnz 1b
	add $$768, %rsi
	add $$1024, %rdx
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
	vbroadcasti128 0(%r8), %ymm8
	vpshufb 7f+0(%rip), %ymm8, %ymm8
	vaddps %ymm8, %ymm0, %ymm0
	vmaxps %ymm0, %ymm6, %ymm0
	vminps %ymm0, %ymm7, %ymm0
	vcmpunordps %ymm0, %ymm0, %ymm9
	vpslld $$15, %ymm0, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm0, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovdqu %xmm8, 0(%rdi)
	vmovq 16(%r8), %xmm8
	vpinsrd $$2, 24(%r8), %xmm8, %xmm8
	vpinsrw $$6, 28(%r8), %xmm8, %xmm8
	vpmovzxwd %xmm8, %ymm8
	vpslld $$16, %ymm8, %ymm8
	vaddps %ymm8, %ymm1, %ymm1
	vmaxps %ymm1, %ymm6, %ymm1
	vminps %ymm1, %ymm7, %ymm1
	vcmpunordps %ymm1, %ymm1, %ymm9
	vpslld $$15, %ymm1, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm1, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovq %xmm8, 16(%rdi)
	vpextrd $$2, %xmm8, 24(%rdi)
	vpextrw $$6, %xmm8, 28(%rdi)
	vbroadcasti128 30(%r8), %ymm8
	vpshufb 7f+0(%rip), %ymm8, %ymm8
	vaddps %ymm8, %ymm2, %ymm2
	vmaxps %ymm2, %ymm6, %ymm2
	vminps %ymm2, %ymm7, %ymm2
	vcmpunordps %ymm2, %ymm2, %ymm9
	vpslld $$15, %ymm2, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm2, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovdqu %xmm8, 30(%rdi)
	vmovq 46(%r8), %xmm8
	vpinsrd $$2, 54(%r8), %xmm8, %xmm8
	vpinsrw $$6, 58(%r8), %xmm8, %xmm8
	vpmovzxwd %xmm8, %ymm8
	vpslld $$16, %ymm8, %ymm8
	vaddps %ymm8, %ymm3, %ymm3
	vmaxps %ymm3, %ymm6, %ymm3
	vminps %ymm3, %ymm7, %ymm3
	vcmpunordps %ymm3, %ymm3, %ymm9
	vpslld $$15, %ymm3, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm3, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovq %xmm8, 46(%rdi)
	vpextrd $$2, %xmm8, 54(%rdi)
	vpextrw $$6, %xmm8, 58(%rdi)
	vbroadcasti128 60(%r8), %ymm8
	vpshufb 7f+0(%rip), %ymm8, %ymm8
	vaddps %ymm8, %ymm4, %ymm4
	vmaxps %ymm4, %ymm6, %ymm4
	vminps %ymm4, %ymm7, %ymm4
	vcmpunordps %ymm4, %ymm4, %ymm9
	vpslld $$15, %ymm4, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm4, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovdqu %xmm8, 60(%rdi)
	vmovq 76(%r8), %xmm8
	vpinsrd $$2, 84(%r8), %xmm8, %xmm8
	vpinsrw $$6, 88(%r8), %xmm8, %xmm8
	vpmovzxwd %xmm8, %ymm8
	vpslld $$16, %ymm8, %ymm8
	vaddps %ymm8, %ymm5, %ymm5
	vmaxps %ymm5, %ymm6, %ymm5
	vminps %ymm5, %ymm7, %ymm5
	vcmpunordps %ymm5, %ymm5, %ymm9
	vpslld $$15, %ymm5, %ymm8
	vpsrld $$31, %ymm8, %ymm8
	vpaddd %ymm5, %ymm8, %ymm8
	vpaddd 7f+32(%rip), %ymm8, %ymm8
	vpor %ymm9, %ymm8, %ymm8
	vpsrld $$16, %ymm8, %ymm8
	vextracti128 $$1, %ymm8, %xmm9
	vpackusdw %xmm9, %xmm8, %xmm8
	vmovq %xmm8, 76(%rdi)
	vpextrd $$2, %xmm8, 84(%rdi)
	vpextrw $$6, %xmm8, 88(%rdi)
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.long 16810112, 50495616, 84181120, 117866624, 151552128, 185237632, 218923136, 252608640
	.fill 8, 4, 32767
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+f16c,+fma" }
attributes #1 = { noduplicate }
