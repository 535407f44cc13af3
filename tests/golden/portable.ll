define i32 @f32_f32_f32_3x8_row_portable__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) alwaysinline {
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
  %q = alloca i64
  %v1 = getelementptr float, ptr %bias, i64 0
  %v2 = load <4 x float>, ptr %v1, align 4
  store <4 x float> %v2, ptr %acc.0.0
  %v3 = getelementptr float, ptr %bias, i64 0
  %v4 = load <4 x float>, ptr %v3, align 4
  store <4 x float> %v4, ptr %acc.1.0
  %v5 = getelementptr float, ptr %bias, i64 0
  %v6 = load <4 x float>, ptr %v5, align 4
  store <4 x float> %v6, ptr %acc.2.0
  %v7 = getelementptr float, ptr %bias, i64 4
  %v8 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v7, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  store <4 x float> %v8, ptr %acc.0.1
  %v9 = getelementptr float, ptr %bias, i64 4
  %v10 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v9, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  store <4 x float> %v10, ptr %acc.1.1
  %v11 = getelementptr float, ptr %bias, i64 4
  %v12 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v11, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  store <4 x float> %v12, ptr %acc.2.1
  %some = icmp sgt i64 %taps_h, 0
  br i1 %some, label %blocks, label %done
blocks:
  store ptr %a, ptr %a.at
  store ptr %b, ptr %b.at
  store i64 %taps_h, ptr %h.left
  br label %taps13
taps13:
  %v15 = load ptr, ptr %a.at
  %v16 = load ptr, ptr %b.at
  br label %before17
before17:
  br label %loop18
loop18:
  %k20 = phi i64 [ 0, %before17 ], [ %k20.next, %loop18 ]
  %v21 = mul i64 %k20, 8
  %v22 = mul i64 %k20, 1
  %v23 = getelementptr float, ptr %v15, i64 %v22
  %v24 = getelementptr float, ptr %v16, i64 %v21
  %v25 = getelementptr float, ptr %v24, i64 0
  %v26 = load <4 x float>, ptr %v25, align 4
  %v27 = getelementptr float, ptr %v24, i64 4
  %v28 = load <4 x float>, ptr %v27, align 4
  %v29 = getelementptr float, ptr %v23, i64 0
  %v30 = load float, ptr %v29, align 4
  %v31 = insertelement <4 x float> poison, float %v30, i64 0
  %v32 = shufflevector <4 x float> %v31, <4 x float> poison, <4 x i32> zeroinitializer
  %v33 = load <4 x float>, ptr %acc.1.0
  %v34 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v32, <4 x float> %v26, <4 x float> %v33)
  store <4 x float> %v34, ptr %acc.1.0
  %v35 = load <4 x float>, ptr %acc.1.1
  %v36 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v32, <4 x float> %v28, <4 x float> %v35)
  store <4 x float> %v36, ptr %acc.1.1
  %v37 = getelementptr float, ptr %v23, i64 32
  %v38 = load float, ptr %v37, align 4
  %v39 = insertelement <4 x float> poison, float %v38, i64 0
  %v40 = shufflevector <4 x float> %v39, <4 x float> poison, <4 x i32> zeroinitializer
  %v41 = load <4 x float>, ptr %acc.2.0
  %v42 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v40, <4 x float> %v26, <4 x float> %v41)
  store <4 x float> %v42, ptr %acc.2.0
  %v43 = load <4 x float>, ptr %acc.2.1
  %v44 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v40, <4 x float> %v28, <4 x float> %v43)
  store <4 x float> %v44, ptr %acc.2.1
  %k20.next = add i64 %k20, 1
  %v45 = icmp ne i64 %k20.next, 32
  br i1 %v45, label %loop18, label %after19
after19:
  %v46 = load ptr, ptr %a.at
  %v47 = load ptr, ptr %b.at
  br label %before48
before48:
  br label %loop49
loop49:
  %k51 = phi i64 [ 0, %before48 ], [ %k51.next, %loop49 ]
  %v52 = mul i64 %k51, 8
  %v53 = mul i64 %k51, 1
  %v54 = getelementptr float, ptr %v46, i64 %v53
  %v55 = getelementptr float, ptr %v47, i64 %v52
  %v56 = getelementptr float, ptr %v55, i64 256
  %v57 = load <4 x float>, ptr %v56, align 4
  %v58 = getelementptr float, ptr %v55, i64 260
  %v59 = load <4 x float>, ptr %v58, align 4
  %v60 = getelementptr float, ptr %v54, i64 0
  %v61 = load float, ptr %v60, align 4
  %v62 = insertelement <4 x float> poison, float %v61, i64 0
  %v63 = shufflevector <4 x float> %v62, <4 x float> poison, <4 x i32> zeroinitializer
  %v64 = load <4 x float>, ptr %acc.0.0
  %v65 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v63, <4 x float> %v57, <4 x float> %v64)
  store <4 x float> %v65, ptr %acc.0.0
  %v66 = load <4 x float>, ptr %acc.0.1
  %v67 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v63, <4 x float> %v59, <4 x float> %v66)
  store <4 x float> %v67, ptr %acc.0.1
  %v68 = getelementptr float, ptr %v54, i64 32
  %v69 = load float, ptr %v68, align 4
  %v70 = insertelement <4 x float> poison, float %v69, i64 0
  %v71 = shufflevector <4 x float> %v70, <4 x float> poison, <4 x i32> zeroinitializer
  %v72 = load <4 x float>, ptr %acc.1.0
  %v73 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v71, <4 x float> %v57, <4 x float> %v72)
  store <4 x float> %v73, ptr %acc.1.0
  %v74 = load <4 x float>, ptr %acc.1.1
  %v75 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v71, <4 x float> %v59, <4 x float> %v74)
  store <4 x float> %v75, ptr %acc.1.1
  %v76 = getelementptr float, ptr %v54, i64 64
  %v77 = load float, ptr %v76, align 4
  %v78 = insertelement <4 x float> poison, float %v77, i64 0
  %v79 = shufflevector <4 x float> %v78, <4 x float> poison, <4 x i32> zeroinitializer
  %v80 = load <4 x float>, ptr %acc.2.0
  %v81 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v79, <4 x float> %v57, <4 x float> %v80)
  store <4 x float> %v81, ptr %acc.2.0
  %v82 = load <4 x float>, ptr %acc.2.1
  %v83 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v79, <4 x float> %v59, <4 x float> %v82)
  store <4 x float> %v83, ptr %acc.2.1
  %k51.next = add i64 %k51, 1
  %v84 = icmp ne i64 %k51.next, 64
  br i1 %v84, label %loop49, label %after50
