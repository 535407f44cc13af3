define i32 @bf16_bf16_bf16_3x32_row_avx512bf16__n31_a32.448_b64.3072_c31_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
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
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	prefetcht1 320(%r13)
	prefetcht1 384(%r13)
	prefetcht1 448(%r13)
	add $$512, %r13
	vmovups 0(%rdx), %zmm6
	vmovups 64(%rdx), %zmm7
	vpbroadcastd 0(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 64(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 128(%rdx), %zmm6
	vmovups 192(%rdx), %zmm7
	vpbroadcastd 4(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 68(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 256(%rdx), %zmm6
	vmovups 320(%rdx), %zmm7
	vpbroadcastd 8(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 72(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 384(%rdx), %zmm6
	vmovups 448(%rdx), %zmm7
	vpbroadcastd 12(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 76(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 512(%rdx), %zmm6
	vmovups 576(%rdx), %zmm7
	vpbroadcastd 16(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 80(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 640(%rdx), %zmm6
	vmovups 704(%rdx), %zmm7
	vpbroadcastd 20(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 84(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 768(%rdx), %zmm6
	vmovups 832(%rdx), %zmm7
	vpbroadcastd 24(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 88(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 896(%rdx), %zmm6
	vmovups 960(%rdx), %zmm7
	vpbroadcastd 28(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 92(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1024(%rdx), %zmm6
	vmovups 1088(%rdx), %zmm7
	vpbroadcastd 32(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 96(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1152(%rdx), %zmm6
	vmovups 1216(%rdx), %zmm7
	vpbroadcastd 36(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 100(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1280(%rdx), %zmm6
	vmovups 1344(%rdx), %zmm7
	vpbroadcastd 40(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 104(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1408(%rdx), %zmm6
	vmovups 1472(%rdx), %zmm7
	vpbroadcastd 44(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 108(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1536(%rdx), %zmm6
	vmovups 1600(%rdx), %zmm7
	vpbroadcastd 48(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 112(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1664(%rdx), %zmm6
	vmovups 1728(%rdx), %zmm7
	vpbroadcastd 52(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 116(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1792(%rdx), %zmm6
	vmovups 1856(%rdx), %zmm7
	vpbroadcastd 56(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 120(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 1920(%rdx), %zmm6
	vmovups 1984(%rdx), %zmm7
	vpbroadcastd 60(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 124(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	mov $$2, %rax
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
	vmovups 2048(%rdx), %zmm6
	vmovups 2112(%rdx), %zmm7
	vpbroadcastd 0(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 64(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 128(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2176(%rdx), %zmm6
	vmovups 2240(%rdx), %zmm7
	vpbroadcastd 4(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 68(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 132(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2304(%rdx), %zmm6
	vmovups 2368(%rdx), %zmm7
	vpbroadcastd 8(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 72(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 136(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2432(%rdx), %zmm6
	vmovups 2496(%rdx), %zmm7
	vpbroadcastd 12(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 76(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 140(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2560(%rdx), %zmm6
	vmovups 2624(%rdx), %zmm7
	vpbroadcastd 16(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 80(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 144(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2688(%rdx), %zmm6
	vmovups 2752(%rdx), %zmm7
	vpbroadcastd 20(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 84(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 148(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2816(%rdx), %zmm6
	vmovups 2880(%rdx), %zmm7
	vpbroadcastd 24(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 88(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 152(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 2944(%rdx), %zmm6
	vmovups 3008(%rdx), %zmm7
	vpbroadcastd 28(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 92(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 156(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3072(%rdx), %zmm6
	vmovups 3136(%rdx), %zmm7
	vpbroadcastd 32(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 96(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 160(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3200(%rdx), %zmm6
	vmovups 3264(%rdx), %zmm7
	vpbroadcastd 36(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 100(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 164(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3328(%rdx), %zmm6
	vmovups 3392(%rdx), %zmm7
	vpbroadcastd 40(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 104(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 168(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3456(%rdx), %zmm6
	vmovups 3520(%rdx), %zmm7
	vpbroadcastd 44(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 108(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 172(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3584(%rdx), %zmm6
	vmovups 3648(%rdx), %zmm7
	vpbroadcastd 48(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 112(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 176(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3712(%rdx), %zmm6
	vmovups 3776(%rdx), %zmm7
	vpbroadcastd 52(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 116(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 180(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3840(%rdx), %zmm6
	vmovups 3904(%rdx), %zmm7
	vpbroadcastd 56(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 120(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 184(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	vmovups 3968(%rdx), %zmm6
	vmovups 4032(%rdx), %zmm7
	vpbroadcastd 60(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm0
	vdpbf16ps %zmm7, %zmm8, %zmm1
	vpbroadcastd 124(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm2
	vdpbf16ps %zmm7, %zmm8, %zmm3
	vpbroadcastd 188(%rsi), %zmm8
	vdpbf16ps %zmm6, %zmm8, %zmm4
	vdpbf16ps %zmm7, %zmm8, %zmm5
	add $$64, %rsi
	add $$2048, %rdx
	dec %rax
	jnz 1b
	add $$768, %rsi
	add $$2048, %rdx
	dec %r9
	jnz 2b
	3:
	vpxord %zmm6, %zmm6, %zmm6
	mov $$1086324736, %r10d
	vpbroadcastd %r10d, %zmm7
	vpmovzxwd 0(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm0, %zmm0
	vmaxps %zmm0, %zmm6, %zmm0
	vminps %zmm0, %zmm7, %zmm0
	vcvtneps2bf16 %zmm0, %ymm8
	vmovdqu16 %ymm8, 0(%rdi)
	vpmovzxwd 32(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm1, %zmm1
	vmaxps %zmm1, %zmm6, %zmm1
	vminps %zmm1, %zmm7, %zmm1
	vcvtneps2bf16 %zmm1, %ymm8
	vmovdqu16 %ymm8, 32(%rdi){%k1}
	vpmovzxwd 62(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm2, %zmm2
	vmaxps %zmm2, %zmm6, %zmm2
	vminps %zmm2, %zmm7, %zmm2
	vcvtneps2bf16 %zmm2, %ymm8
	vmovdqu16 %ymm8, 62(%rdi)
	vpmovzxwd 94(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm3, %zmm3
	vmaxps %zmm3, %zmm6, %zmm3
	vminps %zmm3, %zmm7, %zmm3
	vcvtneps2bf16 %zmm3, %ymm8
	vmovdqu16 %ymm8, 94(%rdi){%k1}
	vpmovzxwd 124(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm4, %zmm4
	vmaxps %zmm4, %zmm6, %zmm4
	vminps %zmm4, %zmm7, %zmm4
	vcvtneps2bf16 %zmm4, %ymm8
	vmovdqu16 %ymm8, 124(%rdi)
	vpmovzxwd 156(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm5, %zmm5
	vmaxps %zmm5, %zmm6, %zmm5
	vminps %zmm5, %zmm7, %zmm5
	vcvtneps2bf16 %zmm5, %ymm8
	vmovdqu16 %ymm8, 156(%rdi){%k1}
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{k3},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bf16,+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
