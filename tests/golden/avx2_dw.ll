define i32 @f32_f32_f32_4x8_dw_avx2__n8_a64.896_b64.768_c64_bias_clip00000000.7f800000_g4_l2.896.896.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vmovups 0(%rcx), %ymm4
	vmovaps %ymm4, %ymm0
	vmovaps %ymm4, %ymm1
	vmovaps %ymm4, %ymm2
	vmovaps %ymm4, %ymm3
	vmovups 0(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 0(%rdx), %ymm5, %ymm1
	vfmadd231ps 1024(%rdx), %ymm5, %ymm0
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 256(%rdx), %ymm5, %ymm1
	vfmadd231ps 1280(%rdx), %ymm5, %ymm0
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 512(%rdx), %ymm5, %ymm1
	vfmadd231ps 1536(%rdx), %ymm5, %ymm0
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 768(%rdx), %ymm5, %ymm1
	vfmadd231ps 1792(%rdx), %ymm5, %ymm0
	vmovups 256(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 1024(%rdx), %ymm5, %ymm1
	vfmadd231ps 2048(%rdx), %ymm5, %ymm0
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 1280(%rdx), %ymm5, %ymm1
	vfmadd231ps 2304(%rdx), %ymm5, %ymm0
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 1536(%rdx), %ymm5, %ymm1
	vfmadd231ps 2560(%rdx), %ymm5, %ymm0
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 1792(%rdx), %ymm5, %ymm1
	vfmadd231ps 2816(%rdx), %ymm5, %ymm0
	vmovups 512(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 2048(%rdx), %ymm5, %ymm1
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 2304(%rdx), %ymm5, %ymm1
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 2560(%rdx), %ymm5, %ymm1
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 2816(%rdx), %ymm5, %ymm1
	vmovups 3584(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 3072(%rdx), %ymm5, %ymm1
	vfmadd231ps 4096(%rdx), %ymm5, %ymm0
	vfmadd231ps 0(%rdx), %ymm5, %ymm3
	vfmadd231ps 1024(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 3328(%rdx), %ymm5, %ymm1
	vfmadd231ps 4352(%rdx), %ymm5, %ymm0
	vfmadd231ps 256(%rdx), %ymm5, %ymm3
	vfmadd231ps 1280(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 3584(%rdx), %ymm5, %ymm1
	vfmadd231ps 4608(%rdx), %ymm5, %ymm0
	vfmadd231ps 512(%rdx), %ymm5, %ymm3
	vfmadd231ps 1536(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 3840(%rdx), %ymm5, %ymm1
	vfmadd231ps 4864(%rdx), %ymm5, %ymm0
	vfmadd231ps 768(%rdx), %ymm5, %ymm3
	vfmadd231ps 1792(%rdx), %ymm5, %ymm2
	vmovups 3840(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 4096(%rdx), %ymm5, %ymm1
	vfmadd231ps 5120(%rdx), %ymm5, %ymm0
	vfmadd231ps 1024(%rdx), %ymm5, %ymm3
	vfmadd231ps 2048(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 4352(%rdx), %ymm5, %ymm1
	vfmadd231ps 5376(%rdx), %ymm5, %ymm0
	vfmadd231ps 1280(%rdx), %ymm5, %ymm3
	vfmadd231ps 2304(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 4608(%rdx), %ymm5, %ymm1
	vfmadd231ps 5632(%rdx), %ymm5, %ymm0
	vfmadd231ps 1536(%rdx), %ymm5, %ymm3
	vfmadd231ps 2560(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 4864(%rdx), %ymm5, %ymm1
	vfmadd231ps 5888(%rdx), %ymm5, %ymm0
	vfmadd231ps 1792(%rdx), %ymm5, %ymm3
	vfmadd231ps 2816(%rdx), %ymm5, %ymm2
	vmovups 4096(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 5120(%rdx), %ymm5, %ymm1
	vfmadd231ps 2048(%rdx), %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 5376(%rdx), %ymm5, %ymm1
	vfmadd231ps 2304(%rdx), %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 5632(%rdx), %ymm5, %ymm1
	vfmadd231ps 2560(%rdx), %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 5888(%rdx), %ymm5, %ymm1
	vfmadd231ps 2816(%rdx), %ymm5, %ymm3
	vmovups 7168(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 6144(%rdx), %ymm5, %ymm1
	vfmadd231ps 7168(%rdx), %ymm5, %ymm0
	vfmadd231ps 3072(%rdx), %ymm5, %ymm3
	vfmadd231ps 4096(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 6400(%rdx), %ymm5, %ymm1
	vfmadd231ps 7424(%rdx), %ymm5, %ymm0
	vfmadd231ps 3328(%rdx), %ymm5, %ymm3
	vfmadd231ps 4352(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 6656(%rdx), %ymm5, %ymm1
	vfmadd231ps 7680(%rdx), %ymm5, %ymm0
	vfmadd231ps 3584(%rdx), %ymm5, %ymm3
	vfmadd231ps 4608(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 6912(%rdx), %ymm5, %ymm1
	vfmadd231ps 7936(%rdx), %ymm5, %ymm0
	vfmadd231ps 3840(%rdx), %ymm5, %ymm3
	vfmadd231ps 4864(%rdx), %ymm5, %ymm2
	vmovups 7424(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 7168(%rdx), %ymm5, %ymm1
	vfmadd231ps 8192(%rdx), %ymm5, %ymm0
	vfmadd231ps 4096(%rdx), %ymm5, %ymm3
	vfmadd231ps 5120(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 7424(%rdx), %ymm5, %ymm1
	vfmadd231ps 8448(%rdx), %ymm5, %ymm0
	vfmadd231ps 4352(%rdx), %ymm5, %ymm3
	vfmadd231ps 5376(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 7680(%rdx), %ymm5, %ymm1
	vfmadd231ps 8704(%rdx), %ymm5, %ymm0
	vfmadd231ps 4608(%rdx), %ymm5, %ymm3
	vfmadd231ps 5632(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 7936(%rdx), %ymm5, %ymm1
	vfmadd231ps 8960(%rdx), %ymm5, %ymm0
	vfmadd231ps 4864(%rdx), %ymm5, %ymm3
	vfmadd231ps 5888(%rdx), %ymm5, %ymm2
	vmovups 7680(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 8192(%rdx), %ymm5, %ymm1
	vfmadd231ps 5120(%rdx), %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 8448(%rdx), %ymm5, %ymm1
	vfmadd231ps 5376(%rdx), %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 8704(%rdx), %ymm5, %ymm1
	vfmadd231ps 5632(%rdx), %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 8960(%rdx), %ymm5, %ymm1
	vfmadd231ps 5888(%rdx), %ymm5, %ymm3
	vmovups 10752(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 6144(%rdx), %ymm5, %ymm3
	vfmadd231ps 7168(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 6400(%rdx), %ymm5, %ymm3
	vfmadd231ps 7424(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 6656(%rdx), %ymm5, %ymm3
	vfmadd231ps 7680(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 6912(%rdx), %ymm5, %ymm3
	vfmadd231ps 7936(%rdx), %ymm5, %ymm2
	vmovups 11008(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 7168(%rdx), %ymm5, %ymm3
	vfmadd231ps 8192(%rdx), %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 7424(%rdx), %ymm5, %ymm3
	vfmadd231ps 8448(%rdx), %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 7680(%rdx), %ymm5, %ymm3
	vfmadd231ps 8704(%rdx), %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 7936(%rdx), %ymm5, %ymm3
	vfmadd231ps 8960(%rdx), %ymm5, %ymm2
	vmovups 11264(%rsi), %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vfmadd231ps 8192(%rdx), %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vfmadd231ps 8448(%rdx), %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vfmadd231ps 8704(%rdx), %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vfmadd231ps 8960(%rdx), %ymm5, %ymm3
	vxorps %ymm4, %ymm4, %ymm4
	vmaxps %ymm0, %ymm4, %ymm0
	vmovups %ymm0, 0(%rdi)
	vmaxps %ymm1, %ymm4, %ymm1
	vmovups %ymm1, 256(%rdi)
	vmaxps %ymm2, %ymm4, %ymm2
	vmovups %ymm2, 3584(%rdi)
	vmaxps %ymm3, %ymm4, %ymm3
	vmovups %ymm3, 3840(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+fma" }
attributes #1 = { noduplicate }
