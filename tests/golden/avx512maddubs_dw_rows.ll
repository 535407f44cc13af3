define i32 @u8_u8_s8_3x16_dw_avx512maddubs__n15_a64.896_b16.48_c64_bias_clip00000000.437f0000_w0.15.1.0_l1.0.0.3_s1.3.-64.0.1_s0.3.0.16.1_s0.3.64.32.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	vmovups 60(%rcx), %zmm0{%k1}{z}
	vmovups 0(%rcx), %zmm1{%k1}{z}
	vmovdqa32 %zmm1, %zmm2
	mov $$65537, %r10d
	vpbroadcastd %r10d, %zmm6
	vpmovsxbw 0(%rdx), %ymm5
	vpmovzxwd %ymm5, %zmm5
	vpmovsxbw 48(%rdx), %ymm4
	vpmovzxwd %ymm4, %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm5, %zmm5
	vpmovsxbw 16(%rdx), %ymm6
	vpmovzxwd %ymm6, %zmm6
	vpmovsxbw 64(%rdx), %ymm4
	vpmovzxwd %ymm4, %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm6, %zmm6
	vpmovsxbw 32(%rdx), %ymm7
	vpmovzxwd %ymm7, %zmm7
	vpmovsxbw 80(%rdx), %ymm4
	vpmovzxwd %ymm4, %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm7, %zmm7
	vpmovzxbd 0(%rsi), %zmm3{%k1}{z}
	vpmovzxbd 896(%rsi), %zmm4{%k1}{z}
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm3, %zmm3
	vpmaddwd %zmm5, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmaddwd %zmm6, %zmm3, %zmm4
	vpaddd %zmm4, %zmm0, %zmm0
	vpmovzxbd 64(%rsi), %zmm3{%k1}{z}
	vpmovzxbd 960(%rsi), %zmm4{%k1}{z}
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm3, %zmm3
	vpmaddwd %zmm5, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpmaddwd %zmm6, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmaddwd %zmm7, %zmm3, %zmm4
	vpaddd %zmm4, %zmm0, %zmm0
	vpmovzxbd 128(%rsi), %zmm3{%k1}{z}
	vpmovzxbd 1024(%rsi), %zmm4{%k1}{z}
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm3, %zmm3
	vpmaddwd %zmm6, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpmaddwd %zmm7, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmovzxbd 192(%rsi), %zmm3{%k1}{z}
	vpmovzxbd 1088(%rsi), %zmm4{%k1}{z}
	vpslld $$16, %zmm4, %zmm4
	vpord %zmm4, %zmm3, %zmm3
	vpmaddwd %zmm7, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpmovsxbw 96(%rdx), %ymm8
	vpmovzxwd %ymm8, %zmm8
	vpmovsxbw 112(%rdx), %ymm9
	vpmovzxwd %ymm9, %zmm9
	vpmovsxbw 128(%rdx), %ymm10
	vpmovzxwd %ymm10, %zmm10
	vpmovzxbd 1792(%rsi), %zmm3{%k1}{z}
	vpmaddwd %zmm8, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmaddwd %zmm9, %zmm3, %zmm4
	vpaddd %zmm4, %zmm0, %zmm0
	vpmovzxbd 1856(%rsi), %zmm3{%k1}{z}
	vpmaddwd %zmm8, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpmaddwd %zmm9, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmaddwd %zmm10, %zmm3, %zmm4
	vpaddd %zmm4, %zmm0, %zmm0
	vpmovzxbd 1920(%rsi), %zmm3{%k1}{z}
	vpmaddwd %zmm9, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpmaddwd %zmm10, %zmm3, %zmm4
	vpaddd %zmm4, %zmm1, %zmm1
	vpmovzxbd 1984(%rsi), %zmm3{%k1}{z}
	vpmaddwd %zmm10, %zmm3, %zmm4
	vpaddd %zmm4, %zmm2, %zmm2
	vpxord %zmm3, %zmm3, %zmm3
	vcvtdq2ps %zmm0, %zmm0
	vmulps 0(%r8), %zmm0, %zmm0{%k1}
	vmaxps %zmm0, %zmm3, %zmm0
	vcvtps2dq %zmm0, %zmm0
	vpmovusdb %zmm0, 0(%rdi){%k1}
	vcvtdq2ps %zmm1, %zmm1
	vmulps 0(%r8), %zmm1, %zmm1{%k1}
	vmaxps %zmm1, %zmm3, %zmm1
	vcvtps2dq %zmm1, %zmm1
	vpmovusdb %zmm1, 64(%rdi){%k1}
	vcvtdq2ps %zmm2, %zmm2
	vmulps 0(%r8), %zmm2, %zmm2{%k1}
	vmaxps %zmm2, %zmm3, %zmm2
	vcvtps2dq %zmm2, %zmm2
	vpmovusdb %zmm2, 128(%rdi){%k1}
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
