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
	mov %rsp, %rax
	sub $$544, %rsp
	and $$-64, %rsp
	mov %rax, 384(%rsp)
	vmovaps %ymm0, 0(%rsp)
	vmovaps %ymm1, 32(%rsp)
	vmovaps %ymm2, 64(%rsp)
	vmovaps %ymm3, 96(%rsp)
	vmovaps %ymm4, 128(%rsp)
	vmovaps %ymm5, 160(%rsp)
	vmovaps %ymm6, 192(%rsp)
	vmovaps %ymm7, 224(%rsp)
	vmovaps %ymm8, 256(%rsp)
	vmovaps %ymm9, 288(%rsp)
	vmovaps %ymm10, 320(%rsp)
	vmovaps %ymm11, 352(%rsp)
	vmovaps 7f+0(%rip), %ymm3
	vmovaps 7f+32(%rip), %ymm4
	vmovaps 7f+64(%rip), %ymm5
	vmovaps 0(%rsp), %ymm0
	vmovaps 32(%rsp), %ymm1
	vmovaps 64(%rsp), %ymm2
	vmaxps %ymm0, %ymm3, %ymm0
	vmaxps %ymm1, %ymm3, %ymm1
	vmaxps %ymm2, %ymm3, %ymm2
	vminps %ymm0, %ymm4, %ymm14
	vminps %ymm1, %ymm4, %ymm12
	vminps %ymm2, %ymm4, %ymm9
	vmovaps 7f+96(%rip), %ymm15
	vfmadd231ps %ymm5, %ymm14, %ymm15
	vmovaps 7f+96(%rip), %ymm11
	vfmadd231ps %ymm5, %ymm12, %ymm11
	vmovaps 7f+96(%rip), %ymm8
	vfmadd231ps %ymm5, %ymm9, %ymm8
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vaddps 7f+128(%rip), %ymm11, %ymm10
	vaddps 7f+128(%rip), %ymm8, %ymm7
	vpslld $$23, %ymm15, %ymm15
	vpslld $$23, %ymm11, %ymm11
	vpslld $$23, %ymm8, %ymm8
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd231ps 7f+160(%rip), %ymm10, %ymm12
	vfmadd231ps 7f+160(%rip), %ymm7, %ymm9
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vfmadd132ps 7f+192(%rip), %ymm12, %ymm10
	vfmadd132ps 7f+192(%rip), %ymm9, %ymm7
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vmovaps 7f+224(%rip), %ymm12
	vfmadd231ps 7f+256(%rip), %ymm10, %ymm12
	vmovaps 7f+224(%rip), %ymm9
	vfmadd231ps 7f+256(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+288(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+320(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+352(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+384(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm11, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm8, %ymm9
	vdivps %ymm14, %ymm0, %ymm0
	vdivps %ymm12, %ymm1, %ymm1
	vdivps %ymm9, %ymm2, %ymm2
	vaddps 0(%r8), %ymm0, %ymm0
	vaddps 32(%r8), %ymm1, %ymm1
	vaddps 64(%r8), %ymm2, %ymm2
	vmovups %ymm0, 0(%rdi)
	vmovups %ymm1, 32(%rdi)
	vmovups %ymm2, 64(%rdi)
	vmovaps 96(%rsp), %ymm0
	vmovaps 128(%rsp), %ymm1
	vmovaps 160(%rsp), %ymm2
	vmaxps %ymm0, %ymm3, %ymm0
	vmaxps %ymm1, %ymm3, %ymm1
	vmaxps %ymm2, %ymm3, %ymm2
	vminps %ymm0, %ymm4, %ymm14
	vminps %ymm1, %ymm4, %ymm12
	vminps %ymm2, %ymm4, %ymm9
	vmovaps 7f+96(%rip), %ymm15
	vfmadd231ps %ymm5, %ymm14, %ymm15
	vmovaps 7f+96(%rip), %ymm11
	vfmadd231ps %ymm5, %ymm12, %ymm11
	vmovaps 7f+96(%rip), %ymm8
	vfmadd231ps %ymm5, %ymm9, %ymm8
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vaddps 7f+128(%rip), %ymm11, %ymm10
	vaddps 7f+128(%rip), %ymm8, %ymm7
	vpslld $$23, %ymm15, %ymm15
	vpslld $$23, %ymm11, %ymm11
	vpslld $$23, %ymm8, %ymm8
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd231ps 7f+160(%rip), %ymm10, %ymm12
	vfmadd231ps 7f+160(%rip), %ymm7, %ymm9
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vfmadd132ps 7f+192(%rip), %ymm12, %ymm10
	vfmadd132ps 7f+192(%rip), %ymm9, %ymm7
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vmovaps 7f+224(%rip), %ymm12
	vfmadd231ps 7f+256(%rip), %ymm10, %ymm12
	vmovaps 7f+224(%rip), %ymm9
	vfmadd231ps 7f+256(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+288(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+320(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+352(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+384(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm11, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm8, %ymm9
	vdivps %ymm14, %ymm0, %ymm0
	vdivps %ymm12, %ymm1, %ymm1
	vdivps %ymm9, %ymm2, %ymm2
	vaddps 96(%r8), %ymm0, %ymm0
	vaddps 128(%r8), %ymm1, %ymm1
	vaddps 160(%r8), %ymm2, %ymm2
	vmovups %ymm0, 96(%rdi)
	vmovups %ymm1, 128(%rdi)
	vmovups %ymm2, 160(%rdi)
	vmovaps 192(%rsp), %ymm0
	vmovaps 224(%rsp), %ymm1
	vmovaps 256(%rsp), %ymm2
	vmaxps %ymm0, %ymm3, %ymm0
	vmaxps %ymm1, %ymm3, %ymm1
	vmaxps %ymm2, %ymm3, %ymm2
	vminps %ymm0, %ymm4, %ymm14
	vminps %ymm1, %ymm4, %ymm12
	vminps %ymm2, %ymm4, %ymm9
	vmovaps 7f+96(%rip), %ymm15
	vfmadd231ps %ymm5, %ymm14, %ymm15
	vmovaps 7f+96(%rip), %ymm11
	vfmadd231ps %ymm5, %ymm12, %ymm11
	vmovaps 7f+96(%rip), %ymm8
	vfmadd231ps %ymm5, %ymm9, %ymm8
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vaddps 7f+128(%rip), %ymm11, %ymm10
	vaddps 7f+128(%rip), %ymm8, %ymm7
	vpslld $$23, %ymm15, %ymm15
	vpslld $$23, %ymm11, %ymm11
	vpslld $$23, %ymm8, %ymm8
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd231ps 7f+160(%rip), %ymm10, %ymm12
	vfmadd231ps 7f+160(%rip), %ymm7, %ymm9
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vfmadd132ps 7f+192(%rip), %ymm12, %ymm10
	vfmadd132ps 7f+192(%rip), %ymm9, %ymm7
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vmovaps 7f+224(%rip), %ymm12
	vfmadd231ps 7f+256(%rip), %ymm10, %ymm12
	vmovaps 7f+224(%rip), %ymm9
	vfmadd231ps 7f+256(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+288(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+320(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+352(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+384(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm11, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm8, %ymm9
	vdivps %ymm14, %ymm0, %ymm0
	vdivps %ymm12, %ymm1, %ymm1
	vdivps %ymm9, %ymm2, %ymm2
	vaddps 192(%r8), %ymm0, %ymm0
	vaddps 224(%r8), %ymm1, %ymm1
	vaddps 256(%r8), %ymm2, %ymm2
	vmovups %ymm0, 192(%rdi)
	vmovups %ymm1, 224(%rdi)
	vmovups %ymm2, 256(%rdi)
	vmovaps 288(%rsp), %ymm0
	vmovaps 320(%rsp), %ymm1
	vmovaps 352(%rsp), %ymm2
	vmaxps %ymm0, %ymm3, %ymm0
	vmaxps %ymm1, %ymm3, %ymm1
	vmaxps %ymm2, %ymm3, %ymm2
	vminps %ymm0, %ymm4, %ymm14
	vminps %ymm1, %ymm4, %ymm12
	vminps %ymm2, %ymm4, %ymm9
	vmovaps 7f+96(%rip), %ymm15
	vfmadd231ps %ymm5, %ymm14, %ymm15
	vmovaps 7f+96(%rip), %ymm11
	vfmadd231ps %ymm5, %ymm12, %ymm11
	vmovaps 7f+96(%rip), %ymm8
	vfmadd231ps %ymm5, %ymm9, %ymm8
	vaddps 7f+128(%rip), %ymm15, %ymm13
	vaddps 7f+128(%rip), %ymm11, %ymm10
	vaddps 7f+128(%rip), %ymm8, %ymm7
	vpslld $$23, %ymm15, %ymm15
	vpslld $$23, %ymm11, %ymm11
	vpslld $$23, %ymm8, %ymm8
	vfmadd231ps 7f+160(%rip), %ymm13, %ymm14
	vfmadd231ps 7f+160(%rip), %ymm10, %ymm12
	vfmadd231ps 7f+160(%rip), %ymm7, %ymm9
	vfmadd132ps 7f+192(%rip), %ymm14, %ymm13
	vfmadd132ps 7f+192(%rip), %ymm12, %ymm10
	vfmadd132ps 7f+192(%rip), %ymm9, %ymm7
	vmovaps 7f+224(%rip), %ymm14
	vfmadd231ps 7f+256(%rip), %ymm13, %ymm14
	vmovaps 7f+224(%rip), %ymm12
	vfmadd231ps 7f+256(%rip), %ymm10, %ymm12
	vmovaps 7f+224(%rip), %ymm9
	vfmadd231ps 7f+256(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+288(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+288(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+288(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+320(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+320(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+320(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+352(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+352(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+352(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+384(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+384(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+384(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm13, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm10, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm7, %ymm9
	vfmadd213ps 7f+416(%rip), %ymm15, %ymm14
	vfmadd213ps 7f+416(%rip), %ymm11, %ymm12
	vfmadd213ps 7f+416(%rip), %ymm8, %ymm9
	vdivps %ymm14, %ymm0, %ymm0
	vdivps %ymm12, %ymm1, %ymm1
	vdivps %ymm9, %ymm2, %ymm2
	vaddps 288(%r8), %ymm0, %ymm0
	vaddps 320(%r8), %ymm1, %ymm1
	vaddps 352(%r8), %ymm2, %ymm2
	vmovups %ymm0, 288(%rdi)
	vmovups %ymm1, 320(%rdi)
	vmovups %ymm2, 352(%rdi)
	mov 384(%rsp), %rsp
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 8, 4, 3266405990
	.fill 8, 4, 1118830592
	.fill 8, 4, 3216550459
	.fill 8, 4, 1262485631
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
