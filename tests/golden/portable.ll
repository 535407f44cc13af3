define i32 @f32_f32_f32_3x8_row_portable__n7_a32.448_b8.768_c7_p2304_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) alwaysinline {
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
  %v18 = getelementptr float, ptr %v13, i64 2304
  call void @llvm.prefetch.p0(ptr %v18, i32 0, i32 2, i32 1)
  %v19 = getelementptr float, ptr %v12, i64 0
  %v20 = load float, ptr %v19, align 4
  %v21 = insertelement <4 x float> poison, float %v20, i64 0
  %v22 = shufflevector <4 x float> %v21, <4 x float> poison, <4 x i32> zeroinitializer
  %v23 = load <4 x float>, ptr %acc.1.0
  %v24 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v22, <4 x float> %v15, <4 x float> %v23)
  store <4 x float> %v24, ptr %acc.1.0
  %v25 = load <4 x float>, ptr %acc.1.1
  %v26 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v22, <4 x float> %v17, <4 x float> %v25)
  store <4 x float> %v26, ptr %acc.1.1
  %v27 = getelementptr float, ptr %v12, i64 32
  %v28 = load float, ptr %v27, align 4
  %v29 = insertelement <4 x float> poison, float %v28, i64 0
  %v30 = shufflevector <4 x float> %v29, <4 x float> poison, <4 x i32> zeroinitializer
  %v31 = load <4 x float>, ptr %acc.2.0
  %v32 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v30, <4 x float> %v15, <4 x float> %v31)
  store <4 x float> %v32, ptr %acc.2.0
  %v33 = load <4 x float>, ptr %acc.2.1
  %v34 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v30, <4 x float> %v17, <4 x float> %v33)
  store <4 x float> %v34, ptr %acc.2.1
  %k10.next = add i64 %k10, 1
  %v35 = icmp ne i64 %k10.next, 32
  br i1 %v35, label %loop8, label %after9
after9:
  %v36 = load ptr, ptr %a.at
  %v37 = load ptr, ptr %b.at
  br label %before38
before38:
  br label %loop39
loop39:
  %k41 = phi i64 [ 0, %before38 ], [ %k41.next, %loop39 ]
  %v42 = mul i64 %k41, 8
  %v43 = getelementptr float, ptr %v36, i64 %k41
  %v44 = getelementptr float, ptr %v37, i64 %v42
  %v45 = getelementptr float, ptr %v44, i64 256
  %v46 = load <4 x float>, ptr %v45, align 4
  %v47 = getelementptr float, ptr %v44, i64 260
  %v48 = load <4 x float>, ptr %v47, align 4
  %v49 = getelementptr float, ptr %v44, i64 2560
  call void @llvm.prefetch.p0(ptr %v49, i32 0, i32 2, i32 1)
  %v50 = getelementptr float, ptr %v43, i64 0
  %v51 = load float, ptr %v50, align 4
  %v52 = insertelement <4 x float> poison, float %v51, i64 0
  %v53 = shufflevector <4 x float> %v52, <4 x float> poison, <4 x i32> zeroinitializer
  %v54 = load <4 x float>, ptr %acc.0.0
  %v55 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v53, <4 x float> %v46, <4 x float> %v54)
  store <4 x float> %v55, ptr %acc.0.0
  %v56 = load <4 x float>, ptr %acc.0.1
  %v57 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v53, <4 x float> %v48, <4 x float> %v56)
  store <4 x float> %v57, ptr %acc.0.1
  %v58 = getelementptr float, ptr %v43, i64 32
  %v59 = load float, ptr %v58, align 4
  %v60 = insertelement <4 x float> poison, float %v59, i64 0
  %v61 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> zeroinitializer
  %v62 = load <4 x float>, ptr %acc.1.0
  %v63 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v61, <4 x float> %v46, <4 x float> %v62)
  store <4 x float> %v63, ptr %acc.1.0
  %v64 = load <4 x float>, ptr %acc.1.1
  %v65 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v61, <4 x float> %v48, <4 x float> %v64)
  store <4 x float> %v65, ptr %acc.1.1
  %v66 = getelementptr float, ptr %v43, i64 64
  %v67 = load float, ptr %v66, align 4
  %v68 = insertelement <4 x float> poison, float %v67, i64 0
  %v69 = shufflevector <4 x float> %v68, <4 x float> poison, <4 x i32> zeroinitializer
  %v70 = load <4 x float>, ptr %acc.2.0
  %v71 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v69, <4 x float> %v46, <4 x float> %v70)
  store <4 x float> %v71, ptr %acc.2.0
  %v72 = load <4 x float>, ptr %acc.2.1
  %v73 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v69, <4 x float> %v48, <4 x float> %v72)
  store <4 x float> %v73, ptr %acc.2.1
  %k41.next = add i64 %k41, 1
  %v74 = icmp ne i64 %k41.next, 64
  br i1 %v74, label %loop39, label %after40
