define i32 @u8_u8_u8_3x8_row_rvvbytes__n7_a40.560_b8.640_c7_p4_bias_clipc1200000.42c80000_w0.7.1.0_z10_s1.3.0.0.40_s0.3.40.320.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 7, e32, m2, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	addi x6, x13, 28
	vle32.v v4, (x6)
	vle32.v v6, (x13)
	vmv.v.v v8, v6
	vsetvli x0, x0, e16, m1, ta, ma
	beqz x19, 3f
	2:
	mv x30, x18
	addi x1, x31, 40
	vle8.v v1, (x30)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	lbu x25, 0(x1)
	lbu x26, 40(x1)
	li x5, 4
	1:
	vwmacc.vx v6, x25, v0
	lbu x27, 1(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 41(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 2(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 42(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 3(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 43(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 4(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 44(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 5(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 45(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 6(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 46(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 7(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 47(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 8(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 48(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	addi x1, x1, 8
	addi x5, x5, -1
	bnez x5, 1b
	vwmacc.vx v6, x25, v0
	lbu x27, 1(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 41(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 2(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 42(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 3(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 43(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 4(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 44(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 5(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 45(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	lbu x25, 6(x1)
	vle8.v v1, (x30)
	vwmacc.vx v8, x29, v2
	lbu x26, 46(x1)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	vwmacc.vx v6, x25, v0
	lbu x27, 7(x1)
	vle8.v v3, (x30)
	vwmacc.vx v8, x26, v0
	lbu x29, 47(x1)
	addi x30, x30, 8
	vzext.vf2 v2, v3
	vwmacc.vx v6, x27, v2
	vwmacc.vx v8, x29, v2
	addi x30, x18, 320
	addi x1, x31, 40
	vle8.v v1, (x30)
	addi x30, x30, 8
	vzext.vf2 v0, v1
	lbu x25, 0(x1)
	lbu x26, 40(x1)
	lbu x27, 80(x1)
	li x5, 4
	1:
	vwmacc.vx v4, x25, v0
	lbu x29, 1(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x26, v0
	lbu x25, 41(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x27, v0
	lbu x26, 81(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x29, v2
	lbu x27, 2(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x25, v2
	lbu x29, 42(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x26, v2
	lbu x25, 82(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x27, v0
	lbu x26, 3(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x29, v0
	lbu x27, 43(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x25, v0
	lbu x29, 83(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x26, v2
	lbu x25, 4(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x27, v2
	lbu x26, 44(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x29, v2
	lbu x27, 84(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x25, v0
	lbu x29, 5(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x26, v0
	lbu x25, 45(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x27, v0
	lbu x26, 85(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x29, v2
	lbu x27, 6(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x25, v2
	lbu x29, 46(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x26, v2
	lbu x25, 86(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x27, v0
	lbu x26, 7(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x29, v0
	lbu x27, 47(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x25, v0
	lbu x29, 87(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x26, v2
	lbu x25, 8(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x27, v2
	lbu x26, 48(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x29, v2
	lbu x27, 88(x1)
	vzext.vf2 v0, v1
	addi x1, x1, 8
	addi x5, x5, -1
	bnez x5, 1b
	vwmacc.vx v4, x25, v0
	lbu x29, 1(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x26, v0
	lbu x25, 41(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x27, v0
	lbu x26, 81(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x29, v2
	lbu x27, 2(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x25, v2
	lbu x29, 42(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x26, v2
	lbu x25, 82(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x27, v0
	lbu x26, 3(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x29, v0
	lbu x27, 43(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x25, v0
	lbu x29, 83(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x26, v2
	lbu x25, 4(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x27, v2
	lbu x26, 44(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x29, v2
	lbu x27, 84(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x25, v0
	lbu x29, 5(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x26, v0
	lbu x25, 45(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x27, v0
	lbu x26, 85(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x29, v2
	lbu x27, 6(x1)
	vle8.v v1, (x30)
	vwmacc.vx v6, x25, v2
	lbu x29, 46(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x26, v2
	lbu x25, 86(x1)
	vzext.vf2 v0, v1
	vwmacc.vx v4, x27, v0
	lbu x26, 7(x1)
	vle8.v v3, (x30)
	vwmacc.vx v6, x29, v0
	lbu x27, 47(x1)
	addi x30, x30, 8
	vwmacc.vx v8, x25, v0
	lbu x29, 87(x1)
	vzext.vf2 v2, v3
	vwmacc.vx v4, x26, v2
	vwmacc.vx v6, x27, v2
	vwmacc.vx v8, x29, v2
	addi x31, x31, 560
	addi x18, x18, 640
	addi x19, x19, -1
	bnez x19, 2b
	3:
	vsetvli x0, x0, e32, m2, ta, ma
	vle32.v v2, (x14)
	vfcvt.f.x.v v4, v4
	vfmul.vv v4, v4, v2
	li x6, -1054867456
	fmv.w.x f0, x6
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	li x6, 1120403456
	fmv.w.x f1, x6
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v4, v4, f1, v0
	vfcvt.x.f.v v4, v4
	li x6, 10
	vadd.vx v4, v4, x6
	vfcvt.f.x.v v6, v6
	vfmul.vv v6, v6, v2
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v6, v6, f1, v0
	vfcvt.x.f.v v6, v6
	li x6, 10
	vadd.vx v6, v6, x6
	vfcvt.f.x.v v8, v8
	vfmul.vv v8, v8, v2
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v8, v8, f1, v0
	vfcvt.x.f.v v8, v8
	li x6, 10
	vadd.vx v8, v8, x6
	vsetvli x0, x0, e16, m1, ta, ma
	vnsrl.wi v4, v4, 0
	vnsrl.wi v6, v6, 0
	vnsrl.wi v8, v8, 0
	vsetvli x0, x0, e8, mf2, ta, ma
	vnsrl.wi v4, v4, 0
	vnsrl.wi v6, v6, 0
	vnsrl.wi v8, v8, 0
	vse8.v v4, (x10)
	addi x6, x10, 7
	vse8.v v6, (x6)
	addi x6, x10, 14
	vse8.v v8, (x6)
	vsetvli x0, x0, e32, m2, ta, ma", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
