define i32 @f32_f32_f32_3x8_row_portable__n7_a32.448_b8.768_c7_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) alwaysinline {
entry:
  %acc.0.0 = alloca <4 x float>
  %acc.0.1 = alloca <4 x float>
  %acc.1.0 = alloca <4 x float>
  %acc.1.1 = alloca <4 x float>
  %acc.2.0 = alloca <4 x float>
  %acc.2.1 = alloca <4 x float>
  %a.at = alloca ptr
  %b.at = alloca ptr
  %h.left = alloca i64
  %k.left = alloca i64
  %v1 = getelementptr float, ptr %bias, i64 0
  %v2 = load <4 x float>, ptr %v1, align 4
  store <4 x float> %v2, ptr %acc.0.0
  store <4 x float> %v2, ptr %acc.1.0
  store <4 x float> %v2, ptr %acc.2.0
  %v3 = getelementptr float, ptr %bias, i64 4
  %v4 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v3, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  store <4 x float> %v4, ptr %acc.0.1
  store <4 x float> %v4, ptr %acc.1.1
  store <4 x float> %v4, ptr %acc.2.1
  store ptr %a, ptr %a.at
  store ptr %b, ptr %b.at
  store i64 %taps_h, ptr %h.left
  %some = icmp sgt i64 %taps_h, 0
  br i1 %some, label %taps, label %done
taps:
  %v5 = load ptr, ptr %a.at
  %v6 = load ptr, ptr %b.at
  br label %before7
before7:
  br label %loop8
loop8:
  %k10 = phi i64 [ 0, %before7 ], [ %k10.next, %loop8 ]
  %v11 = mul i64 %k10, 8
  %v12 = getelementptr float, ptr %v5, i64 %k10
  %v13 = getelementptr float, ptr %v6, i64 %v11
  %v14 = getelementptr float, ptr %v13, i64 0
  %v15 = load <4 x float>, ptr %v14, align 4
  %v16 = getelementptr float, ptr %v13, i64 4
  %v17 = load <4 x float>, ptr %v16, align 4
  %v18 = getelementptr float, ptr %v12, i64 0
  %v19 = load float, ptr %v18, align 4
  %v20 = insertelement <4 x float> poison, float %v19, i64 0
  %v21 = shufflevector <4 x float> %v20, <4 x float> poison, <4 x i32> zeroinitializer
  %v22 = load <4 x float>, ptr %acc.1.0
  %v23 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v21, <4 x float> %v15, <4 x float> %v22)
  store <4 x float> %v23, ptr %acc.1.0
  %v24 = load <4 x float>, ptr %acc.1.1
  %v25 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v21, <4 x float> %v17, <4 x float> %v24)
  store <4 x float> %v25, ptr %acc.1.1
  %v26 = getelementptr float, ptr %v12, i64 32
  %v27 = load float, ptr %v26, align 4
  %v28 = insertelement <4 x float> poison, float %v27, i64 0
  %v29 = shufflevector <4 x float> %v28, <4 x float> poison, <4 x i32> zeroinitializer
  %v30 = load <4 x float>, ptr %acc.2.0
  %v31 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v29, <4 x float> %v15, <4 x float> %v30)
  store <4 x float> %v31, ptr %acc.2.0
  %v32 = load <4 x float>, ptr %acc.2.1
  %v33 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v29, <4 x float> %v17, <4 x float> %v32)
  store <4 x float> %v33, ptr %acc.2.1
  %k10.next = add i64 %k10, 1
  %v34 = icmp ne i64 %k10.next, 32
  br i1 %v34, label %loop8, label %after9
after9:
  %v35 = load ptr, ptr %a.at
  %v36 = load ptr, ptr %b.at
  br label %before37
before37:
  br label %loop38
