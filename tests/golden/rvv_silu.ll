define i32 @f32_f32_f32_9x8_row_rvv__n8_a1.1_b8.1_c8_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 8, e32, m2, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	vle32.v v4, (x10)
	addi x6, x10, 32
	vle32.v v6, (x6)
	addi x6, x10, 64
	vle32.v v8, (x6)
	addi x6, x10, 96
	vle32.v v10, (x6)
	addi x6, x10, 128
	vle32.v v12, (x6)
	addi x6, x10, 160
	vle32.v v14, (x6)
	addi x6, x10, 192
	vle32.v v16, (x6)
	addi x6, x10, 224
	vle32.v v18, (x6)
	addi x6, x10, 256
	vle32.v v20, (x6)
	addi x2, x2, -288
	vse32.v v4, (x2)
	addi x6, x2, 32
	vse32.v v6, (x6)
	addi x6, x2, 64
	vse32.v v8, (x6)
	addi x6, x2, 96
	vse32.v v10, (x6)
	addi x6, x2, 128
	vse32.v v12, (x6)
	addi x6, x2, 160
	vse32.v v14, (x6)
	addi x6, x2, 192
	vse32.v v16, (x6)
	addi x6, x2, 224
	vse32.v v18, (x6)
	addi x6, x2, 256
	vse32.v v20, (x6)
	vle32.v v4, (x2)
	addi x6, x2, 32
	vle32.v v6, (x6)
	addi x6, x2, 64
	vle32.v v8, (x6)
	li x6, -1028561306
	fmv.w.x f0, x6
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	li x6, 1118830592
	fmv.w.x f1, x6
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v30, v4, f1, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v24, v6, f1, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v18, v8, f1, v0
	li x6, 1262485631
	fmv.w.x f2, x6
	vfmv.v.f v28, f2
	li x6, -1078416837
	fmv.w.x f3, x6
	vfmacc.vf v28, f3, v30
	vfmv.v.f v22, f2
	vfmacc.vf v22, f3, v24
	vfmv.v.f v16, f2
	vfmacc.vf v16, f3, v18
	li x6, -884998017
	fmv.w.x f4, x6
	vfadd.vf v26, v28, f4
	vfadd.vf v20, v22, f4
	vfadd.vf v14, v16, f4
	vsll.vi v28, v28, 23
	vsll.vi v22, v22, 23
	vsll.vi v16, v16, 23
	li x6, 1060208640
	fmv.w.x f5, x6
	vfmacc.vf v30, f5, v26
	vfmacc.vf v24, f5, v20
	vfmacc.vf v18, f5, v14
	li x6, -1184989053
	fmv.w.x f6, x6
	vfmadd.vf v26, f6, v30
	vfmadd.vf v20, f6, v24
	vfmadd.vf v14, f6, v18
	li x6, -1140255632
	fmv.w.x f7, x6
	vfmv.v.f v30, f7
	li x6, 985003475
	fmv.w.x f10, x6
	vfmacc.vf v30, f10, v26
	vfmv.v.f v24, f7
	vfmacc.vf v24, f10, v20
	vfmv.v.f v18, f7
	vfmacc.vf v18, f10, v14
	li x6, 1026206524
	fmv.w.x f11, x6
	vfmv.v.f v12, f11
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f11
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f11
	vfmadd.vv v18, v14, v12
	li x6, -1104500137
	fmv.w.x f12, x6
	vfmv.v.f v12, f12
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f12
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f12
	vfmadd.vv v18, v14, v12
	li x6, 1056964607
	fmv.w.x f13, x6
	vfmv.v.f v12, f13
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f13
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f13
	vfmadd.vv v18, v14, v12
	li x6, -1082130432
	fmv.w.x f14, x6
	vfmv.v.f v12, f14
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f14
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f14
	vfmadd.vv v18, v14, v12
	li x6, 1065353216
	fmv.w.x f15, x6
	vfmv.v.f v12, f15
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f15
	vfmadd.vv v30, v28, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v22, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v16, v12
	vfdiv.vv v4, v4, v30
	vfdiv.vv v6, v6, v24
	vfdiv.vv v8, v8, v18
	vle32.v v2, (x14)
	vfadd.vv v4, v4, v2
	addi x6, x14, 32
	vle32.v v2, (x6)
	vfadd.vv v6, v6, v2
	addi x6, x14, 64
	vle32.v v2, (x6)
	vfadd.vv v8, v8, v2
	vse32.v v4, (x10)
	addi x6, x10, 32
	vse32.v v6, (x6)
	addi x6, x10, 64
	vse32.v v8, (x6)
	addi x6, x2, 96
	vle32.v v4, (x6)
	addi x6, x2, 128
	vle32.v v6, (x6)
	addi x6, x2, 160
	vle32.v v8, (x6)
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v30, v4, f1, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v24, v6, f1, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v18, v8, f1, v0
	vfmv.v.f v28, f2
	vfmacc.vf v28, f3, v30
	vfmv.v.f v22, f2
	vfmacc.vf v22, f3, v24
	vfmv.v.f v16, f2
	vfmacc.vf v16, f3, v18
	vfadd.vf v26, v28, f4
	vfadd.vf v20, v22, f4
	vfadd.vf v14, v16, f4
	vsll.vi v28, v28, 23
	vsll.vi v22, v22, 23
	vsll.vi v16, v16, 23
	vfmacc.vf v30, f5, v26
	vfmacc.vf v24, f5, v20
	vfmacc.vf v18, f5, v14
	vfmadd.vf v26, f6, v30
	vfmadd.vf v20, f6, v24
	vfmadd.vf v14, f6, v18
	vfmv.v.f v30, f7
	vfmacc.vf v30, f10, v26
	vfmv.v.f v24, f7
	vfmacc.vf v24, f10, v20
	vfmv.v.f v18, f7
	vfmacc.vf v18, f10, v14
	vfmv.v.f v12, f11
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f11
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f11
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f12
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f12
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f12
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f13
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f13
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f13
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f14
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f14
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f14
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f15
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f15
	vfmadd.vv v30, v28, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v22, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v16, v12
	vfdiv.vv v4, v4, v30
	vfdiv.vv v6, v6, v24
	vfdiv.vv v8, v8, v18
	addi x6, x14, 96
	vle32.v v2, (x6)
	vfadd.vv v4, v4, v2
	addi x6, x14, 128
	vle32.v v2, (x6)
	vfadd.vv v6, v6, v2
	addi x6, x14, 160
	vle32.v v2, (x6)
	vfadd.vv v8, v8, v2
	addi x6, x10, 96
	vse32.v v4, (x6)
	addi x6, x10, 128
	vse32.v v6, (x6)
	addi x6, x10, 160
	vse32.v v8, (x6)
	addi x6, x2, 192
	vle32.v v4, (x6)
	addi x6, x2, 224
	vle32.v v6, (x6)
	addi x6, x2, 256
	vle32.v v8, (x6)
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v30, v4, f1, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v24, v6, f1, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v18, v8, f1, v0
	vfmv.v.f v28, f2
	vfmacc.vf v28, f3, v30
	vfmv.v.f v22, f2
	vfmacc.vf v22, f3, v24
	vfmv.v.f v16, f2
	vfmacc.vf v16, f3, v18
	vfadd.vf v26, v28, f4
	vfadd.vf v20, v22, f4
	vfadd.vf v14, v16, f4
	vsll.vi v28, v28, 23
	vsll.vi v22, v22, 23
	vsll.vi v16, v16, 23
	vfmacc.vf v30, f5, v26
	vfmacc.vf v24, f5, v20
	vfmacc.vf v18, f5, v14
	vfmadd.vf v26, f6, v30
	vfmadd.vf v20, f6, v24
	vfmadd.vf v14, f6, v18
	vfmv.v.f v30, f7
	vfmacc.vf v30, f10, v26
	vfmv.v.f v24, f7
	vfmacc.vf v24, f10, v20
	vfmv.v.f v18, f7
	vfmacc.vf v18, f10, v14
	vfmv.v.f v12, f11
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f11
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f11
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f12
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f12
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f12
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f13
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f13
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f13
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f14
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f14
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f14
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f15
	vfmadd.vv v30, v26, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v20, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v14, v12
	vfmv.v.f v12, f15
	vfmadd.vv v30, v28, v12
	vfmv.v.f v12, f15
	vfmadd.vv v24, v22, v12
	vfmv.v.f v12, f15
	vfmadd.vv v18, v16, v12
	vfdiv.vv v4, v4, v30
	vfdiv.vv v6, v6, v24
	vfdiv.vv v8, v8, v18
	addi x6, x14, 192
	vle32.v v2, (x6)
	vfadd.vv v4, v4, v2
	addi x6, x14, 224
	vle32.v v2, (x6)
	vfadd.vv v6, v6, v2
	addi x6, x14, 256
	vle32.v v2, (x6)
	vfadd.vv v8, v8, v2
	addi x6, x10, 192
	vse32.v v4, (x6)
	addi x6, x10, 224
	vse32.v v6, (x6)
	addi x6, x10, 256
	vse32.v v8, (x6)
	addi x2, x2, 288", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
