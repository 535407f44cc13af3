define i32 @u8_u8_u8_3x8_dw_neonwide__n7_a7.98_b8.16_c7_p4_bias_clipc1200000.42c80000_w0.7.1.0_z10_s1.3.0.0.1_s0.3.7.8.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
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
	cbz x5, 3f
	2:
	mov x11, x2
	mov x14, x1
	ldr d6, [x11, #0]
	ushll v6.8h, v6.8b, #0
	ldr s7, [x14, #7]
	add x7, x14, #11
	ld1 {v7.h}[2], [x7]
	add x7, x14, #13
	ld1 {v7.b}[6], [x7]
	ushll v7.8h, v7.8b, #0
	smlal v2.4s, v7.4h, v6.4h
	smlal2 v3.4s, v7.8h, v6.8h
	ldr s8, [x14, #14]
	add x7, x14, #18
	ld1 {v8.h}[2], [x7]
	add x7, x14, #20
	ld1 {v8.b}[6], [x7]
	ushll v8.8h, v8.8b, #0
	smlal v4.4s, v8.4h, v6.4h
	smlal2 v5.4s, v8.8h, v6.8h
	add x11, x2, #8
	add x14, x1, #7
	ldr d6, [x11, #0]
	ushll v6.8h, v6.8b, #0
	ldr s7, [x14, #0]
	add x7, x14, #4
	ld1 {v7.h}[2], [x7]
	add x7, x14, #6
	ld1 {v7.b}[6], [x7]
	ushll v7.8h, v7.8b, #0
	smlal v0.4s, v7.4h, v6.4h
	smlal2 v1.4s, v7.8h, v6.8h
	ldr s8, [x14, #7]
	add x7, x14, #11
	ld1 {v8.h}[2], [x7]
	add x7, x14, #13
	ld1 {v8.b}[6], [x7]
	ushll v8.8h, v8.8b, #0
	smlal v2.4s, v8.4h, v6.4h
	smlal2 v3.4s, v8.8h, v6.8h
	ldr s9, [x14, #14]
	add x7, x14, #18
	ld1 {v9.h}[2], [x7]
	add x7, x14, #20
	ld1 {v9.b}[6], [x7]
	ushll v9.8h, v9.8b, #0
	smlal v4.4s, v9.4h, v6.4h
	smlal2 v5.4s, v9.8h, v6.8h
	add x1, x1, #98
	add x2, x2, #16
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
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
