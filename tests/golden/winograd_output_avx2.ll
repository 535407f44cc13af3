define i32 @winograd_output_f32_avx2__m2x3_c20_s1040_p64_r3584_bias_silu3f800000_residual(ptr %dst, ptr %src, ptr %bias, ptr %residual, i64 %rows, i64 %columns) alwaysinline {
entry:
  %zeros = alloca <8 x float>
  store <8 x float> zeroinitializer, ptr %zeros
  %nowhere = alloca <8 x float>
  %between = alloca [16 x <8 x float>]
  %v1 = icmp sgt i64 %columns, 0
  %v2 = icmp sgt i64 %columns, 1
  %v3 = icmp sge i64 %rows, 2
  %v4 = and i1 true, %v2
  %v5 = and i1 %v4, %v3
  br i1 %v5, label %whole, label %border
whole:
  br label %loop6
loop6:
  %i7 = phi i64 [ 0, %whole ], [ %v111, %loop41.end ]
  %v8 = mul i64 %i7, 8
  %v9 = getelementptr float, ptr %src, i64 %v8
  %v10 = mul i64 %i7, 8
  %v11 = getelementptr float, ptr %dst, i64 %v10
  %v12 = mul i64 %i7, 8
  %v13 = getelementptr float, ptr %bias, i64 %v12
  %v14 = mul i64 %i7, 8
  %v15 = getelementptr float, ptr %residual, i64 %v14
  %v16 = load <8 x float>, ptr %v13, align 4
  br label %loop17
loop17:
  %i18 = phi i64 [ 0, %loop6 ], [ %v39, %loop17 ]
  %v19 = mul i64 %i18, 1040
  %v20 = getelementptr float, ptr %v9, i64 %v19
  %v21 = getelementptr float, ptr %v20, i64 0
  %v22 = getelementptr float, ptr %v20, i64 4160
  %v23 = getelementptr float, ptr %v20, i64 8320
  %v24 = getelementptr float, ptr %v20, i64 12480
  %v25 = load <8 x float>, ptr %v21, align 4
  %v26 = load <8 x float>, ptr %v22, align 4
  %v27 = load <8 x float>, ptr %v23, align 4
  %v28 = load <8 x float>, ptr %v24, align 4
  %v29 = fadd <8 x float> %v26, %v27
  %v30 = fsub <8 x float> %v26, %v27
  %v31 = fadd <8 x float> %v25, %v29
  %v32 = fadd <8 x float> %v30, %v28
  %v33 = mul i64 %i18, 8
  %v34 = getelementptr float, ptr %between, i64 %v33
  %v35 = getelementptr float, ptr %v34, i64 0
  store <8 x float> %v31, ptr %v35
  %v36 = mul i64 %i18, 8
  %v37 = getelementptr float, ptr %between, i64 %v36
  %v38 = getelementptr float, ptr %v37, i64 32
  store <8 x float> %v32, ptr %v38
  %v39 = add i64 %i18, 1
  %v40 = icmp ne i64 %v39, 4
  br i1 %v40, label %loop17, label %loop17.end, !llvm.loop !0
loop17.end:
  br label %loop41
loop41:
  %i42 = phi i64 [ 0, %loop17.end ], [ %v109, %loop41 ]
  %v43 = mul i64 %i42, 3584
  %v44 = getelementptr float, ptr %v11, i64 %v43
  %v45 = mul i64 %i42, 3584
  %v46 = getelementptr float, ptr %v15, i64 %v45
  %v47 = mul i64 %i42, 32
  %v48 = getelementptr float, ptr %between, i64 %v47
  %v49 = getelementptr float, ptr %v48, i64 0
  %v50 = load <8 x float>, ptr %v49
  %v51 = getelementptr float, ptr %v48, i64 8
  %v52 = load <8 x float>, ptr %v51
  %v53 = getelementptr float, ptr %v48, i64 16
  %v54 = load <8 x float>, ptr %v53
  %v55 = getelementptr float, ptr %v48, i64 24
  %v56 = load <8 x float>, ptr %v55
  %v57 = fadd <8 x float> %v52, %v54
  %v58 = fsub <8 x float> %v52, %v54
  %v59 = fadd <8 x float> %v50, %v57
  %v60 = fadd <8 x float> %v58, %v56
  %v61 = getelementptr float, ptr %v44, i64 0
  %v62 = getelementptr float, ptr %v46, i64 0
  %v63 = fadd <8 x float> %v59, %v16
  %v64 = load <8 x float>, ptr %v62, align 4
  %v65 = fcmp olt <8 x float> %v63, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v66 = select <8 x i1> %v65, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v63
  %v67 = fcmp ogt <8 x float> %v66, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v68 = select <8 x i1> %v67, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v66
  %v69 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v68, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v70 = fadd <8 x float> %v69, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v71 = bitcast <8 x float> %v69 to <8 x i32>
  %v72 = shl <8 x i32> %v71, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v73 = bitcast <8 x i32> %v72 to <8 x float>
  %v74 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v70, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v68)
  %v75 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v70, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v74)
  %v76 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v75, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v77 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v76, <8 x float> %v75, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v78 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v77, <8 x float> %v75, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v79 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v78, <8 x float> %v75, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v80 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v79, <8 x float> %v75, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v81 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v80, <8 x float> %v75, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v82 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v81, <8 x float> %v73, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v83 = fdiv <8 x float> %v66, %v82
  %v84 = fadd <8 x float> %v83, %v64
  store <8 x float> %v84, ptr %v61, align 4
  %v85 = getelementptr float, ptr %v44, i64 64
  %v86 = getelementptr float, ptr %v46, i64 64
  %v87 = fadd <8 x float> %v60, %v16
  %v88 = load <8 x float>, ptr %v86, align 4
  %v89 = fcmp olt <8 x float> %v87, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v90 = select <8 x i1> %v89, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v87
  %v91 = fcmp ogt <8 x float> %v90, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v92 = select <8 x i1> %v91, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v90
  %v93 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v92, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v94 = fadd <8 x float> %v93, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v95 = bitcast <8 x float> %v93 to <8 x i32>
  %v96 = shl <8 x i32> %v95, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v97 = bitcast <8 x i32> %v96 to <8 x float>
  %v98 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v94, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v92)
  %v99 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v94, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v98)
  %v100 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v99, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v101 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v100, <8 x float> %v99, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v102 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v101, <8 x float> %v99, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v103 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v102, <8 x float> %v99, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v104 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> %v99, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v105 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v104, <8 x float> %v99, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v106 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v105, <8 x float> %v97, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v107 = fdiv <8 x float> %v90, %v106
  %v108 = fadd <8 x float> %v107, %v88
  store <8 x float> %v108, ptr %v85, align 4
  %v109 = add i64 %i42, 1
  %v110 = icmp ne i64 %v109, 2
  br i1 %v110, label %loop41, label %loop41.end, !llvm.loop !0
