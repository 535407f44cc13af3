define i32 @f32_f32_f32_8x8_row_mma__n8_a1.1_b8.1_c8_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "lxv 3, 0(3)
	lxv 2, 32(3)
	lxv 1, 64(3)
	lxv 0, 96(3)
	lxv 11, 128(3)
	lxv 10, 160(3)
	lxv 9, 192(3)
	lxv 8, 224(3)
	lxv 7, 16(3)
	lxv 6, 48(3)
	lxv 5, 80(3)
	lxv 4, 112(3)
	lxv 15, 144(3)
	lxv 14, 176(3)
	lxv 13, 208(3)
	lxv 12, 240(3)
	lis 12, -15695
	ori 12, 12, 26214
	mtvsrwz 34, 12
	xxspltw 34, 34, 1
	lis 12, 17072
	ori 12, 12, 0
	mtvsrwz 35, 12
	xxspltw 35, 35, 1
	lis 12, -16456
	ori 12, 12, 43579
	mtvsrwz 36, 12
	xxspltw 36, 36, 1
	lis 12, 19264
	ori 12, 12, 127
	mtvsrwz 37, 12
	xxspltw 37, 37, 1
	lis 12, -13504
	ori 12, 12, 127
	mtvsrwz 38, 12
	xxspltw 38, 38, 1
	lis 12, 16177
	ori 12, 12, 32768
	mtvsrwz 39, 12
	xxspltw 39, 39, 1
	lis 12, -18082
	ori 12, 12, 32899
	mtvsrwz 40, 12
	xxspltw 40, 40, 1
	lis 12, 15029
	ori 12, 12, 62931
	mtvsrwz 41, 12
	xxspltw 41, 41, 1
	lis 12, -17399
	ori 12, 12, 5232
	mtvsrwz 42, 12
	xxspltw 42, 42, 1
	lis 12, 15658
	ori 12, 12, 43836
	mtvsrwz 43, 12
	xxspltw 43, 43, 1
	lis 12, -16854
	ori 12, 12, 43607
	mtvsrwz 44, 12
	xxspltw 44, 44, 1
	lis 12, 16127
	ori 12, 12, 65535
	mtvsrwz 45, 12
	xxspltw 45, 45, 1
	lis 12, -16512
	ori 12, 12, 0
	mtvsrwz 46, 12
	xxspltw 46, 46, 1
	lis 12, 16256
	ori 12, 12, 0
	mtvsrwz 47, 12
	xxspltw 47, 47, 1
	xvcmpgtsp 33, 34, 3
	xxsel 3, 3, 34, 33
	xvcmpgtsp 33, 34, 7
	xxsel 7, 7, 34, 33
	xvcmpgtsp 33, 34, 2
	xxsel 2, 2, 34, 33
	xvcmpgtsp 33, 34, 6
	xxsel 6, 6, 34, 33
	xvcmpgtsp 33, 3, 35
	xxsel 63, 3, 35, 33
	xvcmpgtsp 33, 7, 35
	xxsel 60, 7, 35, 33
	xvcmpgtsp 33, 2, 35
	xxsel 57, 2, 35, 33
	xvcmpgtsp 33, 6, 35
	xxsel 54, 6, 35, 33
	xxlor 62, 37, 37
	xvmaddasp 62, 63, 36
	xxlor 59, 37, 37
	xvmaddasp 59, 60, 36
	xxlor 56, 37, 37
	xvmaddasp 56, 57, 36
	xxlor 53, 37, 37
	xvmaddasp 53, 54, 36
	xvaddsp 61, 62, 38
	xvaddsp 58, 59, 38
	xvaddsp 55, 56, 38
	xvaddsp 52, 53, 38
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 39
	xvmaddasp 60, 58, 39
	xvmaddasp 57, 55, 39
	xvmaddasp 54, 52, 39
	xvmaddmsp 61, 40, 63
	xvmaddmsp 58, 40, 60
	xvmaddmsp 55, 40, 57
	xvmaddmsp 52, 40, 54
	xxlor 63, 42, 42
	xvmaddasp 63, 61, 41
	xxlor 60, 42, 42
	xvmaddasp 60, 58, 41
	xxlor 57, 42, 42
	xvmaddasp 57, 55, 41
	xxlor 54, 42, 42
	xvmaddasp 54, 52, 41
	xvmaddmsp 63, 61, 43
	xvmaddmsp 60, 58, 43
	xvmaddmsp 57, 55, 43
	xvmaddmsp 54, 52, 43
	xvmaddmsp 63, 61, 44
	xvmaddmsp 60, 58, 44
	xvmaddmsp 57, 55, 44
	xvmaddmsp 54, 52, 44
	xvmaddmsp 63, 61, 45
	xvmaddmsp 60, 58, 45
	xvmaddmsp 57, 55, 45
	xvmaddmsp 54, 52, 45
	xvmaddmsp 63, 61, 46
	xvmaddmsp 60, 58, 46
	xvmaddmsp 57, 55, 46
	xvmaddmsp 54, 52, 46
	xvmaddmsp 63, 61, 47
	xvmaddmsp 60, 58, 47
	xvmaddmsp 57, 55, 47
	xvmaddmsp 54, 52, 47
	xvmaddmsp 63, 62, 47
	xvmaddmsp 60, 59, 47
	xvmaddmsp 57, 56, 47
	xvmaddmsp 54, 53, 47
	xvdivsp 3, 3, 63
	xvdivsp 7, 7, 60
	xvdivsp 2, 2, 57
	xvdivsp 6, 6, 54
	lxv 32, 0(7)
	xvaddsp 3, 3, 32
	lxv 32, 16(7)
	xvaddsp 7, 7, 32
	lxv 32, 32(7)
	xvaddsp 2, 2, 32
	lxv 32, 48(7)
	xvaddsp 6, 6, 32
	stxv 3, 0(3)
	stxv 7, 16(3)
	stxv 2, 32(3)
	stxv 6, 48(3)
	xvcmpgtsp 33, 34, 1
	xxsel 1, 1, 34, 33
	xvcmpgtsp 33, 34, 5
	xxsel 5, 5, 34, 33
	xvcmpgtsp 33, 34, 0
	xxsel 0, 0, 34, 33
	xvcmpgtsp 33, 34, 4
	xxsel 4, 4, 34, 33
	xvcmpgtsp 33, 1, 35
	xxsel 63, 1, 35, 33
	xvcmpgtsp 33, 5, 35
	xxsel 60, 5, 35, 33
	xvcmpgtsp 33, 0, 35
	xxsel 57, 0, 35, 33
	xvcmpgtsp 33, 4, 35
	xxsel 54, 4, 35, 33
	xxlor 62, 37, 37
	xvmaddasp 62, 63, 36
	xxlor 59, 37, 37
	xvmaddasp 59, 60, 36
	xxlor 56, 37, 37
	xvmaddasp 56, 57, 36
	xxlor 53, 37, 37
	xvmaddasp 53, 54, 36
	xvaddsp 61, 62, 38
	xvaddsp 58, 59, 38
	xvaddsp 55, 56, 38
	xvaddsp 52, 53, 38
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 39
	xvmaddasp 60, 58, 39
	xvmaddasp 57, 55, 39
	xvmaddasp 54, 52, 39
	xvmaddmsp 61, 40, 63
	xvmaddmsp 58, 40, 60
	xvmaddmsp 55, 40, 57
	xvmaddmsp 52, 40, 54
	xxlor 63, 42, 42
	xvmaddasp 63, 61, 41
	xxlor 60, 42, 42
	xvmaddasp 60, 58, 41
	xxlor 57, 42, 42
	xvmaddasp 57, 55, 41
	xxlor 54, 42, 42
	xvmaddasp 54, 52, 41
	xvmaddmsp 63, 61, 43
	xvmaddmsp 60, 58, 43
	xvmaddmsp 57, 55, 43
	xvmaddmsp 54, 52, 43
	xvmaddmsp 63, 61, 44
	xvmaddmsp 60, 58, 44
	xvmaddmsp 57, 55, 44
	xvmaddmsp 54, 52, 44
	xvmaddmsp 63, 61, 45
	xvmaddmsp 60, 58, 45
	xvmaddmsp 57, 55, 45
	xvmaddmsp 54, 52, 45
	xvmaddmsp 63, 61, 46
	xvmaddmsp 60, 58, 46
	xvmaddmsp 57, 55, 46
	xvmaddmsp 54, 52, 46
	xvmaddmsp 63, 61, 47
	xvmaddmsp 60, 58, 47
	xvmaddmsp 57, 55, 47
	xvmaddmsp 54, 52, 47
	xvmaddmsp 63, 62, 47
	xvmaddmsp 60, 59, 47
	xvmaddmsp 57, 56, 47
	xvmaddmsp 54, 53, 47
	xvdivsp 1, 1, 63
	xvdivsp 5, 5, 60
	xvdivsp 0, 0, 57
	xvdivsp 4, 4, 54
	lxv 32, 64(7)
	xvaddsp 1, 1, 32
	lxv 32, 80(7)
	xvaddsp 5, 5, 32
	lxv 32, 96(7)
	xvaddsp 0, 0, 32
	lxv 32, 112(7)
	xvaddsp 4, 4, 32
	stxv 1, 64(3)
	stxv 5, 80(3)
	stxv 0, 96(3)
	stxv 4, 112(3)
	xvcmpgtsp 33, 34, 11
	xxsel 11, 11, 34, 33
	xvcmpgtsp 33, 34, 15
	xxsel 15, 15, 34, 33
	xvcmpgtsp 33, 34, 10
	xxsel 10, 10, 34, 33
	xvcmpgtsp 33, 34, 14
	xxsel 14, 14, 34, 33
	xvcmpgtsp 33, 11, 35
	xxsel 63, 11, 35, 33
	xvcmpgtsp 33, 15, 35
	xxsel 60, 15, 35, 33
	xvcmpgtsp 33, 10, 35
	xxsel 57, 10, 35, 33
	xvcmpgtsp 33, 14, 35
	xxsel 54, 14, 35, 33
	xxlor 62, 37, 37
	xvmaddasp 62, 63, 36
	xxlor 59, 37, 37
	xvmaddasp 59, 60, 36
	xxlor 56, 37, 37
	xvmaddasp 56, 57, 36
	xxlor 53, 37, 37
	xvmaddasp 53, 54, 36
	xvaddsp 61, 62, 38
	xvaddsp 58, 59, 38
	xvaddsp 55, 56, 38
	xvaddsp 52, 53, 38
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 39
	xvmaddasp 60, 58, 39
	xvmaddasp 57, 55, 39
	xvmaddasp 54, 52, 39
	xvmaddmsp 61, 40, 63
	xvmaddmsp 58, 40, 60
	xvmaddmsp 55, 40, 57
	xvmaddmsp 52, 40, 54
	xxlor 63, 42, 42
	xvmaddasp 63, 61, 41
	xxlor 60, 42, 42
	xvmaddasp 60, 58, 41
	xxlor 57, 42, 42
	xvmaddasp 57, 55, 41
	xxlor 54, 42, 42
	xvmaddasp 54, 52, 41
	xvmaddmsp 63, 61, 43
	xvmaddmsp 60, 58, 43
	xvmaddmsp 57, 55, 43
	xvmaddmsp 54, 52, 43
	xvmaddmsp 63, 61, 44
	xvmaddmsp 60, 58, 44
	xvmaddmsp 57, 55, 44
	xvmaddmsp 54, 52, 44
	xvmaddmsp 63, 61, 45
	xvmaddmsp 60, 58, 45
	xvmaddmsp 57, 55, 45
	xvmaddmsp 54, 52, 45
	xvmaddmsp 63, 61, 46
	xvmaddmsp 60, 58, 46
	xvmaddmsp 57, 55, 46
	xvmaddmsp 54, 52, 46
	xvmaddmsp 63, 61, 47
	xvmaddmsp 60, 58, 47
	xvmaddmsp 57, 55, 47
	xvmaddmsp 54, 52, 47
	xvmaddmsp 63, 62, 47
	xvmaddmsp 60, 59, 47
	xvmaddmsp 57, 56, 47
	xvmaddmsp 54, 53, 47
	xvdivsp 11, 11, 63
	xvdivsp 15, 15, 60
	xvdivsp 10, 10, 57
	xvdivsp 14, 14, 54
	lxv 32, 128(7)
	xvaddsp 11, 11, 32
	lxv 32, 144(7)
	xvaddsp 15, 15, 32
	lxv 32, 160(7)
	xvaddsp 10, 10, 32
	lxv 32, 176(7)
	xvaddsp 14, 14, 32
	stxv 11, 128(3)
	stxv 15, 144(3)
	stxv 10, 160(3)
	stxv 14, 176(3)
	xvcmpgtsp 33, 34, 9
	xxsel 9, 9, 34, 33
	xvcmpgtsp 33, 34, 13
	xxsel 13, 13, 34, 33
	xvcmpgtsp 33, 34, 8
	xxsel 8, 8, 34, 33
	xvcmpgtsp 33, 34, 12
	xxsel 12, 12, 34, 33
	xvcmpgtsp 33, 9, 35
	xxsel 63, 9, 35, 33
	xvcmpgtsp 33, 13, 35
	xxsel 60, 13, 35, 33
	xvcmpgtsp 33, 8, 35
	xxsel 57, 8, 35, 33
	xvcmpgtsp 33, 12, 35
	xxsel 54, 12, 35, 33
	xxlor 62, 37, 37
	xvmaddasp 62, 63, 36
	xxlor 59, 37, 37
	xvmaddasp 59, 60, 36
	xxlor 56, 37, 37
	xvmaddasp 56, 57, 36
	xxlor 53, 37, 37
	xvmaddasp 53, 54, 36
	xvaddsp 61, 62, 38
	xvaddsp 58, 59, 38
	xvaddsp 55, 56, 38
	xvaddsp 52, 53, 38
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 39
	xvmaddasp 60, 58, 39
	xvmaddasp 57, 55, 39
	xvmaddasp 54, 52, 39
	xvmaddmsp 61, 40, 63
	xvmaddmsp 58, 40, 60
	xvmaddmsp 55, 40, 57
	xvmaddmsp 52, 40, 54
	xxlor 63, 42, 42
	xvmaddasp 63, 61, 41
	xxlor 60, 42, 42
	xvmaddasp 60, 58, 41
	xxlor 57, 42, 42
	xvmaddasp 57, 55, 41
	xxlor 54, 42, 42
	xvmaddasp 54, 52, 41
	xvmaddmsp 63, 61, 43
	xvmaddmsp 60, 58, 43
	xvmaddmsp 57, 55, 43
	xvmaddmsp 54, 52, 43
	xvmaddmsp 63, 61, 44
	xvmaddmsp 60, 58, 44
	xvmaddmsp 57, 55, 44
	xvmaddmsp 54, 52, 44
	xvmaddmsp 63, 61, 45
	xvmaddmsp 60, 58, 45
	xvmaddmsp 57, 55, 45
	xvmaddmsp 54, 52, 45
	xvmaddmsp 63, 61, 46
	xvmaddmsp 60, 58, 46
	xvmaddmsp 57, 55, 46
	xvmaddmsp 54, 52, 46
	xvmaddmsp 63, 61, 47
	xvmaddmsp 60, 58, 47
	xvmaddmsp 57, 55, 47
	xvmaddmsp 54, 52, 47
	xvmaddmsp 63, 62, 47
	xvmaddmsp 60, 59, 47
	xvmaddmsp 57, 56, 47
	xvmaddmsp 54, 53, 47
	xvdivsp 9, 9, 63
	xvdivsp 13, 13, 60
	xvdivsp 8, 8, 57
	xvdivsp 12, 12, 54
	lxv 32, 192(7)
	xvaddsp 9, 9, 32
	lxv 32, 208(7)
	xvaddsp 13, 13, 32
	lxv 32, 224(7)
	xvaddsp 8, 8, 32
	lxv 32, 240(7)
	xvaddsp 12, 12, 32
	stxv 9, 192(3)
	stxv 13, 208(3)
	stxv 8, 224(3)
	stxv 12, 240(3)", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+isa-v31-instructions,+mma,+power10-vector,+vsx" }
attributes #1 = { noduplicate }
