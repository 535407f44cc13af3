define i32 @u8_u8_s8_3x8_row_mmabytes__n7_a40.560_b32.640_c7_p4_bias_clipc1200000.42c80000_w0.7.1.0_z10_s1.3.0.0.40_s0.3.40.320.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "addi 12, 6, 28
	lxv 32, 0(12)
	xxlor 3, 32, 32
	lxv 32, 0(6)
	xxlor 2, 32, 32
	xxlor 1, 32, 32
	li 0, 12
	sldi 0, 0, 56
	addi 12, 6, 44
	lxvl 32, 12, 0
	xxlor 7, 32, 32
	li 0, 12
	sldi 0, 0, 56
	addi 12, 6, 16
	lxvl 32, 12, 0
	xxlor 6, 32, 32
	xxlor 5, 32, 32
	xxmrghw 32, 0, 1
	xxmrghw 33, 2, 3
	xxmrglw 34, 0, 1
	xxmrglw 35, 2, 3
	xxpermdi 3, 34, 35, 3
	xxpermdi 2, 34, 35, 0
	xxpermdi 1, 32, 33, 3
	xxpermdi 0, 32, 33, 0
	xxmrghw 32, 4, 5
	xxmrghw 33, 6, 7
	xxmrglw 34, 4, 5
	xxmrglw 35, 6, 7
	xxpermdi 7, 34, 35, 3
	xxpermdi 6, 34, 35, 0
	xxpermdi 5, 32, 33, 3
	xxpermdi 4, 32, 33, 0
	xxmtacc 0
	xxmtacc 1
	cmpldi 8, 0
	beq 0, 3f
	2:
	mr 17, 5
	addi 19, 4, 40
	addi 20, 4, 80
	li 9, 0
	li 10, 2
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
	xvi8ger4pp 0, 36, 32
	xvi8ger4pp 1, 37, 32
	xvi8ger4pp 0, 38, 33
	xvi8ger4pp 1, 39, 33
	xvi8ger4pp 0, 40, 34
	xvi8ger4pp 1, 41, 34
	xvi8ger4pp 0, 42, 35
	xvi8ger4pp 1, 43, 35
	addi 17, 17, 128
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	li 0, 8
	sldi 0, 0, 56
	xxlxor 32, 32, 32
	add 12, 19, 9
	lxvl 33, 12, 0
	add 12, 20, 9
	lxvl 34, 12, 0
	xxlxor 35, 35, 35
	xxmrghw 36, 35, 34
	xxmrghw 37, 33, 32
	xxmrglw 38, 35, 34
	xxmrglw 39, 33, 32
	xxpermdi 32, 38, 39, 3
	xxpermdi 33, 38, 39, 0
	xxpermdi 34, 36, 37, 3
	xxpermdi 35, 36, 37, 0
	addi 9, 9, 8
	lxv 36, 0(17)
	lxv 37, 16(17)
	lxv 38, 32(17)
	lxv 39, 48(17)
	xvi8ger4pp 0, 36, 32
	xvi8ger4pp 1, 37, 32
	xvi8ger4pp 0, 38, 33
	xvi8ger4pp 1, 39, 33
	addi 17, 17, 64
	addi 17, 5, 320
	addi 18, 4, 40
	addi 19, 4, 80
	addi 20, 4, 120
	li 9, 0
	li 10, 2
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
	xvi8ger4pp 0, 36, 32
	xvi8ger4pp 1, 37, 32
	xvi8ger4pp 0, 38, 33
	xvi8ger4pp 1, 39, 33
	xvi8ger4pp 0, 40, 34
	xvi8ger4pp 1, 41, 34
	xvi8ger4pp 0, 42, 35
	xvi8ger4pp 1, 43, 35
	addi 17, 17, 128
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	li 0, 8
	sldi 0, 0, 56
	add 12, 18, 9
	lxvl 32, 12, 0
	add 12, 19, 9
	lxvl 33, 12, 0
	add 12, 20, 9
	lxvl 34, 12, 0
	xxlxor 35, 35, 35
	xxmrghw 36, 35, 34
	xxmrghw 37, 33, 32
	xxmrglw 38, 35, 34
	xxmrglw 39, 33, 32
	xxpermdi 32, 38, 39, 3
	xxpermdi 33, 38, 39, 0
	xxpermdi 34, 36, 37, 3
	xxpermdi 35, 36, 37, 0
	addi 9, 9, 8
	lxv 36, 0(17)
	lxv 37, 16(17)
	lxv 38, 32(17)
	lxv 39, 48(17)
	xvi8ger4pp 0, 36, 32
	xvi8ger4pp 1, 37, 32
	xvi8ger4pp 0, 38, 33
	xvi8ger4pp 1, 39, 33
	addi 17, 17, 64
	addi 4, 4, 560
	addi 5, 5, 640
	addi 8, 8, -1
	cmpldi 8, 0
	bne 0, 2b
	3:
	xxmfacc 0
	xxmfacc 1
	xxmrghw 32, 0, 1
	xxmrghw 33, 2, 3
	xxmrglw 34, 0, 1
	xxmrglw 35, 2, 3
	xxpermdi 3, 34, 35, 3
	xxpermdi 2, 34, 35, 0
	xxpermdi 1, 32, 33, 3
	xxpermdi 0, 32, 33, 0
	xxmrghw 32, 4, 5
	xxmrghw 33, 6, 7
	xxmrglw 34, 4, 5
	xxmrglw 35, 6, 7
	xxpermdi 7, 34, 35, 3
	xxpermdi 6, 34, 35, 0
	xxpermdi 5, 32, 33, 3
	xxpermdi 4, 32, 33, 0
	lis 12, -16096
	ori 12, 12, 0
	mtvsrwz 32, 12
	xxspltw 32, 32, 1
	lis 12, 17096
	ori 12, 12, 0
	mtvsrwz 33, 12
	xxspltw 33, 33, 1
	li 12, 10
	mtvsrws 34, 12
	lxv 40, 0(7)
	li 0, 12
	sldi 0, 0, 56
	addi 12, 7, 16
	lxvl 41, 12, 0
	xvcvsxwsp 3, 3
	xvmulsp 3, 3, 40
	xvmaxsp 3, 3, 32
	xvminsp 3, 3, 33
	xvrspic 3, 3
	xvcvspsxws 36, 3
	vadduwm 4, 4, 2
	xvcvsxwsp 7, 7
	xvmulsp 7, 7, 41
	xvmaxsp 7, 7, 32
	xvminsp 7, 7, 33
	xvrspic 7, 7
	xvcvspsxws 37, 7
	vadduwm 5, 5, 2
	vpkuwum 4, 5, 4
	vpkuhum 4, 4, 4
	li 0, 7
	sldi 0, 0, 56
	mr 12, 3
	stxvl 36, 12, 0
	xvcvsxwsp 2, 2
	xvmulsp 2, 2, 40
	xvmaxsp 2, 2, 32
	xvminsp 2, 2, 33
	xvrspic 2, 2
	xvcvspsxws 36, 2
	vadduwm 4, 4, 2
	xvcvsxwsp 6, 6
	xvmulsp 6, 6, 41
	xvmaxsp 6, 6, 32
	xvminsp 6, 6, 33
	xvrspic 6, 6
	xvcvspsxws 37, 6
	vadduwm 5, 5, 2
	vpkuwum 4, 5, 4
	vpkuhum 4, 4, 4
	li 0, 7
	sldi 0, 0, 56
	addi 12, 3, 7
	stxvl 36, 12, 0
	xvcvsxwsp 1, 1
	xvmulsp 1, 1, 40
	xvmaxsp 1, 1, 32
	xvminsp 1, 1, 33
	xvrspic 1, 1
	xvcvspsxws 36, 1
	vadduwm 4, 4, 2
	xvcvsxwsp 5, 5
	xvmulsp 5, 5, 41
	xvmaxsp 5, 5, 32
	xvminsp 5, 5, 33
	xvrspic 5, 5
	xvcvspsxws 37, 5
	vadduwm 5, 5, 2
	vpkuwum 4, 5, 4
	vpkuhum 4, 4, 4
	li 0, 7
	sldi 0, 0, 56
	addi 12, 3, 14
	stxvl 36, 12, 0", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+isa-v31-instructions,+mma,+power10-vector,+vsx" }
attributes #1 = { noduplicate }
