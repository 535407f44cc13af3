define i32 @f16_f16_f16_3x32_row_avx512fp16__n31_a32.448_b32.3072_c31_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	mov %rsp, %rax
	sub $$576, %rsp
	and $$-64, %rsp
	mov %rax, 384(%rsp)
	vmovups 0(%rcx), %zmm31
	vmovaps %zmm31, 0(%rsp)
	vmovups 64(%rcx), %zmm31{%k1}{z}
	vmovaps %zmm31, 64(%rsp)
	vmovups 0(%rcx), %zmm31
	vmovaps %zmm31, 128(%rsp)
	vmovups 64(%rcx), %zmm31{%k1}{z}
	vmovaps %zmm31, 192(%rsp)
	vmovups 0(%rcx), %zmm31
	vmovaps %zmm31, 256(%rsp)
	vmovups 64(%rcx), %zmm31{%k1}{z}
	vmovaps %zmm31, 320(%rsp)
	vpxord %zmm29, %zmm29, %zmm29
	vpxord %zmm30, %zmm30, %zmm30
	vpxord %zmm31, %zmm31, %zmm31
	test %r9, %r9
	jz 3f
	2:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	prefetcht1 320(%r13)
	prefetcht1 384(%r13)
	prefetcht1 448(%r13)
	add $$512, %r13
	vmovups 0(%rdx), %zmm0
	vpbroadcastw 0(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 64(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 64(%rdx), %zmm0
	vpbroadcastw 2(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 66(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 128(%rdx), %zmm0
	vpbroadcastw 4(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 68(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 192(%rdx), %zmm0
	vpbroadcastw 6(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 70(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 256(%rdx), %zmm0
	vpbroadcastw 8(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 72(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 320(%rdx), %zmm0
	vpbroadcastw 10(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 74(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 384(%rdx), %zmm0
	vpbroadcastw 12(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 76(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 448(%rdx), %zmm0
	vpbroadcastw 14(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 78(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 512(%rdx), %zmm0
	vpbroadcastw 16(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 80(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 576(%rdx), %zmm0
	vpbroadcastw 18(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 82(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 640(%rdx), %zmm0
	vpbroadcastw 20(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 84(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 704(%rdx), %zmm0
	vpbroadcastw 22(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 86(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 768(%rdx), %zmm0
	vpbroadcastw 24(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 88(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 832(%rdx), %zmm0
	vpbroadcastw 26(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 90(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 896(%rdx), %zmm0
	vpbroadcastw 28(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 92(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 960(%rdx), %zmm0
	vpbroadcastw 30(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 94(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1024(%rdx), %zmm0
	vpbroadcastw 32(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 96(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1088(%rdx), %zmm0
	vpbroadcastw 34(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 98(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1152(%rdx), %zmm0
	vpbroadcastw 36(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 100(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1216(%rdx), %zmm0
	vpbroadcastw 38(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 102(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1280(%rdx), %zmm0
	vpbroadcastw 40(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 104(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1344(%rdx), %zmm0
	vpbroadcastw 42(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 106(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1408(%rdx), %zmm0
	vpbroadcastw 44(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 108(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1472(%rdx), %zmm0
	vpbroadcastw 46(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 110(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1536(%rdx), %zmm0
	vpbroadcastw 48(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 112(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1600(%rdx), %zmm0
	vpbroadcastw 50(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 114(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1664(%rdx), %zmm0
	vpbroadcastw 52(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 116(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1728(%rdx), %zmm0
	vpbroadcastw 54(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 118(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1792(%rdx), %zmm0
	vpbroadcastw 56(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 120(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1856(%rdx), %zmm0
	vpbroadcastw 58(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 122(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1920(%rdx), %zmm0
	vpbroadcastw 60(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 124(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 1984(%rdx), %zmm0
	vpbroadcastw 62(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 126(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vcvtph2psx %ymm29, %zmm0
	vaddps 0(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 0(%rsp)
	vextracti64x4 $$1, %zmm29, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 64(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 64(%rsp)
	vcvtph2psx %ymm30, %zmm0
	vaddps 128(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 128(%rsp)
	vextracti64x4 $$1, %zmm30, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 192(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 192(%rsp)
	vcvtph2psx %ymm31, %zmm0
	vaddps 256(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 256(%rsp)
	vextracti64x4 $$1, %zmm31, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 320(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 320(%rsp)
	vpxord %zmm29, %zmm29, %zmm29
	vpxord %zmm30, %zmm30, %zmm30
	vpxord %zmm31, %zmm31, %zmm31
	mov $$4, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	add $$256, %r13
	vmovups 2048(%rdx), %zmm0
	vpbroadcastw 0(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 64(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 128(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2112(%rdx), %zmm0
	vpbroadcastw 2(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 66(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 130(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2176(%rdx), %zmm0
	vpbroadcastw 4(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 68(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 132(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2240(%rdx), %zmm0
	vpbroadcastw 6(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 70(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 134(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2304(%rdx), %zmm0
	vpbroadcastw 8(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 72(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 136(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2368(%rdx), %zmm0
	vpbroadcastw 10(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 74(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 138(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2432(%rdx), %zmm0
	vpbroadcastw 12(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 76(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 140(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2496(%rdx), %zmm0
	vpbroadcastw 14(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 78(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 142(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2560(%rdx), %zmm0
	vpbroadcastw 16(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 80(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 144(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2624(%rdx), %zmm0
	vpbroadcastw 18(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 82(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 146(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2688(%rdx), %zmm0
	vpbroadcastw 20(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 84(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 148(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2752(%rdx), %zmm0
	vpbroadcastw 22(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 86(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 150(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2816(%rdx), %zmm0
	vpbroadcastw 24(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 88(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 152(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2880(%rdx), %zmm0
	vpbroadcastw 26(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 90(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 154(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 2944(%rdx), %zmm0
	vpbroadcastw 28(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 92(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 156(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	vmovups 3008(%rdx), %zmm0
	vpbroadcastw 30(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm29
	vpbroadcastw 94(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm30
	vpbroadcastw 158(%rsi), %zmm1
	vfmadd231ph %zmm1, %zmm0, %zmm31
	add $$32, %rsi
	add $$1024, %rdx
	dec %rax
	jnz 1b
	vcvtph2psx %ymm29, %zmm0
	vaddps 0(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 0(%rsp)
	vextracti64x4 $$1, %zmm29, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 64(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 64(%rsp)
	vcvtph2psx %ymm30, %zmm0
	vaddps 128(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 128(%rsp)
	vextracti64x4 $$1, %zmm30, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 192(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 192(%rsp)
	vcvtph2psx %ymm31, %zmm0
	vaddps 256(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 256(%rsp)
	vextracti64x4 $$1, %zmm31, %ymm0
	vcvtph2psx %ymm0, %zmm0
	vaddps 320(%rsp), %zmm0, %zmm0
	vmovaps %zmm0, 320(%rsp)
	vpxord %zmm29, %zmm29, %zmm29
	vpxord %zmm30, %zmm30, %zmm30
	vpxord %zmm31, %zmm31, %zmm31
	add $$768, %rsi
	add $$2048, %rdx
	dec %r9
	jnz 2b
	3:
	vbroadcastss 7f+0(%rip), %zmm0
	vbroadcastss 7f+4(%rip), %zmm1
	vmovaps 0(%rsp), %zmm31
	vcvtph2ps 0(%r8), %zmm2
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 0(%rdi)
	vmovaps 64(%rsp), %zmm31
	vcvtph2ps 32(%r8), %zmm2{%k1}{z}
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 32(%rdi){%k1}
	vmovaps 128(%rsp), %zmm31
	vcvtph2ps 62(%r8), %zmm2
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 62(%rdi)
	vmovaps 192(%rsp), %zmm31
	vcvtph2ps 94(%r8), %zmm2{%k1}{z}
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 94(%rdi){%k1}
	vmovaps 256(%rsp), %zmm31
	vcvtph2ps 124(%r8), %zmm2
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 124(%rdi)
	vmovaps 320(%rsp), %zmm31
	vcvtph2ps 156(%r8), %zmm2{%k1}{z}
	vaddps %zmm2, %zmm31, %zmm31
	vmaxps %zmm31, %zmm0, %zmm31
	vminps %zmm31, %zmm1, %zmm31
	vcvtps2ph $$0, %zmm31, 156(%rdi){%k1}
	mov 384(%rsp), %rsp
	vzeroupper
	jmp 8f
	.p2align 5
	7:
	.fill 1, 4, 0
	.fill 1, 4, 1086324736
	8:", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{r14},~{k1},~{k2},~{k3},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bw,+avx512dq,+avx512f,+avx512fp16,+avx512vl" }
attributes #1 = { noduplicate }
