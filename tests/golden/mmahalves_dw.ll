define i32 @bf16_bf16_bf16_4x4_dw_mmahalves__n4_a64.896_b64.192_c64_bias_clip00000000.7f800000_l2.896.896.3_s1.2.-64.0.1_s0.2.0.64.1_s0.2.64.128.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "lxv 4, 0(6)
	xxlor 0, 4, 4
	xxlor 1, 4, 4
	xxlor 2, 4, 4
	xxlor 3, 4, 4
	mr 12, 5
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 6, 63
	addi 12, 5, 128
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 7, 63
	addi 12, 5, 256
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 8, 63
	mr 12, 4
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 6
	xvmaddasp 0, 4, 7
	addi 12, 4, 128
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 5, 63
	xvmaddasp 1, 5, 7
	xvmaddasp 0, 5, 8
	addi 12, 4, 256
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 8
	addi 12, 5, 384
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 9, 63
	addi 12, 5, 512
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 10, 63
	addi 12, 5, 640
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 11, 63
	addi 12, 4, 1792
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 9
	xvmaddasp 0, 4, 10
	xvmaddasp 3, 4, 6
	xvmaddasp 2, 4, 7
	addi 12, 4, 1920
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 5, 63
	xvmaddasp 1, 5, 10
	xvmaddasp 0, 5, 11
	xvmaddasp 3, 5, 7
	xvmaddasp 2, 5, 8
	addi 12, 4, 2048
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 11
	xvmaddasp 3, 4, 8
	addi 12, 5, 768
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 12, 63
	addi 12, 5, 896
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 13, 63
	addi 12, 5, 1024
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 14, 63
	addi 12, 4, 3584
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 12
	xvmaddasp 0, 4, 13
	xvmaddasp 3, 4, 9
	xvmaddasp 2, 4, 10
	addi 12, 4, 3712
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 5, 63
	xvmaddasp 1, 5, 13
	xvmaddasp 0, 5, 14
	xvmaddasp 3, 5, 10
	xvmaddasp 2, 5, 11
	addi 12, 4, 3840
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 1, 4, 14
	xvmaddasp 3, 4, 11
	addi 12, 4, 5376
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 3, 4, 12
	xvmaddasp 2, 4, 13
	addi 12, 4, 5504
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 5, 63
	xvmaddasp 3, 5, 13
	xvmaddasp 2, 5, 14
	addi 12, 4, 5632
	lxsdx 63, 0, 12
	vmrghh 31, 31, 31
	xvcvbf16spn 4, 63
	xvmaddasp 3, 4, 14
	lis 12, 0
	ori 12, 12, 0
	mtvsrwz 6, 12
	xxspltw 6, 6, 1
	xvcmpgtsp 5, 6, 0
	xxsel 0, 0, 6, 5
	xvcvspbf16 63, 0
	vpkuwum 31, 31, 31
	mr 12, 3
	stxsdx 63, 0, 12
	xvcmpgtsp 5, 6, 1
	xxsel 1, 1, 6, 5
	xvcvspbf16 63, 1
	vpkuwum 31, 31, 31
	addi 12, 3, 128
	stxsdx 63, 0, 12
	xvcmpgtsp 5, 6, 2
	xxsel 2, 2, 6, 5
	xvcvspbf16 63, 2
	vpkuwum 31, 31, 31
	addi 12, 3, 1792
	stxsdx 63, 0, 12
	xvcmpgtsp 5, 6, 3
	xxsel 3, 3, 6, 5
	xvcvspbf16 63, 3
	vpkuwum 31, 31, 31
	addi 12, 3, 1920
	stxsdx 63, 0, 12", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+isa-v31-instructions,+mma,+power10-vector,+vsx" }
attributes #1 = { noduplicate }
