define i32 @bf16_bf16_bf16_4x16_dw_avx512bf16halves__n16_a64.896_b64.768_c64_bias_clip00000000.7f800000_g4_l2.896.896.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vmovups 0(%rcx), %zmm4
	vmovaps %zmm4, %zmm0
	vmovaps %zmm4, %zmm1
	vmovaps %zmm4, %zmm2
	vmovaps %zmm4, %zmm3
	vpmovzxwd 0(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpmovzxwd 128(%rdx), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vpmovzxwd 256(%rdx), %zmm9
	vpslld $$16, %zmm9, %zmm9
	vpmovzxwd 384(%rdx), %zmm10
	vpslld $$16, %zmm10, %zmm10
	vpmovzxwd 512(%rdx), %zmm11
	vpslld $$16, %zmm11, %zmm11
	vpmovzxwd 640(%rdx), %zmm12
	vpslld $$16, %zmm12, %zmm12
	vpmovzxwd 768(%rdx), %zmm13
	vpslld $$16, %zmm13, %zmm13
	vpmovzxwd 896(%rdx), %zmm14
	vpslld $$16, %zmm14, %zmm14
	vpmovzxwd 1024(%rdx), %zmm15
	vpslld $$16, %zmm15, %zmm15
	vpmovzxwd 1152(%rdx), %zmm16
	vpslld $$16, %zmm16, %zmm16
	vpmovzxwd 1280(%rdx), %zmm17
	vpslld $$16, %zmm17, %zmm17
	vpmovzxwd 1408(%rdx), %zmm18
	vpslld $$16, %zmm18, %zmm18
	vpmovzxwd 0(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm1
	vfmadd231ps %zmm11, %zmm5, %zmm0
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm1
	vfmadd231ps %zmm12, %zmm5, %zmm0
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm1
	vfmadd231ps %zmm13, %zmm5, %zmm0
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm1
	vfmadd231ps %zmm14, %zmm5, %zmm0
	vpmovzxwd 128(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm0
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm1
	vfmadd231ps %zmm16, %zmm5, %zmm0
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm1
	vfmadd231ps %zmm17, %zmm5, %zmm0
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm1
	vfmadd231ps %zmm18, %zmm5, %zmm0
	vpmovzxwd 256(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm1
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm16, %zmm5, %zmm1
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm17, %zmm5, %zmm1
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm18, %zmm5, %zmm1
	vpmovzxwd 1536(%rdx), %zmm19
	vpslld $$16, %zmm19, %zmm19
	vpmovzxwd 1664(%rdx), %zmm20
	vpslld $$16, %zmm20, %zmm20
	vpmovzxwd 1792(%rdx), %zmm21
	vpslld $$16, %zmm21, %zmm21
	vpmovzxwd 1920(%rdx), %zmm22
	vpslld $$16, %zmm22, %zmm22
	vpmovzxwd 2048(%rdx), %zmm23
	vpslld $$16, %zmm23, %zmm23
	vpmovzxwd 2176(%rdx), %zmm24
	vpslld $$16, %zmm24, %zmm24
	vpmovzxwd 2304(%rdx), %zmm25
	vpslld $$16, %zmm25, %zmm25
	vpmovzxwd 2432(%rdx), %zmm26
	vpslld $$16, %zmm26, %zmm26
	vpmovzxwd 2560(%rdx), %zmm27
	vpslld $$16, %zmm27, %zmm27
	vpmovzxwd 2688(%rdx), %zmm28
	vpslld $$16, %zmm28, %zmm28
	vpmovzxwd 2816(%rdx), %zmm29
	vpslld $$16, %zmm29, %zmm29
	vpmovzxwd 2944(%rdx), %zmm30
	vpslld $$16, %zmm30, %zmm30
	vpmovzxwd 1792(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm19, %zmm5, %zmm1
	vfmadd231ps %zmm23, %zmm5, %zmm0
	vfmadd231ps %zmm7, %zmm5, %zmm3
	vfmadd231ps %zmm11, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm20, %zmm5, %zmm1
	vfmadd231ps %zmm24, %zmm5, %zmm0
	vfmadd231ps %zmm8, %zmm5, %zmm3
	vfmadd231ps %zmm12, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm21, %zmm5, %zmm1
	vfmadd231ps %zmm25, %zmm5, %zmm0
	vfmadd231ps %zmm9, %zmm5, %zmm3
	vfmadd231ps %zmm13, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm22, %zmm5, %zmm1
	vfmadd231ps %zmm26, %zmm5, %zmm0
	vfmadd231ps %zmm10, %zmm5, %zmm3
	vfmadd231ps %zmm14, %zmm5, %zmm2
	vpmovzxwd 1920(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm23, %zmm5, %zmm1
	vfmadd231ps %zmm27, %zmm5, %zmm0
	vfmadd231ps %zmm11, %zmm5, %zmm3
	vfmadd231ps %zmm15, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm24, %zmm5, %zmm1
	vfmadd231ps %zmm28, %zmm5, %zmm0
	vfmadd231ps %zmm12, %zmm5, %zmm3
	vfmadd231ps %zmm16, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm25, %zmm5, %zmm1
	vfmadd231ps %zmm29, %zmm5, %zmm0
	vfmadd231ps %zmm13, %zmm5, %zmm3
	vfmadd231ps %zmm17, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm26, %zmm5, %zmm1
	vfmadd231ps %zmm30, %zmm5, %zmm0
	vfmadd231ps %zmm14, %zmm5, %zmm3
	vfmadd231ps %zmm18, %zmm5, %zmm2
	vpmovzxwd 2048(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm27, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm28, %zmm5, %zmm1
	vfmadd231ps %zmm16, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm29, %zmm5, %zmm1
	vfmadd231ps %zmm17, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm30, %zmm5, %zmm1
	vfmadd231ps %zmm18, %zmm5, %zmm3
	vpmovzxwd 3072(%rdx), %zmm31
	vpslld $$16, %zmm31, %zmm31
	vpmovzxwd 3200(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpmovzxwd 3328(%rdx), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vpmovzxwd 3456(%rdx), %zmm9
	vpslld $$16, %zmm9, %zmm9
	vpmovzxwd 3584(%rdx), %zmm10
	vpslld $$16, %zmm10, %zmm10
	vpmovzxwd 3712(%rdx), %zmm11
	vpslld $$16, %zmm11, %zmm11
	vpmovzxwd 3840(%rdx), %zmm12
	vpslld $$16, %zmm12, %zmm12
	vpmovzxwd 3968(%rdx), %zmm13
	vpslld $$16, %zmm13, %zmm13
	vpmovzxwd 4096(%rdx), %zmm14
	vpslld $$16, %zmm14, %zmm14
	vpmovzxwd 4224(%rdx), %zmm15
	vpslld $$16, %zmm15, %zmm15
	vpmovzxwd 4352(%rdx), %zmm16
	vpslld $$16, %zmm16, %zmm16
	vpmovzxwd 4480(%rdx), %zmm17
	vpslld $$16, %zmm17, %zmm17
	vpmovzxwd 3584(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm31, %zmm5, %zmm1
	vfmadd231ps %zmm10, %zmm5, %zmm0
	vfmadd231ps %zmm19, %zmm5, %zmm3
	vfmadd231ps %zmm23, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm1
	vfmadd231ps %zmm11, %zmm5, %zmm0
	vfmadd231ps %zmm20, %zmm5, %zmm3
	vfmadd231ps %zmm24, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm1
	vfmadd231ps %zmm12, %zmm5, %zmm0
	vfmadd231ps %zmm21, %zmm5, %zmm3
	vfmadd231ps %zmm25, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm1
	vfmadd231ps %zmm13, %zmm5, %zmm0
	vfmadd231ps %zmm22, %zmm5, %zmm3
	vfmadd231ps %zmm26, %zmm5, %zmm2
	vpmovzxwd 3712(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm1
	vfmadd231ps %zmm14, %zmm5, %zmm0
	vfmadd231ps %zmm23, %zmm5, %zmm3
	vfmadd231ps %zmm27, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm0
	vfmadd231ps %zmm24, %zmm5, %zmm3
	vfmadd231ps %zmm28, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm1
	vfmadd231ps %zmm16, %zmm5, %zmm0
	vfmadd231ps %zmm25, %zmm5, %zmm3
	vfmadd231ps %zmm29, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm1
	vfmadd231ps %zmm17, %zmm5, %zmm0
	vfmadd231ps %zmm26, %zmm5, %zmm3
	vfmadd231ps %zmm30, %zmm5, %zmm2
	vpmovzxwd 3840(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm1
	vfmadd231ps %zmm27, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm1
	vfmadd231ps %zmm28, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm16, %zmm5, %zmm1
	vfmadd231ps %zmm29, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm17, %zmm5, %zmm1
	vfmadd231ps %zmm30, %zmm5, %zmm3
	vpmovzxwd 5376(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm31, %zmm5, %zmm3
	vfmadd231ps %zmm10, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm3
	vfmadd231ps %zmm11, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm3
	vfmadd231ps %zmm12, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm3
	vfmadd231ps %zmm13, %zmm5, %zmm2
	vpmovzxwd 5504(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm3
	vfmadd231ps %zmm14, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm3
	vfmadd231ps %zmm15, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm3
	vfmadd231ps %zmm16, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm3
	vfmadd231ps %zmm17, %zmm5, %zmm2
	vpmovzxwd 5632(%rsi), %zmm4
	vpslld $$16, %zmm4, %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm16, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm17, %zmm5, %zmm3
	vpxord %zmm4, %zmm4, %zmm4
	vmaxps %zmm0, %zmm4, %zmm0
	vcvtneps2bf16 %zmm0, %ymm6
	vmovdqu16 %ymm6, 0(%rdi)
	vmaxps %zmm1, %zmm4, %zmm1
	vcvtneps2bf16 %zmm1, %ymm6
	vmovdqu16 %ymm6, 128(%rdi)
	vmaxps %zmm2, %zmm4, %zmm2
	vcvtneps2bf16 %zmm2, %ymm6
	vmovdqu16 %ymm6, 1792(%rdi)
	vmaxps %zmm3, %zmm4, %zmm3
	vcvtneps2bf16 %zmm3, %ymm6
	vmovdqu16 %ymm6, 1920(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{k3},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bf16,+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