loop38:
  %k40 = phi i64 [ 0, %before37 ], [ %k40.next, %loop38 ]
  %v41 = mul i64 %k40, 8
  %v42 = getelementptr float, ptr %v35, i64 %k40
  %v43 = getelementptr float, ptr %v36, i64 %v41
  %v44 = getelementptr float, ptr %v43, i64 256
  %v45 = load <4 x float>, ptr %v44, align 4
  %v46 = getelementptr float, ptr %v43, i64 260
  %v47 = load <4 x float>, ptr %v46, align 4
  %v48 = getelementptr float, ptr %v42, i64 0
  %v49 = load float, ptr %v48, align 4
  %v50 = insertelement <4 x float> poison, float %v49, i64 0
  %v51 = shufflevector <4 x float> %v50, <4 x float> poison, <4 x i32> zeroinitializer
  %v52 = load <4 x float>, ptr %acc.0.0
  %v53 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v51, <4 x float> %v45, <4 x float> %v52)
  store <4 x float> %v53, ptr %acc.0.0
  %v54 = load <4 x float>, ptr %acc.0.1
  %v55 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v51, <4 x float> %v47, <4 x float> %v54)
  store <4 x float> %v55, ptr %acc.0.1
  %v56 = getelementptr float, ptr %v42, i64 32
  %v57 = load float, ptr %v56, align 4
  %v58 = insertelement <4 x float> poison, float %v57, i64 0
  %v59 = shufflevector <4 x float> %v58, <4 x float> poison, <4 x i32> zeroinitializer
  %v60 = load <4 x float>, ptr %acc.1.0
  %v61 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v59, <4 x float> %v45, <4 x float> %v60)
  store <4 x float> %v61, ptr %acc.1.0
  %v62 = load <4 x float>, ptr %acc.1.1
  %v63 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v59, <4 x float> %v47, <4 x float> %v62)
  store <4 x float> %v63, ptr %acc.1.1
  %v64 = getelementptr float, ptr %v42, i64 64
  %v65 = load float, ptr %v64, align 4
  %v66 = insertelement <4 x float> poison, float %v65, i64 0
  %v67 = shufflevector <4 x float> %v66, <4 x float> poison, <4 x i32> zeroinitializer
  %v68 = load <4 x float>, ptr %acc.2.0
  %v69 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v67, <4 x float> %v45, <4 x float> %v68)
  store <4 x float> %v69, ptr %acc.2.0
  %v70 = load <4 x float>, ptr %acc.2.1
  %v71 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v67, <4 x float> %v47, <4 x float> %v70)
  store <4 x float> %v71, ptr %acc.2.1
  %k40.next = add i64 %k40, 1
  %v72 = icmp ne i64 %k40.next, 64
  br i1 %v72, label %loop38, label %after39
after39:
  %v73 = load ptr, ptr %a.at
  %v74 = getelementptr float, ptr %v73, i64 448
  store ptr %v74, ptr %a.at
  %v75 = load ptr, ptr %b.at
  %v76 = getelementptr float, ptr %v75, i64 768
  store ptr %v76, ptr %b.at
  %v77 = load i64, ptr %h.left
  %v78 = sub i64 %v77, 1
  store i64 %v78, ptr %h.left
  %v79 = icmp sgt i64 %v78, 0
  br i1 %v79, label %taps, label %done
done:
  %v80 = load <4 x float>, ptr %acc.0.0
  %v81 = getelementptr float, ptr %residual, i64 0
  %v82 = load <4 x float>, ptr %v81, align 4
  %v83 = fadd <4 x float> %v80, %v82
  %v84 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v83, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v85 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v84, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v86 = getelementptr float, ptr %c, i64 0
  store <4 x float> %v85, ptr %v86, align 4
  %v87 = load <4 x float>, ptr %acc.0.1
  %v88 = getelementptr float, ptr %residual, i64 4
  %v89 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v88, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v90 = fadd <4 x float> %v87, %v89
  %v91 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v90, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v92 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v91, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v93 = getelementptr float, ptr %c, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v92, ptr align 4 %v93, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v94 = load <4 x float>, ptr %acc.1.0
  %v95 = getelementptr float, ptr %residual, i64 7
  %v96 = load <4 x float>, ptr %v95, align 4
  %v97 = fadd <4 x float> %v94, %v96
  %v98 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v97, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v99 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v98, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v100 = getelementptr float, ptr %c, i64 7
  store <4 x float> %v99, ptr %v100, align 4
  %v101 = load <4 x float>, ptr %acc.1.1
  %v102 = getelementptr float, ptr %residual, i64 11
  %v103 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v102, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v104 = fadd <4 x float> %v101, %v103
  %v105 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v104, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v106 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v105, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v107 = getelementptr float, ptr %c, i64 11
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v106, ptr align 4 %v107, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v108 = load <4 x float>, ptr %acc.2.0
  %v109 = getelementptr float, ptr %residual, i64 14
  %v110 = load <4 x float>, ptr %v109, align 4
  %v111 = fadd <4 x float> %v108, %v110
  %v112 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v111, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v113 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v112, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v114 = getelementptr float, ptr %c, i64 14
  store <4 x float> %v113, ptr %v114, align 4
  %v115 = load <4 x float>, ptr %acc.2.1
  %v116 = getelementptr float, ptr %residual, i64 18
  %v117 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v116, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v118 = fadd <4 x float> %v115, %v117
  %v119 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v118, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v120 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v119, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v121 = getelementptr float, ptr %c, i64 18
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v120, ptr align 4 %v121, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)
declare <4 x float> @llvm.minnum.v4f32(<4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
