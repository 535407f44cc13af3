define i32 @f16_f16_f16_3x8_row_rvvfp16__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 7, e32, m2, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	vle32.v v0, (x13)
	vmv.v.v v4, v0
	vmv.v.v v6, v0
	vmv.v.v v8, v0
	vsetvli x0, x0, e16, m1, ta, ma
	beqz x19, 3f
	2:
	mv x30, x18
	mv x1, x31
	vle16.v v0, (x30)
	addi x30, x30, 16
	flh f0, 0(x1)
	flh f1, 64(x1)
	li x5, 3
	1:
	vfwmacc.vf v6, f0, v0
	flh f2, 2(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f1, v0
	flh f3, 66(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f2, v2
	flh f4, 4(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f3, v2
	flh f5, 68(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f4, v0
	flh f6, 6(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f5, v0
	flh f7, 70(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f6, v2
	flh f10, 8(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f7, v2
	flh f11, 72(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f10, v0
	flh f12, 10(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f11, v0
	flh f13, 74(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f12, v2
	flh f14, 12(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f13, v2
	flh f15, 76(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f14, v0
	flh f16, 14(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f15, v0
	flh f17, 78(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f16, v2
	flh f0, 16(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f17, v2
	flh f1, 80(x1)
	addi x30, x30, 16
	addi x1, x1, 16
	addi x5, x5, -1
	bnez x5, 1b
	vfwmacc.vf v6, f0, v0
	flh f2, 2(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f1, v0
	flh f3, 66(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f2, v2
	flh f4, 4(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f3, v2
	flh f5, 68(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f4, v0
	flh f6, 6(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f5, v0
	flh f7, 70(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f6, v2
	flh f10, 8(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f7, v2
	flh f11, 72(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f10, v0
	flh f12, 10(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f11, v0
	flh f13, 74(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f12, v2
	flh f14, 12(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v8, f13, v2
	flh f15, 76(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f14, v0
	flh f16, 14(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v8, f15, v0
	flh f17, 78(x1)
	addi x30, x30, 16
	vfwmacc.vf v6, f16, v2
	vfwmacc.vf v8, f17, v2
	addi x30, x18, 512
	mv x1, x31
	vle16.v v0, (x30)
	addi x30, x30, 16
	flh f0, 0(x1)
	flh f1, 64(x1)
	flh f2, 128(x1)
	li x5, 7
	1:
	vfwmacc.vf v4, f0, v0
	flh f3, 2(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f1, v0
	flh f4, 66(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f2, v0
	flh f5, 130(x1)
	vfwmacc.vf v4, f3, v2
	flh f6, 4(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f4, v2
	flh f7, 68(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f5, v2
	flh f10, 132(x1)
	vfwmacc.vf v4, f6, v0
	flh f11, 6(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f7, v0
	flh f12, 70(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f10, v0
	flh f13, 134(x1)
	vfwmacc.vf v4, f11, v2
	flh f0, 8(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f12, v2
	flh f1, 72(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f13, v2
	flh f2, 136(x1)
	vfwmacc.vf v4, f0, v0
	flh f3, 10(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f1, v0
	flh f4, 74(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f2, v0
	flh f5, 138(x1)
	vfwmacc.vf v4, f3, v2
	flh f6, 12(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f4, v2
	flh f7, 76(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f5, v2
	flh f10, 140(x1)
	vfwmacc.vf v4, f6, v0
	flh f11, 14(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f7, v0
	flh f12, 78(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f10, v0
	flh f13, 142(x1)
	vfwmacc.vf v4, f11, v2
	flh f0, 16(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f12, v2
	flh f1, 80(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f13, v2
	flh f2, 144(x1)
	addi x1, x1, 16
	addi x5, x5, -1
	bnez x5, 1b
	vfwmacc.vf v4, f0, v0
	flh f3, 2(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f1, v0
	flh f4, 66(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f2, v0
	flh f5, 130(x1)
	vfwmacc.vf v4, f3, v2
	flh f6, 4(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f4, v2
	flh f7, 68(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f5, v2
	flh f10, 132(x1)
	vfwmacc.vf v4, f6, v0
	flh f11, 6(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f7, v0
	flh f12, 70(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f10, v0
	flh f13, 134(x1)
	vfwmacc.vf v4, f11, v2
	flh f0, 8(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f12, v2
	flh f1, 72(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f13, v2
	flh f2, 136(x1)
	vfwmacc.vf v4, f0, v0
	flh f3, 10(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f1, v0
	flh f4, 74(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f2, v0
	flh f5, 138(x1)
	vfwmacc.vf v4, f3, v2
	flh f6, 12(x1)
	vle16.v v0, (x30)
	vfwmacc.vf v6, f4, v2
	flh f7, 76(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f5, v2
	flh f10, 140(x1)
	vfwmacc.vf v4, f6, v0
	flh f11, 14(x1)
	vle16.v v2, (x30)
	vfwmacc.vf v6, f7, v0
	flh f12, 78(x1)
	addi x30, x30, 16
	vfwmacc.vf v8, f10, v0
	flh f13, 142(x1)
	vfwmacc.vf v4, f11, v2
	vfwmacc.vf v6, f12, v2
	vfwmacc.vf v8, f13, v2
	addi x31, x31, 896
	addi x18, x18, 1536
	addi x19, x19, -1
	bnez x19, 2b
	3:
	vsetvli x0, x0, e32, m2, ta, ma
	vle16.v v0, (x14)
	vsetvli x0, x0, e16, m1, ta, ma
	vfwcvt.f.f.v v2, v0
	vsetvli x0, x0, e32, m2, ta, ma
	vfadd.vv v4, v4, v2
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	li x6, 1086324736
	fmv.w.x f1, x6
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v4, v4, f1, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vfncvt.f.f.w v0, v4
	vsetvli x0, x0, e32, m2, ta, ma
	vse16.v v0, (x10)
	addi x6, x14, 14
	vle16.v v0, (x6)
	vsetvli x0, x0, e16, m1, ta, ma
	vfwcvt.f.f.v v2, v0
	vsetvli x0, x0, e32, m2, ta, ma
	vfadd.vv v6, v6, v2
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v6, v6, f1, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vfncvt.f.f.w v0, v6
	vsetvli x0, x0, e32, m2, ta, ma
	addi x6, x10, 14
	vse16.v v0, (x6)
	addi x6, x14, 28
	vle16.v v0, (x6)
	vsetvli x0, x0, e16, m1, ta, ma
	vfwcvt.f.f.v v2, v0
	vsetvli x0, x0, e32, m2, ta, ma
	vfadd.vv v8, v8, v2
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v8, v8, f1, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vfncvt.f.f.w v0, v8
	vsetvli x0, x0, e32, m2, ta, ma
	addi x6, x10, 28
	vse16.v v0, (x6)", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v,+zvfh" }
attributes #1 = { noduplicate }
