define i32 @u8_u8_u8_3x8_row_neonmixed__n7_a40.560_b32.640_c7_p4_bias_clipc1200000.42c80000_w0.7.1.0_z10_s1.3.0.0.40_s0.3.40.320.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q0, [x3, #28]
	ldr q2, [x3, #0]
	mov v4.16b, v2.16b
	ldr d1, [x3, #44]
	add x7, x3, #52
	ld1 {v1.s}[2], [x7]
	ldr d3, [x3, #16]
	add x7, x3, #24
	ld1 {v3.s}[2], [x7]
	mov v5.16b, v3.16b
	movz x8, #40
	cbz x5, 3f
	2:
	mov x11, x2
	add x15, x1, #40
	add x16, x15, x8
	ldr q9, [x11, #0]
	ldr q10, [x11, #16]
	ldr q11, [x11, #32]
	ldr q12, [x11, #48]
	ldr q13, [x11, #64]
	ldr q14, [x11, #80]
	ldr q15, [x11, #96]
	movz x6, #1
	1:
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	ldr q9, [x11, #128]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr q10, [x11, #144]
	udot v2.4s, v11.16b, v7.4b[1]
	udot v4.4s, v11.16b, v8.4b[1]
	ldr q11, [x11, #160]
	udot v3.4s, v12.16b, v7.4b[1]
	udot v5.4s, v12.16b, v8.4b[1]
	ldr q12, [x11, #176]
	udot v2.4s, v13.16b, v7.4b[2]
	udot v4.4s, v13.16b, v8.4b[2]
	ldr q13, [x11, #192]
	udot v3.4s, v14.16b, v7.4b[2]
	udot v5.4s, v14.16b, v8.4b[2]
	ldr q14, [x11, #208]
	udot v2.4s, v15.16b, v7.4b[3]
	udot v4.4s, v15.16b, v8.4b[3]
	ldr q15, [x11, #224]
	udot v3.4s, v16.16b, v7.4b[3]
	udot v5.4s, v16.16b, v8.4b[3]
	add x11, x11, #128
	subs x6, x6, #1
	b.ne 1b
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	ldr q9, [x11, #128]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr q10, [x11, #144]
	udot v2.4s, v11.16b, v7.4b[1]
	udot v4.4s, v11.16b, v8.4b[1]
	ldr q11, [x11, #160]
	udot v3.4s, v12.16b, v7.4b[1]
	udot v5.4s, v12.16b, v8.4b[1]
	ldr q12, [x11, #176]
	udot v2.4s, v13.16b, v7.4b[2]
	udot v4.4s, v13.16b, v8.4b[2]
	udot v3.4s, v14.16b, v7.4b[2]
	udot v5.4s, v14.16b, v8.4b[2]
	udot v2.4s, v15.16b, v7.4b[3]
	udot v4.4s, v15.16b, v8.4b[3]
	udot v3.4s, v16.16b, v7.4b[3]
	udot v5.4s, v16.16b, v8.4b[3]
	ldr s7, [x15], #4
	ldr s8, [x16], #4
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr s7, [x15], #4
	ldr s8, [x16], #4
	udot v2.4s, v11.16b, v7.4b[0]
	udot v4.4s, v11.16b, v8.4b[0]
	udot v3.4s, v12.16b, v7.4b[0]
	udot v5.4s, v12.16b, v8.4b[0]
	add x11, x2, #320
	add x14, x1, #40
	add x15, x14, x8
	add x16, x15, x8
	ldr q9, [x11, #0]
	ldr q10, [x11, #16]
	ldr q11, [x11, #32]
	ldr q12, [x11, #48]
	ldr q13, [x11, #64]
	ldr q14, [x11, #80]
	ldr q15, [x11, #96]
	movz x6, #1
	1:
	ldr q6, [x14], #16
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	udot v0.4s, v9.16b, v6.4b[0]
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	ldr q9, [x11, #128]
	udot v1.4s, v10.16b, v6.4b[0]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr q10, [x11, #144]
	udot v0.4s, v11.16b, v6.4b[1]
	udot v2.4s, v11.16b, v7.4b[1]
	udot v4.4s, v11.16b, v8.4b[1]
	ldr q11, [x11, #160]
	udot v1.4s, v12.16b, v6.4b[1]
	udot v3.4s, v12.16b, v7.4b[1]
	udot v5.4s, v12.16b, v8.4b[1]
	ldr q12, [x11, #176]
	udot v0.4s, v13.16b, v6.4b[2]
	udot v2.4s, v13.16b, v7.4b[2]
	udot v4.4s, v13.16b, v8.4b[2]
	ldr q13, [x11, #192]
	udot v1.4s, v14.16b, v6.4b[2]
	udot v3.4s, v14.16b, v7.4b[2]
	udot v5.4s, v14.16b, v8.4b[2]
	ldr q14, [x11, #208]
	udot v0.4s, v15.16b, v6.4b[3]
	udot v2.4s, v15.16b, v7.4b[3]
	udot v4.4s, v15.16b, v8.4b[3]
	ldr q15, [x11, #224]
	udot v1.4s, v16.16b, v6.4b[3]
	udot v3.4s, v16.16b, v7.4b[3]
	udot v5.4s, v16.16b, v8.4b[3]
	add x11, x11, #128
	subs x6, x6, #1
	b.ne 1b
	ldr q6, [x14], #16
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	udot v0.4s, v9.16b, v6.4b[0]
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	ldr q9, [x11, #128]
	udot v1.4s, v10.16b, v6.4b[0]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr q10, [x11, #144]
	udot v0.4s, v11.16b, v6.4b[1]
	udot v2.4s, v11.16b, v7.4b[1]
	udot v4.4s, v11.16b, v8.4b[1]
	ldr q11, [x11, #160]
	udot v1.4s, v12.16b, v6.4b[1]
	udot v3.4s, v12.16b, v7.4b[1]
	udot v5.4s, v12.16b, v8.4b[1]
	ldr q12, [x11, #176]
	udot v0.4s, v13.16b, v6.4b[2]
	udot v2.4s, v13.16b, v7.4b[2]
	udot v4.4s, v13.16b, v8.4b[2]
	udot v1.4s, v14.16b, v6.4b[2]
	udot v3.4s, v14.16b, v7.4b[2]
	udot v5.4s, v14.16b, v8.4b[2]
	udot v0.4s, v15.16b, v6.4b[3]
	udot v2.4s, v15.16b, v7.4b[3]
	udot v4.4s, v15.16b, v8.4b[3]
	udot v1.4s, v16.16b, v6.4b[3]
	udot v3.4s, v16.16b, v7.4b[3]
	udot v5.4s, v16.16b, v8.4b[3]
	ldr s6, [x14], #4
	ldr s7, [x15], #4
	ldr s8, [x16], #4
	udot v0.4s, v9.16b, v6.4b[0]
	udot v2.4s, v9.16b, v7.4b[0]
	udot v4.4s, v9.16b, v8.4b[0]
	udot v1.4s, v10.16b, v6.4b[0]
	udot v3.4s, v10.16b, v7.4b[0]
	udot v5.4s, v10.16b, v8.4b[0]
	ldr s6, [x14], #4
	ldr s7, [x15], #4
	ldr s8, [x16], #4
	udot v0.4s, v11.16b, v6.4b[0]
	udot v2.4s, v11.16b, v7.4b[0]
	udot v4.4s, v11.16b, v8.4b[0]
	udot v1.4s, v12.16b, v6.4b[0]
	udot v3.4s, v12.16b, v7.4b[0]
	udot v5.4s, v12.16b, v8.4b[0]
	add x1, x1, #560
	add x2, x2, #640
	subs x5, x5, #1
	b.ne 2b
	3:
	movz x7, #0
	movk x7, #49440, lsl #16
	dup v6.4s, w7
	movz x7, #0
	movk x7, #17096, lsl #16
	dup v7.4s, w7
	movz x7, #10
	dup v8.4s, w7
	ldr q9, [x4, #0]
	scvtf v0.4s, v0.4s
	fmul v0.4s, v0.4s, v9.4s
	fmax v0.4s, v0.4s, v6.4s
	fmin v0.4s, v0.4s, v7.4s
	fcvtns v0.4s, v0.4s
	add v0.4s, v0.4s, v8.4s
	scvtf v2.4s, v2.4s
	fmul v2.4s, v2.4s, v9.4s
	fmax v2.4s, v2.4s, v6.4s
	fmin v2.4s, v2.4s, v7.4s
	fcvtns v2.4s, v2.4s
	add v2.4s, v2.4s, v8.4s
	scvtf v4.4s, v4.4s
	fmul v4.4s, v4.4s, v9.4s
	fmax v4.4s, v4.4s, v6.4s
	fmin v4.4s, v4.4s, v7.4s
	fcvtns v4.4s, v4.4s
	add v4.4s, v4.4s, v8.4s
	ldr d9, [x4, #16]
	add x7, x4, #24
	ld1 {v9.s}[2], [x7]
	scvtf v1.4s, v1.4s
	fmul v1.4s, v1.4s, v9.4s
	fmax v1.4s, v1.4s, v6.4s
	fmin v1.4s, v1.4s, v7.4s
	fcvtns v1.4s, v1.4s
	add v1.4s, v1.4s, v8.4s
	scvtf v3.4s, v3.4s
	fmul v3.4s, v3.4s, v9.4s
	fmax v3.4s, v3.4s, v6.4s
	fmin v3.4s, v3.4s, v7.4s
	fcvtns v3.4s, v3.4s
	add v3.4s, v3.4s, v8.4s
	scvtf v5.4s, v5.4s
	fmul v5.4s, v5.4s, v9.4s
	fmax v5.4s, v5.4s, v6.4s
	fmin v5.4s, v5.4s, v7.4s
	fcvtns v5.4s, v5.4s
	add v5.4s, v5.4s, v8.4s
	uzp1 v0.8h, v0.8h, v1.8h
	uzp1 v0.16b, v0.16b, v0.16b
	str s0, [x0, #0]
	add x7, x0, #4
	st1 {v0.h}[2], [x7]
	add x7, x0, #6
	st1 {v0.b}[6], [x7]
	uzp1 v2.8h, v2.8h, v3.8h
	uzp1 v2.16b, v2.16b, v2.16b
	str s2, [x0, #7]
	add x7, x0, #11
	st1 {v2.h}[2], [x7]
	add x7, x0, #13
	st1 {v2.b}[6], [x7]
	uzp1 v4.8h, v4.8h, v5.8h
	uzp1 v4.16b, v4.16b, v4.16b
	str s4, [x0, #14]
	add x7, x0, #18
	st1 {v4.h}[2], [x7]
	add x7, x0, #20
	st1 {v4.b}[6], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+dotprod,+i8mm,+neon" }
attributes #1 = { noduplicate }
