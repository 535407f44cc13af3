define i32 @f16_f16_f16_4x4_dw_neonfhm__n4_a64.896_b64.384_c64_bias_clip00000000.7f800000_g2_l2.896.896.3_s1.2.-64.0.2_s0.2.0.128.2_s0.2.64.256.2(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q4, [x3, #0]
	mov v0.16b, v4.16b
	mov v1.16b, v4.16b
	mov v2.16b, v4.16b
	mov v3.16b, v4.16b
	ldr d7, [x2, #0]
	ldr d8, [x2, #128]
	ldr d9, [x2, #256]
	ldr d10, [x2, #384]
	ldr d11, [x2, #512]
	ldr d12, [x2, #640]
	ldr d4, [x1, #0]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v7.4h
	fmlal v0.4s, v6.4h, v9.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v8.4h
	fmlal v0.4s, v6.4h, v10.4h
	ldr d5, [x1, #128]
	trn1 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v9.4h
	fmlal v0.4s, v6.4h, v11.4h
	trn2 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v10.4h
	fmlal v0.4s, v6.4h, v12.4h
	ldr d4, [x1, #256]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v11.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v12.4h
	ldr d13, [x2, #768]
	ldr d14, [x2, #896]
	ldr d15, [x2, #1024]
	ldr d16, [x2, #1152]
	ldr d17, [x2, #1280]
	ldr d18, [x2, #1408]
	ldr d4, [x1, #1792]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v13.4h
	fmlal v0.4s, v6.4h, v15.4h
	fmlal v3.4s, v6.4h, v7.4h
	fmlal v2.4s, v6.4h, v9.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v14.4h
	fmlal v0.4s, v6.4h, v16.4h
	fmlal v3.4s, v6.4h, v8.4h
	fmlal v2.4s, v6.4h, v10.4h
	ldr d5, [x1, #1920]
	trn1 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v15.4h
	fmlal v0.4s, v6.4h, v17.4h
	fmlal v3.4s, v6.4h, v9.4h
	fmlal v2.4s, v6.4h, v11.4h
	trn2 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v16.4h
	fmlal v0.4s, v6.4h, v18.4h
	fmlal v3.4s, v6.4h, v10.4h
	fmlal v2.4s, v6.4h, v12.4h
	ldr d4, [x1, #2048]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v17.4h
	fmlal v3.4s, v6.4h, v11.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v18.4h
	fmlal v3.4s, v6.4h, v12.4h
	ldr d19, [x2, #1536]
	ldr d20, [x2, #1664]
	ldr d21, [x2, #1792]
	ldr d22, [x2, #1920]
	ldr d23, [x2, #2048]
	ldr d24, [x2, #2176]
	ldr d4, [x1, #3584]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v19.4h
	fmlal v0.4s, v6.4h, v21.4h
	fmlal v3.4s, v6.4h, v13.4h
	fmlal v2.4s, v6.4h, v15.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v20.4h
	fmlal v0.4s, v6.4h, v22.4h
	fmlal v3.4s, v6.4h, v14.4h
	fmlal v2.4s, v6.4h, v16.4h
	ldr d5, [x1, #3712]
	trn1 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v21.4h
	fmlal v0.4s, v6.4h, v23.4h
	fmlal v3.4s, v6.4h, v15.4h
	fmlal v2.4s, v6.4h, v17.4h
	trn2 v6.8h, v5.8h, v5.8h
	fmlal v1.4s, v6.4h, v22.4h
	fmlal v0.4s, v6.4h, v24.4h
	fmlal v3.4s, v6.4h, v16.4h
	fmlal v2.4s, v6.4h, v18.4h
	ldr d4, [x1, #3840]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v23.4h
	fmlal v3.4s, v6.4h, v17.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v1.4s, v6.4h, v24.4h
	fmlal v3.4s, v6.4h, v18.4h
	ldr d4, [x1, #5376]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v3.4s, v6.4h, v19.4h
	fmlal v2.4s, v6.4h, v21.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v3.4s, v6.4h, v20.4h
	fmlal v2.4s, v6.4h, v22.4h
	ldr d5, [x1, #5504]
	trn1 v6.8h, v5.8h, v5.8h
	fmlal v3.4s, v6.4h, v21.4h
	fmlal v2.4s, v6.4h, v23.4h
	trn2 v6.8h, v5.8h, v5.8h
	fmlal v3.4s, v6.4h, v22.4h
	fmlal v2.4s, v6.4h, v24.4h
	ldr d4, [x1, #5632]
	trn1 v6.8h, v4.8h, v4.8h
	fmlal v3.4s, v6.4h, v23.4h
	trn2 v6.8h, v4.8h, v4.8h
	fmlal v3.4s, v6.4h, v24.4h
	movz x7, #0
	dup v4.4s, w7
	fmax v0.4s, v0.4s, v4.4s
	fcvtn v0.4h, v0.4s
	str d0, [x0, #0]
	fmax v1.4s, v1.4s, v4.4s
	fcvtn v1.4h, v1.4s
	str d1, [x0, #128]
	fmax v2.4s, v2.4s, v4.4s
	fcvtn v2.4h, v2.4s
	str d2, [x0, #1792]
	fmax v3.4s, v3.4s, v4.4s
	fcvtn v3.4h, v3.4s
	str d3, [x0, #1920]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+fp16fml,+neon" }
attributes #1 = { noduplicate }
