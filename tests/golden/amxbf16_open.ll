define i32 @bf16_bf16_bf16_3x32_row_amxbf16__n31_a32.v_b64.3072_c31_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	shl $$1, %r14
	mov %rsp, %rax
	sub $$5376, %rsp
	and $$-64, %rsp
	mov %rax, 5184(%rsp)
	mov %r8, 5120(%rsp)
	mov %r14, 5136(%rsp)
	mov $$64, %r15
	mov $$64, %r14
	mov $$128, %r8
	vpxord %zmm8, %zmm8, %zmm8
	xor %eax, %eax
	tileloadd 0(%rcx,%rax,1), %tmm0
	vmovups 64(%rcx), %zmm0{%k1}{z}
	vmovups %zmm0, 1024(%rsp)
	tileloadd 1024(%rsp,%rax,1), %tmm1
	test %r9, %r9
	jz 3f
	2:
	vmovups %zmm8, 2048(%rsp)
	add $$512, %r13
	vmovups 0(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 64(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r15,1), %tmm7
	tileloadd 0(%rdx,%r8,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 -512(%r13)
	prefetcht1 -448(%r13)
	prefetcht1 -384(%r13)
	prefetcht1 -320(%r13)
	tileloadd 64(%rdx,%r8,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	prefetcht1 -256(%r13)
	prefetcht1 -192(%r13)
	prefetcht1 -128(%r13)
	prefetcht1 -64(%r13)
	add $$1024, %r13
	vmovups 0(%rsi), %zmm0
	vmovups %zmm0, 2048(%rsp)
	vmovups 64(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 128(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r15,1), %tmm7
	tileloadd 2048(%rdx,%r8,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 -1024(%r13)
	prefetcht1 -960(%r13)
	prefetcht1 -896(%r13)
	prefetcht1 -832(%r13)
	tileloadd 2112(%rdx,%r8,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	prefetcht1 -768(%r13)
	prefetcht1 -704(%r13)
	prefetcht1 -640(%r13)
	prefetcht1 -576(%r13)
	vmovups 64(%rsi), %zmm0
	vmovups %zmm0, 2048(%rsp)
	vmovups 128(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 192(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r15,1), %tmm7
	tileloadd 4096(%rdx,%r8,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 -512(%r13)
	prefetcht1 -448(%r13)
	prefetcht1 -384(%r13)
	prefetcht1 -320(%r13)
	tileloadd 4160(%rdx,%r8,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	prefetcht1 -256(%r13)
	prefetcht1 -192(%r13)
	prefetcht1 -128(%r13)
	prefetcht1 -64(%r13)
	add 5136(%rsp), %rsi
	add $$6144, %rdx
	dec %r9
	jnz 2b
	3:
	tilestored %tmm0, 0(%rsp,%r15,1)
	tilestored %tmm1, 1024(%rsp,%r15,1)
	mov 5120(%rsp), %r8
	vbroadcastss 7f+0(%rip), %zmm1
	vbroadcastss 7f+4(%rip), %zmm2
	vmovups 0(%rsp), %zmm0
	vpmovzxwd 0(%r8), %zmm3
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 0(%rdi)
	vmovups 1024(%rsp), %zmm0
	vpmovzxwd 32(%r8), %zmm3{%k1}{z}
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 32(%rdi){%k1}
	vmovups 64(%rsp), %zmm0
	vpmovzxwd 62(%r8), %zmm3
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 62(%rdi)
	vmovups 1088(%rsp), %zmm0
	vpmovzxwd 94(%r8), %zmm3{%k1}{z}
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 94(%rdi){%k1}
	vmovups 128(%rsp), %zmm0
	vpmovzxwd 124(%r8), %zmm3
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 124(%rdi)
	vmovups 1152(%rsp), %zmm0
	vpmovzxwd 156(%r8), %zmm3{%k1}{z}
	vpslld $$16, %zmm3, %zmm3
	vaddps %zmm3, %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtneps2bf16 %zmm0, %ymm3
	vmovdqu16 %ymm3, 156(%rdi){%k1}
	mov 5184(%rsp), %rsp
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 1, 4, 0
	.fill 1, 4, 1086324736
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r14},={r13},0,1,2,3,4,5,6,7,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{tmm0},~{tmm1},~{tmm2},~{tmm3},~{tmm4},~{tmm5},~{tmm6},~{tmm7},~{rax},~{r10},~{r15},~{k1},~{k2},~{k3},~{k4},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+amx-bf16,+amx-tile,+avx512bf16,+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