loop41.end:
  %v111 = add i64 %i7, 1
  %v112 = icmp ne i64 %v111, 2
  br i1 %v112, label %loop6, label %loop6.end, !llvm.loop !0
loop6.end:
  br label %rest
border:
  br label %loop113
loop113:
  %i114 = phi i64 [ 0, %border ], [ %v227, %loop148.end ]
  %v115 = mul i64 %i114, 8
  %v116 = getelementptr float, ptr %src, i64 %v115
  %v117 = mul i64 %i114, 8
  %v118 = getelementptr float, ptr %dst, i64 %v117
  %v119 = mul i64 %i114, 8
  %v120 = getelementptr float, ptr %bias, i64 %v119
  %v121 = mul i64 %i114, 8
  %v122 = getelementptr float, ptr %residual, i64 %v121
  %v123 = load <8 x float>, ptr %v120, align 4
  br label %loop124
loop124:
  %i125 = phi i64 [ 0, %loop113 ], [ %v146, %loop124 ]
  %v126 = mul i64 %i125, 1040
  %v127 = getelementptr float, ptr %v116, i64 %v126
  %v128 = getelementptr float, ptr %v127, i64 0
  %v129 = getelementptr float, ptr %v127, i64 4160
  %v130 = getelementptr float, ptr %v127, i64 8320
  %v131 = getelementptr float, ptr %v127, i64 12480
  %v132 = load <8 x float>, ptr %v128, align 4
  %v133 = load <8 x float>, ptr %v129, align 4
  %v134 = load <8 x float>, ptr %v130, align 4
  %v135 = load <8 x float>, ptr %v131, align 4
  %v136 = fadd <8 x float> %v133, %v134
  %v137 = fsub <8 x float> %v133, %v134
  %v138 = fadd <8 x float> %v132, %v136
  %v139 = fadd <8 x float> %v137, %v135
  %v140 = mul i64 %i125, 8
  %v141 = getelementptr float, ptr %between, i64 %v140
  %v142 = getelementptr float, ptr %v141, i64 0
  store <8 x float> %v138, ptr %v142
  %v143 = mul i64 %i125, 8
  %v144 = getelementptr float, ptr %between, i64 %v143
  %v145 = getelementptr float, ptr %v144, i64 32
  store <8 x float> %v139, ptr %v145
  %v146 = add i64 %i125, 1
  %v147 = icmp ne i64 %v146, 4
  br i1 %v147, label %loop124, label %loop124.end, !llvm.loop !0
