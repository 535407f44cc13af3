define i32 @bf16_bf16_bf16_4x4_dw_neonbf16__n4_a64.896_b64.384_c64_bias_clip00000000.7f800000_g2_l2.896.896.3_s1.2.-64.0.2_s0.2.0.128.2_s0.2.64.256.2(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q4, [x3, #0]
	mov v0.16b, v4.16b
	mov v1.16b, v4.16b
	mov v2.16b, v4.16b
	mov v3.16b, v4.16b
	ldr d7, [x2, #0]
	shll v7.4s, v7.4h, #16
	ldr d8, [x2, #128]
	shll v8.4s, v8.4h, #16
	ldr d9, [x2, #256]
	shll v9.4s, v9.4h, #16
	ldr d10, [x2, #384]
	shll v10.4s, v10.4h, #16
	ldr d11, [x2, #512]
	shll v11.4s, v11.4h, #16
	ldr d12, [x2, #640]
	shll v12.4s, v12.4h, #16
	ldr d4, [x1, #0]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v7.4s
	fmla v0.4s, v6.4s, v9.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v8.4s
	fmla v0.4s, v6.4s, v10.4s
	ldr d5, [x1, #128]
	shll v5.4s, v5.4h, #16
	trn1 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v9.4s
	fmla v0.4s, v6.4s, v11.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v1.4s, v6.4s, v10.4s
	fmla v0.4s, v6.4s, v12.4s
	ldr d4, [x1, #256]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v11.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v12.4s
	ldr d13, [x2, #768]
	shll v13.4s, v13.4h, #16
	ldr d14, [x2, #896]
	shll v14.4s, v14.4h, #16
	ldr d15, [x2, #1024]
	shll v15.4s, v15.4h, #16
	ldr d16, [x2, #1152]
	shll v16.4s, v16.4h, #16
	ldr d17, [x2, #1280]
	shll v17.4s, v17.4h, #16
	ldr d18, [x2, #1408]
	shll v18.4s, v18.4h, #16
	ldr d4, [x1, #1792]
	shll v4.4s, v4.4h, #16
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
	ldr d5, [x1, #1920]
	shll v5.4s, v5.4h, #16
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
	ldr d4, [x1, #2048]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v17.4s
	fmla v3.4s, v6.4s, v11.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v18.4s
	fmla v3.4s, v6.4s, v12.4s
	ldr d19, [x2, #1536]
	shll v19.4s, v19.4h, #16
	ldr d20, [x2, #1664]
	shll v20.4s, v20.4h, #16
	ldr d21, [x2, #1792]
	shll v21.4s, v21.4h, #16
	ldr d22, [x2, #1920]
	shll v22.4s, v22.4h, #16
	ldr d23, [x2, #2048]
	shll v23.4s, v23.4h, #16
	ldr d24, [x2, #2176]
	shll v24.4s, v24.4h, #16
	ldr d4, [x1, #3584]
	shll v4.4s, v4.4h, #16
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
	ldr d5, [x1, #3712]
	shll v5.4s, v5.4h, #16
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
	ldr d4, [x1, #3840]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v23.4s
	fmla v3.4s, v6.4s, v17.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v1.4s, v6.4s, v24.4s
	fmla v3.4s, v6.4s, v18.4s
	ldr d4, [x1, #5376]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v19.4s
	fmla v2.4s, v6.4s, v21.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v20.4s
	fmla v2.4s, v6.4s, v22.4s
	ldr d5, [x1, #5504]
	shll v5.4s, v5.4h, #16
	trn1 v6.4s, v5.4s, v5.4s
	fmla v3.4s, v6.4s, v21.4s
	fmla v2.4s, v6.4s, v23.4s
	trn2 v6.4s, v5.4s, v5.4s
	fmla v3.4s, v6.4s, v22.4s
	fmla v2.4s, v6.4s, v24.4s
	ldr d4, [x1, #5632]
	shll v4.4s, v4.4h, #16
	trn1 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v23.4s
	trn2 v6.4s, v4.4s, v4.4s
	fmla v3.4s, v6.4s, v24.4s
	movz x7, #0
	dup v4.4s, w7
	fmax v0.4s, v0.4s, v4.4s
	bfcvtn v0.4h, v0.4s
	str d0, [x0, #0]
	fmax v1.4s, v1.4s, v4.4s
	bfcvtn v1.4h, v1.4s
	str d1, [x0, #128]
	fmax v2.4s, v2.4s, v4.4s
	bfcvtn v2.4h, v2.4s
	str d2, [x0, #1792]
	fmax v3.4s, v3.4s, v4.4s
	bfcvtn v3.4h, v3.4s
	str d3, [x0, #1920]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+bf16,+neon" }
attributes #1 = { noduplicate }
