define i32 @f16_f16_f16_3x8_row_neonfhm__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "sub sp, sp, #224
	ldr q0, [x3, #0]
	mov v31.16b, v0.16b
	str q31, [sp, #0]
	mov v31.16b, v0.16b
	str q31, [sp, #32]
	mov v31.16b, v0.16b
	str q31, [sp, #64]
	ldr d0, [x3, #16]
	add x7, x3, #24
	ld1 {v0.s}[2], [x7]
	mov v31.16b, v0.16b
	str q31, [sp, #16]
	mov v31.16b, v0.16b
	str q31, [sp, #48]
	mov v31.16b, v0.16b
	str q31, [sp, #80]
	movi v29.4s, #0
	movi v30.4s, #0
	movi v31.4s, #0
	movz x8, #64
	cbz x5, 3f
	2:
	mov x11, x2
	mov x15, x1
	add x16, x15, x8
	ldr q3, [x11, #0]
	ldr q4, [x11, #16]
	ldr q5, [x11, #32]
	movz x6, #7
	1:
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	ldr q3, [x11, #64]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	ldr q4, [x11, #80]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	ldr q5, [x11, #96]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	add x11, x11, #64
	subs x6, x6, #1
	b.ne 1b
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	movi v2.8h, #60, lsl #8
	ldr q0, [sp, #0]
	fmlal v0.4s, v29.4h, v2.4h
	str q0, [sp, #0]
	ldr q0, [sp, #16]
	fmlal2 v0.4s, v29.4h, v2.4h
	str q0, [sp, #16]
	ldr q0, [sp, #32]
	fmlal v0.4s, v30.4h, v2.4h
	str q0, [sp, #32]
	ldr q0, [sp, #48]
	fmlal2 v0.4s, v30.4h, v2.4h
	str q0, [sp, #48]
	ldr q0, [sp, #64]
	fmlal v0.4s, v31.4h, v2.4h
	str q0, [sp, #64]
	ldr q0, [sp, #80]
	fmlal2 v0.4s, v31.4h, v2.4h
	str q0, [sp, #80]
	movi v29.4s, #0
	movi v30.4s, #0
	movi v31.4s, #0
	movz x28, #1
	5:
	add x11, x2, #512
	mov x14, x1
	add x15, x14, x8
	add x16, x15, x8
	ldr q3, [x11, #0]
	ldr q4, [x11, #16]
	ldr q5, [x11, #32]
	movz x6, #7
	1:
	ldr d0, [x14], #8
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v29.8h, v3.8h, v0.h[0]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	ldr q3, [x11, #64]
	fmla v29.8h, v4.8h, v0.h[1]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	ldr q4, [x11, #80]
	fmla v29.8h, v5.8h, v0.h[2]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	ldr q5, [x11, #96]
	fmla v29.8h, v6.8h, v0.h[3]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	add x11, x11, #64
	subs x6, x6, #1
	b.ne 1b
	ldr d0, [x14], #8
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v29.8h, v3.8h, v0.h[0]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	fmla v29.8h, v4.8h, v0.h[1]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	fmla v29.8h, v5.8h, v0.h[2]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	fmla v29.8h, v6.8h, v0.h[3]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	movi v2.8h, #60, lsl #8
	ldr q0, [sp, #0]
	fmlal v0.4s, v29.4h, v2.4h
	str q0, [sp, #0]
	ldr q0, [sp, #16]
	fmlal2 v0.4s, v29.4h, v2.4h
	str q0, [sp, #16]
	ldr q0, [sp, #32]
	fmlal v0.4s, v30.4h, v2.4h
	str q0, [sp, #32]
	ldr q0, [sp, #48]
	fmlal2 v0.4s, v30.4h, v2.4h
	str q0, [sp, #48]
	ldr q0, [sp, #64]
	fmlal v0.4s, v31.4h, v2.4h
	str q0, [sp, #64]
	ldr q0, [sp, #80]
	fmlal2 v0.4s, v31.4h, v2.4h
	str q0, [sp, #80]
	movi v29.4s, #0
	movi v30.4s, #0
	movi v31.4s, #0
	add x1, x1, #64
	add x2, x2, #512
	subs x28, x28, #1
	b.ne 5b
	add x11, x2, #512
	mov x14, x1
	add x15, x14, x8
	add x16, x15, x8
	ldr q3, [x11, #0]
	ldr q4, [x11, #16]
	ldr q5, [x11, #32]
	movz x6, #7
	1:
	ldr d0, [x14], #8
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v29.8h, v3.8h, v0.h[0]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	ldr q3, [x11, #64]
	fmla v29.8h, v4.8h, v0.h[1]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	ldr q4, [x11, #80]
	fmla v29.8h, v5.8h, v0.h[2]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	ldr q5, [x11, #96]
	fmla v29.8h, v6.8h, v0.h[3]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	add x11, x11, #64
	subs x6, x6, #1
	b.ne 1b
	ldr d0, [x14], #8
	ldr d1, [x15], #8
	ldr d2, [x16], #8
	ldr q6, [x11, #48]
	fmla v29.8h, v3.8h, v0.h[0]
	fmla v30.8h, v3.8h, v1.h[0]
	fmla v31.8h, v3.8h, v2.h[0]
	fmla v29.8h, v4.8h, v0.h[1]
	fmla v30.8h, v4.8h, v1.h[1]
	fmla v31.8h, v4.8h, v2.h[1]
	fmla v29.8h, v5.8h, v0.h[2]
	fmla v30.8h, v5.8h, v1.h[2]
	fmla v31.8h, v5.8h, v2.h[2]
	fmla v29.8h, v6.8h, v0.h[3]
	fmla v30.8h, v6.8h, v1.h[3]
	fmla v31.8h, v6.8h, v2.h[3]
	sub x1, x1, #64
	sub x2, x2, #512
	movi v2.8h, #60, lsl #8
	ldr q0, [sp, #0]
	fmlal v0.4s, v29.4h, v2.4h
	str q0, [sp, #0]
	ldr q0, [sp, #16]
	fmlal2 v0.4s, v29.4h, v2.4h
	str q0, [sp, #16]
	ldr q0, [sp, #32]
	fmlal v0.4s, v30.4h, v2.4h
	str q0, [sp, #32]
	ldr q0, [sp, #48]
	fmlal2 v0.4s, v30.4h, v2.4h
	str q0, [sp, #48]
	ldr q0, [sp, #64]
	fmlal v0.4s, v31.4h, v2.4h
	str q0, [sp, #64]
	ldr q0, [sp, #80]
	fmlal2 v0.4s, v31.4h, v2.4h
	str q0, [sp, #80]
	movi v29.4s, #0
	movi v30.4s, #0
	movi v31.4s, #0
	add x1, x1, #896
	add x2, x2, #1536
	subs x5, x5, #1
	b.ne 2b
	3:
	movz x7, #0
	dup v0.4s, w7
	movz x7, #0
	movk x7, #16576, lsl #16
	dup v1.4s, w7
	ldr q31, [sp, #0]
	ldr d2, [x4, #0]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str d31, [x0, #0]
	ldr q31, [sp, #16]
	ldr s2, [x4, #8]
	add x7, x4, #12
	ld1 {v2.h}[2], [x7]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str s31, [x0, #8]
	add x7, x0, #12
	st1 {v31.h}[2], [x7]
	ldr q31, [sp, #32]
	ldr d2, [x4, #14]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str d31, [x0, #14]
	ldr q31, [sp, #48]
	ldr s2, [x4, #22]
	add x7, x4, #26
	ld1 {v2.h}[2], [x7]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str s31, [x0, #22]
	add x7, x0, #26
	st1 {v31.h}[2], [x7]
	ldr q31, [sp, #64]
	ldr d2, [x4, #28]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str d31, [x0, #28]
	ldr q31, [sp, #80]
	ldr s2, [x4, #36]
	add x7, x4, #40
	ld1 {v2.h}[2], [x7]
	fcvtl v2.4s, v2.4h
	fadd v31.4s, v31.4s, v2.4s
	fmax v31.4s, v31.4s, v0.4s
	fmin v31.4s, v31.4s, v1.4s
	fcvtn v31.4h, v31.4s
	str s31, [x0, #36]
	add x7, x0, #40
	st1 {v31.h}[2], [x7]
	add sp, sp, #224", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+fp16fml,+neon" }
attributes #1 = { noduplicate }
