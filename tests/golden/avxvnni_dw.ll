define i32 @u8_u8_s8_3x8_dw_avxvnni__n7_a64.896_b8.24_c64_bias_clip00000000.437f0000_w0.7.1.0_s1.3.-64.0.1_s0.3.0.8.1_s0.3.64.16.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vmaskmovps 28(%rcx), %ymm15, %ymm0
	vmaskmovps 0(%rcx), %ymm15, %ymm1
	vmovdqa %ymm1, %ymm2
	test %r9, %r9
	jz 3f
	2:
	vpmovsxbw 0(%rdx), %xmm5
	vpmovzxwd %xmm5, %ymm5
	vpmovsxbw 8(%rdx), %xmm6
	vpmovzxwd %xmm6, %ymm6
	vpmovsxbw 16(%rdx), %xmm7
	vpmovzxwd %xmm7, %ymm7
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 0(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 2(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 3(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 4(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 5(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 6(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	{vex} vpdpwssd %ymm5, %ymm3, %ymm1
	{vex} vpdpwssd %ymm6, %ymm3, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 64(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 65(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 66(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 67(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 68(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 69(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 70(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	{vex} vpdpwssd %ymm5, %ymm3, %ymm2
	{vex} vpdpwssd %ymm6, %ymm3, %ymm1
	{vex} vpdpwssd %ymm7, %ymm3, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 128(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 129(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 130(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 131(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 132(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 133(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 134(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	{vex} vpdpwssd %ymm6, %ymm3, %ymm2
	{vex} vpdpwssd %ymm7, %ymm3, %ymm1
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 192(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 193(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 194(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 195(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 196(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 197(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 198(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	{vex} vpdpwssd %ymm7, %ymm3, %ymm2
	add $$896, %rsi
	add $$24, %rdx
	dec %r9
	jnz 2b
	3:
	mov $$1132396544, %r10d
	vmovd %r10d, %xmm3
	vbroadcastss %xmm3, %ymm3
	vcvtdq2ps %ymm0, %ymm0
	vmaskmovps 0(%r8), %ymm15, %ymm6
	vmulps %ymm6, %ymm0, %ymm0
	vminps %ymm0, %ymm3, %ymm0
	vcvtps2dq %ymm0, %ymm0
	vcvtdq2ps %ymm1, %ymm1
	vmaskmovps 0(%r8), %ymm15, %ymm6
	vmulps %ymm6, %ymm1, %ymm1
	vminps %ymm1, %ymm3, %ymm1
	vcvtps2dq %ymm1, %ymm1
	vcvtdq2ps %ymm2, %ymm2
	vmaskmovps 0(%r8), %ymm15, %ymm6
	vmulps %ymm6, %ymm2, %ymm2
	vminps %ymm2, %ymm3, %ymm2
	vcvtps2dq %ymm2, %ymm2
	vextracti128 $$1, %ymm0, %xmm6
	vpackssdw %xmm6, %xmm0, %xmm0
	vpackuswb %xmm0, %xmm0, %xmm0
	vmovd %xmm0, 0(%rdi)
	vpextrw $$2, %xmm0, 4(%rdi)
	vpextrb $$6, %xmm0, 6(%rdi)
	vextracti128 $$1, %ymm1, %xmm6
	vpackssdw %xmm6, %xmm1, %xmm1
	vpackuswb %xmm1, %xmm1, %xmm1
	vmovd %xmm1, 64(%rdi)
	vpextrw $$2, %xmm1, 68(%rdi)
	vpextrb $$6, %xmm1, 70(%rdi)
	vextracti128 $$1, %ymm2, %xmm6
	vpackssdw %xmm6, %xmm2, %xmm2
	vpackuswb %xmm2, %xmm2, %xmm2
	vmovd %xmm2, 128(%rdi)
	vpextrw $$2, %xmm2, 132(%rdi)
	vpextrb $$6, %xmm2, 134(%rdi)
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},0,1,2,3,4,5,~{ymm0},~{ymm1},~{ymm2},~{ymm3},~{ymm4},~{ymm5},~{ymm6},~{ymm7},~{ymm8},~{ymm9},~{ymm10},~{ymm11},~{ymm12},~{ymm13},~{ymm14},~{ymm15},~{rax},~{r10},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx2,+avxvnni,+fma" }
attributes #1 = { noduplicate }
