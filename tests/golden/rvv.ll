define i32 @f32_f32_f32_3x8_row_rvv__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
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
	vle32.v v0, (x30)
	addi x30, x30, 32
	flw f0, 0(x1)
	flw f1, 128(x1)
	li x5, 3
	1:
	vfmacc.vf v6, f0, v0
	flw f2, 4(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f1, v0
	flw f3, 132(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f2, v2
	flw f4, 8(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f3, v2
	flw f5, 136(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f4, v0
	flw f6, 12(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f5, v0
	flw f7, 140(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f6, v2
	flw f10, 16(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f7, v2
	flw f11, 144(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f10, v0
	flw f12, 20(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f11, v0
	flw f13, 148(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f12, v2
	flw f14, 24(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f13, v2
	flw f15, 152(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f14, v0
	flw f16, 28(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f15, v0
	flw f17, 156(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f16, v2
	flw f0, 32(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f17, v2
	flw f1, 160(x1)
	addi x30, x30, 32
	addi x1, x1, 32
	addi x5, x5, -1
	bnez x5, 1b
	vfmacc.vf v6, f0, v0
	flw f2, 4(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f1, v0
	flw f3, 132(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f2, v2
	flw f4, 8(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f3, v2
	flw f5, 136(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f4, v0
	flw f6, 12(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f5, v0
	flw f7, 140(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f6, v2
	flw f10, 16(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f7, v2
	flw f11, 144(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f10, v0
	flw f12, 20(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f11, v0
	flw f13, 148(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f12, v2
	flw f14, 24(x1)
	vle32.v v0, (x30)
	vfmacc.vf v8, f13, v2
	flw f15, 152(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f14, v0
	flw f16, 28(x1)
	vle32.v v2, (x30)
	vfmacc.vf v8, f15, v0
	flw f17, 156(x1)
	addi x30, x30, 32
	vfmacc.vf v6, f16, v2
	vfmacc.vf v8, f17, v2
	addi x30, x18, 1024
	mv x1, x31
	vle32.v v0, (x30)
	addi x30, x30, 32
	flw f0, 0(x1)
	flw f1, 128(x1)
	flw f2, 256(x1)
	li x5, 7
	1:
	vfmacc.vf v4, f0, v0
	flw f3, 4(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f1, v0
	flw f4, 132(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f2, v0
	flw f5, 260(x1)
	vfmacc.vf v4, f3, v2
	flw f6, 8(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f4, v2
	flw f7, 136(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f5, v2
	flw f10, 264(x1)
	vfmacc.vf v4, f6, v0
	flw f11, 12(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f7, v0
	flw f12, 140(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f10, v0
	flw f13, 268(x1)
	vfmacc.vf v4, f11, v2
	flw f0, 16(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f12, v2
	flw f1, 144(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f13, v2
	flw f2, 272(x1)
	vfmacc.vf v4, f0, v0
	flw f3, 20(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f1, v0
	flw f4, 148(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f2, v0
	flw f5, 276(x1)
	vfmacc.vf v4, f3, v2
	flw f6, 24(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f4, v2
	flw f7, 152(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f5, v2
	flw f10, 280(x1)
	vfmacc.vf v4, f6, v0
	flw f11, 28(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f7, v0
	flw f12, 156(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f10, v0
	flw f13, 284(x1)
	vfmacc.vf v4, f11, v2
	flw f0, 32(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f12, v2
	flw f1, 160(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f13, v2
	flw f2, 288(x1)
	addi x1, x1, 32
	addi x5, x5, -1
	bnez x5, 1b
	vfmacc.vf v4, f0, v0
	flw f3, 4(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f1, v0
	flw f4, 132(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f2, v0
	flw f5, 260(x1)
	vfmacc.vf v4, f3, v2
	flw f6, 8(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f4, v2
	flw f7, 136(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f5, v2
	flw f10, 264(x1)
	vfmacc.vf v4, f6, v0
	flw f11, 12(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f7, v0
	flw f12, 140(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f10, v0
	flw f13, 268(x1)
	vfmacc.vf v4, f11, v2
	flw f0, 16(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f12, v2
	flw f1, 144(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f13, v2
	flw f2, 272(x1)
	vfmacc.vf v4, f0, v0
	flw f3, 20(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f1, v0
	flw f4, 148(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f2, v0
	flw f5, 276(x1)
	vfmacc.vf v4, f3, v2
	flw f6, 24(x1)
	vle32.v v0, (x30)
	vfmacc.vf v6, f4, v2
	flw f7, 152(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f5, v2
	flw f10, 280(x1)
	vfmacc.vf v4, f6, v0
	flw f11, 28(x1)
	vle32.v v2, (x30)
	vfmacc.vf v6, f7, v0
	flw f12, 156(x1)
	addi x30, x30, 32
	vfmacc.vf v8, f10, v0
	flw f13, 284(x1)
	vfmacc.vf v4, f11, v2
	vfmacc.vf v6, f12, v2
	vfmacc.vf v8, f13, v2
	addi x31, x31, 1792
	li x6, 3072
	add x18, x18, x6
	addi x19, x19, -1
	bnez x19, 2b
	3:
	vle32.v v2, (x14)
	vfadd.vv v4, v4, v2
	li x6, 0
	fmv.w.x f0, x6
	vmflt.vf v0, v4, f0
	vfmerge.vfm v4, v4, f0, v0
	li x6, 1086324736
	fmv.w.x f1, x6
	vmfgt.vf v0, v4, f1
	vfmerge.vfm v4, v4, f1, v0
	vse32.v v4, (x10)
	addi x6, x14, 28
	vle32.v v2, (x6)
	vfadd.vv v6, v6, v2
	vmflt.vf v0, v6, f0
	vfmerge.vfm v6, v6, f0, v0
	vmfgt.vf v0, v6, f1
	vfmerge.vfm v6, v6, f1, v0
	addi x6, x10, 28
	vse32.v v6, (x6)
	addi x6, x14, 56
	vle32.v v2, (x6)
	vfadd.vv v8, v8, v2
	vmflt.vf v0, v8, f0
	vfmerge.vfm v8, v8, f0, v0
	vmfgt.vf v0, v8, f1
	vfmerge.vfm v8, v8, f1, v0
	addi x6, x10, 56
	vse32.v v8, (x6)", "={x10},={x11},={x12},={x13},={x14},={x15},0,1,2,3,4,5,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6},~{v7},~{v8},~{v9},~{v10},~{v11},~{v12},~{v13},~{v14},~{v15},~{v16},~{v17},~{v18},~{v19},~{v20},~{v21},~{v22},~{v23},~{v24},~{v25},~{v26},~{v27},~{v28},~{v29},~{v30},~{v31},~{f0},~{f1},~{f2},~{f3},~{f4},~{f5},~{f6},~{f7},~{f10},~{f11},~{f12},~{f13},~{f14},~{f15},~{f16},~{f17},~{f28},~{f29},~{f30},~{f31},~{x5},~{x6},~{x7},~{x28},~{x29},~{x30},~{x31},~{x18},~{x19},~{x17},~{x16},~{x1},~{x20},~{x21},~{x22},~{x23},~{x24},~{x25},~{x26},~{x27},~{memory},~{vl},~{vtype}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+v" }
attributes #1 = { noduplicate }