loop124.end:
  br label %loop148
loop148:
  %i149 = phi i64 [ 0, %loop124.end ], [ %v225, %loop148 ]
  %v150 = mul i64 %i149, 3584
  %v151 = getelementptr float, ptr %v118, i64 %v150
  %v152 = mul i64 %i149, 3584
  %v153 = getelementptr float, ptr %v122, i64 %v152
  %v154 = icmp slt i64 %i149, %rows
  %v155 = mul i64 %i149, 32
  %v156 = getelementptr float, ptr %between, i64 %v155
  %v157 = getelementptr float, ptr %v156, i64 0
  %v158 = load <8 x float>, ptr %v157
  %v159 = getelementptr float, ptr %v156, i64 8
  %v160 = load <8 x float>, ptr %v159
  %v161 = getelementptr float, ptr %v156, i64 16
  %v162 = load <8 x float>, ptr %v161
  %v163 = getelementptr float, ptr %v156, i64 24
  %v164 = load <8 x float>, ptr %v163
  %v165 = fadd <8 x float> %v160, %v162
  %v166 = fsub <8 x float> %v160, %v162
  %v167 = fadd <8 x float> %v158, %v165
  %v168 = fadd <8 x float> %v166, %v164
  %v169 = getelementptr float, ptr %v151, i64 0
  %v170 = getelementptr float, ptr %v153, i64 0
  %v171 = fadd <8 x float> %v167, %v123
  %v172 = select i1 %v154, ptr %v170, ptr %zeros
  %v173 = select i1 %v1, ptr %v172, ptr %zeros
  %v174 = load <8 x float>, ptr %v173, align 4
  %v175 = fcmp olt <8 x float> %v171, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v176 = select <8 x i1> %v175, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v171
  %v177 = fcmp ogt <8 x float> %v176, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v178 = select <8 x i1> %v177, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v176
  %v179 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v178, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v180 = fadd <8 x float> %v179, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v181 = bitcast <8 x float> %v179 to <8 x i32>
  %v182 = shl <8 x i32> %v181, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v183 = bitcast <8 x i32> %v182 to <8 x float>
  %v184 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v180, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v178)
  %v185 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v180, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v184)
  %v186 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v185, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v187 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v186, <8 x float> %v185, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v188 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v187, <8 x float> %v185, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v189 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v188, <8 x float> %v185, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v190 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v189, <8 x float> %v185, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v191 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v190, <8 x float> %v185, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v192 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v191, <8 x float> %v183, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v193 = fdiv <8 x float> %v176, %v192
  %v194 = fadd <8 x float> %v193, %v174
  %v195 = select i1 %v154, ptr %v169, ptr %nowhere
  %v196 = select i1 %v1, ptr %v195, ptr %nowhere
  store <8 x float> %v194, ptr %v196, align 4
  %v197 = getelementptr float, ptr %v151, i64 64
  %v198 = getelementptr float, ptr %v153, i64 64
  %v199 = fadd <8 x float> %v168, %v123
  %v200 = select i1 %v154, ptr %v198, ptr %zeros
  %v201 = select i1 %v2, ptr %v200, ptr %zeros
  %v202 = load <8 x float>, ptr %v201, align 4
  %v203 = fcmp olt <8 x float> %v199, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v204 = select <8 x i1> %v203, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v199
  %v205 = fcmp ogt <8 x float> %v204, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v206 = select <8 x i1> %v205, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v204
  %v207 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v206, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v208 = fadd <8 x float> %v207, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v209 = bitcast <8 x float> %v207 to <8 x i32>
  %v210 = shl <8 x i32> %v209, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v211 = bitcast <8 x i32> %v210 to <8 x float>
  %v212 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v208, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v206)
  %v213 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v208, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v212)
  %v214 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v213, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v215 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v214, <8 x float> %v213, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v216 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v215, <8 x float> %v213, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v217 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v216, <8 x float> %v213, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v218 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v217, <8 x float> %v213, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v219 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v218, <8 x float> %v213, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v220 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v219, <8 x float> %v211, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v221 = fdiv <8 x float> %v204, %v220
  %v222 = fadd <8 x float> %v221, %v202
  %v223 = select i1 %v154, ptr %v197, ptr %nowhere
  %v224 = select i1 %v2, ptr %v223, ptr %nowhere
  store <8 x float> %v222, ptr %v224, align 4
  %v225 = add i64 %i149, 1
  %v226 = icmp ne i64 %v225, 2
  br i1 %v226, label %loop148, label %loop148.end, !llvm.loop !0
