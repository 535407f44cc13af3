define i32 @f32_f32_f32_10x8_row_neon__n8_a1.1_b8.1_c8_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q0, [x0, #0]
	ldr q2, [x0, #32]
	ldr q4, [x0, #64]
	ldr q6, [x0, #96]
	ldr q8, [x0, #128]
	ldr q10, [x0, #160]
	ldr q12, [x0, #192]
	ldr q14, [x0, #224]
	ldr q16, [x0, #256]
	ldr q18, [x0, #288]
	ldr q1, [x0, #16]
	ldr q3, [x0, #48]
	ldr q5, [x0, #80]
	ldr q7, [x0, #112]
	ldr q9, [x0, #144]
	ldr q11, [x0, #176]
	ldr q13, [x0, #208]
	ldr q15, [x0, #240]
	ldr q17, [x0, #272]
	ldr q19, [x0, #304]
	movz x8, #4
	sub sp, sp, #448
	str q0, [sp, #0]
	str q1, [sp, #16]
	str q2, [sp, #32]
	str q3, [sp, #48]
	str q4, [sp, #64]
	str q5, [sp, #80]
	str q6, [sp, #96]
	str q7, [sp, #112]
	str q8, [sp, #128]
	str q9, [sp, #144]
	str q10, [sp, #160]
	str q11, [sp, #176]
	str q12, [sp, #192]
	str q13, [sp, #208]
	str q14, [sp, #224]
	str q15, [sp, #240]
	str q16, [sp, #256]
	str q17, [sp, #272]
	str q18, [sp, #288]
	str q19, [sp, #304]
	movz x7, #26214
	movk x7, #49841, lsl #16
	dup v1.4s, w7
	movz x7, #0
	movk x7, #17072, lsl #16
	dup v2.4s, w7
	movz x7, #43579
	movk x7, #49080, lsl #16
	dup v3.4s, w7
	movz x7, #127
	movk x7, #19264, lsl #16
	dup v4.4s, w7
	movz x7, #127
	movk x7, #52032, lsl #16
	dup v5.4s, w7
	movz x7, #32768
	movk x7, #16177, lsl #16
	dup v6.4s, w7
	movz x7, #32899
	movk x7, #47454, lsl #16
	dup v7.4s, w7
	movz x7, #62931
	movk x7, #15029, lsl #16
	dup v8.4s, w7
	movz x7, #5232
	movk x7, #48137, lsl #16
	dup v9.4s, w7
	movz x7, #43836
	movk x7, #15658, lsl #16
	dup v10.4s, w7
	movz x7, #43607
	movk x7, #48682, lsl #16
	dup v11.4s, w7
	movz x7, #65535
	movk x7, #16127, lsl #16
	dup v12.4s, w7
	movz x7, #0
	movk x7, #49024, lsl #16
	dup v13.4s, w7
	movz x7, #0
	movk x7, #16256, lsl #16
	dup v14.4s, w7
	ldr q0, [sp, #0]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #0]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #0]
	ldr q0, [sp, #16]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #16]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #16]
	ldr q0, [sp, #32]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #32]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #32]
	ldr q0, [sp, #48]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #48]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #48]
	ldr q0, [sp, #64]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #64]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #64]
	ldr q0, [sp, #80]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #80]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #80]
	ldr q0, [sp, #96]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #96]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #96]
	ldr q0, [sp, #112]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #112]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #112]
	ldr q0, [sp, #128]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #128]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #128]
	ldr q0, [sp, #144]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #144]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #144]
	ldr q0, [sp, #160]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #160]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #160]
	ldr q0, [sp, #176]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #176]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #176]
	ldr q0, [sp, #192]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #192]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #192]
	ldr q0, [sp, #208]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #208]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #208]
	ldr q0, [sp, #224]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #224]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #224]
	ldr q0, [sp, #240]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #240]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #240]
	ldr q0, [sp, #256]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #256]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #256]
	ldr q0, [sp, #272]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #272]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #272]
	ldr q0, [sp, #288]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #288]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #288]
	ldr q0, [sp, #304]
	fmax v0.4s, v0.4s, v1.4s
	fmin v31.4s, v0.4s, v2.4s
	mov v30.16b, v4.16b
	fmla v30.4s, v31.4s, v3.4s
	fadd v29.4s, v30.4s, v5.4s
	shl v30.4s, v30.4s, #23
	fmla v31.4s, v29.4s, v6.4s
	mov v28.16b, v31.16b
	fmla v28.4s, v29.4s, v7.4s
	mov v29.16b, v28.16b
	mov v31.16b, v9.16b
	fmla v31.4s, v29.4s, v8.4s
	mov v28.16b, v10.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v11.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v12.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v13.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v29.4s
	mov v31.16b, v28.16b
	mov v28.16b, v14.16b
	fmla v28.4s, v31.4s, v30.4s
	mov v31.16b, v28.16b
	fdiv v0.4s, v0.4s, v31.4s
	ldr q22, [x4, #304]
	fadd v0.4s, v0.4s, v22.4s
	str q0, [x0, #304]
	add sp, sp, #448", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
