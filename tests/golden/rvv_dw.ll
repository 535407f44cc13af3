define i32 @f32_f32_f32_4x4_dw_rvv__n4_a64.896_b64.192_c64_bias_clip00000000.7f800000_l2.896.896.3_s1.2.-64.0.1_s0.2.0.64.1_s0.2.64.128.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 4, e32, m1, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	vle32.v v0, (x13)
	vmv.v.v v2, v0
	vmv.v.v v3, v0
	vmv.v.v v4, v0
	vmv.v.v v5, v0
	vle32.v v6, (x18)
	addi x6, x18, 256
	vle32.v v7, (x6)
	addi x6, x18, 512
	vle32.v v8, (x6)
	vle32.v v0, (x31)
	vfmacc.vv v3, v0, v6
	vfmacc.vv v2, v0, v7
	addi x6, x31, 256
	vle32.v v1, (x6)
	vfmacc.vv v3, v1, v7
	vfmacc.vv v2, v1, v8
	addi x6, x31, 512
	vle32.v v0, (x6)
	vfmacc.vv v3, v0, v8
	addi x6, x18, 768
	vle32.v v9, (x6)
	addi x6, x18, 1024
	vle32.v v10, (x6)
	addi x6, x18, 1280
	vle32.v v11, (x6)
	li x6, 3584
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v3, v0, v9
	vfmacc.vv v2, v0, v10
	vfmacc.vv v5, v0, v6
	vfmacc.vv v4, v0, v7
	li x6, 3840
	add x6, x31, x6
	vle32.v v1, (x6)
	vfmacc.vv v3, v1, v10
	vfmacc.vv v2, v1, v11
	vfmacc.vv v5, v1, v7
	vfmacc.vv v4, v1, v8
	li x6, 4096
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v3, v0, v11
	vfmacc.vv v5, v0, v8
	addi x6, x18, 1536
	vle32.v v12, (x6)
	addi x6, x18, 1792
	vle32.v v13, (x6)
	li x6, 2048
	add x6, x18, x6
	vle32.v v14, (x6)
	li x6, 7168
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v3, v0, v12
	vfmacc.vv v2, v0, v13
	vfmacc.vv v5, v0, v9
	vfmacc.vv v4, v0, v10
	li x6, 7424
	add x6, x31, x6
	vle32.v v1, (x6)
	vfmacc.vv v3, v1, v13
	vfmacc.vv v2, v1, v14
	vfmacc.vv v5, v1, v10
	vfmacc.vv v4, v1, v11
	li x6, 7680
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v3, v0, v14
	vfmacc.vv v5, v0, v11
	li x6, 10752
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v5, v0, v12
	vfmacc.vv v4, v0, v13
	li x6, 11008
	add x6, x31, x6
	vle32.v v1, (x6)
	vfmacc.vv v5, v1, v13
	vfmacc.vv v4, v1, v14
	li x6, 11264
	add x6, x31, x6
	vle32.v v0, (x6)
	vfmacc.vv v5, v0, v14
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v2, f0
	vfmerge.vfm v2, v2, f0, v0
	vse32.v v2, (x10)
	vmflt.vf v0, v3, f0
	vfmerge.vfm v3, v3, f0, v0
	addi x6, x10, 256
	vse32.v v3, (x6)
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	li x6, 3584
	add x6, x10, x6
	vse32.v v4, (x6)
	vmflt.vf v0, v5, f0
	vfmerge.vfm v5, v5, f0, v0
	li x6, 3840
	add x6, x10, x6
	vse32.v v5, (x6)", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
