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
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm0, %zmm28, %zmm0
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm0, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm0, %zmm0
	vaddps 0(%r8), %zmm0, %zmm0
	vmovups %zmm0, 0(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm1, %zmm28, %zmm1
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm1, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm1, %zmm1
	vaddps 64(%r8), %zmm1, %zmm1
	vmovups %zmm1, 64(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm2, %zmm28, %zmm2
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm2, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm2, %zmm2
	vaddps 128(%r8), %zmm2, %zmm2
	vmovups %zmm2, 128(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm3, %zmm28, %zmm3
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm3, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm3, %zmm3
	vaddps 192(%r8), %zmm3, %zmm3
	vmovups %zmm3, 192(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm4, %zmm28, %zmm4
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm4, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm4, %zmm4
	vaddps 256(%r8), %zmm4, %zmm4
	vmovups %zmm4, 256(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm5, %zmm28, %zmm5
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm5, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm5, %zmm5
	vaddps 320(%r8), %zmm5, %zmm5
	vmovups %zmm5, 320(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm6, %zmm28, %zmm6
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm6, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm6, %zmm6
	vaddps 384(%r8), %zmm6, %zmm6
	vmovups %zmm6, 384(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm7, %zmm28, %zmm7
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm7, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm7, %zmm7
	vaddps 448(%r8), %zmm7, %zmm7
	vmovups %zmm7, 448(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm8, %zmm28, %zmm8
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm8, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm8, %zmm8
	vaddps 512(%r8), %zmm8, %zmm8
	vmovups %zmm8, 512(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm9, %zmm28, %zmm9
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm9, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm9, %zmm9
	vaddps 576(%r8), %zmm9, %zmm9
	vmovups %zmm9, 576(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm10, %zmm28, %zmm10
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm10, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm10, %zmm10
	vaddps 640(%r8), %zmm10, %zmm10
	vmovups %zmm10, 640(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm11, %zmm28, %zmm11
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm11, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm11, %zmm11
	vaddps 704(%r8), %zmm11, %zmm11
	vmovups %zmm11, 704(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm12, %zmm28, %zmm12
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm12, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm12, %zmm12
	vaddps 768(%r8), %zmm12, %zmm12
	vmovups %zmm12, 768(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm13, %zmm28, %zmm13
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm13, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm13, %zmm13
	vaddps 832(%r8), %zmm13, %zmm13
	vmovups %zmm13, 832(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm14, %zmm28, %zmm14
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm14, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm14, %zmm14
	vaddps 896(%r8), %zmm14, %zmm14
	vmovups %zmm14, 896(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm15, %zmm28, %zmm15
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm15, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm15, %zmm15
	vaddps 960(%r8), %zmm15, %zmm15
	vmovups %zmm15, 960(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm16, %zmm28, %zmm16
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm16, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm16, %zmm16
	vaddps 1024(%r8), %zmm16, %zmm16
	vmovups %zmm16, 1024(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm17, %zmm28, %zmm17
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm17, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm17, %zmm17
	vaddps 1088(%r8), %zmm17, %zmm17
	vmovups %zmm17, 1088(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm18, %zmm28, %zmm18
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm18, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm18, %zmm18
	vaddps 1152(%r8), %zmm18, %zmm18
	vmovups %zmm18, 1152(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm19, %zmm28, %zmm19
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm19, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm19, %zmm19
	vaddps 1216(%r8), %zmm19, %zmm19
	vmovups %zmm19, 1216(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm20, %zmm28, %zmm20
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm20, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm20, %zmm20
	vaddps 1280(%r8), %zmm20, %zmm20
	vmovups %zmm20, 1280(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm21, %zmm28, %zmm21
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm21, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm21, %zmm21
	vaddps 1344(%r8), %zmm21, %zmm21
	vmovups %zmm21, 1344(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm22, %zmm28, %zmm22
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm22, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm22, %zmm22
	vaddps 1408(%r8), %zmm22, %zmm22
	vmovups %zmm22, 1408(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm23, %zmm28, %zmm23
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm23, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm23, %zmm23
	vaddps 1472(%r8), %zmm23, %zmm23
	vmovups %zmm23, 1472(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm24, %zmm28, %zmm24
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm24, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm24, %zmm24
	vaddps 1536(%r8), %zmm24, %zmm24
	vmovups %zmm24, 1536(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm25, %zmm28, %zmm25
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm25, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm25, %zmm25
	vaddps 1600(%r8), %zmm25, %zmm25
	vmovups %zmm25, 1600(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm26, %zmm28, %zmm26
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm26, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm26, %zmm26
	vaddps 1664(%r8), %zmm26, %zmm26
	vmovups %zmm26, 1664(%rdi)
	vbroadcastss 7f+0(%rip), %zmm28
	vmaxps %zmm27, %zmm28, %zmm27
	vbroadcastss 7f+4(%rip), %zmm28
	vminps %zmm27, %zmm28, %zmm30
	vbroadcastss 7f+8(%rip), %zmm31
	vfmadd231ps 7f+12(%rip){1to16}, %zmm30, %zmm31
	vaddps 7f+16(%rip){1to16}, %zmm31, %zmm29
	vpslld $$23, %zmm31, %zmm31
	vfmadd231ps 7f+20(%rip){1to16}, %zmm29, %zmm30
	vfmadd132ps 7f+24(%rip){1to16}, %zmm30, %zmm29
	vbroadcastss 7f+28(%rip), %zmm30
	vfmadd231ps 7f+32(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+36(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+40(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+44(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+48(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm29, %zmm30
	vfmadd213ps 7f+52(%rip){1to16}, %zmm31, %zmm30
	vdivps %zmm30, %zmm27, %zmm27
	vaddps 1728(%r8), %zmm27, %zmm27
	vmovups %zmm27, 1728(%rdi)
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 1, 4, 3266405990
	.fill 1, 4, 1118830592
	.fill 1, 4, 1262485631
	.fill 1, 4, 3216550459
	.fill 1, 4, 3409969279
	.fill 1, 4, 1060208640
	.fill 1, 4, 3109978243
	.fill 1, 4, 3154711664
	.fill 1, 4, 985003475
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
