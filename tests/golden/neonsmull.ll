define i32 @s8_s8_s8_3x4_panel_neonsmull__n3_a16.2016.3_b64.384_c3_p4_bias_clipc1200000.42c80000_w0.3.1.0_z10_s0.3.0.0.40_s0.3.144.192.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "movi v0.4s, #0
	movi v1.4s, #0
	movi v2.4s, #0
	movi v3.4s, #0
	movi v4.4s, #0
	movi v5.4s, #0
	movi v6.4s, #0
	movi v7.4s, #0
	movi v8.4s, #0
	movi v9.4s, #0
	movi v10.4s, #0
	movi v11.4s, #0
	cbz x5, 3f
	2:
	mov x11, x2
	mov x14, x1
	ldr q12, [x14, #0]
	ldr q13, [x14, #16]
	ldr q14, [x14, #32]
	ldr q15, [x11, #0]
	ldr q16, [x11, #16]
	ldr q17, [x11, #32]
	ldr q18, [x11, #48]
	movz x6, #2
	1:
	add x14, x14, #48
	add x11, x11, #64
	smull v23.8h, v12.8b, v15.8b
	smull v24.8h, v12.8b, v16.8b
	smull v25.8h, v12.8b, v17.8b
	smull v26.8h, v12.8b, v18.8b
	smull2 v19.8h, v12.16b, v15.16b
	sadalp v0.4s, v23.8h
	smull2 v20.8h, v12.16b, v16.16b
	sadalp v1.4s, v24.8h
	smull2 v21.8h, v12.16b, v17.16b
	sadalp v2.4s, v25.8h
	smull2 v22.8h, v12.16b, v18.16b
	sadalp v3.4s, v26.8h
	ldr q12, [x14, #0]
	smull v23.8h, v13.8b, v15.8b
	sadalp v0.4s, v19.8h
	smull v24.8h, v13.8b, v16.8b
	sadalp v1.4s, v20.8h
	smull v25.8h, v13.8b, v17.8b
	sadalp v2.4s, v21.8h
	smull v26.8h, v13.8b, v18.8b
	sadalp v3.4s, v22.8h
	smull2 v19.8h, v13.16b, v15.16b
	sadalp v4.4s, v23.8h
	smull2 v20.8h, v13.16b, v16.16b
	sadalp v5.4s, v24.8h
	smull2 v21.8h, v13.16b, v17.16b
	sadalp v6.4s, v25.8h
	smull2 v22.8h, v13.16b, v18.16b
	sadalp v7.4s, v26.8h
	ldr q13, [x14, #16]
	smull v23.8h, v14.8b, v15.8b
	sadalp v4.4s, v19.8h
	smull v24.8h, v14.8b, v16.8b
	sadalp v5.4s, v20.8h
	smull v25.8h, v14.8b, v17.8b
	sadalp v6.4s, v21.8h
	smull v26.8h, v14.8b, v18.8b
	sadalp v7.4s, v22.8h
	smull2 v19.8h, v14.16b, v15.16b
	sadalp v8.4s, v23.8h
	ldr q15, [x11, #0]
	smull2 v20.8h, v14.16b, v16.16b
	sadalp v9.4s, v24.8h
	ldr q16, [x11, #16]
	smull2 v21.8h, v14.16b, v17.16b
	sadalp v10.4s, v25.8h
	ldr q17, [x11, #32]
	smull2 v22.8h, v14.16b, v18.16b
	sadalp v11.4s, v26.8h
	ldr q18, [x11, #48]
	ldr q14, [x14, #32]
	sadalp v8.4s, v19.8h
	sadalp v9.4s, v20.8h
	sadalp v10.4s, v21.8h
	sadalp v11.4s, v22.8h
	subs x6, x6, #1
	b.ne 1b
	smull v23.8h, v12.8b, v15.8b
	smull v24.8h, v12.8b, v16.8b
	smull v25.8h, v12.8b, v17.8b
	smull v26.8h, v12.8b, v18.8b
	smull2 v19.8h, v12.16b, v15.16b
	sadalp v0.4s, v23.8h
	smull2 v20.8h, v12.16b, v16.16b
	sadalp v1.4s, v24.8h
	smull2 v21.8h, v12.16b, v17.16b
	sadalp v2.4s, v25.8h
	smull2 v22.8h, v12.16b, v18.16b
	sadalp v3.4s, v26.8h
	smull v23.8h, v13.8b, v15.8b
	sadalp v0.4s, v19.8h
	smull v24.8h, v13.8b, v16.8b
	sadalp v1.4s, v20.8h
	smull v25.8h, v13.8b, v17.8b
	sadalp v2.4s, v21.8h
	smull v26.8h, v13.8b, v18.8b
	sadalp v3.4s, v22.8h
	smull2 v19.8h, v13.16b, v15.16b
	sadalp v4.4s, v23.8h
	smull2 v20.8h, v13.16b, v16.16b
	sadalp v5.4s, v24.8h
	smull2 v21.8h, v13.16b, v17.16b
	sadalp v6.4s, v25.8h
	smull2 v22.8h, v13.16b, v18.16b
	sadalp v7.4s, v26.8h
	smull v23.8h, v14.8b, v15.8b
	sadalp v4.4s, v19.8h
	smull v24.8h, v14.8b, v16.8b
	sadalp v5.4s, v20.8h
	smull v25.8h, v14.8b, v17.8b
	sadalp v6.4s, v21.8h
	smull v26.8h, v14.8b, v18.8b
	sadalp v7.4s, v22.8h
	smull2 v19.8h, v14.16b, v15.16b
	sadalp v8.4s, v23.8h
	smull2 v20.8h, v14.16b, v16.16b
	sadalp v9.4s, v24.8h
	smull2 v21.8h, v14.16b, v17.16b
	sadalp v10.4s, v25.8h
	smull2 v22.8h, v14.16b, v18.16b
	sadalp v11.4s, v26.8h
	sadalp v8.4s, v19.8h
	sadalp v9.4s, v20.8h
	sadalp v10.4s, v21.8h
	sadalp v11.4s, v22.8h
	add x11, x2, #192
	add x14, x1, #144
	ldr q12, [x14, #0]
	ldr q13, [x14, #16]
	ldr q14, [x14, #32]
	ldr q15, [x11, #0]
	ldr q16, [x11, #16]
	ldr q17, [x11, #32]
	ldr q18, [x11, #48]
	movz x6, #2
	1:
	add x14, x14, #48
	add x11, x11, #64
	smull v23.8h, v12.8b, v15.8b
	smull v24.8h, v12.8b, v16.8b
	smull v25.8h, v12.8b, v17.8b
	smull v26.8h, v12.8b, v18.8b
	smull2 v19.8h, v12.16b, v15.16b
	sadalp v0.4s, v23.8h
	smull2 v20.8h, v12.16b, v16.16b
	sadalp v1.4s, v24.8h
	smull2 v21.8h, v12.16b, v17.16b
	sadalp v2.4s, v25.8h
	smull2 v22.8h, v12.16b, v18.16b
	sadalp v3.4s, v26.8h
	ldr q12, [x14, #0]
	smull v23.8h, v13.8b, v15.8b
	sadalp v0.4s, v19.8h
	smull v24.8h, v13.8b, v16.8b
	sadalp v1.4s, v20.8h
	smull v25.8h, v13.8b, v17.8b
	sadalp v2.4s, v21.8h
	smull v26.8h, v13.8b, v18.8b
	sadalp v3.4s, v22.8h
	smull2 v19.8h, v13.16b, v15.16b
	sadalp v4.4s, v23.8h
	smull2 v20.8h, v13.16b, v16.16b
	sadalp v5.4s, v24.8h
	smull2 v21.8h, v13.16b, v17.16b
	sadalp v6.4s, v25.8h
	smull2 v22.8h, v13.16b, v18.16b
	sadalp v7.4s, v26.8h
	ldr q13, [x14, #16]
	smull v23.8h, v14.8b, v15.8b
	sadalp v4.4s, v19.8h
	smull v24.8h, v14.8b, v16.8b
	sadalp v5.4s, v20.8h
	smull v25.8h, v14.8b, v17.8b
	sadalp v6.4s, v21.8h
	smull v26.8h, v14.8b, v18.8b
	sadalp v7.4s, v22.8h
	smull2 v19.8h, v14.16b, v15.16b
	sadalp v8.4s, v23.8h
	ldr q15, [x11, #0]
	smull2 v20.8h, v14.16b, v16.16b
	sadalp v9.4s, v24.8h
	ldr q16, [x11, #16]
	smull2 v21.8h, v14.16b, v17.16b
	sadalp v10.4s, v25.8h
	ldr q17, [x11, #32]
	smull2 v22.8h, v14.16b, v18.16b
	sadalp v11.4s, v26.8h
	ldr q18, [x11, #48]
	ldr q14, [x14, #32]
	sadalp v8.4s, v19.8h
	sadalp v9.4s, v20.8h
	sadalp v10.4s, v21.8h
	sadalp v11.4s, v22.8h
	subs x6, x6, #1
	b.ne 1b
	smull v23.8h, v12.8b, v15.8b
	smull v24.8h, v12.8b, v16.8b
	smull v25.8h, v12.8b, v17.8b
	smull v26.8h, v12.8b, v18.8b
	smull2 v19.8h, v12.16b, v15.16b
	sadalp v0.4s, v23.8h
	smull2 v20.8h, v12.16b, v16.16b
	sadalp v1.4s, v24.8h
	smull2 v21.8h, v12.16b, v17.16b
	sadalp v2.4s, v25.8h
	smull2 v22.8h, v12.16b, v18.16b
	sadalp v3.4s, v26.8h
	smull v23.8h, v13.8b, v15.8b
	sadalp v0.4s, v19.8h
	smull v24.8h, v13.8b, v16.8b
	sadalp v1.4s, v20.8h
	smull v25.8h, v13.8b, v17.8b
	sadalp v2.4s, v21.8h
	smull v26.8h, v13.8b, v18.8b
	sadalp v3.4s, v22.8h
	smull2 v19.8h, v13.16b, v15.16b
	sadalp v4.4s, v23.8h
	smull2 v20.8h, v13.16b, v16.16b
	sadalp v5.4s, v24.8h
	smull2 v21.8h, v13.16b, v17.16b
	sadalp v6.4s, v25.8h
	smull2 v22.8h, v13.16b, v18.16b
	sadalp v7.4s, v26.8h
	smull v23.8h, v14.8b, v15.8b
	sadalp v4.4s, v19.8h
	smull v24.8h, v14.8b, v16.8b
	sadalp v5.4s, v20.8h
	smull v25.8h, v14.8b, v17.8b
	sadalp v6.4s, v21.8h
	smull v26.8h, v14.8b, v18.8b
	sadalp v7.4s, v22.8h
	smull2 v19.8h, v14.16b, v15.16b
	sadalp v8.4s, v23.8h
	smull2 v20.8h, v14.16b, v16.16b
	sadalp v9.4s, v24.8h
	smull2 v21.8h, v14.16b, v17.16b
	sadalp v10.4s, v25.8h
	smull2 v22.8h, v14.16b, v18.16b
	sadalp v11.4s, v26.8h
	sadalp v8.4s, v19.8h
	sadalp v9.4s, v20.8h
	sadalp v10.4s, v21.8h
	sadalp v11.4s, v22.8h
	add x1, x1, #2016
	add x2, x2, #384
	subs x5, x5, #1
	b.ne 2b
	3:
	addp v0.4s, v0.4s, v1.4s
	addp v2.4s, v2.4s, v3.4s
	addp v0.4s, v0.4s, v2.4s
	addp v4.4s, v4.4s, v5.4s
	addp v6.4s, v6.4s, v7.4s
	addp v4.4s, v4.4s, v6.4s
	addp v8.4s, v8.4s, v9.4s
	addp v10.4s, v10.4s, v11.4s
	addp v8.4s, v8.4s, v10.4s
	ldr d12, [x3, #12]
	add x7, x3, #20
	ld1 {v12.s}[2], [x7]
	add v0.4s, v0.4s, v12.4s
	ldr d12, [x3, #0]
	add x7, x3, #8
	ld1 {v12.s}[2], [x7]
	add v4.4s, v4.4s, v12.4s
	add v8.4s, v8.4s, v12.4s
	movz x7, #0
	movk x7, #49440, lsl #16
	dup v12.4s, w7
	movz x7, #0
	movk x7, #17096, lsl #16
	dup v13.4s, w7
	movz x7, #10
	dup v14.4s, w7
	ldr d15, [x4, #0]
	add x7, x4, #8
	ld1 {v15.s}[2], [x7]
	scvtf v0.4s, v0.4s
	fmul v0.4s, v0.4s, v15.4s
	fmax v0.4s, v0.4s, v12.4s
	fmin v0.4s, v0.4s, v13.4s
	fcvtns v0.4s, v0.4s
	add v0.4s, v0.4s, v14.4s
	scvtf v4.4s, v4.4s
	fmul v4.4s, v4.4s, v15.4s
	fmax v4.4s, v4.4s, v12.4s
	fmin v4.4s, v4.4s, v13.4s
	fcvtns v4.4s, v4.4s
	add v4.4s, v4.4s, v14.4s
	scvtf v8.4s, v8.4s
	fmul v8.4s, v8.4s, v15.4s
	fmax v8.4s, v8.4s, v12.4s
	fmin v8.4s, v8.4s, v13.4s
	fcvtns v8.4s, v8.4s
	add v8.4s, v8.4s, v14.4s
	uzp1 v0.8h, v0.8h, v0.8h
	uzp1 v0.16b, v0.16b, v0.16b
	str h0, [x0, #0]
	add x7, x0, #2
	st1 {v0.b}[2], [x7]
	uzp1 v4.8h, v4.8h, v4.8h
	uzp1 v4.16b, v4.16b, v4.16b
	str h4, [x0, #3]
	add x7, x0, #5
	st1 {v4.b}[2], [x7]
	uzp1 v8.8h, v8.8h, v8.8h
	uzp1 v8.16b, v8.16b, v8.16b
	str h8, [x0, #6]
	add x7, x0, #8
	st1 {v8.b}[2], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
