define i32 @bf16_bf16_bf16_4x8_dw_avx2halves__n8_a64.896_b64.768_c64_bias_clip00000000.7f800000_g4_l2.896.896.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vmovups 0(%rcx), %ymm4
	vmovaps %ymm4, %ymm0
	vmovaps %ymm4, %ymm1
	vmovaps %ymm4, %ymm2
	vmovaps %ymm4, %ymm3
	vbroadcasti128 0(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 0(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 512(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 128(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 640(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 256(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 768(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 384(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 896(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 128(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 512(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1024(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 640(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1152(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 768(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1280(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 896(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1408(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 256(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 1024(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 1152(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 1280(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 1408(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1792(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 1536(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2048(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 0(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 512(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 1664(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2176(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 128(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 640(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 1792(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2304(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 256(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 768(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 1920(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2432(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 384(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 896(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 1920(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 2048(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2560(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 512(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 1024(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 2176(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2688(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 640(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 1152(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 2304(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2816(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 768(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 1280(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 2432(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2944(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 896(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 1408(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 2048(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 2560(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1024(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 2688(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1152(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 2816(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1280(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 2944(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 1408(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 3584(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 3072(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 3584(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 1536(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2048(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 3200(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 3712(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 1664(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2176(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 3328(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 3840(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 1792(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2304(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 3456(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 3968(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 1920(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2432(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 3712(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 3584(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 4096(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 2048(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2560(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 3712(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 4224(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 2176(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2688(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 3840(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 4352(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 2304(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2816(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 3968(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 4480(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm0
	vbroadcasti128 2432(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 2944(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 3840(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 4096(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2560(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 4224(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2688(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 4352(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2816(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 4480(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm1
	vbroadcasti128 2944(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 5376(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 3072(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 3584(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 3200(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 3712(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 3328(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 3840(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 3456(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 3968(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 5504(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 3584(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 4096(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 3712(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 4224(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 3840(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 4352(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 3968(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vbroadcasti128 4480(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm2
	vbroadcasti128 5632(%rsi), %ymm4
	vpshufb 7f+0(%rip), %ymm4, %ymm4
	vpermilps $$0, %ymm4, %ymm5
	vbroadcasti128 4096(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$85, %ymm4, %ymm5
	vbroadcasti128 4224(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$170, %ymm4, %ymm5
	vbroadcasti128 4352(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vpermilps $$255, %ymm4, %ymm5
	vbroadcasti128 4480(%rdx), %ymm6
	vpshufb 7f+0(%rip), %ymm6, %ymm6
	vfmadd231ps %ymm6, %ymm5, %ymm3
	vxorps %ymm4, %ymm4, %ymm4
	vmaxps %ymm0, %ymm4, %ymm0
	vcmpunordps %ymm0, %ymm0, %ymm7
	vpslld $$15, %ymm0, %ymm6
	vpsrld $$31, %ymm6, %ymm6
	vpaddd %ymm0, %ymm6, %ymm6
	vpaddd 7f+32(%rip), %ymm6, %ymm6
	vpor %ymm7, %ymm6, %ymm6
	vpsrld $$16, %ymm6, %ymm6
	vextracti128 $$1, %ymm6, %xmm7
	vpackusdw %xmm7, %xmm6, %xmm6
	vmovdqu %xmm6, 0(%rdi)
	vmaxps %ymm1, %ymm4, %ymm1
	vcmpunordps %ymm1, %ymm1, %ymm7
	vpslld $$15, %ymm1, %ymm6
	vpsrld $$31, %ymm6, %ymm6
	vpaddd %ymm1, %ymm6, %ymm6
	vpaddd 7f+32(%rip), %ymm6, %ymm6
	vpor %ymm7, %ymm6, %ymm6
	vpsrld $$16, %ymm6, %ymm6
	vextracti128 $$1, %ymm6, %xmm7
	vpackusdw %xmm7, %xmm6, %xmm6
	vmovdqu %xmm6, 128(%rdi)
	vmaxps %ymm2, %ymm4, %ymm2
	vcmpunordps %ymm2, %ymm2, %ymm7
	vpslld $$15, %ymm2, %ymm6
	vpsrld $$31, %ymm6, %ymm6
	vpaddd %ymm2, %ymm6, %ymm6
	vpaddd 7f+32(%rip), %ymm6, %ymm6
	vpor %ymm7, %ymm6, %ymm6
	vpsrld $$16, %ymm6, %ymm6
	vextracti128 $$1, %ymm6, %xmm7
	vpackusdw %xmm7, %xmm6, %xmm6
	vmovdqu %xmm6, 1792(%rdi)
	vmaxps %ymm3, %ymm4, %ymm3
	vcmpunordps %ymm3, %ymm3, %ymm7
	vpslld $$15, %ymm3, %ymm6
	vpsrld $$31, %ymm6, %ymm6
	vpaddd %ymm3, %ymm6, %ymm6
	vpaddd 7f+32(%rip), %ymm6, %ymm6
	vpor %ymm7, %ymm6, %ymm6
	vpsrld $$16, %ymm6, %ymm6
	vextracti128 $$1, %ymm6, %xmm7
	vpackusdw %xmm7, %xmm6, %xmm6
	vmovdqu %xmm6, 1920(%rdi)
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.long 16810112, 50495616, 84181120, 117866624, 151552128, 185237632, 218923136, 252608640
	.fill 8, 4, 32767
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+f16c,+fma" }
attributes #1 = { noduplicate }
