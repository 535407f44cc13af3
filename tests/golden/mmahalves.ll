define i32 @bf16_bf16_bf16_3x8_row_mmahalves__n7_a32.448_b16.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "lxv 32, 0(6)
	xxlor 3, 32, 32
	xxlor 2, 32, 32
	xxlor 1, 32, 32
	li 0, 12
	sldi 0, 0, 56
	addi 12, 6, 16
	lxvl 32, 12, 0
	xxlor 7, 32, 32
	xxlor 6, 32, 32
	xxlor 5, 32, 32
	xxmtacc 0
	xxmtacc 1
	cmpldi 8, 0
	beq 0, 3f
	2:
	mr 17, 5
	mr 19, 4
	addi 20, 4, 64
	li 9, 0
	li 10, 4
	1:
	xxlxor 32, 32, 32
	lxvx 33, 19, 9
	lxvx 34, 20, 9
	xxlxor 35, 35, 35
	xxmrghw 36, 35, 34
	xxmrghw 37, 33, 32
	xxmrglw 38, 35, 34
	xxmrglw 39, 33, 32
	xxpermdi 32, 38, 39, 3
	xxpermdi 33, 38, 39, 0
	xxpermdi 34, 36, 37, 3
	xxpermdi 35, 36, 37, 0
	addi 9, 9, 16
	lxv 36, 0(17)
	lxv 37, 16(17)
	lxv 38, 32(17)
	lxv 39, 48(17)
	lxv 40, 64(17)
	lxv 41, 80(17)
	lxv 42, 96(17)
	lxv 43, 112(17)
	xvbf16ger2pp 0, 32, 36
	xvbf16ger2pp 1, 32, 37
	xvbf16ger2pp 0, 33, 38
	xvbf16ger2pp 1, 33, 39
	xvbf16ger2pp 0, 34, 40
	xvbf16ger2pp 1, 34, 41
	xvbf16ger2pp 0, 35, 42
	xvbf16ger2pp 1, 35, 43
	addi 17, 17, 128
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	addi 17, 5, 512
	mr 18, 4
	addi 19, 4, 64
	addi 20, 4, 128
	li 9, 0
	li 10, 8
	1:
	lxvx 32, 18, 9
	lxvx 33, 19, 9
	lxvx 34, 20, 9
	xxlxor 35, 35, 35
	xxmrghw 36, 35, 34
	xxmrghw 37, 33, 32
	xxmrglw 38, 35, 34
	xxmrglw 39, 33, 32
	xxpermdi 32, 38, 39, 3
	xxpermdi 33, 38, 39, 0
	xxpermdi 34, 36, 37, 3
	xxpermdi 35, 36, 37, 0
	addi 9, 9, 16
	lxv 36, 0(17)
	lxv 37, 16(17)
	lxv 38, 32(17)
	lxv 39, 48(17)
	lxv 40, 64(17)
	lxv 41, 80(17)
	lxv 42, 96(17)
	lxv 43, 112(17)
	xvbf16ger2pp 0, 32, 36
	xvbf16ger2pp 1, 32, 37
	xvbf16ger2pp 0, 33, 38
	xvbf16ger2pp 1, 33, 39
	xvbf16ger2pp 0, 34, 40
	xvbf16ger2pp 1, 34, 41
	xvbf16ger2pp 0, 35, 42
	xvbf16ger2pp 1, 35, 43
	addi 17, 17, 128
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	addi 4, 4, 896
	addi 5, 5, 1536
	addi 8, 8, -1
	cmpldi 8, 0
	bne 0, 2b
	3:
	xxmfacc 0
	xxmfacc 1
	lis 12, 0
	ori 12, 12, 0
	mtvsrwz 34, 12
	xxspltw 34, 34, 1
	lis 12, 16576
	ori 12, 12, 0
	mtvsrwz 35, 12
	xxspltw 35, 35, 1
	mr 12, 7
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 3, 3, 32
	xvcmpgtsp 33, 34, 3
	xxsel 3, 3, 34, 33
	xvcmpgtsp 33, 3, 35
	xxsel 3, 3, 35, 33
	xvcvspbf16 63, 3
	vpkuwum 31, 31, 31
	mr 12, 3
	stxsdx 63, 0, 12
	li 0, 6
	sldi 0, 0, 56
	addi 12, 7, 8
	lxvl 63, 12, 0
	vmrglh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 7, 7, 32
	xvcmpgtsp 33, 34, 7
	xxsel 7, 7, 34, 33
	xvcmpgtsp 33, 7, 35
	xxsel 7, 7, 35, 33
	xvcvspbf16 63, 7
	vpkuwum 31, 31, 31
	li 0, 6
	sldi 0, 0, 56
	addi 12, 3, 8
	stxvl 63, 12, 0
	addi 12, 7, 14
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 2, 2, 32
	xvcmpgtsp 33, 34, 2
	xxsel 2, 2, 34, 33
	xvcmpgtsp 33, 2, 35
	xxsel 2, 2, 35, 33
	xvcvspbf16 63, 2
	vpkuwum 31, 31, 31
	addi 12, 3, 14
	stxsdx 63, 0, 12
	li 0, 6
	sldi 0, 0, 56
	addi 12, 7, 22
	lxvl 63, 12, 0
	vmrglh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 6, 6, 32
	xvcmpgtsp 33, 34, 6
	xxsel 6, 6, 34, 33
	xvcmpgtsp 33, 6, 35
	xxsel 6, 6, 35, 33
	xvcvspbf16 63, 6
	vpkuwum 31, 31, 31
	li 0, 6
	sldi 0, 0, 56
	addi 12, 3, 22
	stxvl 63, 12, 0
	addi 12, 7, 28
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 1, 1, 32
	xvcmpgtsp 33, 34, 1
	xxsel 1, 1, 34, 33
	xvcmpgtsp 33, 1, 35
	xxsel 1, 1, 35, 33
	xvcvspbf16 63, 1
	vpkuwum 31, 31, 31
	addi 12, 3, 28
	stxsdx 63, 0, 12
	li 0, 6
	sldi 0, 0, 56
	addi 12, 7, 36
	lxvl 63, 12, 0
	vmrglh 31, 31, 31
	xvcvbf16spn 32, 63
	xvaddsp 5, 5, 32
	xvcmpgtsp 33, 34, 5
	xxsel 5, 5, 34, 33
	xvcmpgtsp 33, 5, 35
	xxsel 5, 5, 35, 33
	xvcvspbf16 63, 5
	vpkuwum 31, 31, 31
	li 0, 6
	sldi 0, 0, 56
	addi 12, 3, 36
	stxvl 63, 12, 0", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+isa-v31-instructions,+mma,+power10-vector,+vsx" }
attributes #1 = { noduplicate }
