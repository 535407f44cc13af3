define i32 @f32_f32_f32_4x4_dw_neon__n4_a64.896_b64.384_c64_bias_clip00000000.7f800000_g2_l2.896.896.3_s1.2.-64.0.2_s0.2.0.128.2_s0.2.64.256.2(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q4, [x3, #0]
	mov v0.16b, v4.16b
	mov v1.16b, v4.16b
	mov v2.16b, v4.16b
	mov v3.16b, v4.16b
	ldr q7, [x2, #0]
	ldr q8, [x2, #256]
	ldr q9, [x2, #512]
	ldr q10, [x2, #768]
	ldr q11, [x2, #1024]
	ldr q12, [x2, #1280]
	ldr q4, [x1, #0]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v7.4s
	fmla v0.4s, v6.4s, v9.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v8.4s
	fmla v0.4s, v6.4s, v10.4s
	ldr q5, [x1, #256]
	trn1 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v9.4s
	fmla v0.4s, v6.4s, v11.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v10.4s
	fmla v0.4s, v6.4s, v12.4s
	ldr q4, [x1, #512]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v11.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v12.4s
	ldr q13, [x2, #1536]
	ldr q14, [x2, #1792]
	ldr q15, [x2, #2048]
	ldr q16, [x2, #2304]
	ldr q17, [x2, #2560]
	ldr q18, [x2, #2816]
	ldr q4, [x1, #3584]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v13.4s
	fmla v0.4s, v6.4s, v15.4s
	fmla v3.4s, v6.4s, v7.4s
	fmla v2.4s, v6.4s, v9.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v14.4s
	fmla v0.4s, v6.4s, v16.4s
	fmla v3.4s, v6.4s, v8.4s
	fmla v2.4s, v6.4s, v10.4s
	ldr q5, [x1, #3840]
	trn1 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v15.4s
	fmla v0.4s, v6.4s, v17.4s
	fmla v3.4s, v6.4s, v9.4s
	fmla v2.4s, v6.4s, v11.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v16.4s
	fmla v0.4s, v6.4s, v18.4s
	fmla v3.4s, v6.4s, v10.4s
	fmla v2.4s, v6.4s, v12.4s
	ldr q4, [x1, #4096]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v17.4s
	fmla v3.4s, v6.4s, v11.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v18.4s
	fmla v3.4s, v6.4s, v12.4s
	ldr q19, [x2, #3072]
	ldr q20, [x2, #3328]
	ldr q21, [x2, #3584]
	ldr q22, [x2, #3840]
	ldr q23, [x2, #4096]
	ldr q24, [x2, #4352]
	ldr q4, [x1, #7168]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v19.4s
	fmla v0.4s, v6.4s, v21.4s
	fmla v3.4s, v6.4s, v13.4s
	fmla v2.4s, v6.4s, v15.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v20.4s
	fmla v0.4s, v6.4s, v22.4s
	fmla v3.4s, v6.4s, v14.4s
	fmla v2.4s, v6.4s, v16.4s
	ldr q5, [x1, #7424]
	trn1 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v21.4s
	fmla v0.4s, v6.4s, v23.4s
	fmla v3.4s, v6.4s, v15.4s
	fmla v2.4s, v6.4s, v17.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v22.4s
	fmla v0.4s, v6.4s, v24.4s
	fmla v3.4s, v6.4s, v16.4s
	fmla v2.4s, v6.4s, v18.4s
	ldr q4, [x1, #7680]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v23.4s
	fmla v3.4s, v6.4s, v17.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v24.4s
	fmla v3.4s, v6.4s, v18.4s
	ldr q4, [x1, #10752]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v19.4s
	fmla v2.4s, v6.4s, v21.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v20.4s
	fmla v2.4s, v6.4s, v22.4s
	ldr q5, [x1, #11008]
	trn1 v6.4s, v5.4s, v5.4s
	fmla v3.4s, v6.4s, v21.4s
	fmla v2.4s, v6.4s, v23.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v3.4s, v6.4s, v22.4s
	fmla v2.4s, v6.4s, v24.4s
	ldr q4, [x1, #11264]
	trn1 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v23.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v24.4s
	movz x7, #0
	dup v4.4s, w7
	fmax v0.4s, v0.4s, v4.4s
	str q0, [x0, #0]
	fmax v1.4s, v1.4s, v4.4s
	str q1, [x0, #256]
	fmax v2.4s, v2.4s, v4.4s
	str q2, [x0, #3584]
	fmax v3.4s, v3.4s, v4.4s
	str q3, [x0, #3840]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+neon" }
attributes #1 = { noduplicate }
