define i32 @bf16_bf16_bf16_4x4_dw_rvvbf16__n4_a64.896_b64.192_c64_bias_clip00000000.7f800000_l2.896.896.3_s1.2.-64.0.1_s0.2.0.64.1_s0.2.64.128.1(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "vsetivli x0, 4, e32, m1, ta, ma
	mv x31, x11
	mv x18, x12
	mv x19, x15
	vle32.v v0, (x13)
	vmv.v.v v2, v0
	vmv.v.v v3, v0
	vmv.v.v v4, v0
	vmv.v.v v5, v0
	vle16.v v1, (x18)
	vzext.vf2 v6, v1
	vsll.vi v6, v6, 16
	addi x6, x18, 128
	vle16.v v1, (x6)
	vzext.vf2 v7, v1
	vsll.vi v7, v7, 16
	addi x6, x18, 256
	vle16.v v1, (x6)
	vzext.vf2 v8, v1
	vsll.vi v8, v8, 16
	vle16.v v1, (x31)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v6
	vfmacc.vv v2, v0, v7
	addi x6, x31, 128
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v7
	vfmacc.vv v2, v0, v8
	addi x6, x31, 256
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v8
	addi x6, x18, 384
	vle16.v v1, (x6)
	vzext.vf2 v9, v1
	vsll.vi v9, v9, 16
	addi x6, x18, 512
	vle16.v v1, (x6)
	vzext.vf2 v10, v1
	vsll.vi v10, v10, 16
	addi x6, x18, 640
	vle16.v v1, (x6)
	vzext.vf2 v11, v1
	vsll.vi v11, v11, 16
	addi x6, x31, 1792
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v9
	vfmacc.vv v2, v0, v10
	vfmacc.vv v5, v0, v6
	vfmacc.vv v4, v0, v7
	addi x6, x31, 1920
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v10
	vfmacc.vv v2, v0, v11
	vfmacc.vv v5, v0, v7
	vfmacc.vv v4, v0, v8
	li x6, 2048
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v11
	vfmacc.vv v5, v0, v8
	addi x6, x18, 768
	vle16.v v1, (x6)
	vzext.vf2 v12, v1
	vsll.vi v12, v12, 16
	addi x6, x18, 896
	vle16.v v1, (x6)
	vzext.vf2 v13, v1
	vsll.vi v13, v13, 16
	addi x6, x18, 1024
	vle16.v v1, (x6)
	vzext.vf2 v14, v1
	vsll.vi v14, v14, 16
	li x6, 3584
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v12
	vfmacc.vv v2, v0, v13
	vfmacc.vv v5, v0, v9
	vfmacc.vv v4, v0, v10
	li x6, 3712
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v13
	vfmacc.vv v2, v0, v14
	vfmacc.vv v5, v0, v10
	vfmacc.vv v4, v0, v11
	li x6, 3840
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v3, v0, v14
	vfmacc.vv v5, v0, v11
	li x6, 5376
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v5, v0, v12
	vfmacc.vv v4, v0, v13
	li x6, 5504
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v5, v0, v13
	vfmacc.vv v4, v0, v14
	li x6, 5632
	add x6, x31, x6
	vle16.v v1, (x6)
	vzext.vf2 v0, v1
	vsll.vi v0, v0, 16
	vfmacc.vv v5, v0, v14
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v2, f0
	vfmerge.vfm v2, v2, f0, v0
	vsrl.vi v1, v2, 16
	vand.vi v1, v1, 1
	li x6, 32767
	vadd.vx v1, v1, x6
	vmfne.vv v0, v2, v2
	vadd.vv v1, v1, v2
	li x6, 2143289344
	vmerge.vxm v1, v1, x6, v0
	vsetvli x0, x0, e16, mf2, ta, ma
	vnsrl.wi v1, v1, 16
	vsetvli x0, x0, e32, m1, ta, ma
	vse16.v v1, (x10)
	vmflt.vf v0, v3, f0
	vfmerge.vfm v3, v3, f0, v0
	vsrl.vi v1, v3, 16
	vand.vi v1, v1, 1
	li x6, 32767
	vadd.vx v1, v1, x6
	vmfne.vv v0, v3, v3
	vadd.vv v1, v1, v3
	li x6, 2143289344
	vmerge.vxm v1, v1, x6, v0
	vsetvli x0, x0, e16, mf2, ta, ma
	vnsrl.wi v1, v1, 16
	vsetvli x0, x0, e32, m1, ta, ma
	addi x6, x10, 128
	vse16.v v1, (x6)
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	vsrl.vi v1, v4, 16
	vand.vi v1, v1, 1
	li x6, 32767
	vadd.vx v1, v1, x6
	vmfne.vv v0, v4, v4
	vadd.vv v1, v1, v4
	li x6, 2143289344
	vmerge.vxm v1, v1, x6, v0
	vsetvli x0, x0, e16, mf2, ta, ma
	vnsrl.wi v1, v1, 16
	vsetvli x0, x0, e32, m1, ta, ma
	addi x6, x10, 1792
	vse16.v v1, (x6)
	vmflt.vf v0, v5, f0
	vfmerge.vfm v5, v5, f0, v0
	vsrl.vi v1, v5, 16
	vand.vi v1, v1, 1
	li x6, 32767
	vadd.vx v1, v1, x6
	vmfne.vv v0, v5, v5
	vadd.vv v1, v1, v5
	li x6, 2143289344
	vmerge.vxm v1, v1, x6, v0
	vsetvli x0, x0, e16, mf2, ta, ma
	vnsrl.wi v1, v1, 16
	vsetvli x0, x0, e32, m1, ta, ma
	addi x6, x10, 1920
	vse16.v v1, (x6)", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
