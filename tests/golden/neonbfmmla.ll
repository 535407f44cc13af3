define i32 @bf16_bf16_bf16_3x8_panel_neonbfmmla__n7_a4.448.3_b32.768_c7_p4_bias_residual_clip00000000.40c00000_s0.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "ldr q8, [x3, #0]
	mov v0.16b, v8.16b
	mov v1.16b, v8.16b
	mov v4.16b, v8.16b
	ldr d8, [x3, #16]
	add x7, x3, #24
	ld1 {v8.s}[2], [x7]
	mov v2.16b, v8.16b
	mov v3.16b, v8.16b
	mov v6.16b, v8.16b
	zip1 v8.2d, v0.2d, v1.2d
	zip2 v1.2d, v0.2d, v1.2d
	mov v0.16b, v8.16b
	zip1 v8.2d, v2.2d, v3.2d
	zip2 v3.2d, v2.2d, v3.2d
	mov v2.16b, v8.16b
	zip1 v8.2d, v4.2d, v5.2d
	zip2 v5.2d, v4.2d, v5.2d
	mov v4.16b, v8.16b
	zip1 v8.2d, v6.2d, v7.2d
	zip2 v7.2d, v6.2d, v7.2d
	mov v6.16b, v8.16b
	cbz x5, 3f
	2:
	mov x11, x2
	sub x14, x1, #64
	ldr q10, [x11, #0]
	ldr q11, [x11, #16]
	ldr q12, [x11, #32]
	ldr q13, [x11, #48]
	ldr q14, [x11, #64]
	ldr q15, [x11, #80]
	ldr q16, [x11, #96]
	ldr q17, [x11, #112]
	ldr q18, [x11, #128]
	ldr q19, [x11, #144]
	ldr q20, [x11, #160]
	ldr q21, [x11, #176]
	ldr q22, [x11, #192]
	ldr q23, [x11, #208]
	ldr q24, [x11, #224]
	ldr q8, [x14, #0]
	ldr d9, [x14, #16]
	ldr q25, [x11, #240]
	bfmmla v0.4s, v8.8h, v10.8h
	bfmmla v4.4s, v9.8h, v10.8h
	ldr q10, [x11, #256]
	bfmmla v1.4s, v8.8h, v11.8h
	bfmmla v5.4s, v9.8h, v11.8h
	ldr q11, [x11, #272]
	bfmmla v2.4s, v8.8h, v12.8h
	bfmmla v6.4s, v9.8h, v12.8h
	ldr q12, [x11, #288]
	bfmmla v3.4s, v8.8h, v13.8h
	bfmmla v7.4s, v9.8h, v13.8h
	ldr q8, [x14, #24]
	ldr d9, [x14, #40]
	ldr q13, [x11, #304]
	bfmmla v0.4s, v8.8h, v14.8h
	bfmmla v4.4s, v9.8h, v14.8h
	ldr q14, [x11, #320]
	bfmmla v1.4s, v8.8h, v15.8h
	bfmmla v5.4s, v9.8h, v15.8h
	ldr q15, [x11, #336]
	bfmmla v2.4s, v8.8h, v16.8h
	bfmmla v6.4s, v9.8h, v16.8h
	ldr q16, [x11, #352]
	bfmmla v3.4s, v8.8h, v17.8h
	bfmmla v7.4s, v9.8h, v17.8h
	ldr q8, [x14, #48]
	ldr d9, [x14, #64]
	ldr q17, [x11, #368]
	bfmmla v0.4s, v8.8h, v18.8h
	bfmmla v4.4s, v9.8h, v18.8h
	ldr q18, [x11, #384]
	bfmmla v1.4s, v8.8h, v19.8h
	bfmmla v5.4s, v9.8h, v19.8h
	ldr q19, [x11, #400]
	bfmmla v2.4s, v8.8h, v20.8h
	bfmmla v6.4s, v9.8h, v20.8h
	ldr q20, [x11, #416]
	bfmmla v3.4s, v8.8h, v21.8h
	bfmmla v7.4s, v9.8h, v21.8h
	ldr q8, [x14, #72]
	ldr d9, [x14, #88]
	ldr q21, [x11, #432]
	bfmmla v0.4s, v8.8h, v22.8h
	bfmmla v4.4s, v9.8h, v22.8h
	ldr q22, [x11, #448]
	bfmmla v1.4s, v8.8h, v23.8h
	bfmmla v5.4s, v9.8h, v23.8h
	ldr q23, [x11, #464]
	bfmmla v2.4s, v8.8h, v24.8h
	bfmmla v6.4s, v9.8h, v24.8h
	ldr q24, [x11, #480]
	bfmmla v3.4s, v8.8h, v25.8h
	bfmmla v7.4s, v9.8h, v25.8h
	ldr q8, [x14, #96]
	ldr d9, [x14, #112]
	ldr q25, [x11, #496]
	bfmmla v0.4s, v8.8h, v10.8h
	bfmmla v4.4s, v9.8h, v10.8h
	bfmmla v1.4s, v8.8h, v11.8h
	bfmmla v5.4s, v9.8h, v11.8h
	bfmmla v2.4s, v8.8h, v12.8h
	bfmmla v6.4s, v9.8h, v12.8h
	bfmmla v3.4s, v8.8h, v13.8h
	bfmmla v7.4s, v9.8h, v13.8h
	ldr q8, [x14, #120]
	ldr d9, [x14, #136]
	bfmmla v0.4s, v8.8h, v14.8h
	bfmmla v4.4s, v9.8h, v14.8h
	bfmmla v1.4s, v8.8h, v15.8h
	bfmmla v5.4s, v9.8h, v15.8h
	bfmmla v2.4s, v8.8h, v16.8h
	bfmmla v6.4s, v9.8h, v16.8h
	bfmmla v3.4s, v8.8h, v17.8h
	bfmmla v7.4s, v9.8h, v17.8h
	ldr q8, [x14, #144]
	ldr d9, [x14, #160]
	bfmmla v0.4s, v8.8h, v18.8h
	bfmmla v4.4s, v9.8h, v18.8h
	bfmmla v1.4s, v8.8h, v19.8h
	bfmmla v5.4s, v9.8h, v19.8h
	bfmmla v2.4s, v8.8h, v20.8h
	bfmmla v6.4s, v9.8h, v20.8h
	bfmmla v3.4s, v8.8h, v21.8h
	bfmmla v7.4s, v9.8h, v21.8h
	ldr q8, [x14, #168]
	ldr d9, [x14, #184]
	bfmmla v0.4s, v8.8h, v22.8h
	bfmmla v4.4s, v9.8h, v22.8h
	bfmmla v1.4s, v8.8h, v23.8h
	bfmmla v5.4s, v9.8h, v23.8h
	bfmmla v2.4s, v8.8h, v24.8h
	bfmmla v6.4s, v9.8h, v24.8h
	bfmmla v3.4s, v8.8h, v25.8h
	bfmmla v7.4s, v9.8h, v25.8h
	add x11, x2, #512
	mov x14, x1
	ldr q10, [x11, #0]
	ldr q11, [x11, #16]
	ldr q12, [x11, #32]
	ldr q13, [x11, #48]
	ldr q14, [x11, #64]
	ldr q15, [x11, #80]
	ldr q16, [x11, #96]
	ldr q17, [x11, #112]
	ldr q18, [x11, #128]
	ldr q19, [x11, #144]
	ldr q20, [x11, #160]
	ldr q21, [x11, #176]
	ldr q22, [x11, #192]
	ldr q23, [x11, #208]
	ldr q24, [x11, #224]
	movz x6, #3
	1:
	ldr q8, [x14, #0]
	ldr d9, [x14, #16]
	ldr q25, [x11, #240]
	bfmmla v0.4s, v8.8h, v10.8h
	bfmmla v4.4s, v9.8h, v10.8h
	ldr q10, [x11, #256]
	bfmmla v1.4s, v8.8h, v11.8h
	bfmmla v5.4s, v9.8h, v11.8h
	ldr q11, [x11, #272]
	bfmmla v2.4s, v8.8h, v12.8h
	bfmmla v6.4s, v9.8h, v12.8h
	ldr q12, [x11, #288]
	bfmmla v3.4s, v8.8h, v13.8h
	bfmmla v7.4s, v9.8h, v13.8h
	ldr q8, [x14, #24]
	ldr d9, [x14, #40]
	ldr q13, [x11, #304]
	bfmmla v0.4s, v8.8h, v14.8h
	bfmmla v4.4s, v9.8h, v14.8h
	ldr q14, [x11, #320]
	bfmmla v1.4s, v8.8h, v15.8h
	bfmmla v5.4s, v9.8h, v15.8h
	ldr q15, [x11, #336]
	bfmmla v2.4s, v8.8h, v16.8h
	bfmmla v6.4s, v9.8h, v16.8h
	ldr q16, [x11, #352]
	bfmmla v3.4s, v8.8h, v17.8h
	bfmmla v7.4s, v9.8h, v17.8h
	ldr q8, [x14, #48]
	ldr d9, [x14, #64]
	ldr q17, [x11, #368]
	bfmmla v0.4s, v8.8h, v18.8h
	bfmmla v4.4s, v9.8h, v18.8h
	ldr q18, [x11, #384]
	bfmmla v1.4s, v8.8h, v19.8h
	bfmmla v5.4s, v9.8h, v19.8h
	ldr q19, [x11, #400]
	bfmmla v2.4s, v8.8h, v20.8h
	bfmmla v6.4s, v9.8h, v20.8h
	ldr q20, [x11, #416]
	bfmmla v3.4s, v8.8h, v21.8h
	bfmmla v7.4s, v9.8h, v21.8h
	ldr q8, [x14, #72]
	ldr d9, [x14, #88]
	ldr q21, [x11, #432]
	bfmmla v0.4s, v8.8h, v22.8h
	bfmmla v4.4s, v9.8h, v22.8h
	ldr q22, [x11, #448]
	bfmmla v1.4s, v8.8h, v23.8h
	bfmmla v5.4s, v9.8h, v23.8h
	ldr q23, [x11, #464]
	bfmmla v2.4s, v8.8h, v24.8h
	bfmmla v6.4s, v9.8h, v24.8h
	ldr q24, [x11, #480]
	bfmmla v3.4s, v8.8h, v25.8h
	bfmmla v7.4s, v9.8h, v25.8h
	add x11, x11, #256
	add x14, x14, #96
	subs x6, x6, #1
	b.ne 1b
	ldr q8, [x14, #0]
	ldr d9, [x14, #16]
	ldr q25, [x11, #240]
	bfmmla v0.4s, v8.8h, v10.8h
	bfmmla v4.4s, v9.8h, v10.8h
	bfmmla v1.4s, v8.8h, v11.8h
	bfmmla v5.4s, v9.8h, v11.8h
	bfmmla v2.4s, v8.8h, v12.8h
	bfmmla v6.4s, v9.8h, v12.8h
	bfmmla v3.4s, v8.8h, v13.8h
	bfmmla v7.4s, v9.8h, v13.8h
	ldr q8, [x14, #24]
	ldr d9, [x14, #40]
	bfmmla v0.4s, v8.8h, v14.8h
	bfmmla v4.4s, v9.8h, v14.8h
	bfmmla v1.4s, v8.8h, v15.8h
	bfmmla v5.4s, v9.8h, v15.8h
	bfmmla v2.4s, v8.8h, v16.8h
	bfmmla v6.4s, v9.8h, v16.8h
	bfmmla v3.4s, v8.8h, v17.8h
	bfmmla v7.4s, v9.8h, v17.8h
	ldr q8, [x14, #48]
	ldr d9, [x14, #64]
	bfmmla v0.4s, v8.8h, v18.8h
	bfmmla v4.4s, v9.8h, v18.8h
	bfmmla v1.4s, v8.8h, v19.8h
	bfmmla v5.4s, v9.8h, v19.8h
	bfmmla v2.4s, v8.8h, v20.8h
	bfmmla v6.4s, v9.8h, v20.8h
	bfmmla v3.4s, v8.8h, v21.8h
	bfmmla v7.4s, v9.8h, v21.8h
	ldr q8, [x14, #72]
	ldr d9, [x14, #88]
	bfmmla v0.4s, v8.8h, v22.8h
	bfmmla v4.4s, v9.8h, v22.8h
	bfmmla v1.4s, v8.8h, v23.8h
	bfmmla v5.4s, v9.8h, v23.8h
	bfmmla v2.4s, v8.8h, v24.8h
	bfmmla v6.4s, v9.8h, v24.8h
	bfmmla v3.4s, v8.8h, v25.8h
	bfmmla v7.4s, v9.8h, v25.8h
	add x1, x1, #896
	add x2, x2, #1536
	subs x5, x5, #1
	b.ne 2b
	3:
	zip1 v8.2d, v0.2d, v1.2d
	zip2 v1.2d, v0.2d, v1.2d
	mov v0.16b, v8.16b
	zip1 v8.2d, v2.2d, v3.2d
	zip2 v3.2d, v2.2d, v3.2d
	mov v2.16b, v8.16b
	zip1 v8.2d, v4.2d, v5.2d
	zip2 v5.2d, v4.2d, v5.2d
	mov v4.16b, v8.16b
	zip1 v8.2d, v6.2d, v7.2d
	zip2 v7.2d, v6.2d, v7.2d
	mov v6.16b, v8.16b
	movz x7, #0
	dup v8.4s, w7
	movz x7, #0
	movk x7, #16576, lsl #16
	dup v9.4s, w7
	ldr d10, [x4, #0]
	shll v10.4s, v10.4h, #16
	fadd v0.4s, v0.4s, v10.4s
	fmax v0.4s, v0.4s, v8.4s
	fmin v0.4s, v0.4s, v9.4s
	bfcvtn v0.4h, v0.4s
	str d0, [x0, #0]
	ldr s10, [x4, #8]
	add x7, x4, #12
	ld1 {v10.h}[2], [x7]
	shll v10.4s, v10.4h, #16
	fadd v2.4s, v2.4s, v10.4s
	fmax v2.4s, v2.4s, v8.4s
	fmin v2.4s, v2.4s, v9.4s
	bfcvtn v2.4h, v2.4s
	str s2, [x0, #8]
	add x7, x0, #12
	st1 {v2.h}[2], [x7]
	ldr d10, [x4, #14]
	shll v10.4s, v10.4h, #16
	fadd v1.4s, v1.4s, v10.4s
	fmax v1.4s, v1.4s, v8.4s
	fmin v1.4s, v1.4s, v9.4s
	bfcvtn v1.4h, v1.4s
	str d1, [x0, #14]
	ldr s10, [x4, #22]
	add x7, x4, #26
	ld1 {v10.h}[2], [x7]
	shll v10.4s, v10.4h, #16
	fadd v3.4s, v3.4s, v10.4s
	fmax v3.4s, v3.4s, v8.4s
	fmin v3.4s, v3.4s, v9.4s
	bfcvtn v3.4h, v3.4s
	str s3, [x0, #22]
	add x7, x0, #26
	st1 {v3.h}[2], [x7]
	ldr d10, [x4, #28]
	shll v10.4s, v10.4h, #16
	fadd v4.4s, v4.4s, v10.4s
	fmax v4.4s, v4.4s, v8.4s
	fmin v4.4s, v4.4s, v9.4s
	bfcvtn v4.4h, v4.4s
	str d4, [x0, #28]
	ldr s10, [x4, #36]
	add x7, x4, #40
	ld1 {v10.h}[2], [x7]
	shll v10.4s, v10.4h, #16
	fadd v6.4s, v6.4s, v10.4s
	fmax v6.4s, v6.4s, v8.4s
	fmin v6.4s, v6.4s, v9.4s
	bfcvtn v6.4h, v6.4s
	str s6, [x0, #36]
	add x7, x0, #40
	st1 {v6.h}[2], [x7]", "={x0},={x1},={x2},={x3},={x4},={x5},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{x19},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{x28},~{memory},~{cc}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+bf16,+neon" }
attributes #1 = { noduplicate }
