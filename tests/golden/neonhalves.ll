define i32 @bf16_bf16_bf16_3x8_row_neonhalves__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q6, [x3, #0]
	mov v0.16b, v6.16b
	mov v2.16b, v6.16b
	mov v4.16b, v6.16b
	ldr d6, [x3, #16]
	add x7, x3, #24
	ld1 {v6.s}[2], [x7]
	mov v1.16b, v6.16b
	mov v3.16b, v6.16b
	mov v5.16b, v6.16b
	movz x8, #64
	cbz x5, 3f
	2:
	mov x11, x2
	mov x15, x1
	add x16, x15, x8
	ldr d9, [x11, #0]
	shll v9.4s, v9.4h, #16
	ldr d10, [x11, #8]
	shll v10.4s, v10.4h, #16
	ldr d11, [x11, #16]
	shll v11.4s, v11.4h, #16
	ldr d12, [x11, #24]
	shll v12.4s, v12.4h, #16
	ldr d13, [x11, #32]
	shll v13.4s, v13.4h, #16
	ldr d14, [x11, #40]
	shll v14.4s, v14.4h, #16
	ldr d15, [x11, #48]
	shll v15.4s, v15.4h, #16
	movz x6, #7
	1:
	ldr d7, [x15], #8
	shll v7.4s, v7.4h, #16
	ldr d8, [x16], #8
	shll v8.4s, v8.4h, #16
	ldr d16, [x11, #56]
	shll v16.4s, v16.4h, #16
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	ldr d9, [x11, #64]
	shll v9.4s, v9.4h, #16
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	ldr d10, [x11, #72]
	shll v10.4s, v10.4h, #16
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	ldr d11, [x11, #80]
	shll v11.4s, v11.4h, #16
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	ldr d12, [x11, #88]
	shll v12.4s, v12.4h, #16
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	ldr d13, [x11, #96]
	shll v13.4s, v13.4h, #16
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	ldr d14, [x11, #104]
	shll v14.4s, v14.4h, #16
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	ldr d15, [x11, #112]
	shll v15.4s, v15.4h, #16
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x11, x11, #64
	subs x6, x6, #1
	b.ne 1b
	ldr d7, [x15], #8
	shll v7.4s, v7.4h, #16
	ldr d8, [x16], #8
	shll v8.4s, v8.4h, #16
	ldr d16, [x11, #56]
	shll v16.4s, v16.4h, #16
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
	add x11, x2, #512
	mov x14, x1
	add x15, x14, x8
	add x16, x15, x8
	ldr d9, [x11, #0]
	shll v9.4s, v9.4h, #16
	ldr d10, [x11, #8]
	shll v10.4s, v10.4h, #16
	ldr d11, [x11, #16]
	shll v11.4s, v11.4h, #16
	ldr d12, [x11, #24]
	shll v12.4s, v12.4h, #16
	ldr d13, [x11, #32]
	shll v13.4s, v13.4h, #16
	ldr d14, [x11, #40]
	shll v14.4s, v14.4h, #16
	ldr d15, [x11, #48]
	shll v15.4s, v15.4h, #16
	movz x6, #15
	1:
	ldr d6, [x14], #8
	shll v6.4s, v6.4h, #16
	ldr d7, [x15], #8
	shll v7.4s, v7.4h, #16
	ldr d8, [x16], #8
	shll v8.4s, v8.4h, #16
	ldr d16, [x11, #56]
	shll v16.4s, v16.4h, #16
	fmla v0.4s, v9.4s, v6.s[0]
	fmla v2.4s, v9.4s, v7.s[0]
	fmla v4.4s, v9.4s, v8.s[0]
	ldr d9, [x11, #64]
	shll v9.4s, v9.4h, #16
	fmla v1.4s, v10.4s, v6.s[0]
	fmla v3.4s, v10.4s, v7.s[0]
	fmla v5.4s, v10.4s, v8.s[0]
	ldr d10, [x11, #72]
	shll v10.4s, v10.4h, #16
	fmla v0.4s, v11.4s, v6.s[1]
	fmla v2.4s, v11.4s, v7.s[1]
	fmla v4.4s, v11.4s, v8.s[1]
	ldr d11, [x11, #80]
	shll v11.4s, v11.4h, #16
	fmla v1.4s, v12.4s, v6.s[1]
	fmla v3.4s, v12.4s, v7.s[1]
	fmla v5.4s, v12.4s, v8.s[1]
	ldr d12, [x11, #88]
	shll v12.4s, v12.4h, #16
	fmla v0.4s, v13.4s, v6.s[2]
	fmla v2.4s, v13.4s, v7.s[2]
	fmla v4.4s, v13.4s, v8.s[2]
	ldr d13, [x11, #96]
	shll v13.4s, v13.4h, #16
	fmla v1.4s, v14.4s, v6.s[2]
	fmla v3.4s, v14.4s, v7.s[2]
	fmla v5.4s, v14.4s, v8.s[2]
	ldr d14, [x11, #104]
	shll v14.4s, v14.4h, #16
	fmla v0.4s, v15.4s, v6.s[3]
	fmla v2.4s, v15.4s, v7.s[3]
	fmla v4.4s, v15.4s, v8.s[3]
	ldr d15, [x11, #112]
	shll v15.4s, v15.4h, #16
	fmla v1.4s, v16.4s, v6.s[3]
	fmla v3.4s, v16.4s, v7.s[3]
	fmla v5.4s, v16.4s, v8.s[3]
	add x11, x11, #64
	subs x6, x6, #1
	b.ne 1b
	ldr d6, [x14], #8
	shll v6.4s, v6.4h, #16
	ldr d7, [x15], #8
	shll v7.4s, v7.4h, #16
	ldr d8, [x16], #8
	shll v8.4s, v8.4h, #16
	ldr d16, [x11, #56]
	shll v16.4s, v16.4h, #16
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
	add x1, x1, #896
	add x2, x2, #1536
	subs x5, x5, #1
	b.ne 2b
	3:
	movz x7, #0
	dup v6.4s, w7
	movz x7, #0
	movk x7, #16576, lsl #16
	dup v7.4s, w7
	ldr d8, [x4, #0]
	shll v8.4s, v8.4h, #16
	fadd v0.4s, v0.4s, v8.4s
	fmax v0.4s, v0.4s, v6.4s
	fmin v0.4s, v0.4s, v7.4s
	fcmeq v8.4s, v0.4s, v0.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v0.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v0.4h, v0.4s, v9.4s
	orn v0.8b, v0.8b, v8.8b
	str d0, [x0, #0]
	ldr s8, [x4, #8]
	add x7, x4, #12
	ld1 {v8.h}[2], [x7]
	shll v8.4s, v8.4h, #16
	fadd v1.4s, v1.4s, v8.4s
	fmax v1.4s, v1.4s, v6.4s
	fmin v1.4s, v1.4s, v7.4s
	fcmeq v8.4s, v1.4s, v1.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v1.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v1.4h, v1.4s, v9.4s
	orn v1.8b, v1.8b, v8.8b
	str s1, [x0, #8]
	add x7, x0, #12
	st1 {v1.h}[2], [x7]
	ldr d8, [x4, #14]
	shll v8.4s, v8.4h, #16
	fadd v2.4s, v2.4s, v8.4s
	fmax v2.4s, v2.4s, v6.4s
	fmin v2.4s, v2.4s, v7.4s
	fcmeq v8.4s, v2.4s, v2.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v2.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v2.4h, v2.4s, v9.4s
	orn v2.8b, v2.8b, v8.8b
	str d2, [x0, #14]
	ldr s8, [x4, #22]
	add x7, x4, #26
	ld1 {v8.h}[2], [x7]
	shll v8.4s, v8.4h, #16
	fadd v3.4s, v3.4s, v8.4s
	fmax v3.4s, v3.4s, v6.4s
	fmin v3.4s, v3.4s, v7.4s
	fcmeq v8.4s, v3.4s, v3.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v3.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v3.4h, v3.4s, v9.4s
	orn v3.8b, v3.8b, v8.8b
	str s3, [x0, #22]
	add x7, x0, #26
	st1 {v3.h}[2], [x7]
	ldr d8, [x4, #28]
	shll v8.4s, v8.4h, #16
	fadd v4.4s, v4.4s, v8.4s
	fmax v4.4s, v4.4s, v6.4s
	fmin v4.4s, v4.4s, v7.4s
	fcmeq v8.4s, v4.4s, v4.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v4.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v4.4h, v4.4s, v9.4s
	orn v4.8b, v4.8b, v8.8b
	str d4, [x0, #28]
	ldr s8, [x4, #36]
	add x7, x4, #40
	ld1 {v8.h}[2], [x7]
	shll v8.4s, v8.4h, #16
	fadd v5.4s, v5.4s, v8.4s
	fmax v5.4s, v5.4s, v6.4s
	fmin v5.4s, v5.4s, v7.4s
	fcmeq v8.4s, v5.4s, v5.4s
	xtn v8.4h, v8.4s
	shl v9.4s, v5.4s, #15
	cmge v9.4s, v9.4s, #0
	raddhn v5.4h, v5.4s, v9.4s
	orn v5.8b, v5.8b, v8.8b
	str s5, [x0, #36]
	add x7, x0, #40
	st1 {v5.h}[2], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
