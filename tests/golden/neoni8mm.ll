define i32 @s8_s8_s8_3x4_panel_neoni8mm__n3_a8.1680.3_b32.320_c3_p4_bias_clipc1200000.42c80000_w0.3.1.0_z10_s0.3.0.0.40_s0.3.120.160.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "movi v0.4s, #0
	movi v1.4s, #0
	movi v2.4s, #0
	movi v3.4s, #0
	cbz x5, 3f
	2:
	mov x11, x2
	mov x14, x1
	ldr q6, [x11, #0]
	ldr q7, [x11, #16]
	ldr q8, [x11, #32]
	ldr q9, [x11, #48]
	ldr q10, [x11, #64]
	ldr q11, [x11, #80]
	ldr q12, [x11, #96]
	ldr q13, [x11, #112]
	ldr q14, [x11, #128]
	ldr q4, [x14, #0]
	ldr d5, [x14, #16]
	ldr q15, [x11, #144]
	smmla v0.4s, v4.16b, v6.16b
	smmla v2.4s, v5.16b, v6.16b
	smmla v1.4s, v4.16b, v7.16b
	smmla v3.4s, v5.16b, v7.16b
	ldr q4, [x14, #24]
	ldr d5, [x14, #40]
	smmla v0.4s, v4.16b, v8.16b
	smmla v2.4s, v5.16b, v8.16b
	smmla v1.4s, v4.16b, v9.16b
	smmla v3.4s, v5.16b, v9.16b
	ldr q4, [x14, #48]
	ldr d5, [x14, #64]
	smmla v0.4s, v4.16b, v10.16b
	smmla v2.4s, v5.16b, v10.16b
	smmla v1.4s, v4.16b, v11.16b
	smmla v3.4s, v5.16b, v11.16b
	ldr q4, [x14, #72]
	ldr d5, [x14, #88]
	smmla v0.4s, v4.16b, v12.16b
	smmla v2.4s, v5.16b, v12.16b
	smmla v1.4s, v4.16b, v13.16b
	smmla v3.4s, v5.16b, v13.16b
	ldr q4, [x14, #96]
	ldr d5, [x14, #112]
	smmla v0.4s, v4.16b, v14.16b
	smmla v2.4s, v5.16b, v14.16b
	smmla v1.4s, v4.16b, v15.16b
	smmla v3.4s, v5.16b, v15.16b
	add x11, x2, #160
	add x14, x1, #120
	ldr q6, [x11, #0]
	ldr q7, [x11, #16]
	ldr q8, [x11, #32]
	ldr q9, [x11, #48]
	ldr q10, [x11, #64]
	ldr q11, [x11, #80]
	ldr q12, [x11, #96]
	ldr q13, [x11, #112]
	ldr q14, [x11, #128]
	ldr q4, [x14, #0]
	ldr d5, [x14, #16]
	ldr q15, [x11, #144]
	smmla v0.4s, v4.16b, v6.16b
	smmla v2.4s, v5.16b, v6.16b
	smmla v1.4s, v4.16b, v7.16b
	smmla v3.4s, v5.16b, v7.16b
	ldr q4, [x14, #24]
	ldr d5, [x14, #40]
	smmla v0.4s, v4.16b, v8.16b
	smmla v2.4s, v5.16b, v8.16b
	smmla v1.4s, v4.16b, v9.16b
	smmla v3.4s, v5.16b, v9.16b
	ldr q4, [x14, #48]
	ldr d5, [x14, #64]
	smmla v0.4s, v4.16b, v10.16b
	smmla v2.4s, v5.16b, v10.16b
	smmla v1.4s, v4.16b, v11.16b
	smmla v3.4s, v5.16b, v11.16b
	ldr q4, [x14, #72]
	ldr d5, [x14, #88]
	smmla v0.4s, v4.16b, v12.16b
	smmla v2.4s, v5.16b, v12.16b
	smmla v1.4s, v4.16b, v13.16b
	smmla v3.4s, v5.16b, v13.16b
	ldr q4, [x14, #96]
	ldr d5, [x14, #112]
	smmla v0.4s, v4.16b, v14.16b
	smmla v2.4s, v5.16b, v14.16b
	smmla v1.4s, v4.16b, v15.16b
	smmla v3.4s, v5.16b, v15.16b
	add x1, x1, #1680
	add x2, x2, #320
	subs x5, x5, #1
	b.ne 2b
	3:
	zip1 v4.2d, v0.2d, v1.2d
	zip2 v1.2d, v0.2d, v1.2d
	mov v0.16b, v4.16b
	zip1 v4.2d, v2.2d, v3.2d
	zip2 v3.2d, v2.2d, v3.2d
	mov v2.16b, v4.16b
	ldr d4, [x3, #12]
	add x7, x3, #20
	ld1 {v4.s}[2], [x7]
	add v0.4s, v0.4s, v4.4s
	ldr d4, [x3, #0]
	add x7, x3, #8
	ld1 {v4.s}[2], [x7]
	add v1.4s, v1.4s, v4.4s
	add v2.4s, v2.4s, v4.4s
	movz x7, #0
	movk x7, #49440, lsl #16
	dup v4.4s, w7
	movz x7, #0
	movk x7, #17096, lsl #16
	dup v5.4s, w7
	movz x7, #10
	dup v6.4s, w7
	ldr d7, [x4, #0]
	add x7, x4, #8
	ld1 {v7.s}[2], [x7]
	scvtf v0.4s, v0.4s
	fmul v0.4s, v0.4s, v7.4s
	fmax v0.4s, v0.4s, v4.4s
	fmin v0.4s, v0.4s, v5.4s
	fcvtns v0.4s, v0.4s
	add v0.4s, v0.4s, v6.4s
	scvtf v1.4s, v1.4s
	fmul v1.4s, v1.4s, v7.4s
	fmax v1.4s, v1.4s, v4.4s
	fmin v1.4s, v1.4s, v5.4s
	fcvtns v1.4s, v1.4s
	add v1.4s, v1.4s, v6.4s
	scvtf v2.4s, v2.4s
	fmul v2.4s, v2.4s, v7.4s
	fmax v2.4s, v2.4s, v4.4s
	fmin v2.4s, v2.4s, v5.4s
	fcvtns v2.4s, v2.4s
	add v2.4s, v2.4s, v6.4s
	uzp1 v0.8h, v0.8h, v0.8h
	uzp1 v0.16b, v0.16b, v0.16b
	str h0, [x0, #0]
	add x7, x0, #2
	st1 {v0.b}[2], [x7]
	uzp1 v1.8h, v1.8h, v1.8h
	uzp1 v1.16b, v1.16b, v1.16b
	str h1, [x0, #3]
	add x7, x0, #5
	st1 {v1.b}[2], [x7]
	uzp1 v2.8h, v2.8h, v2.8h
	uzp1 v2.16b, v2.16b, v2.16b
	str h2, [x0, #6]
	add x7, x0, #8
	st1 {v2.b}[2], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+i8mm,+neon" }
attributes #1 = { noduplicate }
