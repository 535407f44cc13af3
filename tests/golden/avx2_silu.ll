define i32 @f32_f32_f32_6x16_row_avx2__n16_a1.1_b16.1_c16_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vmovups 0(%rdi), %ymm0
	vmovups 64(%rdi), %ymm2
	vmovups 128(%rdi), %ymm4
	vmovups 192(%rdi), %ymm6
	vmovups 256(%rdi), %ymm8
	vmovups 320(%rdi), %ymm10
	vmovups 32(%rdi), %ymm1
	vmovups 96(%rdi), %ymm3
	vmovups 160(%rdi), %ymm5
	vmovups 224(%rdi), %ymm7
	vmovups 288(%rdi), %ymm9
	vmovups 352(%rdi), %ymm11
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm0, %ymm12, %ymm0
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm0, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm0, %ymm0
	vaddps 0(%r8), %ymm0, %ymm0
	vmovups %ymm0, 0(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm1, %ymm12, %ymm1
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm1, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm1, %ymm1
	vaddps 32(%r8), %ymm1, %ymm1
	vmovups %ymm1, 32(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm2, %ymm12, %ymm2
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm2, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm2, %ymm2
	vaddps 64(%r8), %ymm2, %ymm2
	vmovups %ymm2, 64(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm3, %ymm12, %ymm3
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm3, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm3, %ymm3
	vaddps 96(%r8), %ymm3, %ymm3
	vmovups %ymm3, 96(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm4, %ymm12, %ymm4
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm4, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm4, %ymm4
	vaddps 128(%r8), %ymm4, %ymm4
	vmovups %ymm4, 128(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm5, %ymm12, %ymm5
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm5, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm5, %ymm5
	vaddps 160(%r8), %ymm5, %ymm5
	vmovups %ymm5, 160(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm6, %ymm12, %ymm6
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm6, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm6, %ymm6
	vaddps 192(%r8), %ymm6, %ymm6
	vmovups %ymm6, 192(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm7, %ymm12, %ymm7
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm7, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm7, %ymm7
	vaddps 224(%r8), %ymm7, %ymm7
	vmovups %ymm7, 224(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm8, %ymm12, %ymm8
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm8, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm8, %ymm8
	vaddps 256(%r8), %ymm8, %ymm8
	vmovups %ymm8, 256(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm9, %ymm12, %ymm9
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm9, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm9, %ymm9
	vaddps 288(%r8), %ymm9, %ymm9
	vmovups %ymm9, 288(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm10, %ymm12, %ymm10
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm10, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm10, %ymm10
	vaddps 320(%r8), %ymm10, %ymm10
	vmovups %ymm10, 320(%rdi)
	vmovaps 7f+0(%rip), %ymm12
	vmaxps %ymm11, %ymm12, %ymm11
	vmovaps 7f+32(%rip), %ymm12
	vminps %ymm11, %ymm12, %ymm14
	vmovaps 7f+64(%rip), %ymm15
	vfmadd231ps 7f+96(%rip), %ymm14, %ymm15
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vpslld $$23, %ymm15, %ymm15
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vdivps %ymm14, %ymm11, %ymm11
	vaddps 352(%r8), %ymm11, %ymm11
	vmovups %ymm11, 352(%rdi)
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 8, 4, 3266405990
	.fill 8, 4, 1118830592
	.fill 8, 4, 1262485631
	.fill 8, 4, 3216550459
	.fill 8, 4, 3409969279
	.fill 8, 4, 1060208640
	.fill 8, 4, 3109978243
	.fill 8, 4, 3154711664
	.fill 8, 4, 985003475
	.fill 8, 4, 1026206524
	.fill 8, 4, 3190467159
	.fill 8, 4, 1056964607
	.fill 8, 4, 3212836864
	.fill 8, 4, 1065353216
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+fma" }
attributes #1 = { noduplicate }
