define i32 @f32_f32_f32_4x4_dw_vsx__n4_a64.896_b64.192_c64_bias_clip00000000.7f800000_l2.896.896.3_s1.2.-64.0.1_s0.2.0.64.1_s0.2.64.128.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mr 12, 6
	lxvw4x 4, 0, 12
	xxlor 0, 4, 4
	xxlor 1, 4, 4
	xxlor 2, 4, 4
	xxlor 3, 4, 4
	mr 12, 5
	lxvw4x 6, 0, 12
	addi 12, 5, 256
	lxvw4x 7, 0, 12
	addi 12, 5, 512
	lxvw4x 8, 0, 12
	mr 12, 4
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 6
	xvmaddasp 0, 4, 7
	addi 12, 4, 256
	lxvw4x 5, 0, 12
	xvmaddasp 1, 5, 7
	xvmaddasp 0, 5, 8
	addi 12, 4, 512
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 8
	addi 12, 5, 768
	lxvw4x 9, 0, 12
	addi 12, 5, 1024
	lxvw4x 10, 0, 12
	addi 12, 5, 1280
	lxvw4x 11, 0, 12
	addi 12, 4, 3584
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 9
	xvmaddasp 0, 4, 10
	xvmaddasp 3, 4, 6
	xvmaddasp 2, 4, 7
	addi 12, 4, 3840
	lxvw4x 5, 0, 12
	xvmaddasp 1, 5, 10
	xvmaddasp 0, 5, 11
	xvmaddasp 3, 5, 7
	xvmaddasp 2, 5, 8
	addi 12, 4, 4096
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 11
	xvmaddasp 3, 4, 8
	addi 12, 5, 1536
	lxvw4x 12, 0, 12
	addi 12, 5, 1792
	lxvw4x 13, 0, 12
	addi 12, 5, 2048
	lxvw4x 14, 0, 12
	addi 12, 4, 7168
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 12
	xvmaddasp 0, 4, 13
	xvmaddasp 3, 4, 9
	xvmaddasp 2, 4, 10
	addi 12, 4, 7424
	lxvw4x 5, 0, 12
	xvmaddasp 1, 5, 13
	xvmaddasp 0, 5, 14
	xvmaddasp 3, 5, 10
	xvmaddasp 2, 5, 11
	addi 12, 4, 7680
	lxvw4x 4, 0, 12
	xvmaddasp 1, 4, 14
	xvmaddasp 3, 4, 11
	addi 12, 4, 10752
	lxvw4x 4, 0, 12
	xvmaddasp 3, 4, 12
	xvmaddasp 2, 4, 13
	addi 12, 4, 11008
	lxvw4x 5, 0, 12
	xvmaddasp 3, 5, 13
	xvmaddasp 2, 5, 14
	addi 12, 4, 11264
	lxvw4x 4, 0, 12
	xvmaddasp 3, 4, 14
	lis 12, 0
	ori 12, 12, 0
	mtvsrwz 6, 12
	xxspltw 6, 6, 1
	xvcmpgtsp 5, 6, 0
	xxsel 0, 0, 6, 5
	mr 12, 3
	stxvw4x 0, 0, 12
	xvcmpgtsp 5, 6, 1
	xxsel 1, 1, 6, 5
	addi 12, 3, 256
	stxvw4x 1, 0, 12
	xvcmpgtsp 5, 6, 2
	xxsel 2, 2, 6, 5
	addi 12, 3, 3584
	stxvw4x 2, 0, 12
	xvcmpgtsp 5, 6, 3
	xxsel 3, 3, 6, 5
	addi 12, 3, 3840
	stxvw4x 3, 0, 12", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+power8-vector,+vsx" }
attributes #1 = { noduplicate }