loop148.end:
  %v227 = add i64 %i114, 1
  %v228 = icmp ne i64 %v227, 2
  br i1 %v228, label %loop113, label %loop113.end, !llvm.loop !0
loop113.end:
  br label %rest
rest:
  %v229 = mul i64 2, 8
  %v230 = getelementptr float, ptr %src, i64 %v229
  %v231 = mul i64 2, 8
  %v232 = getelementptr float, ptr %dst, i64 %v231
  %v233 = mul i64 2, 8
  %v234 = getelementptr float, ptr %bias, i64 %v233
  %v235 = mul i64 2, 8
  %v236 = getelementptr float, ptr %residual, i64 %v235
  %v237 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v234, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  br label %loop238
loop238:
  %i239 = phi i64 [ 0, %rest ], [ %v260, %loop238 ]
  %v240 = mul i64 %i239, 1040
  %v241 = getelementptr float, ptr %v230, i64 %v240
  %v242 = getelementptr float, ptr %v241, i64 0
  %v243 = getelementptr float, ptr %v241, i64 4160
  %v244 = getelementptr float, ptr %v241, i64 8320
  %v245 = getelementptr float, ptr %v241, i64 12480
  %v246 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v242, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v247 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v243, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v248 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v244, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v249 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v245, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v250 = fadd <8 x float> %v247, %v248
  %v251 = fsub <8 x float> %v247, %v248
  %v252 = fadd <8 x float> %v246, %v250
  %v253 = fadd <8 x float> %v251, %v249
  %v254 = mul i64 %i239, 8
  %v255 = getelementptr float, ptr %between, i64 %v254
  %v256 = getelementptr float, ptr %v255, i64 0
  store <8 x float> %v252, ptr %v256
  %v257 = mul i64 %i239, 8
  %v258 = getelementptr float, ptr %between, i64 %v257
  %v259 = getelementptr float, ptr %v258, i64 32
  store <8 x float> %v253, ptr %v259
  %v260 = add i64 %i239, 1
  %v261 = icmp ne i64 %v260, 4
  br i1 %v261, label %loop238, label %loop238.end, !llvm.loop !0
loop238.end:
  br label %loop262
