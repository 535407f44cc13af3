define i32 @f32_f32_f32_14x32_row_avx512__n32_a1.1_b32.1_c32_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vmovups 0(%rdi), %zmm0
	vmovups 128(%rdi), %zmm2
	vmovups 256(%rdi), %zmm4
	vmovups 384(%rdi), %zmm6
	vmovups 512(%rdi), %zmm8
	vmovups 640(%rdi), %zmm10
	vmovups 768(%rdi), %zmm12
	vmovups 896(%rdi), %zmm14
	vmovups 1024(%rdi), %zmm16
	vmovups 1152(%rdi), %zmm18
	vmovups 1280(%rdi), %zmm20
	vmovups 1408(%rdi), %zmm22
	vmovups 1536(%rdi), %zmm24
	vmovups 1664(%rdi), %zmm26
	vmovups 64(%rdi), %zmm1
	vmovups 192(%rdi), %zmm3
	vmovups 320(%rdi), %zmm5
	vmovups 448(%rdi), %zmm7
	vmovups 576(%rdi), %zmm9
	vmovups 704(%rdi), %zmm11
	vmovups 832(%rdi), %zmm13
	vmovups 960(%rdi), %zmm15
	vmovups 1088(%rdi), %zmm17
	vmovups 1216(%rdi), %zmm19
	vmovups 1344(%rdi), %zmm21
	vmovups 1472(%rdi), %zmm23
	vmovups 1600(%rdi), %zmm25
	vmovups 1728(%rdi), %zmm27
	mov %rsp, %rax
	sub $$1984, %rsp
	and $$-64, %rsp
	mov %rax, 1792(%rsp)
	vmovaps %zmm0, 0(%rsp)
	vmovaps %zmm1, 64(%rsp)
	vmovaps %zmm2, 128(%rsp)
	vmovaps %zmm3, 192(%rsp)
	vmovaps %zmm4, 256(%rsp)
	vmovaps %zmm5, 320(%rsp)
	vmovaps %zmm6, 384(%rsp)
	vmovaps %zmm7, 448(%rsp)
	vmovaps %zmm8, 512(%rsp)
	vmovaps %zmm9, 576(%rsp)
	vmovaps %zmm10, 640(%rsp)
	vmovaps %zmm11, 704(%rsp)
	vmovaps %zmm12, 768(%rsp)
	vmovaps %zmm13, 832(%rsp)
	vmovaps %zmm14, 896(%rsp)
	vmovaps %zmm15, 960(%rsp)
	vmovaps %zmm16, 1024(%rsp)
	vmovaps %zmm17, 1088(%rsp)
	vmovaps %zmm18, 1152(%rsp)
	vmovaps %zmm19, 1216(%rsp)
	vmovaps %zmm20, 1280(%rsp)
	vmovaps %zmm21, 1344(%rsp)
	vmovaps %zmm22, 1408(%rsp)
	vmovaps %zmm23, 1472(%rsp)
	vmovaps %zmm24, 1536(%rsp)
	vmovaps %zmm25, 1600(%rsp)
	vmovaps %zmm26, 1664(%rsp)
	vmovaps %zmm27, 1728(%rsp)
	vbroadcastss 7f+0(%rip), %zmm4
	vbroadcastss 7f+4(%rip), %zmm5
	vbroadcastss 7f+8(%rip), %zmm6
	vbroadcastss 7f+12(%rip), %zmm7
	vbroadcastss 7f+16(%rip), %zmm8
	vbroadcastss 7f+20(%rip), %zmm9
	vbroadcastss 7f+24(%rip), %zmm10
	vbroadcastss 7f+28(%rip), %zmm11
	vbroadcastss 7f+32(%rip), %zmm12
	vbroadcastss 7f+36(%rip), %zmm13
	vbroadcastss 7f+40(%rip), %zmm14
	vbroadcastss 7f+44(%rip), %zmm15
	vbroadcastss 7f+48(%rip), %zmm16
	vbroadcastss 7f+52(%rip), %zmm17
	vmovaps 0(%rsp), %zmm0
	vmovaps 64(%rsp), %zmm1
	vmovaps 128(%rsp), %zmm2
	vmovaps 192(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 0(%r8), %zmm0, %zmm0
	vaddps 64(%r8), %zmm1, %zmm1
	vaddps 128(%r8), %zmm2, %zmm2
	vaddps 192(%r8), %zmm3, %zmm3
	vmovups %zmm0, 0(%rdi)
	vmovups %zmm1, 64(%rdi)
	vmovups %zmm2, 128(%rdi)
	vmovups %zmm3, 192(%rdi)
	vmovaps 256(%rsp), %zmm0
	vmovaps 320(%rsp), %zmm1
	vmovaps 384(%rsp), %zmm2
	vmovaps 448(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 256(%r8), %zmm0, %zmm0
	vaddps 320(%r8), %zmm1, %zmm1
	vaddps 384(%r8), %zmm2, %zmm2
	vaddps 448(%r8), %zmm3, %zmm3
	vmovups %zmm0, 256(%rdi)
	vmovups %zmm1, 320(%rdi)
	vmovups %zmm2, 384(%rdi)
	vmovups %zmm3, 448(%rdi)
	vmovaps 512(%rsp), %zmm0
	vmovaps 576(%rsp), %zmm1
	vmovaps 640(%rsp), %zmm2
	vmovaps 704(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 512(%r8), %zmm0, %zmm0
	vaddps 576(%r8), %zmm1, %zmm1
	vaddps 640(%r8), %zmm2, %zmm2
	vaddps 704(%r8), %zmm3, %zmm3
	vmovups %zmm0, 512(%rdi)
	vmovups %zmm1, 576(%rdi)
	vmovups %zmm2, 640(%rdi)
	vmovups %zmm3, 704(%rdi)
	vmovaps 768(%rsp), %zmm0
	vmovaps 832(%rsp), %zmm1
	vmovaps 896(%rsp), %zmm2
	vmovaps 960(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 768(%r8), %zmm0, %zmm0
	vaddps 832(%r8), %zmm1, %zmm1
	vaddps 896(%r8), %zmm2, %zmm2
	vaddps 960(%r8), %zmm3, %zmm3
	vmovups %zmm0, 768(%rdi)
	vmovups %zmm1, 832(%rdi)
	vmovups %zmm2, 896(%rdi)
	vmovups %zmm3, 960(%rdi)
	vmovaps 1024(%rsp), %zmm0
	vmovaps 1088(%rsp), %zmm1
	vmovaps 1152(%rsp), %zmm2
	vmovaps 1216(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 1024(%r8), %zmm0, %zmm0
	vaddps 1088(%r8), %zmm1, %zmm1
	vaddps 1152(%r8), %zmm2, %zmm2
	vaddps 1216(%r8), %zmm3, %zmm3
	vmovups %zmm0, 1024(%rdi)
	vmovups %zmm1, 1088(%rdi)
	vmovups %zmm2, 1152(%rdi)
	vmovups %zmm3, 1216(%rdi)
	vmovaps 1280(%rsp), %zmm0
	vmovaps 1344(%rsp), %zmm1
	vmovaps 1408(%rsp), %zmm2
	vmovaps 1472(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 1280(%r8), %zmm0, %zmm0
	vaddps 1344(%r8), %zmm1, %zmm1
	vaddps 1408(%r8), %zmm2, %zmm2
	vaddps 1472(%r8), %zmm3, %zmm3
	vmovups %zmm0, 1280(%rdi)
	vmovups %zmm1, 1344(%rdi)
	vmovups %zmm2, 1408(%rdi)
	vmovups %zmm3, 1472(%rdi)
	vmovaps 1536(%rsp), %zmm0
	vmovaps 1600(%rsp), %zmm1
	vmovaps 1664(%rsp), %zmm2
	vmovaps 1728(%rsp), %zmm3
	vmaxps %zmm0, %zmm4, %zmm0
	vmaxps %zmm1, %zmm4, %zmm1
	vmaxps %zmm2, %zmm4, %zmm2
	vmaxps %zmm3, %zmm4, %zmm3
	vminps %zmm0, %zmm5, %zmm30
	vminps %zmm1, %zmm5, %zmm28
	vminps %zmm2, %zmm5, %zmm25
	vminps %zmm3, %zmm5, %zmm22
	vmovaps %zmm7, %zmm31
	vfmadd231ps %zmm6, %zmm30, %zmm31
	vmovaps %zmm7, %zmm27
	vfmadd231ps %zmm6, %zmm28, %zmm27
	vmovaps %zmm7, %zmm24
	vfmadd231ps %zmm6, %zmm25, %zmm24
	vmovaps %zmm7, %zmm21
	vfmadd231ps %zmm6, %zmm22, %zmm21
	vaddps %zmm8, %zmm31, %zmm29
	vaddps %zmm8, %zmm27, %zmm26
	vaddps %zmm8, %zmm24, %zmm23
	vaddps %zmm8, %zmm21, %zmm20
	vpslld $$23, %zmm31, %zmm31
	vpslld $$23, %zmm27, %zmm27
	vpslld $$23, %zmm24, %zmm24
	vpslld $$23, %zmm21, %zmm21
	vfmadd231ps %zmm9, %zmm29, %zmm30
	vfmadd231ps %zmm9, %zmm26, %zmm28
	vfmadd231ps %zmm9, %zmm23, %zmm25
	vfmadd231ps %zmm9, %zmm20, %zmm22
	vfmadd213ps %zmm30, %zmm10, %zmm29
	vfmadd213ps %zmm28, %zmm10, %zmm26
	vfmadd213ps %zmm25, %zmm10, %zmm23
	vfmadd213ps %zmm22, %zmm10, %zmm20
	vmovaps %zmm12, %zmm30
	vfmadd231ps %zmm11, %zmm29, %zmm30
	vmovaps %zmm12, %zmm28
	vfmadd231ps %zmm11, %zmm26, %zmm28
	vmovaps %zmm12, %zmm25
	vfmadd231ps %zmm11, %zmm23, %zmm25
	vmovaps %zmm12, %zmm22
	vfmadd231ps %zmm11, %zmm20, %zmm22
	vfmadd213ps %zmm13, %zmm29, %zmm30
	vfmadd213ps %zmm13, %zmm26, %zmm28
	vfmadd213ps %zmm13, %zmm23, %zmm25
	vfmadd213ps %zmm13, %zmm20, %zmm22
	vfmadd213ps %zmm14, %zmm29, %zmm30
	vfmadd213ps %zmm14, %zmm26, %zmm28
	vfmadd213ps %zmm14, %zmm23, %zmm25
	vfmadd213ps %zmm14, %zmm20, %zmm22
	vfmadd213ps %zmm15, %zmm29, %zmm30
	vfmadd213ps %zmm15, %zmm26, %zmm28
	vfmadd213ps %zmm15, %zmm23, %zmm25
	vfmadd213ps %zmm15, %zmm20, %zmm22
	vfmadd213ps %zmm16, %zmm29, %zmm30
	vfmadd213ps %zmm16, %zmm26, %zmm28
	vfmadd213ps %zmm16, %zmm23, %zmm25
	vfmadd213ps %zmm16, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm29, %zmm30
	vfmadd213ps %zmm17, %zmm26, %zmm28
	vfmadd213ps %zmm17, %zmm23, %zmm25
	vfmadd213ps %zmm17, %zmm20, %zmm22
	vfmadd213ps %zmm17, %zmm31, %zmm30
	vfmadd213ps %zmm17, %zmm27, %zmm28
	vfmadd213ps %zmm17, %zmm24, %zmm25
	vfmadd213ps %zmm17, %zmm21, %zmm22
	vdivps %zmm30, %zmm0, %zmm0
	vdivps %zmm28, %zmm1, %zmm1
	vdivps %zmm25, %zmm2, %zmm2
	vdivps %zmm22, %zmm3, %zmm3
	vaddps 1536(%r8), %zmm0, %zmm0
	vaddps 1600(%r8), %zmm1, %zmm1
	vaddps 1664(%r8), %zmm2, %zmm2
	vaddps 1728(%r8), %zmm3, %zmm3
	vmovups %zmm0, 1536(%rdi)
	vmovups %zmm1, 1600(%rdi)
	vmovups %zmm2, 1664(%rdi)
	vmovups %zmm3, 1728(%rdi)
	mov 1792(%rsp), %rsp
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 1, 4, 3266405990
	.fill 1, 4, 1118830592
	.fill 1, 4, 3216550459
	.fill 1, 4, 1262485631
	.fill 1, 4, 3409969279
	.fill 1, 4, 1060208640
	.fill 1, 4, 3109978243
	.fill 1, 4, 985003475
	.fill 1, 4, 3154711664
	.fill 1, 4, 1026206524
	.fill 1, 4, 3190467159
	.fill 1, 4, 1056964607
	.fill 1, 4, 3212836864
	.fill 1, 4, 1065353216
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
