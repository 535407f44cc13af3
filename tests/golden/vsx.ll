define i32 @f32_f32_f32_3x8_row_vsx__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mr 12, 6
	lxvw4x 6, 0, 12
	xxlor 0, 6, 6
	xxlor 2, 6, 6
	xxlor 4, 6, 6
	addi 12, 6, 16
	lxsiwzx 6, 0, 12
	xxspltw 6, 6, 1
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxmrghw 6, 6, 7
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxpermdi 6, 6, 7, 0
	xxlor 1, 6, 6
	xxlor 3, 6, 6
	xxlor 5, 6, 6
	cmpldi 8, 0
	beq 0, 3f
	2:
	mr 17, 5
	mr 19, 4
	addi 20, 4, 128
	li 9, 0
	li 10, 8
	1:
	lxvw4x 7, 19, 9
	lxvw4x 8, 20, 9
	addi 9, 9, 16
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 11, 7, 0
	xvmaddasp 2, 11, 9
	xvmaddasp 3, 11, 10
	xxspltw 12, 8, 0
	xvmaddasp 4, 12, 9
	xvmaddasp 5, 12, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 13, 7, 1
	xvmaddasp 2, 13, 9
	xvmaddasp 3, 13, 10
	xxspltw 14, 8, 1
	xvmaddasp 4, 14, 9
	xvmaddasp 5, 14, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 11, 7, 2
	xvmaddasp 2, 11, 9
	xvmaddasp 3, 11, 10
	xxspltw 12, 8, 2
	xvmaddasp 4, 12, 9
	xvmaddasp 5, 12, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 13, 7, 3
	xvmaddasp 2, 13, 9
	xvmaddasp 3, 13, 10
	xxspltw 14, 8, 3
	xvmaddasp 4, 14, 9
	xvmaddasp 5, 14, 10
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	addi 17, 5, 1024
	mr 18, 4
	addi 19, 4, 128
	addi 20, 4, 256
	li 9, 0
	li 10, 16
	1:
	lxvw4x 6, 18, 9
	lxvw4x 7, 19, 9
	lxvw4x 8, 20, 9
	addi 9, 9, 16
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 11, 6, 0
	xvmaddasp 0, 11, 9
	xvmaddasp 1, 11, 10
	xxspltw 12, 7, 0
	xvmaddasp 2, 12, 9
	xvmaddasp 3, 12, 10
	xxspltw 13, 8, 0
	xvmaddasp 4, 13, 9
	xvmaddasp 5, 13, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 14, 6, 1
	xvmaddasp 0, 14, 9
	xvmaddasp 1, 14, 10
	xxspltw 11, 7, 1
	xvmaddasp 2, 11, 9
	xvmaddasp 3, 11, 10
	xxspltw 12, 8, 1
	xvmaddasp 4, 12, 9
	xvmaddasp 5, 12, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 13, 6, 2
	xvmaddasp 0, 13, 9
	xvmaddasp 1, 13, 10
	xxspltw 14, 7, 2
	xvmaddasp 2, 14, 9
	xvmaddasp 3, 14, 10
	xxspltw 11, 8, 2
	xvmaddasp 4, 11, 9
	xvmaddasp 5, 11, 10
	lxvw4x 9, 0, 17
	addi 17, 17, 16
	lxvw4x 10, 0, 17
	addi 17, 17, 16
	xxspltw 12, 6, 3
	xvmaddasp 0, 12, 9
	xvmaddasp 1, 12, 10
	xxspltw 13, 7, 3
	xvmaddasp 2, 13, 9
	xvmaddasp 3, 13, 10
	xxspltw 14, 8, 3
	xvmaddasp 4, 14, 9
	xvmaddasp 5, 14, 10
	addi 10, 10, -1
	cmpldi 10, 0
	bne 0, 1b
	addi 4, 4, 1792
	addi 5, 5, 3072
	addi 8, 8, -1
	cmpldi 8, 0
	bne 0, 2b
	3:
	lis 12, 0
	ori 12, 12, 0
	mtvsrwz 8, 12
	xxspltw 8, 8, 1
	lis 12, 16576
	ori 12, 12, 0
	mtvsrwz 9, 12
	xxspltw 9, 9, 1
	mr 12, 7
	lxvw4x 6, 0, 12
	xvaddsp 0, 0, 6
	xvcmpgtsp 7, 8, 0
	xxsel 0, 0, 8, 7
	xvcmpgtsp 7, 0, 9
	xxsel 0, 0, 9, 7
	mr 12, 3
	stxvw4x 0, 0, 12
	addi 12, 7, 16
	lxsiwzx 6, 0, 12
	xxspltw 6, 6, 1
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxmrghw 6, 6, 7
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxpermdi 6, 6, 7, 0
	xvaddsp 1, 1, 6
	xvcmpgtsp 7, 8, 1
	xxsel 1, 1, 8, 7
	xvcmpgtsp 7, 1, 9
	xxsel 1, 1, 9, 7
	addi 12, 3, 16
	xxspltw 6, 1, 0
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 1, 1
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 1, 2
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	addi 12, 7, 28
	lxvw4x 6, 0, 12
	xvaddsp 2, 2, 6
	xvcmpgtsp 7, 8, 2
	xxsel 2, 2, 8, 7
	xvcmpgtsp 7, 2, 9
	xxsel 2, 2, 9, 7
	addi 12, 3, 28
	stxvw4x 2, 0, 12
	addi 12, 7, 44
	lxsiwzx 6, 0, 12
	xxspltw 6, 6, 1
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxmrghw 6, 6, 7
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxpermdi 6, 6, 7, 0
	xvaddsp 3, 3, 6
	xvcmpgtsp 7, 8, 3
	xxsel 3, 3, 8, 7
	xvcmpgtsp 7, 3, 9
	xxsel 3, 3, 9, 7
	addi 12, 3, 44
	xxspltw 6, 3, 0
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 3, 1
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 3, 2
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	addi 12, 7, 56
	lxvw4x 6, 0, 12
	xvaddsp 4, 4, 6
	xvcmpgtsp 7, 8, 4
	xxsel 4, 4, 8, 7
	xvcmpgtsp 7, 4, 9
	xxsel 4, 4, 9, 7
	addi 12, 3, 56
	stxvw4x 4, 0, 12
	addi 12, 7, 72
	lxsiwzx 6, 0, 12
	xxspltw 6, 6, 1
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxmrghw 6, 6, 7
	addi 12, 12, 4
	lxsiwzx 7, 0, 12
	xxspltw 7, 7, 1
	xxpermdi 6, 6, 7, 0
	xvaddsp 5, 5, 6
	xvcmpgtsp 7, 8, 5
	xxsel 5, 5, 8, 7
	xvcmpgtsp 7, 5, 9
	xxsel 5, 5, 9, 7
	addi 12, 3, 72
	xxspltw 6, 5, 0
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 5, 1
	stxsiwx 6, 0, 12
	addi 12, 12, 4
	xxspltw 6, 5, 2
	stxsiwx 6, 0, 12
	addi 12, 12, 4", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+power8-vector,+vsx" }
attributes #1 = { noduplicate }
