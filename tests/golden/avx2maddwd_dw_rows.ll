define i32 @u8_u8_s8_3x8_dw_avx2maddwd__n7_a64.896_b8.24_c64_bias_clip00000000.437f0000_w0.7.1.0_l1.0.0.3_s1.3.-64.0.1_s0.3.0.8.1_s0.3.64.16.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mov $$72057594037927935, %r10
	vmovq %r10, %xmm15
	vpmovsxbd %xmm15, %ymm15
	vmaskmovps 28(%rcx), %ymm15, %ymm0
	vmaskmovps 0(%rcx), %ymm15, %ymm1
	vmovdqa %ymm1, %ymm2
	vmovq 0(%rdx), %xmm5
	vmovq 24(%rdx), %xmm4
	vpunpcklbw %xmm4, %xmm5, %xmm5
	vpmovsxbw %xmm5, %ymm5
	vmovq 8(%rdx), %xmm6
	vmovq 32(%rdx), %xmm4
	vpunpcklbw %xmm4, %xmm6, %xmm6
	vpmovsxbw %xmm6, %ymm6
	vmovq 16(%rdx), %xmm7
	vmovq 40(%rdx), %xmm4
	vpunpcklbw %xmm4, %xmm7, %xmm7
	vpmovsxbw %xmm7, %ymm7
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 0(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 2(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 3(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 4(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 5(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 6(%rsi), %xmm3, %xmm3
	vpxor %xmm4, %xmm4, %xmm4
	vpinsrb $$0, 896(%rsi), %xmm4, %xmm4
	vpinsrb $$1, 897(%rsi), %xmm4, %xmm4
	vpinsrb $$2, 898(%rsi), %xmm4, %xmm4
	vpinsrb $$3, 899(%rsi), %xmm4, %xmm4
	vpinsrb $$4, 900(%rsi), %xmm4, %xmm4
	vpinsrb $$5, 901(%rsi), %xmm4, %xmm4
	vpinsrb $$6, 902(%rsi), %xmm4, %xmm4
	vpunpcklbw %xmm4, %xmm3, %xmm3
	vpmovzxbw %xmm3, %ymm3
	vpmaddwd %ymm5, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpmaddwd %ymm6, %ymm3, %ymm4
	vpaddd %ymm4, %ymm0, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 64(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 65(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 66(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 67(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 68(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 69(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 70(%rsi), %xmm3, %xmm3
	vpxor %xmm4, %xmm4, %xmm4
	vpinsrb $$0, 960(%rsi), %xmm4, %xmm4
	vpinsrb $$1, 961(%rsi), %xmm4, %xmm4
	vpinsrb $$2, 962(%rsi), %xmm4, %xmm4
	vpinsrb $$3, 963(%rsi), %xmm4, %xmm4
	vpinsrb $$4, 964(%rsi), %xmm4, %xmm4
	vpinsrb $$5, 965(%rsi), %xmm4, %xmm4
	vpinsrb $$6, 966(%rsi), %xmm4, %xmm4
	vpunpcklbw %xmm4, %xmm3, %xmm3
	vpmovzxbw %xmm3, %ymm3
	vpmaddwd %ymm5, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
	vpmaddwd %ymm6, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpmaddwd %ymm7, %ymm3, %ymm4
	vpaddd %ymm4, %ymm0, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 128(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 129(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 130(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 131(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 132(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 133(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 134(%rsi), %xmm3, %xmm3
	vpxor %xmm4, %xmm4, %xmm4
	vpinsrb $$0, 1024(%rsi), %xmm4, %xmm4
	vpinsrb $$1, 1025(%rsi), %xmm4, %xmm4
	vpinsrb $$2, 1026(%rsi), %xmm4, %xmm4
	vpinsrb $$3, 1027(%rsi), %xmm4, %xmm4
	vpinsrb $$4, 1028(%rsi), %xmm4, %xmm4
	vpinsrb $$5, 1029(%rsi), %xmm4, %xmm4
	vpinsrb $$6, 1030(%rsi), %xmm4, %xmm4
	vpunpcklbw %xmm4, %xmm3, %xmm3
	vpmovzxbw %xmm3, %ymm3
	vpmaddwd %ymm6, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
	vpmaddwd %ymm7, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 192(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 193(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 194(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 195(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 196(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 197(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 198(%rsi), %xmm3, %xmm3
	vpxor %xmm4, %xmm4, %xmm4
	vpinsrb $$0, 1088(%rsi), %xmm4, %xmm4
	vpinsrb $$1, 1089(%rsi), %xmm4, %xmm4
	vpinsrb $$2, 1090(%rsi), %xmm4, %xmm4
	vpinsrb $$3, 1091(%rsi), %xmm4, %xmm4
	vpinsrb $$4, 1092(%rsi), %xmm4, %xmm4
	vpinsrb $$5, 1093(%rsi), %xmm4, %xmm4
	vpinsrb $$6, 1094(%rsi), %xmm4, %xmm4
	vpunpcklbw %xmm4, %xmm3, %xmm3
	vpmovzxbw %xmm3, %ymm3
	vpmaddwd %ymm7, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
	vpmovsxbw 48(%rdx), %xmm8
	vpmovzxwd %xmm8, %ymm8
	vpmovsxbw 56(%rdx), %xmm9
	vpmovzxwd %xmm9, %ymm9
	vpmovsxbw 64(%rdx), %xmm10
	vpmovzxwd %xmm10, %ymm10
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 1792(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1793(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 1794(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 1795(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 1796(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 1797(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 1798(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	vpmaddwd %ymm8, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpmaddwd %ymm9, %ymm3, %ymm4
	vpaddd %ymm4, %ymm0, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 1856(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1857(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 1858(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 1859(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 1860(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 1861(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 1862(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	vpmaddwd %ymm8, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
	vpmaddwd %ymm9, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpmaddwd %ymm10, %ymm3, %ymm4
	vpaddd %ymm4, %ymm0, %ymm0
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 1920(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1921(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 1922(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 1923(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 1924(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 1925(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 1926(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	vpmaddwd %ymm9, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
	vpmaddwd %ymm10, %ymm3, %ymm4
	vpaddd %ymm4, %ymm1, %ymm1
	vpxor %xmm3, %xmm3, %xmm3
	vpinsrb $$0, 1984(%rsi), %xmm3, %xmm3
	vpinsrb $$1, 1985(%rsi), %xmm3, %xmm3
	vpinsrb $$2, 1986(%rsi), %xmm3, %xmm3
	vpinsrb $$3, 1987(%rsi), %xmm3, %xmm3
	vpinsrb $$4, 1988(%rsi), %xmm3, %xmm3
	vpinsrb $$5, 1989(%rsi), %xmm3, %xmm3
	vpinsrb $$6, 1990(%rsi), %xmm3, %xmm3
	vpmovzxbd %xmm3, %ymm3
	vpmaddwd %ymm10, %ymm3, %ymm4
	vpaddd %ymm4, %ymm2, %ymm2
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
attributes #0 = { alwaysinline "target-features"="+avx2,+fma" }
attributes #1 = { noduplicate }
