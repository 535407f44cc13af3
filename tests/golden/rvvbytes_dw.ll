define i32 @u8_u8_u8_3x4_dw_rvvbytes__n3_a64.896_b4.12_c64_bias_clip00000000.437f0000_w0.3.1.0_s1.3.-64.0.1_s0.3.0.4.1_s0.3.64.8.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 3, e32, m1, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	addi x6, x13, 12
	vle32.v v2, (x6)
	vle32.v v3, (x13)
	vmv.v.v v4, v3
	vsetvli x0, x0, e16, mf2, ta, ma
	beqz x19, 3f
	2:
	vle8.v v1, (x18)
	vzext.vf2 v5, v1
	addi x6, x18, 4
	vle8.v v1, (x6)
	vzext.vf2 v6, v1
	addi x6, x18, 8
	vle8.v v1, (x6)
	vzext.vf2 v7, v1
	vle8.v v1, (x31)
	vzext.vf2 v0, v1
	vwmacc.vv v3, v0, v5
	vwmacc.vv v2, v0, v6
	addi x6, x31, 64
	vle8.v v1, (x6)
	vzext.vf2 v0, v1
	vwmacc.vv v4, v0, v5
	vwmacc.vv v3, v0, v6
	vwmacc.vv v2, v0, v7
	addi x6, x31, 128
	vle8.v v1, (x6)
	vzext.vf2 v0, v1
	vwmacc.vv v4, v0, v6
	vwmacc.vv v3, v0, v7
	addi x6, x31, 192
	vle8.v v1, (x6)
	vzext.vf2 v0, v1
	vwmacc.vv v4, v0, v7
	addi x31, x31, 896
	addi x18, x18, 12
	addi x19, x19, -1
	bnez x19, 2b
	3:
	vsetvli x0, x0, e32, m1, ta, ma
	vle32.v v1, (x14)
	vfcvt.f.x.v v2, v2
	vfmul.vv v2, v2, v1
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v2, f0
	vfmerge.vfm v2, v2, f0, v0
	li x6, 1132396544
	fmv.w.x f1, x6
	vmfgt.vf v0, v2, f1
	vfmerge.vfm v2, v2, f1, v0
	vfcvt.x.f.v v2, v2
	vfcvt.f.x.v v3, v3
	vfmul.vv v3, v3, v1
	vmflt.vf v0, v3, f0
	vfmerge.vfm v3, v3, f0, v0
	vmfgt.vf v0, v3, f1
	vfmerge.vfm v3, v3, f1, v0
	vfcvt.x.f.v v3, v3
	vfcvt.f.x.v v4, v4
	vfmul.vv v4, v4, v1
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v4, v4, f1, v0
	vfcvt.x.f.v v4, v4
	vsetvli x0, x0, e16, mf2, ta, ma
	vnsrl.wi v2, v2, 0
	vnsrl.wi v3, v3, 0
	vnsrl.wi v4, v4, 0
	vsetvli x0, x0, e8, mf4, ta, ma
	vnsrl.wi v2, v2, 0
	vnsrl.wi v3, v3, 0
	vnsrl.wi v4, v4, 0
	vse8.v v2, (x10)
	addi x6, x10, 64
	vse8.v v3, (x6)
	addi x6, x10, 128
	vse8.v v4, (x6)
	vsetvli x0, x0, e32, m1, ta, ma", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
