define i32 @u8_u8_s8_3x32_row_amxint8__n31_a40.560_b128.2560_c31_p4_bias_clipc1200000.42c80000_w0.31.1.0_z10_s1.3.0.0.40_s0.3.40.1280.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	mov %rsp, %rax
	sub $$5376, %rsp
	and $$-64, %rsp
	mov %rax, 5184(%rsp)
	mov %r8, 5120(%rsp)
	mov $$64, %r15
	mov $$40, %r14
	mov $$128, %r8
	vpxord %zmm8, %zmm8, %zmm8
	vmovups 124(%rcx), %zmm0
	vmovups %zmm0, 0(%rsp)
	vmovups 0(%rcx), %zmm1
	vmovups %zmm1, 64(%rsp)
	vmovups 0(%rcx), %zmm2
	vmovups %zmm2, 128(%rsp)
	tileloadd 0(%rsp,%r15,1), %tmm0
	vmovups 188(%rcx), %zmm0{%k1}{z}
	vmovups %zmm0, 1024(%rsp)
	vmovups 64(%rcx), %zmm1{%k1}{z}
	vmovups %zmm1, 1088(%rsp)
	vmovups 64(%rcx), %zmm2{%k1}{z}
	vmovups %zmm2, 1152(%rsp)
	tileloadd 1024(%rsp,%r15,1), %tmm1
	test %r9, %r9
	jz 3f
	2:
	vmovups %zmm8, 2048(%rsp)
	mov $$1099511627775, %rax
	kmovq %rax, %k4
	vmovdqu8 40(%rsi), %zmm1{%k4}{z}
	vmovups %zmm1, 2112(%rsp)
	vmovdqu8 80(%rsi), %zmm2{%k4}{z}
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r15,1), %tmm7
	vmovups 0(%rdx), %zmm0
	vmovups %zmm0, 3072(%rsp)
	vmovups 128(%rdx), %zmm1
	vmovups %zmm1, 3136(%rsp)
	vmovups 256(%rdx), %zmm2
	vmovups %zmm2, 3200(%rsp)
	vmovups 384(%rdx), %zmm3
	vmovups %zmm3, 3264(%rsp)
	vmovups 512(%rdx), %zmm4
	vmovups %zmm4, 3328(%rsp)
	vmovups 640(%rdx), %zmm5
	vmovups %zmm5, 3392(%rsp)
	vmovups 768(%rdx), %zmm6
	vmovups %zmm6, 3456(%rsp)
	vmovups 896(%rdx), %zmm7
	vmovups %zmm7, 3520(%rsp)
	vmovups 1024(%rdx), %zmm0
	vmovups %zmm0, 3584(%rsp)
	vmovups 1152(%rdx), %zmm1
	vmovups %zmm1, 3648(%rsp)
	tileloadd 3072(%rsp,%r15,1), %tmm2
	tdpbusd %tmm2, %tmm7, %tmm0
	vmovups 64(%rdx), %zmm0
	vmovups %zmm0, 4096(%rsp)
	vmovups 192(%rdx), %zmm1
	vmovups %zmm1, 4160(%rsp)
	vmovups 320(%rdx), %zmm2
	vmovups %zmm2, 4224(%rsp)
	vmovups 448(%rdx), %zmm3
	vmovups %zmm3, 4288(%rsp)
	vmovups 576(%rdx), %zmm4
	vmovups %zmm4, 4352(%rsp)
	vmovups 704(%rdx), %zmm5
	vmovups %zmm5, 4416(%rsp)
	vmovups 832(%rdx), %zmm6
	vmovups %zmm6, 4480(%rsp)
	vmovups 960(%rdx), %zmm7
	vmovups %zmm7, 4544(%rsp)
	vmovups 1088(%rdx), %zmm0
	vmovups %zmm0, 4608(%rsp)
	vmovups 1216(%rdx), %zmm1
	vmovups %zmm1, 4672(%rsp)
	tileloadd 4096(%rsp,%r15,1), %tmm3
	tdpbusd %tmm3, %tmm7, %tmm1
	mov $$1099511627775, %rax
	kmovq %rax, %k4
	vmovdqu8 40(%rsi), %zmm0{%k4}{z}
	vmovups %zmm0, 2048(%rsp)
	vmovdqu8 80(%rsi), %zmm1{%k4}{z}
	vmovups %zmm1, 2112(%rsp)
	vmovdqu8 120(%rsi), %zmm2{%k4}{z}
	vmovups %zmm2, 2176(%rsp)
	tileloadd 2048(%rsp,%r15,1), %tmm7
	vmovups 1280(%rdx), %zmm0
	vmovups %zmm0, 3072(%rsp)
	vmovups 1408(%rdx), %zmm1
	vmovups %zmm1, 3136(%rsp)
	vmovups 1536(%rdx), %zmm2
	vmovups %zmm2, 3200(%rsp)
	vmovups 1664(%rdx), %zmm3
	vmovups %zmm3, 3264(%rsp)
	vmovups 1792(%rdx), %zmm4
	vmovups %zmm4, 3328(%rsp)
	vmovups 1920(%rdx), %zmm5
	vmovups %zmm5, 3392(%rsp)
	vmovups 2048(%rdx), %zmm6
	vmovups %zmm6, 3456(%rsp)
	vmovups 2176(%rdx), %zmm7
	vmovups %zmm7, 3520(%rsp)
	vmovups 2304(%rdx), %zmm0
	vmovups %zmm0, 3584(%rsp)
	vmovups 2432(%rdx), %zmm1
	vmovups %zmm1, 3648(%rsp)
	tileloadd 3072(%rsp,%r15,1), %tmm2
	tdpbusd %tmm2, %tmm7, %tmm0
	vmovups 1344(%rdx), %zmm0
	vmovups %zmm0, 4096(%rsp)
	vmovups 1472(%rdx), %zmm1
	vmovups %zmm1, 4160(%rsp)
	vmovups 1600(%rdx), %zmm2
	vmovups %zmm2, 4224(%rsp)
	vmovups 1728(%rdx), %zmm3
	vmovups %zmm3, 4288(%rsp)
	vmovups 1856(%rdx), %zmm4
	vmovups %zmm4, 4352(%rsp)
	vmovups 1984(%rdx), %zmm5
	vmovups %zmm5, 4416(%rsp)
	vmovups 2112(%rdx), %zmm6
	vmovups %zmm6, 4480(%rsp)
	vmovups 2240(%rdx), %zmm7
	vmovups %zmm7, 4544(%rsp)
	vmovups 2368(%rdx), %zmm0
	vmovups %zmm0, 4608(%rsp)
	vmovups 2496(%rdx), %zmm1
	vmovups %zmm1, 4672(%rsp)
	tileloadd 4096(%rsp,%r15,1), %tmm3
	tdpbusd %tmm3, %tmm7, %tmm1
	add $$560, %rsi
	add $$2560, %rdx
	dec %r9
	jnz 2b
	3:
	tilestored %tmm0, 0(%rsp,%r15,1)
	tilestored %tmm1, 1024(%rsp,%r15,1)
	mov 5120(%rsp), %r8
	vbroadcastss 7f+0(%rip), %zmm1
	vbroadcastss 7f+4(%rip), %zmm2
	mov $$10, %r10d
	vpbroadcastd %r10d, %zmm3
	vmovups 0(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 0(%r8), %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 0(%rdi)
	vmovups 1024(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 64(%r8), %zmm0, %zmm0{%k1}
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 16(%rdi){%k1}
	vmovups 64(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 0(%r8), %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 31(%rdi)
	vmovups 1088(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 64(%r8), %zmm0, %zmm0{%k1}
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 47(%rdi){%k1}
	vmovups 128(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 0(%r8), %zmm0, %zmm0
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 62(%rdi)
	vmovups 1152(%rsp), %zmm0
	vcvtdq2ps %zmm0, %zmm0
	vmulps 64(%r8), %zmm0, %zmm0{%k1}
	vmaxps %zmm0, %zmm1, %zmm0
	vminps %zmm0, %zmm2, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpaddd %zmm3, %zmm0, %zmm0
	vpmovdb %zmm0, 78(%rdi){%k1}
	mov 5184(%rsp), %rsp
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 1, 4, 3240099840
	.fill 1, 4, 1120403456
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{tmm0},~{tmm1},~{tmm2},~{tmm3},~{tmm4},~{tmm5},~{tmm6},~{tmm7},~{rax},~{r10},~{r14},~{r15},~{k1},~{k2},~{k4},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+amx-int8,+amx-tile,+avx512bw,+avx512dq,+avx512f,+avx512vl,+avx512vnni" }
attributes #1 = { noduplicate }
