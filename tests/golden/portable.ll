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
  %v29 = getelementptr float, ptr %v24, i64 2304
  call void @llvm.prefetch.p0(ptr %v29, i32 0, i32 2, i32 1)
  %v30 = getelementptr float, ptr %v23, i64 0
  %v31 = load float, ptr %v30, align 4
  %v32 = insertelement <4 x float> poison, float %v31, i64 0
  %v33 = shufflevector <4 x float> %v32, <4 x float> poison, <4 x i32> zeroinitializer
  %v34 = load <4 x float>, ptr %acc.1.0
  %v35 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v33, <4 x float> %v26, <4 x float> %v34)
  store <4 x float> %v35, ptr %acc.1.0
  %v36 = load <4 x float>, ptr %acc.1.1
  %v37 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v33, <4 x float> %v28, <4 x float> %v36)
  store <4 x float> %v37, ptr %acc.1.1
  %v38 = getelementptr float, ptr %v23, i64 32
  %v39 = load float, ptr %v38, align 4
  %v40 = insertelement <4 x float> poison, float %v39, i64 0
  %v41 = shufflevector <4 x float> %v40, <4 x float> poison, <4 x i32> zeroinitializer
  %v42 = load <4 x float>, ptr %acc.2.0
  %v43 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v41, <4 x float> %v26, <4 x float> %v42)
  store <4 x float> %v43, ptr %acc.2.0
  %v44 = load <4 x float>, ptr %acc.2.1
  %v45 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v41, <4 x float> %v28, <4 x float> %v44)
  store <4 x float> %v45, ptr %acc.2.1
  %k20.next = add i64 %k20, 1
  %v46 = icmp ne i64 %k20.next, 32
  br i1 %v46, label %loop18, label %after19
after19:
  %v47 = load ptr, ptr %a.at
  %v48 = load ptr, ptr %b.at
  br label %before49
before49:
  br label %loop50
loop50:
  %k52 = phi i64 [ 0, %before49 ], [ %k52.next, %loop50 ]
  %v53 = mul i64 %k52, 8
  %v54 = mul i64 %k52, 1
  %v55 = getelementptr float, ptr %v47, i64 %v54
  %v56 = getelementptr float, ptr %v48, i64 %v53
  %v57 = getelementptr float, ptr %v56, i64 256
  %v58 = load <4 x float>, ptr %v57, align 4
  %v59 = getelementptr float, ptr %v56, i64 260
  %v60 = load <4 x float>, ptr %v59, align 4
  %v61 = getelementptr float, ptr %v56, i64 2560
  call void @llvm.prefetch.p0(ptr %v61, i32 0, i32 2, i32 1)
  %v62 = getelementptr float, ptr %v55, i64 0
  %v63 = load float, ptr %v62, align 4
  %v64 = insertelement <4 x float> poison, float %v63, i64 0
  %v65 = shufflevector <4 x float> %v64, <4 x float> poison, <4 x i32> zeroinitializer
  %v66 = load <4 x float>, ptr %acc.0.0
  %v67 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v65, <4 x float> %v58, <4 x float> %v66)
  store <4 x float> %v67, ptr %acc.0.0
  %v68 = load <4 x float>, ptr %acc.0.1
  %v69 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v65, <4 x float> %v60, <4 x float> %v68)
  store <4 x float> %v69, ptr %acc.0.1
  %v70 = getelementptr float, ptr %v55, i64 32
  %v71 = load float, ptr %v70, align 4
  %v72 = insertelement <4 x float> poison, float %v71, i64 0
  %v73 = shufflevector <4 x float> %v72, <4 x float> poison, <4 x i32> zeroinitializer
  %v74 = load <4 x float>, ptr %acc.1.0
  %v75 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v73, <4 x float> %v58, <4 x float> %v74)
  store <4 x float> %v75, ptr %acc.1.0
  %v76 = load <4 x float>, ptr %acc.1.1
  %v77 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v73, <4 x float> %v60, <4 x float> %v76)
  store <4 x float> %v77, ptr %acc.1.1
  %v78 = getelementptr float, ptr %v55, i64 64
  %v79 = load float, ptr %v78, align 4
  %v80 = insertelement <4 x float> poison, float %v79, i64 0
  %v81 = shufflevector <4 x float> %v80, <4 x float> poison, <4 x i32> zeroinitializer
  %v82 = load <4 x float>, ptr %acc.2.0
  %v83 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v81, <4 x float> %v58, <4 x float> %v82)
  store <4 x float> %v83, ptr %acc.2.0
  %v84 = load <4 x float>, ptr %acc.2.1
  %v85 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v81, <4 x float> %v60, <4 x float> %v84)
  store <4 x float> %v85, ptr %acc.2.1
  %k52.next = add i64 %k52, 1
  %v86 = icmp ne i64 %k52.next, 64
  br i1 %v86, label %loop50, label %after51