after50:
  %v85 = load ptr, ptr %a.at
  %v86 = getelementptr float, ptr %v85, i64 448
  store ptr %v86, ptr %a.at
  %v87 = load ptr, ptr %b.at
  %v88 = getelementptr float, ptr %v87, i64 768
  store ptr %v88, ptr %b.at
  %v89 = load i64, ptr %h.left
  %v90 = sub i64 %v89, 1
  store i64 %v90, ptr %h.left
  %v91 = icmp sgt i64 %v90, 0
  br i1 %v91, label %taps13, label %taps.end14
taps.end14:
  br label %done
done:
  %v92 = load <4 x float>, ptr %acc.0.0
  %v93 = getelementptr float, ptr %residual, i64 0
  %v94 = load <4 x float>, ptr %v93, align 4
  %v95 = fadd <4 x float> %v92, %v94
  %v96 = fcmp olt <4 x float> %v95, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v97 = select <4 x i1> %v96, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v95
  %v98 = fcmp ogt <4 x float> %v97, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v99 = select <4 x i1> %v98, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v97
  %v100 = getelementptr float, ptr %c, i64 0
  store <4 x float> %v99, ptr %v100, align 4
  %v101 = load <4 x float>, ptr %acc.0.1
  %v102 = getelementptr float, ptr %residual, i64 4
  %v103 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v102, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v104 = fadd <4 x float> %v101, %v103
  %v105 = fcmp olt <4 x float> %v104, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v106 = select <4 x i1> %v105, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v104
  %v107 = fcmp ogt <4 x float> %v106, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v108 = select <4 x i1> %v107, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v106
  %v109 = getelementptr float, ptr %c, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v108, ptr align 4 %v109, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v110 = load <4 x float>, ptr %acc.1.0
  %v111 = getelementptr float, ptr %residual, i64 7
  %v112 = load <4 x float>, ptr %v111, align 4
  %v113 = fadd <4 x float> %v110, %v112
  %v114 = fcmp olt <4 x float> %v113, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v115 = select <4 x i1> %v114, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v113
  %v116 = fcmp ogt <4 x float> %v115, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v117 = select <4 x i1> %v116, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v115
  %v118 = getelementptr float, ptr %c, i64 7
  store <4 x float> %v117, ptr %v118, align 4
  %v119 = load <4 x float>, ptr %acc.1.1
  %v120 = getelementptr float, ptr %residual, i64 11
  %v121 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v120, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v122 = fadd <4 x float> %v119, %v121
  %v123 = fcmp olt <4 x float> %v122, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v124 = select <4 x i1> %v123, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v122
  %v125 = fcmp ogt <4 x float> %v124, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v126 = select <4 x i1> %v125, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v124
  %v127 = getelementptr float, ptr %c, i64 11
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v126, ptr align 4 %v127, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v128 = load <4 x float>, ptr %acc.2.0
  %v129 = getelementptr float, ptr %residual, i64 14
  %v130 = load <4 x float>, ptr %v129, align 4
  %v131 = fadd <4 x float> %v128, %v130
  %v132 = fcmp olt <4 x float> %v131, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v133 = select <4 x i1> %v132, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v131
  %v134 = fcmp ogt <4 x float> %v133, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v135 = select <4 x i1> %v134, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v133
  %v136 = getelementptr float, ptr %c, i64 14
  store <4 x float> %v135, ptr %v136, align 4
  %v137 = load <4 x float>, ptr %acc.2.1
  %v138 = getelementptr float, ptr %residual, i64 18
  %v139 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v138, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v140 = fadd <4 x float> %v137, %v139
  %v141 = fcmp olt <4 x float> %v140, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v142 = select <4 x i1> %v141, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v140
  %v143 = fcmp ogt <4 x float> %v142, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v144 = select <4 x i1> %v143, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v142
  %v145 = getelementptr float, ptr %c, i64 18
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v144, ptr align 4 %v145, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
