define i32 @bf16_bf16_bf16_3x8_row_rvvbf16__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 7, e32, m2, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	vle32.v v0, (x13)
	vmv.v.v v4, v0
	vmv.v.v v6, v0
	vmv.v.v v8, v0
	beqz x19, 3f
	2:
	mv x30, x18
	mv x1, x31
	vle16.v v1, (x30)
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	lhu x6, 0(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	lhu x6, 64(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	li x5, 3
	1:
	vfmacc.vf v6, f0, v0
	lhu x6, 2(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f1, v0
	lhu x6, 66(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f2, v2
	lhu x6, 4(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f3, v2
	lhu x6, 68(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f4, v0
	lhu x6, 6(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f5, v0
	lhu x6, 70(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f6, v2
	lhu x6, 8(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f7, v2
	lhu x6, 72(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f10, v0
	lhu x6, 10(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f11, v0
	lhu x6, 74(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f12, v2
	lhu x6, 12(x1)
	slli x6, x6, 16
	fmv.w.x f14, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f13, v2
	lhu x6, 76(x1)
	slli x6, x6, 16
	fmv.w.x f15, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f14, v0
	lhu x6, 14(x1)
	slli x6, x6, 16
	fmv.w.x f16, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f15, v0
	lhu x6, 78(x1)
	slli x6, x6, 16
	fmv.w.x f17, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f16, v2
	lhu x6, 16(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f17, v2
	lhu x6, 80(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	addi x1, x1, 16
	addi x5, x5, -1
	bnez x5, 1b
	vfmacc.vf v6, f0, v0
	lhu x6, 2(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f1, v0
	lhu x6, 66(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f2, v2
	lhu x6, 4(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f3, v2
	lhu x6, 68(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f4, v0
	lhu x6, 6(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f5, v0
	lhu x6, 70(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f6, v2
	lhu x6, 8(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f7, v2
	lhu x6, 72(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f10, v0
	lhu x6, 10(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f11, v0
	lhu x6, 74(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f12, v2
	lhu x6, 12(x1)
	slli x6, x6, 16
	fmv.w.x f14, x6
	vle16.v v1, (x30)
	vfmacc.vf v8, f13, v2
	lhu x6, 76(x1)
	slli x6, x6, 16
	fmv.w.x f15, x6
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v6, f14, v0
	lhu x6, 14(x1)
	slli x6, x6, 16
	fmv.w.x f16, x6
	vle16.v v3, (x30)
	vfmacc.vf v8, f15, v0
	lhu x6, 78(x1)
	slli x6, x6, 16
	fmv.w.x f17, x6
	addi x30, x30, 16
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v6, f16, v2
	vfmacc.vf v8, f17, v2
	addi x30, x18, 512
	mv x1, x31
	vle16.v v1, (x30)
	addi x30, x30, 16
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	lhu x6, 0(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	lhu x6, 64(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	lhu x6, 128(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	li x5, 7
	1:
	vfmacc.vf v4, f0, v0
	lhu x6, 2(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f1, v0
	lhu x6, 66(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	addi x30, x30, 16
	vfmacc.vf v8, f2, v0
	lhu x6, 130(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f3, v2
	lhu x6, 4(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f4, v2
	lhu x6, 68(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vfmacc.vf v8, f5, v2
	lhu x6, 132(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f6, v0
	lhu x6, 6(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f7, v0
	lhu x6, 70(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	addi x30, x30, 16
	vfmacc.vf v8, f10, v0
	lhu x6, 134(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f11, v2
	lhu x6, 8(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f12, v2
	lhu x6, 72(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	addi x30, x30, 16
	vfmacc.vf v8, f13, v2
	lhu x6, 136(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f0, v0
	lhu x6, 10(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f1, v0
	lhu x6, 74(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	addi x30, x30, 16
	vfmacc.vf v8, f2, v0
	lhu x6, 138(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f3, v2
	lhu x6, 12(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f4, v2
	lhu x6, 76(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vfmacc.vf v8, f5, v2
	lhu x6, 140(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f6, v0
	lhu x6, 14(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f7, v0
	lhu x6, 78(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	addi x30, x30, 16
	vfmacc.vf v8, f10, v0
	lhu x6, 142(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f11, v2
	lhu x6, 16(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f12, v2
	lhu x6, 80(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	addi x30, x30, 16
	vfmacc.vf v8, f13, v2
	lhu x6, 144(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	addi x1, x1, 16
	addi x5, x5, -1
	bnez x5, 1b
	vfmacc.vf v4, f0, v0
	lhu x6, 2(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f1, v0
	lhu x6, 66(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	addi x30, x30, 16
	vfmacc.vf v8, f2, v0
	lhu x6, 130(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f3, v2
	lhu x6, 4(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f4, v2
	lhu x6, 68(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vfmacc.vf v8, f5, v2
	lhu x6, 132(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f6, v0
	lhu x6, 6(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f7, v0
	lhu x6, 70(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	addi x30, x30, 16
	vfmacc.vf v8, f10, v0
	lhu x6, 134(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f11, v2
	lhu x6, 8(x1)
	slli x6, x6, 16
	fmv.w.x f0, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f12, v2
	lhu x6, 72(x1)
	slli x6, x6, 16
	fmv.w.x f1, x6
	addi x30, x30, 16
	vfmacc.vf v8, f13, v2
	lhu x6, 136(x1)
	slli x6, x6, 16
	fmv.w.x f2, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f0, v0
	lhu x6, 10(x1)
	slli x6, x6, 16
	fmv.w.x f3, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f1, v0
	lhu x6, 74(x1)
	slli x6, x6, 16
	fmv.w.x f4, x6
	addi x30, x30, 16
	vfmacc.vf v8, f2, v0
	lhu x6, 138(x1)
	slli x6, x6, 16
	fmv.w.x f5, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f3, v2
	lhu x6, 12(x1)
	slli x6, x6, 16
	fmv.w.x f6, x6
	vle16.v v1, (x30)
	vfmacc.vf v6, f4, v2
	lhu x6, 76(x1)
	slli x6, x6, 16
	fmv.w.x f7, x6
	addi x30, x30, 16
	vfmacc.vf v8, f5, v2
	lhu x6, 140(x1)
	slli x6, x6, 16
	fmv.w.x f10, x6
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vf v4, f6, v0
	lhu x6, 14(x1)
	slli x6, x6, 16
	fmv.w.x f11, x6
	vle16.v v3, (x30)
	vfmacc.vf v6, f7, v0
	lhu x6, 78(x1)
	slli x6, x6, 16
	fmv.w.x f12, x6
	addi x30, x30, 16
	vfmacc.vf v8, f10, v0
	lhu x6, 142(x1)
	slli x6, x6, 16
	fmv.w.x f13, x6
	vzext.vf2 v2, v3
	vsll.vi v2, v2, 16
	vfmacc.vf v4, f11, v2
	vfmacc.vf v6, f12, v2
	vfmacc.vf v8, f13, v2
	addi x31, x31, 896
	addi x18, x18, 1536
	addi x19, x19, -1
	bnez x19, 2b
	3:
	vle16.v v0, (x14)
	vzext.vf2 v2, v0
	vsll.vi v2, v2, 16
	vfadd.vv v4, v4, v2
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	li x6, 1086324736
	fmv.w.x f1, x6
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v4, v4, f1, v0
	vsrl.vi v2, v4, 16
	vand.vi v2, v2, 1
	li x6, 32767
	vadd.vx v2, v2, x6
	vmfne.vv v0, v4, v4
	vadd.vv v2, v2, v4
	li x6, 2143289344
	vmerge.vxm v2, v2, x6, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vnsrl.wi v2, v2, 16
	vsetvli x0, x0, e32, m2, ta, ma
	vse16.v v2, (x10)
	addi x6, x14, 14
	vle16.v v0, (x6)
	vzext.vf2 v2, v0
	vsll.vi v2, v2, 16
	vfadd.vv v6, v6, v2
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v6, v6, f1, v0
	vsrl.vi v2, v6, 16
	vand.vi v2, v2, 1
	li x6, 32767
	vadd.vx v2, v2, x6
	vmfne.vv v0, v6, v6
	vadd.vv v2, v2, v6
	li x6, 2143289344
	vmerge.vxm v2, v2, x6, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vnsrl.wi v2, v2, 16
	vsetvli x0, x0, e32, m2, ta, ma
	addi x6, x10, 14
	vse16.v v2, (x6)
	addi x6, x14, 28
	vle16.v v0, (x6)
	vzext.vf2 v2, v0
	vsll.vi v2, v2, 16
	vfadd.vv v8, v8, v2
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v8, v8, f1, v0
	vsrl.vi v2, v8, 16
	vand.vi v2, v2, 1
	li x6, 32767
	vadd.vx v2, v2, x6
	vmfne.vv v0, v8, v8
	vadd.vv v2, v2, v8
	li x6, 2143289344
	vmerge.vxm v2, v2, x6, v0
	vsetvli x0, x0, e16, m1, ta, ma
	vnsrl.wi v2, v2, 16
	vsetvli x0, x0, e32, m2, ta, ma
	addi x6, x10, 28
	vse16.v v2, (x6)", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
