define i32 @f32_f32_f32_3x8_row_neon__n7_a32.v_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, i64 } asm sideeffect "lsl x30, x30, #2
	ldr q6, [x3, #0]
	mov v0.16b, v6.16b
	mov v2.16b, v6.16b
	mov v4.16b, v6.16b
	ldr d6, [x3, #16]
	add x7, x3, #24
	ld1 {v6.s}[2], [x7]
	mov v1.16b, v6.16b
	mov v3.16b, v6.16b
	mov v5.16b, v6.16b
	movz x8, #128
	cbz x5, 3f
	2:
	mov x11, x2
	mov x15, x1
	add x16, x15, x8
	ldr q9, [x11, #0]
	ldr q10, [x11, #16]
	ldr q11, [x11, #32]
	ldr q12, [x11, #48]
	ldr q13, [x11, #64]
	ldr q14, [x11, #80]
	ldr q15, [x11, #96]
	movz x6, #7
	1:
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	ldr q9, [x11, #128]
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	ldr q10, [x11, #144]
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	ldr q11, [x11, #160]
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	ldr q12, [x11, #176]
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	ldr q13, [x11, #192]
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	ldr q14, [x11, #208]
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	ldr q15, [x11, #224]
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x11, x11, #128
	subs x6, x6, #1
	b.ne 1b
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x11, x2, #1024
	mov x14, x1
	add x15, x14, x8
	add x16, x15, x8
	ldr q9, [x11, #0]
	ldr q10, [x11, #16]
	ldr q11, [x11, #32]
	ldr q12, [x11, #48]
	ldr q13, [x11, #64]
	ldr q14, [x11, #80]
	ldr q15, [x11, #96]
	movz x6, #15
	1:
	ldr q6, [x14], #16
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	fmla v0.4s, v9.4s, v6.s[0]
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	ldr q9, [x11, #128]
	fmla v1.4s, v10.4s, v6.s[0]
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	ldr q10, [x11, #144]
	fmla v0.4s, v11.4s, v6.s[1]
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	ldr q11, [x11, #160]
	fmla v1.4s, v12.4s, v6.s[1]
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	ldr q12, [x11, #176]
	fmla v0.4s, v13.4s, v6.s[2]
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	ldr q13, [x11, #192]
	fmla v1.4s, v14.4s, v6.s[2]
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	ldr q14, [x11, #208]
	fmla v0.4s, v15.4s, v6.s[3]
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	ldr q15, [x11, #224]
	fmla v1.4s, v16.4s, v6.s[3]
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x11, x11, #128
	subs x6, x6, #1
	b.ne 1b
	ldr q6, [x14], #16
	ldr q7, [x15], #16
	ldr q8, [x16], #16
	ldr q16, [x11, #112]
	fmla v0.4s, v9.4s, v6.s[0]
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	fmla v1.4s, v10.4s, v6.s[0]
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	fmla v0.4s, v11.4s, v6.s[1]
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	fmla v1.4s, v12.4s, v6.s[1]
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	fmla v0.4s, v13.4s, v6.s[2]
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	fmla v1.4s, v14.4s, v6.s[2]
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	fmla v0.4s, v15.4s, v6.s[3]
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	fmla v1.4s, v16.4s, v6.s[3]
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x1, x1, x30
	add x2, x2, #3072
	subs x5, x5, #1
	b.ne 2b
	3:
	movz x7, #0
	dup v6.4s, w7
	movz x7, #0
	movk x7, #16576, lsl #16
	dup v7.4s, w7
	ldr q8, [x4, #0]
	fadd v0.4s, v0.4s, v8.4s
	fmax v0.4s, v0.4s, v6.4s
	fmin v0.4s, v0.4s, v7.4s
	str q0, [x0, #0]
	ldr d8, [x4, #16]
	add x7, x4, #24
	ld1 {v8.s}[2], [x7]
	fadd v1.4s, v1.4s, v8.4s
	fmax v1.4s, v1.4s, v6.4s
	fmin v1.4s, v1.4s, v7.4s
	str d1, [x0, #16]
	add x7, x0, #24
	st1 {v1.s}[2], [x7]
	ldr q8, [x4, #28]
	fadd v2.4s, v2.4s, v8.4s
	fmax v2.4s, v2.4s, v6.4s
	fmin v2.4s, v2.4s, v7.4s
	str q2, [x0, #28]
	ldr d8, [x4, #44]
	add x7, x4, #52
	ld1 {v8.s}[2], [x7]
	fadd v3.4s, v3.4s, v8.4s
	fmax v3.4s, v3.4s, v6.4s
	fmin v3.4s, v3.4s, v7.4s
	str d3, [x0, #44]
	add x7, x0, #52
	st1 {v3.s}[2], [x7]
	ldr q8, [x4, #56]
	fadd v4.4s, v4.4s, v8.4s
	fmax v4.4s, v4.4s, v6.4s
	fmin v4.4s, v4.4s, v7.4s
	str q4, [x0, #56]
	ldr d8, [x4, #72]
	add x7, x4, #80
	ld1 {v8.s}[2], [x7]
	fadd v5.4s, v5.4s, v8.4s
	fmax v5.4s, v5.4s, v6.4s
	fmin v5.4s, v5.4s, v7.4s
	str d5, [x0, #72]
	add x7, x0, #80
	st1 {v5.s}[2], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},={lr},0,1,2,3,4,5,6,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, i64 %step) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