after40:
  %v75 = load ptr, ptr %a.at
  %v76 = getelementptr float, ptr %v75, i64 448
  store ptr %v76, ptr %a.at
  %v77 = load ptr, ptr %b.at
  %v78 = getelementptr float, ptr %v77, i64 768
  store ptr %v78, ptr %b.at
  %v79 = load i64, ptr %h.left
  %v80 = sub i64 %v79, 1
  store i64 %v80, ptr %h.left
  %v81 = icmp sgt i64 %v80, 0
  br i1 %v81, label %taps, label %done
done:
  %v82 = load <4 x float>, ptr %acc.0.0
  %v83 = getelementptr float, ptr %residual, i64 0
  %v84 = load <4 x float>, ptr %v83, align 4
  %v85 = fadd <4 x float> %v82, %v84
  %v86 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v85, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v87 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v86, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v88 = getelementptr float, ptr %c, i64 0
  store <4 x float> %v87, ptr %v88, align 4
  %v89 = load <4 x float>, ptr %acc.0.1
  %v90 = getelementptr float, ptr %residual, i64 4
  %v91 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v90, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v92 = fadd <4 x float> %v89, %v91
  %v93 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v92, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v94 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v93, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v95 = getelementptr float, ptr %c, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v94, ptr align 4 %v95, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v96 = load <4 x float>, ptr %acc.1.0
  %v97 = getelementptr float, ptr %residual, i64 7
  %v98 = load <4 x float>, ptr %v97, align 4
  %v99 = fadd <4 x float> %v96, %v98
  %v100 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v99, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v101 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v100, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v102 = getelementptr float, ptr %c, i64 7
  store <4 x float> %v101, ptr %v102, align 4
  %v103 = load <4 x float>, ptr %acc.1.1
  %v104 = getelementptr float, ptr %residual, i64 11
  %v105 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v104, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v106 = fadd <4 x float> %v103, %v105
  %v107 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v106, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v108 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v107, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v109 = getelementptr float, ptr %c, i64 11
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v108, ptr align 4 %v109, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v110 = load <4 x float>, ptr %acc.2.0
  %v111 = getelementptr float, ptr %residual, i64 14
  %v112 = load <4 x float>, ptr %v111, align 4
  %v113 = fadd <4 x float> %v110, %v112
  %v114 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v113, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v115 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v114, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v116 = getelementptr float, ptr %c, i64 14
  store <4 x float> %v115, ptr %v116, align 4
  %v117 = load <4 x float>, ptr %acc.2.1
  %v118 = getelementptr float, ptr %residual, i64 18
  %v119 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v118, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v120 = fadd <4 x float> %v117, %v119
  %v121 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %v120, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>)
  %v122 = call <4 x float> @llvm.minnum.v4f32(<4 x float> %v121, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>)
  %v123 = getelementptr float, ptr %c, i64 18
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v122, ptr align 4 %v123, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)
declare <4 x float> @llvm.minnum.v4f32(<4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
