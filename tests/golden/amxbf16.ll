define i32 @bf16_bf16_bf16_3x32_row_amxbf16__n31_a32.448_b64.3072_c31_p9216_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	mov %rsp, %rax
	sub $$5312, %rsp
	and $$-64, %rsp
	mov %rax, 5120(%rsp)
	mov $$64, %r13
	mov $$64, %r14
	mov $$128, %r15
	vpxord %zmm8, %zmm8, %zmm8
	xor %eax, %eax
	vmovups 0(%rcx), %zmm0
	vmovups %zmm0, 0(%rsp)
	tileloadd 0(%rsp,%rax,1), %tmm0
	vmovups 64(%rcx), %zmm0{%k1}{z}
	vmovups %zmm0, 1024(%rsp)
	tileloadd 1024(%rsp,%rax,1), %tmm1
	test %r9, %r9
	jz 3f
	2:
	vmovups %zmm8, 2048(%rsp)
	vmovups 0(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 64(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r13,1), %tmm7
	prefetcht1 18432(%rdx)
	prefetcht1 18560(%rdx)
	prefetcht1 18688(%rdx)
	prefetcht1 18816(%rdx)
	prefetcht1 18944(%rdx)
	prefetcht1 19072(%rdx)
	prefetcht1 19200(%rdx)
	prefetcht1 19328(%rdx)
	prefetcht1 19456(%rdx)
	prefetcht1 19584(%rdx)
	prefetcht1 19712(%rdx)
	prefetcht1 19840(%rdx)
	prefetcht1 19968(%rdx)
	prefetcht1 20096(%rdx)
	prefetcht1 20224(%rdx)
	prefetcht1 20352(%rdx)
	tileloadd 0(%rdx,%r15,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 18496(%rdx)
	prefetcht1 18624(%rdx)
	prefetcht1 18752(%rdx)
	prefetcht1 18880(%rdx)
	prefetcht1 19008(%rdx)
	prefetcht1 19136(%rdx)
	prefetcht1 19264(%rdx)
	prefetcht1 19392(%rdx)
	prefetcht1 19520(%rdx)
	prefetcht1 19648(%rdx)
	prefetcht1 19776(%rdx)
	prefetcht1 19904(%rdx)
	prefetcht1 20032(%rdx)
	prefetcht1 20160(%rdx)
	prefetcht1 20288(%rdx)
	prefetcht1 20416(%rdx)
	tileloadd 64(%rdx,%r15,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	vmovups 0(%rsi), %zmm0
	vmovups %zmm0, 2048(%rsp)
	vmovups 64(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 128(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r13,1), %tmm7
	prefetcht1 20480(%rdx)
	prefetcht1 20608(%rdx)
	prefetcht1 20736(%rdx)
	prefetcht1 20864(%rdx)
	prefetcht1 20992(%rdx)
	prefetcht1 21120(%rdx)
	prefetcht1 21248(%rdx)
	prefetcht1 21376(%rdx)
	prefetcht1 21504(%rdx)
	prefetcht1 21632(%rdx)
	prefetcht1 21760(%rdx)
	prefetcht1 21888(%rdx)
	prefetcht1 22016(%rdx)
	prefetcht1 22144(%rdx)
	prefetcht1 22272(%rdx)
	prefetcht1 22400(%rdx)
	tileloadd 2048(%rdx,%r15,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 20544(%rdx)
	prefetcht1 20672(%rdx)
	prefetcht1 20800(%rdx)
	prefetcht1 20928(%rdx)
	prefetcht1 21056(%rdx)
	prefetcht1 21184(%rdx)
	prefetcht1 21312(%rdx)
	prefetcht1 21440(%rdx)
	prefetcht1 21568(%rdx)
	prefetcht1 21696(%rdx)
	prefetcht1 21824(%rdx)
	prefetcht1 21952(%rdx)
	prefetcht1 22080(%rdx)
	prefetcht1 22208(%rdx)
	prefetcht1 22336(%rdx)
	prefetcht1 22464(%rdx)
	tileloadd 2112(%rdx,%r15,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	vmovups 64(%rsi), %zmm0
	vmovups %zmm0, 2048(%rsp)
	vmovups 128(%rsi), %zmm1
	vmovups %zmm1, 2112(%rsp)
	vmovups 192(%rsi), %zmm2
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r13,1), %tmm7
	prefetcht1 22528(%rdx)
	prefetcht1 22656(%rdx)
	prefetcht1 22784(%rdx)
	prefetcht1 22912(%rdx)
	prefetcht1 23040(%rdx)
	prefetcht1 23168(%rdx)
	prefetcht1 23296(%rdx)
	prefetcht1 23424(%rdx)
	prefetcht1 23552(%rdx)
	prefetcht1 23680(%rdx)
	prefetcht1 23808(%rdx)
	prefetcht1 23936(%rdx)
	prefetcht1 24064(%rdx)
	prefetcht1 24192(%rdx)
	prefetcht1 24320(%rdx)
	prefetcht1 24448(%rdx)
	tileloadd 4096(%rdx,%r15,1), %tmm2
	tdpbf16ps %tmm2, %tmm7, %tmm0
	prefetcht1 22592(%rdx)
	prefetcht1 22720(%rdx)
	prefetcht1 22848(%rdx)
	prefetcht1 22976(%rdx)
	prefetcht1 23104(%rdx)
	prefetcht1 23232(%rdx)
	prefetcht1 23360(%rdx)
	prefetcht1 23488(%rdx)
	prefetcht1 23616(%rdx)
	prefetcht1 23744(%rdx)
	prefetcht1 23872(%rdx)
	prefetcht1 24000(%rdx)
	prefetcht1 24128(%rdx)
	prefetcht1 24256(%rdx)
	prefetcht1 24384(%rdx)
	prefetcht1 24512(%rdx)
	tileloadd 4160(%rdx,%r15,1), %tmm3
	tdpbf16ps %tmm3, %tmm7, %tmm1
	add $$896, %rsi
	add $$6144, %rdx
	dec %r9
	jnz 2b
	3:
	tilestored %tmm0, 0(%rsp,%r13,1)
	tilestored %tmm1, 1024(%rsp,%r13,1)
	vpxord %zmm1, %zmm1, %zmm1
	mov $$1086324736, %r10d
	vpbroadcastd %r10d, %zmm2
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
	mov 5120(%rsp), %rsp
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{tmm0},~{tmm1},~{tmm2},~{tmm3},~{tmm4},~{tmm5},~{tmm6},~{tmm7},~{rax},~{r10},~{r14},~{r15},~{r13},~{k1},~{k2},~{k3},~{k4},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+amx-bf16,+amx-tile,+avx512bf16,+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