after51:
  %v87 = load ptr, ptr %a.at
  %v88 = getelementptr float, ptr %v87, i64 448
  store ptr %v88, ptr %a.at
  %v89 = load ptr, ptr %b.at
  %v90 = getelementptr float, ptr %v89, i64 768
  store ptr %v90, ptr %b.at
  %v91 = load i64, ptr %h.left
  %v92 = sub i64 %v91, 1
  store i64 %v92, ptr %h.left
  %v93 = icmp sgt i64 %v92, 0
  br i1 %v93, label %taps13, label %taps.end14
taps.end14:
  br label %done
done:
  %v94 = load <4 x float>, ptr %acc.0.0
  %v95 = getelementptr float, ptr %residual, i64 0
  %v96 = load <4 x float>, ptr %v95, align 4
  %v97 = fadd <4 x float> %v94, %v96
  %v98 = fcmp olt <4 x float> %v97, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v99 = select <4 x i1> %v98, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v97
  %v100 = fcmp ogt <4 x float> %v99, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v101 = select <4 x i1> %v100, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v99
  %v102 = getelementptr float, ptr %c, i64 0
  store <4 x float> %v101, ptr %v102, align 4
  %v103 = load <4 x float>, ptr %acc.0.1
  %v104 = getelementptr float, ptr %residual, i64 4
  %v105 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v104, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v106 = fadd <4 x float> %v103, %v105
  %v107 = fcmp olt <4 x float> %v106, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v108 = select <4 x i1> %v107, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v106
  %v109 = fcmp ogt <4 x float> %v108, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v110 = select <4 x i1> %v109, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v108
  %v111 = getelementptr float, ptr %c, i64 4
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v110, ptr align 4 %v111, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v112 = load <4 x float>, ptr %acc.1.0
  %v113 = getelementptr float, ptr %residual, i64 7
  %v114 = load <4 x float>, ptr %v113, align 4
  %v115 = fadd <4 x float> %v112, %v114
  %v116 = fcmp olt <4 x float> %v115, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v117 = select <4 x i1> %v116, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v115
  %v118 = fcmp ogt <4 x float> %v117, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v119 = select <4 x i1> %v118, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v117
  %v120 = getelementptr float, ptr %c, i64 7
  store <4 x float> %v119, ptr %v120, align 4
  %v121 = load <4 x float>, ptr %acc.1.1
  %v122 = getelementptr float, ptr %residual, i64 11
  %v123 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v122, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v124 = fadd <4 x float> %v121, %v123
  %v125 = fcmp olt <4 x float> %v124, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v126 = select <4 x i1> %v125, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v124
  %v127 = fcmp ogt <4 x float> %v126, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v128 = select <4 x i1> %v127, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v126
  %v129 = getelementptr float, ptr %c, i64 11
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v128, ptr align 4 %v129, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %v130 = load <4 x float>, ptr %acc.2.0
  %v131 = getelementptr float, ptr %residual, i64 14
  %v132 = load <4 x float>, ptr %v131, align 4
  %v133 = fadd <4 x float> %v130, %v132
  %v134 = fcmp olt <4 x float> %v133, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v135 = select <4 x i1> %v134, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v133
  %v136 = fcmp ogt <4 x float> %v135, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v137 = select <4 x i1> %v136, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v135
  %v138 = getelementptr float, ptr %c, i64 14
  store <4 x float> %v137, ptr %v138, align 4
  %v139 = load <4 x float>, ptr %acc.2.1
  %v140 = getelementptr float, ptr %residual, i64 18
  %v141 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %v140, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %v142 = fadd <4 x float> %v139, %v141
  %v143 = fcmp olt <4 x float> %v142, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v144 = select <4 x i1> %v143, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v142
  %v145 = fcmp ogt <4 x float> %v144, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v146 = select <4 x i1> %v145, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v144
  %v147 = getelementptr float, ptr %c, i64 18
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v146, ptr align 4 %v147, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