loop262:
  %i263 = phi i64 [ 0, %loop238.end ], [ %v339, %loop262 ]
  %v264 = mul i64 %i263, 3584
  %v265 = getelementptr float, ptr %v232, i64 %v264
  %v266 = mul i64 %i263, 3584
  %v267 = getelementptr float, ptr %v236, i64 %v266
  %v268 = icmp slt i64 %i263, %rows
  %v269 = mul i64 %i263, 32
  %v270 = getelementptr float, ptr %between, i64 %v269
  %v271 = getelementptr float, ptr %v270, i64 0
  %v272 = load <8 x float>, ptr %v271
  %v273 = getelementptr float, ptr %v270, i64 8
  %v274 = load <8 x float>, ptr %v273
  %v275 = getelementptr float, ptr %v270, i64 16
  %v276 = load <8 x float>, ptr %v275
  %v277 = getelementptr float, ptr %v270, i64 24
  %v278 = load <8 x float>, ptr %v277
  %v279 = fadd <8 x float> %v274, %v276
  %v280 = fsub <8 x float> %v274, %v276
  %v281 = fadd <8 x float> %v272, %v279
  %v282 = fadd <8 x float> %v280, %v278
  %v283 = getelementptr float, ptr %v265, i64 0
  %v284 = getelementptr float, ptr %v267, i64 0
  %v285 = fadd <8 x float> %v281, %v237
  %v286 = select i1 %v268, ptr %v284, ptr %zeros
  %v287 = select i1 %v1, ptr %v286, ptr %zeros
  %v288 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v287, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v289 = fcmp olt <8 x float> %v285, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v290 = select <8 x i1> %v289, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v285
  %v291 = fcmp ogt <8 x float> %v290, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v292 = select <8 x i1> %v291, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v290
  %v293 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v292, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v294 = fadd <8 x float> %v293, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v295 = bitcast <8 x float> %v293 to <8 x i32>
  %v296 = shl <8 x i32> %v295, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v297 = bitcast <8 x i32> %v296 to <8 x float>
  %v298 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v294, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v292)
  %v299 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v294, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v298)
  %v300 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v299, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v301 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v300, <8 x float> %v299, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v302 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v301, <8 x float> %v299, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v303 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v302, <8 x float> %v299, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v304 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v303, <8 x float> %v299, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v305 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v304, <8 x float> %v299, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v306 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v305, <8 x float> %v297, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v307 = fdiv <8 x float> %v290, %v306
  %v308 = fadd <8 x float> %v307, %v288
  %v309 = select i1 %v268, ptr %v283, ptr %nowhere
  %v310 = select i1 %v1, ptr %v309, ptr %nowhere
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v308, ptr align 4 %v310, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v311 = getelementptr float, ptr %v265, i64 64
  %v312 = getelementptr float, ptr %v267, i64 64
  %v313 = fadd <8 x float> %v282, %v237
  %v314 = select i1 %v268, ptr %v312, ptr %zeros
  %v315 = select i1 %v2, ptr %v314, ptr %zeros
  %v316 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v315, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v317 = fcmp olt <8 x float> %v313, <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>
  %v318 = select <8 x i1> %v317, <8 x float> <float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000, float 0xC0562CCCC0000000>, <8 x float> %v313
  %v319 = fcmp ogt <8 x float> %v318, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v320 = select <8 x i1> %v319, <8 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <8 x float> %v318
  %v321 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v320, <8 x float> <float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000, float 0xBFF7154760000000>, <8 x float> <float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000, float 0x4168000FE0000000>)
  %v322 = fadd <8 x float> %v321, <float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000, float 0xC168000FE0000000>
  %v323 = bitcast <8 x float> %v321 to <8 x i32>
  %v324 = shl <8 x i32> %v323, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v325 = bitcast <8 x i32> %v324 to <8 x float>
  %v326 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v322, <8 x float> <float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000, float 0x3FE6300000000000>, <8 x float> %v320)
  %v327 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v322, <8 x float> <float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000, float 0xBF2BD01060000000>, <8 x float> %v326)
  %v328 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v327, <8 x float> <float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000, float 0x3F56BEBA60000000>, <8 x float> <float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000, float 0xBF81228E00000000>)
  %v329 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v328, <8 x float> %v327, <8 x float> <float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000, float 0x3FA5556780000000>)
  %v330 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v329, <8 x float> %v327, <8 x float> <float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000, float 0xBFC5554AE0000000>)
  %v331 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v330, <8 x float> %v327, <8 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v332 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v331, <8 x float> %v327, <8 x float> <float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000, float 0xBFF0000000000000>)
  %v333 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v332, <8 x float> %v327, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v334 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v333, <8 x float> %v325, <8 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v335 = fdiv <8 x float> %v318, %v334
  %v336 = fadd <8 x float> %v335, %v316
  %v337 = select i1 %v268, ptr %v311, ptr %nowhere
  %v338 = select i1 %v2, ptr %v337, ptr %nowhere
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v336, ptr align 4 %v338, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v339 = add i64 %i263, 1
  %v340 = icmp ne i64 %v339, 2
  br i1 %v340, label %loop262, label %loop262.end, !llvm.loop !0
loop262.end:
  ret i32 0
}
declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
