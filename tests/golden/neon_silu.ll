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
	dup v4.4s, w7
	movz x7, #0
	movk x7, #17072, lsl #16
	dup v5.4s, w7
	movz x7, #43579
	movk x7, #49080, lsl #16
	dup v6.4s, w7
	movz x7, #127
	movk x7, #19264, lsl #16
	dup v7.4s, w7
	movz x7, #127
	movk x7, #52032, lsl #16
	dup v8.4s, w7
	movz x7, #32768
	movk x7, #16177, lsl #16
	dup v9.4s, w7
	movz x7, #32899
	movk x7, #47454, lsl #16
	dup v10.4s, w7
	movz x7, #62931
	movk x7, #15029, lsl #16
	dup v11.4s, w7
	movz x7, #5232
	movk x7, #48137, lsl #16
	dup v12.4s, w7
	movz x7, #43836
	movk x7, #15658, lsl #16
	dup v13.4s, w7
	movz x7, #43607
	movk x7, #48682, lsl #16
	dup v14.4s, w7
	movz x7, #65535
	movk x7, #16127, lsl #16
	dup v15.4s, w7
	movz x7, #0
	movk x7, #49024, lsl #16
	dup v16.4s, w7
	movz x7, #0
	movk x7, #16256, lsl #16
	dup v17.4s, w7
	ldr q0, [sp, #0]
	ldr q1, [sp, #16]
	ldr q2, [sp, #32]
	ldr q3, [sp, #48]
	fmax v0.4s, v0.4s, v4.4s
	fmax v1.4s, v1.4s, v4.4s
	fmax v2.4s, v2.4s, v4.4s
	fmax v3.4s, v3.4s, v4.4s
	fmin v31.4s, v0.4s, v5.4s
	fmin v28.4s, v1.4s, v5.4s
	fmin v25.4s, v2.4s, v5.4s
	fmin v21.4s, v3.4s, v5.4s
	mov v30.16b, v7.16b
	fmla v30.4s, v31.4s, v6.4s
	mov v27.16b, v7.16b
	fmla v27.4s, v28.4s, v6.4s
	mov v24.16b, v7.16b
	fmla v24.4s, v25.4s, v6.4s
	mov v20.16b, v7.16b
	fmla v20.4s, v21.4s, v6.4s
	fadd v29.4s, v30.4s, v8.4s
	fadd v26.4s, v27.4s, v8.4s
	fadd v23.4s, v24.4s, v8.4s
	fadd v19.4s, v20.4s, v8.4s
	shl v30.4s, v30.4s, #23
	shl v27.4s, v27.4s, #23
	shl v24.4s, v24.4s, #23
	shl v20.4s, v20.4s, #23
	fmla v31.4s, v29.4s, v9.4s
	fmla v28.4s, v26.4s, v9.4s
	fmla v25.4s, v23.4s, v9.4s
	fmla v21.4s, v19.4s, v9.4s
	mov v18.16b, v31.16b
	fmla v18.4s, v29.4s, v10.4s
	mov v29.16b, v18.16b
	mov v18.16b, v28.16b
	fmla v18.4s, v26.4s, v10.4s
	mov v26.16b, v18.16b
	mov v18.16b, v25.16b
	fmla v18.4s, v23.4s, v10.4s
	mov v23.16b, v18.16b
	mov v18.16b, v21.16b
	fmla v18.4s, v19.4s, v10.4s
	mov v19.16b, v18.16b
	mov v31.16b, v12.16b
	fmla v31.4s, v29.4s, v11.4s
	mov v28.16b, v12.16b
	fmla v28.4s, v26.4s, v11.4s
	mov v25.16b, v12.16b
	fmla v25.4s, v23.4s, v11.4s
	mov v21.16b, v12.16b
	fmla v21.4s, v19.4s, v11.4s
	mov v18.16b, v13.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v30.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v27.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v24.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v20.4s
	mov v21.16b, v18.16b
	fdiv v0.4s, v0.4s, v31.4s
	fdiv v1.4s, v1.4s, v28.4s
	fdiv v2.4s, v2.4s, v25.4s
	fdiv v3.4s, v3.4s, v21.4s
	ldr q22, [x4, #0]
	fadd v0.4s, v0.4s, v22.4s
	ldr q22, [x4, #16]
	fadd v1.4s, v1.4s, v22.4s
	ldr q22, [x4, #32]
	fadd v2.4s, v2.4s, v22.4s
	ldr q22, [x4, #48]
	fadd v3.4s, v3.4s, v22.4s
	str q0, [x0, #0]
	str q1, [x0, #16]
	str q2, [x0, #32]
	str q3, [x0, #48]
	ldr q0, [sp, #64]
	ldr q1, [sp, #80]
	ldr q2, [sp, #96]
	ldr q3, [sp, #112]
	fmax v0.4s, v0.4s, v4.4s
	fmax v1.4s, v1.4s, v4.4s
	fmax v2.4s, v2.4s, v4.4s
	fmax v3.4s, v3.4s, v4.4s
	fmin v31.4s, v0.4s, v5.4s
	fmin v28.4s, v1.4s, v5.4s
	fmin v25.4s, v2.4s, v5.4s
	fmin v21.4s, v3.4s, v5.4s
	mov v30.16b, v7.16b
	fmla v30.4s, v31.4s, v6.4s
	mov v27.16b, v7.16b
	fmla v27.4s, v28.4s, v6.4s
	mov v24.16b, v7.16b
	fmla v24.4s, v25.4s, v6.4s
	mov v20.16b, v7.16b
	fmla v20.4s, v21.4s, v6.4s
	fadd v29.4s, v30.4s, v8.4s
	fadd v26.4s, v27.4s, v8.4s
	fadd v23.4s, v24.4s, v8.4s
	fadd v19.4s, v20.4s, v8.4s
	shl v30.4s, v30.4s, #23
	shl v27.4s, v27.4s, #23
	shl v24.4s, v24.4s, #23
	shl v20.4s, v20.4s, #23
	fmla v31.4s, v29.4s, v9.4s
	fmla v28.4s, v26.4s, v9.4s
	fmla v25.4s, v23.4s, v9.4s
	fmla v21.4s, v19.4s, v9.4s
	mov v18.16b, v31.16b
	fmla v18.4s, v29.4s, v10.4s
	mov v29.16b, v18.16b
	mov v18.16b, v28.16b
	fmla v18.4s, v26.4s, v10.4s
	mov v26.16b, v18.16b
	mov v18.16b, v25.16b
	fmla v18.4s, v23.4s, v10.4s
	mov v23.16b, v18.16b
	mov v18.16b, v21.16b
	fmla v18.4s, v19.4s, v10.4s
	mov v19.16b, v18.16b
	mov v31.16b, v12.16b
	fmla v31.4s, v29.4s, v11.4s
	mov v28.16b, v12.16b
	fmla v28.4s, v26.4s, v11.4s
	mov v25.16b, v12.16b
	fmla v25.4s, v23.4s, v11.4s
	mov v21.16b, v12.16b
	fmla v21.4s, v19.4s, v11.4s
	mov v18.16b, v13.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v30.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v27.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v24.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v20.4s
	mov v21.16b, v18.16b
	fdiv v0.4s, v0.4s, v31.4s
	fdiv v1.4s, v1.4s, v28.4s
	fdiv v2.4s, v2.4s, v25.4s
	fdiv v3.4s, v3.4s, v21.4s
	ldr q22, [x4, #64]
	fadd v0.4s, v0.4s, v22.4s
	ldr q22, [x4, #80]
	fadd v1.4s, v1.4s, v22.4s
	ldr q22, [x4, #96]
	fadd v2.4s, v2.4s, v22.4s
	ldr q22, [x4, #112]
	fadd v3.4s, v3.4s, v22.4s
	str q0, [x0, #64]
	str q1, [x0, #80]
	str q2, [x0, #96]
	str q3, [x0, #112]
	ldr q0, [sp, #128]
	ldr q1, [sp, #144]
	ldr q2, [sp, #160]
	ldr q3, [sp, #176]
	fmax v0.4s, v0.4s, v4.4s
	fmax v1.4s, v1.4s, v4.4s
	fmax v2.4s, v2.4s, v4.4s
	fmax v3.4s, v3.4s, v4.4s
	fmin v31.4s, v0.4s, v5.4s
	fmin v28.4s, v1.4s, v5.4s
	fmin v25.4s, v2.4s, v5.4s
	fmin v21.4s, v3.4s, v5.4s
	mov v30.16b, v7.16b
	fmla v30.4s, v31.4s, v6.4s
	mov v27.16b, v7.16b
	fmla v27.4s, v28.4s, v6.4s
	mov v24.16b, v7.16b
	fmla v24.4s, v25.4s, v6.4s
	mov v20.16b, v7.16b
	fmla v20.4s, v21.4s, v6.4s
	fadd v29.4s, v30.4s, v8.4s
	fadd v26.4s, v27.4s, v8.4s
	fadd v23.4s, v24.4s, v8.4s
	fadd v19.4s, v20.4s, v8.4s
	shl v30.4s, v30.4s, #23
	shl v27.4s, v27.4s, #23
	shl v24.4s, v24.4s, #23
	shl v20.4s, v20.4s, #23
	fmla v31.4s, v29.4s, v9.4s
	fmla v28.4s, v26.4s, v9.4s
	fmla v25.4s, v23.4s, v9.4s
	fmla v21.4s, v19.4s, v9.4s
	mov v18.16b, v31.16b
	fmla v18.4s, v29.4s, v10.4s
	mov v29.16b, v18.16b
	mov v18.16b, v28.16b
	fmla v18.4s, v26.4s, v10.4s
	mov v26.16b, v18.16b
	mov v18.16b, v25.16b
	fmla v18.4s, v23.4s, v10.4s
	mov v23.16b, v18.16b
	mov v18.16b, v21.16b
	fmla v18.4s, v19.4s, v10.4s
	mov v19.16b, v18.16b
	mov v31.16b, v12.16b
	fmla v31.4s, v29.4s, v11.4s
	mov v28.16b, v12.16b
	fmla v28.4s, v26.4s, v11.4s
	mov v25.16b, v12.16b
	fmla v25.4s, v23.4s, v11.4s
	mov v21.16b, v12.16b
	fmla v21.4s, v19.4s, v11.4s
	mov v18.16b, v13.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v30.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v27.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v24.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v20.4s
	mov v21.16b, v18.16b
	fdiv v0.4s, v0.4s, v31.4s
	fdiv v1.4s, v1.4s, v28.4s
	fdiv v2.4s, v2.4s, v25.4s
	fdiv v3.4s, v3.4s, v21.4s
	ldr q22, [x4, #128]
	fadd v0.4s, v0.4s, v22.4s
	ldr q22, [x4, #144]
	fadd v1.4s, v1.4s, v22.4s
	ldr q22, [x4, #160]
	fadd v2.4s, v2.4s, v22.4s
	ldr q22, [x4, #176]
	fadd v3.4s, v3.4s, v22.4s
	str q0, [x0, #128]
	str q1, [x0, #144]
	str q2, [x0, #160]
	str q3, [x0, #176]
	ldr q0, [sp, #192]
	ldr q1, [sp, #208]
	ldr q2, [sp, #224]
	ldr q3, [sp, #240]
	fmax v0.4s, v0.4s, v4.4s
	fmax v1.4s, v1.4s, v4.4s
	fmax v2.4s, v2.4s, v4.4s
	fmax v3.4s, v3.4s, v4.4s
	fmin v31.4s, v0.4s, v5.4s
	fmin v28.4s, v1.4s, v5.4s
	fmin v25.4s, v2.4s, v5.4s
	fmin v21.4s, v3.4s, v5.4s
	mov v30.16b, v7.16b
	fmla v30.4s, v31.4s, v6.4s
	mov v27.16b, v7.16b
	fmla v27.4s, v28.4s, v6.4s
	mov v24.16b, v7.16b
	fmla v24.4s, v25.4s, v6.4s
	mov v20.16b, v7.16b
	fmla v20.4s, v21.4s, v6.4s
	fadd v29.4s, v30.4s, v8.4s
	fadd v26.4s, v27.4s, v8.4s
	fadd v23.4s, v24.4s, v8.4s
	fadd v19.4s, v20.4s, v8.4s
	shl v30.4s, v30.4s, #23
	shl v27.4s, v27.4s, #23
	shl v24.4s, v24.4s, #23
	shl v20.4s, v20.4s, #23
	fmla v31.4s, v29.4s, v9.4s
	fmla v28.4s, v26.4s, v9.4s
	fmla v25.4s, v23.4s, v9.4s
	fmla v21.4s, v19.4s, v9.4s
	mov v18.16b, v31.16b
	fmla v18.4s, v29.4s, v10.4s
	mov v29.16b, v18.16b
	mov v18.16b, v28.16b
	fmla v18.4s, v26.4s, v10.4s
	mov v26.16b, v18.16b
	mov v18.16b, v25.16b
	fmla v18.4s, v23.4s, v10.4s
	mov v23.16b, v18.16b
	mov v18.16b, v21.16b
	fmla v18.4s, v19.4s, v10.4s
	mov v19.16b, v18.16b
	mov v31.16b, v12.16b
	fmla v31.4s, v29.4s, v11.4s
	mov v28.16b, v12.16b
	fmla v28.4s, v26.4s, v11.4s
	mov v25.16b, v12.16b
	fmla v25.4s, v23.4s, v11.4s
	mov v21.16b, v12.16b
	fmla v21.4s, v19.4s, v11.4s
	mov v18.16b, v13.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v30.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v27.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v24.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v20.4s
	mov v21.16b, v18.16b
	fdiv v0.4s, v0.4s, v31.4s
	fdiv v1.4s, v1.4s, v28.4s
	fdiv v2.4s, v2.4s, v25.4s
	fdiv v3.4s, v3.4s, v21.4s
	ldr q22, [x4, #192]
	fadd v0.4s, v0.4s, v22.4s
	ldr q22, [x4, #208]
	fadd v1.4s, v1.4s, v22.4s
	ldr q22, [x4, #224]
	fadd v2.4s, v2.4s, v22.4s
	ldr q22, [x4, #240]
	fadd v3.4s, v3.4s, v22.4s
	str q0, [x0, #192]
	str q1, [x0, #208]
	str q2, [x0, #224]
	str q3, [x0, #240]
	ldr q0, [sp, #256]
	ldr q1, [sp, #272]
	ldr q2, [sp, #288]
	ldr q3, [sp, #304]
	fmax v0.4s, v0.4s, v4.4s
	fmax v1.4s, v1.4s, v4.4s
	fmax v2.4s, v2.4s, v4.4s
	fmax v3.4s, v3.4s, v4.4s
	fmin v31.4s, v0.4s, v5.4s
	fmin v28.4s, v1.4s, v5.4s
	fmin v25.4s, v2.4s, v5.4s
	fmin v21.4s, v3.4s, v5.4s
	mov v30.16b, v7.16b
	fmla v30.4s, v31.4s, v6.4s
	mov v27.16b, v7.16b
	fmla v27.4s, v28.4s, v6.4s
	mov v24.16b, v7.16b
	fmla v24.4s, v25.4s, v6.4s
	mov v20.16b, v7.16b
	fmla v20.4s, v21.4s, v6.4s
	fadd v29.4s, v30.4s, v8.4s
	fadd v26.4s, v27.4s, v8.4s
	fadd v23.4s, v24.4s, v8.4s
	fadd v19.4s, v20.4s, v8.4s
	shl v30.4s, v30.4s, #23
	shl v27.4s, v27.4s, #23
	shl v24.4s, v24.4s, #23
	shl v20.4s, v20.4s, #23
	fmla v31.4s, v29.4s, v9.4s
	fmla v28.4s, v26.4s, v9.4s
	fmla v25.4s, v23.4s, v9.4s
	fmla v21.4s, v19.4s, v9.4s
	mov v18.16b, v31.16b
	fmla v18.4s, v29.4s, v10.4s
	mov v29.16b, v18.16b
	mov v18.16b, v28.16b
	fmla v18.4s, v26.4s, v10.4s
	mov v26.16b, v18.16b
	mov v18.16b, v25.16b
	fmla v18.4s, v23.4s, v10.4s
	mov v23.16b, v18.16b
	mov v18.16b, v21.16b
	fmla v18.4s, v19.4s, v10.4s
	mov v19.16b, v18.16b
	mov v31.16b, v12.16b
	fmla v31.4s, v29.4s, v11.4s
	mov v28.16b, v12.16b
	fmla v28.4s, v26.4s, v11.4s
	mov v25.16b, v12.16b
	fmla v25.4s, v23.4s, v11.4s
	mov v21.16b, v12.16b
	fmla v21.4s, v19.4s, v11.4s
	mov v18.16b, v13.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v13.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v14.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v15.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v16.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v29.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v26.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v23.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v19.4s
	mov v21.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v31.4s, v30.4s
	mov v31.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v28.4s, v27.4s
	mov v28.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v25.4s, v24.4s
	mov v25.16b, v18.16b
	mov v18.16b, v17.16b
	fmla v18.4s, v21.4s, v20.4s
	mov v21.16b, v18.16b
	fdiv v0.4s, v0.4s, v31.4s
	fdiv v1.4s, v1.4s, v28.4s
	fdiv v2.4s, v2.4s, v25.4s
	fdiv v3.4s, v3.4s, v21.4s
	ldr q22, [x4, #256]
	fadd v0.4s, v0.4s, v22.4s
	ldr q22, [x4, #272]
	fadd v1.4s, v1.4s, v22.4s
	ldr q22, [x4, #288]
	fadd v2.4s, v2.4s, v22.4s
	ldr q22, [x4, #304]
	fadd v3.4s, v3.4s, v22.4s
	str q0, [x0, #256]
	str q1, [x0, #272]
	str q2, [x0, #288]
	str q3, [x0, #304]
	add sp, sp, #448", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
