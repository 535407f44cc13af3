define i32 @f32_f32_f32_4x16_dw_avx512__n16_a64.v_b64.768_c64_bias_clip00000000.7f800000_g4_l2.1.v.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, i64 %line) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, i64, i64 } asm sideeffect "shl $$2, %r14
	shl $$2, %r15
	vmovups 0(%rcx), %zmm4
	vmovaps %zmm4, %zmm0
	vmovaps %zmm4, %zmm1
	vmovaps %zmm4, %zmm2
	vmovaps %zmm4, %zmm3
	vmovups 0(%rdx), %zmm6
	vmovups 256(%rdx), %zmm7
	vmovups 512(%rdx), %zmm8
	vmovups 768(%rdx), %zmm9
	vmovups 1024(%rdx), %zmm10
	vmovups 1280(%rdx), %zmm11
	vmovups 1536(%rdx), %zmm12
	vmovups 1792(%rdx), %zmm13
	vmovups 2048(%rdx), %zmm14
	vmovups 2304(%rdx), %zmm15
	vmovups 2560(%rdx), %zmm16
	vmovups 2816(%rdx), %zmm17
	vmovups 0(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm6, %zmm5, %zmm1
	vfmadd231ps %zmm10, %zmm5, %zmm0
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm1
	vfmadd231ps %zmm11, %zmm5, %zmm0
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm1
	vfmadd231ps %zmm12, %zmm5, %zmm0
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm1
	vfmadd231ps %zmm13, %zmm5, %zmm0
	vmovups 256(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm1
	vfmadd231ps %zmm14, %zmm5, %zmm0
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm0
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm1
	vfmadd231ps %zmm16, %zmm5, %zmm0
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm1
	vfmadd231ps %zmm17, %zmm5, %zmm0
	vmovups 512(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm1
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm1
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm16, %zmm5, %zmm1
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm17, %zmm5, %zmm1
	add %r14, %rsi
	vmovups 3072(%rdx), %zmm18
	vmovups 3328(%rdx), %zmm19
	vmovups 3584(%rdx), %zmm20
	vmovups 3840(%rdx), %zmm21
	vmovups 4096(%rdx), %zmm22
	vmovups 4352(%rdx), %zmm23
	vmovups 4608(%rdx), %zmm24
	vmovups 4864(%rdx), %zmm25
	vmovups 5120(%rdx), %zmm26
	vmovups 5376(%rdx), %zmm27
	vmovups 5632(%rdx), %zmm28
	vmovups 5888(%rdx), %zmm29
	vmovups 0(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm18, %zmm5, %zmm1
	vfmadd231ps %zmm22, %zmm5, %zmm0
	vfmadd231ps %zmm6, %zmm5, %zmm3
	vfmadd231ps %zmm10, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm19, %zmm5, %zmm1
	vfmadd231ps %zmm23, %zmm5, %zmm0
	vfmadd231ps %zmm7, %zmm5, %zmm3
	vfmadd231ps %zmm11, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm20, %zmm5, %zmm1
	vfmadd231ps %zmm24, %zmm5, %zmm0
	vfmadd231ps %zmm8, %zmm5, %zmm3
	vfmadd231ps %zmm12, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm21, %zmm5, %zmm1
	vfmadd231ps %zmm25, %zmm5, %zmm0
	vfmadd231ps %zmm9, %zmm5, %zmm3
	vfmadd231ps %zmm13, %zmm5, %zmm2
	vmovups 256(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm22, %zmm5, %zmm1
	vfmadd231ps %zmm26, %zmm5, %zmm0
	vfmadd231ps %zmm10, %zmm5, %zmm3
	vfmadd231ps %zmm14, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm23, %zmm5, %zmm1
	vfmadd231ps %zmm27, %zmm5, %zmm0
	vfmadd231ps %zmm11, %zmm5, %zmm3
	vfmadd231ps %zmm15, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm24, %zmm5, %zmm1
	vfmadd231ps %zmm28, %zmm5, %zmm0
	vfmadd231ps %zmm12, %zmm5, %zmm3
	vfmadd231ps %zmm16, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm25, %zmm5, %zmm1
	vfmadd231ps %zmm29, %zmm5, %zmm0
	vfmadd231ps %zmm13, %zmm5, %zmm3
	vfmadd231ps %zmm17, %zmm5, %zmm2
	vmovups 512(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm26, %zmm5, %zmm1
	vfmadd231ps %zmm14, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm27, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm28, %zmm5, %zmm1
	vfmadd231ps %zmm16, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm29, %zmm5, %zmm1
	vfmadd231ps %zmm17, %zmm5, %zmm3
	add %r14, %rsi
	vmovups 6144(%rdx), %zmm30
	vmovups 6400(%rdx), %zmm31
	vmovups 6656(%rdx), %zmm6
	vmovups 6912(%rdx), %zmm7
	vmovups 7168(%rdx), %zmm8
	vmovups 7424(%rdx), %zmm9
	vmovups 7680(%rdx), %zmm10
	vmovups 7936(%rdx), %zmm11
	vmovups 8192(%rdx), %zmm12
	vmovups 8448(%rdx), %zmm13
	vmovups 8704(%rdx), %zmm14
	vmovups 8960(%rdx), %zmm15
	vmovups 0(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm30, %zmm5, %zmm1
	vfmadd231ps %zmm8, %zmm5, %zmm0
	vfmadd231ps %zmm18, %zmm5, %zmm3
	vfmadd231ps %zmm22, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm31, %zmm5, %zmm1
	vfmadd231ps %zmm9, %zmm5, %zmm0
	vfmadd231ps %zmm19, %zmm5, %zmm3
	vfmadd231ps %zmm23, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm6, %zmm5, %zmm1
	vfmadd231ps %zmm10, %zmm5, %zmm0
	vfmadd231ps %zmm20, %zmm5, %zmm3
	vfmadd231ps %zmm24, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm1
	vfmadd231ps %zmm11, %zmm5, %zmm0
	vfmadd231ps %zmm21, %zmm5, %zmm3
	vfmadd231ps %zmm25, %zmm5, %zmm2
	vmovups 256(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm1
	vfmadd231ps %zmm12, %zmm5, %zmm0
	vfmadd231ps %zmm22, %zmm5, %zmm3
	vfmadd231ps %zmm26, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm1
	vfmadd231ps %zmm13, %zmm5, %zmm0
	vfmadd231ps %zmm23, %zmm5, %zmm3
	vfmadd231ps %zmm27, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm1
	vfmadd231ps %zmm14, %zmm5, %zmm0
	vfmadd231ps %zmm24, %zmm5, %zmm3
	vfmadd231ps %zmm28, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm1
	vfmadd231ps %zmm15, %zmm5, %zmm0
	vfmadd231ps %zmm25, %zmm5, %zmm3
	vfmadd231ps %zmm29, %zmm5, %zmm2
	vmovups 512(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm1
	vfmadd231ps %zmm26, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm1
	vfmadd231ps %zmm27, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm1
	vfmadd231ps %zmm28, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm1
	vfmadd231ps %zmm29, %zmm5, %zmm3
	add %r14, %rsi
	vmovups 0(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm30, %zmm5, %zmm3
	vfmadd231ps %zmm8, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm31, %zmm5, %zmm3
	vfmadd231ps %zmm9, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm6, %zmm5, %zmm3
	vfmadd231ps %zmm10, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm7, %zmm5, %zmm3
	vfmadd231ps %zmm11, %zmm5, %zmm2
	vmovups 256(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm8, %zmm5, %zmm3
	vfmadd231ps %zmm12, %zmm5, %zmm2
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm9, %zmm5, %zmm3
	vfmadd231ps %zmm13, %zmm5, %zmm2
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm10, %zmm5, %zmm3
	vfmadd231ps %zmm14, %zmm5, %zmm2
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm11, %zmm5, %zmm3
	vfmadd231ps %zmm15, %zmm5, %zmm2
	vmovups 512(%rsi), %zmm4
	vpermilps $$0, %zmm4, %zmm5
	vfmadd231ps %zmm12, %zmm5, %zmm3
	vpermilps $$85, %zmm4, %zmm5
	vfmadd231ps %zmm13, %zmm5, %zmm3
	vpermilps $$170, %zmm4, %zmm5
	vfmadd231ps %zmm14, %zmm5, %zmm3
	vpermilps $$255, %zmm4, %zmm5
	vfmadd231ps %zmm15, %zmm5, %zmm3
	vpxord %zmm4, %zmm4, %zmm4
	vmaxps %zmm0, %zmm4, %zmm0
	vmovups %zmm0, 0(%rdi)
	vmaxps %zmm1, %zmm4, %zmm1
	vmovups %zmm1, 256(%rdi)
	vmaxps %zmm2, %zmm4, %zmm2
	add %r15, %rdi
	vmovups %zmm2, 0(%rdi)
	vmaxps %zmm3, %zmm4, %zmm3
	vmovups %zmm3, 256(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r14},={r15},0,1,2,3,4,5,6,7,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, i64 %line) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
