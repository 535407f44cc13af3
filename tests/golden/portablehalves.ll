define i32 @bf16_bf16_bf16_3x8_row_portablehalves__n7_a32.448_b8.768_c7_p2304_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) alwaysinline {
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
  %v2 = load <4 x float>, ptr %v1, align 2
  store <4 x float> %v2, ptr %acc.0.0
  %v3 = getelementptr float, ptr %bias, i64 0
  %v4 = load <4 x float>, ptr %v3, align 2
  store <4 x float> %v4, ptr %acc.1.0
  %v5 = getelementptr float, ptr %bias, i64 0
  %v6 = load <4 x float>, ptr %v5, align 2
  store <4 x float> %v6, ptr %acc.2.0
  %v7 = getelementptr float, ptr %bias, i64 4
  %v8 = load float, ptr %v7, align 2
  %v9 = insertelement <4 x float> zeroinitializer, float %v8, i64 0
  %v10 = getelementptr float, ptr %bias, i64 5
  %v11 = load float, ptr %v10, align 2
  %v12 = insertelement <4 x float> %v9, float %v11, i64 1
  %v13 = getelementptr float, ptr %bias, i64 6
  %v14 = load float, ptr %v13, align 2
  %v15 = insertelement <4 x float> %v12, float %v14, i64 2
  store <4 x float> %v15, ptr %acc.0.1
  %v16 = getelementptr float, ptr %bias, i64 4
  %v17 = load float, ptr %v16, align 2
  %v18 = insertelement <4 x float> zeroinitializer, float %v17, i64 0
  %v19 = getelementptr float, ptr %bias, i64 5
  %v20 = load float, ptr %v19, align 2
  %v21 = insertelement <4 x float> %v18, float %v20, i64 1
  %v22 = getelementptr float, ptr %bias, i64 6
  %v23 = load float, ptr %v22, align 2
  %v24 = insertelement <4 x float> %v21, float %v23, i64 2
  store <4 x float> %v24, ptr %acc.1.1
  %v25 = getelementptr float, ptr %bias, i64 4
  %v26 = load float, ptr %v25, align 2
  %v27 = insertelement <4 x float> zeroinitializer, float %v26, i64 0
  %v28 = getelementptr float, ptr %bias, i64 5
  %v29 = load float, ptr %v28, align 2
  %v30 = insertelement <4 x float> %v27, float %v29, i64 1
  %v31 = getelementptr float, ptr %bias, i64 6
  %v32 = load float, ptr %v31, align 2
  %v33 = insertelement <4 x float> %v30, float %v32, i64 2
  store <4 x float> %v33, ptr %acc.2.1
  %some = icmp sgt i64 %taps_h, 0
  br i1 %some, label %blocks, label %done
blocks:
  store ptr %a, ptr %a.at
  store ptr %b, ptr %b.at
  store i64 %taps_h, ptr %h.left
  br label %taps34
taps34:
  %v36 = load ptr, ptr %a.at
  %v37 = load ptr, ptr %b.at
  br label %before38
before38:
  br label %loop39
loop39:
  %k41 = phi i64 [ 0, %before38 ], [ %k41.next, %loop39 ]
  %v42 = mul i64 %k41, 8
  %v43 = mul i64 %k41, 1
  %v44 = getelementptr i16, ptr %v36, i64 %v43
  %v45 = getelementptr i16, ptr %v37, i64 %v42
  %v46 = getelementptr i16, ptr %v45, i64 0
  %v47 = load <4 x i16>, ptr %v46, align 2
  %v48 = zext <4 x i16> %v47 to <4 x i32>
  %v49 = shl <4 x i32> %v48, <i32 16, i32 16, i32 16, i32 16>
  %v50 = bitcast <4 x i32> %v49 to <4 x float>
  %v51 = getelementptr i16, ptr %v45, i64 4
  %v52 = load <4 x i16>, ptr %v51, align 2
  %v53 = zext <4 x i16> %v52 to <4 x i32>
  %v54 = shl <4 x i32> %v53, <i32 16, i32 16, i32 16, i32 16>
  %v55 = bitcast <4 x i32> %v54 to <4 x float>
  %v56 = getelementptr i16, ptr %v45, i64 2304
  call void @llvm.prefetch.p0(ptr %v56, i32 0, i32 2, i32 1)
  %v57 = getelementptr i16, ptr %v44, i64 0
  %v58 = load i16, ptr %v57, align 2
  %v59 = insertelement <4 x i16> poison, i16 %v58, i64 0
  %v60 = shufflevector <4 x i16> %v59, <4 x i16> poison, <4 x i32> zeroinitializer
  %v61 = zext <4 x i16> %v60 to <4 x i32>
  %v62 = shl <4 x i32> %v61, <i32 16, i32 16, i32 16, i32 16>
  %v63 = bitcast <4 x i32> %v62 to <4 x float>
  %v64 = load <4 x float>, ptr %acc.1.0
  %v65 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v63, <4 x float> %v50, <4 x float> %v64)
  store <4 x float> %v65, ptr %acc.1.0
  %v66 = load <4 x float>, ptr %acc.1.1
  %v67 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v63, <4 x float> %v55, <4 x float> %v66)
  store <4 x float> %v67, ptr %acc.1.1
  %v68 = getelementptr i16, ptr %v44, i64 32
  %v69 = load i16, ptr %v68, align 2
  %v70 = insertelement <4 x i16> poison, i16 %v69, i64 0
  %v71 = shufflevector <4 x i16> %v70, <4 x i16> poison, <4 x i32> zeroinitializer
  %v72 = zext <4 x i16> %v71 to <4 x i32>
  %v73 = shl <4 x i32> %v72, <i32 16, i32 16, i32 16, i32 16>
  %v74 = bitcast <4 x i32> %v73 to <4 x float>
  %v75 = load <4 x float>, ptr %acc.2.0
  %v76 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v74, <4 x float> %v50, <4 x float> %v75)
  store <4 x float> %v76, ptr %acc.2.0
  %v77 = load <4 x float>, ptr %acc.2.1
  %v78 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v74, <4 x float> %v55, <4 x float> %v77)
  store <4 x float> %v78, ptr %acc.2.1
  %k41.next = add i64 %k41, 1
  %v79 = icmp ne i64 %k41.next, 32
  br i1 %v79, label %loop39, label %after40
after40:
  %v80 = load ptr, ptr %a.at
  %v81 = load ptr, ptr %b.at
  br label %before82
before82:
  br label %loop83
loop83:
  %k85 = phi i64 [ 0, %before82 ], [ %k85.next, %loop83 ]
  %v86 = mul i64 %k85, 8
  %v87 = mul i64 %k85, 1
  %v88 = getelementptr i16, ptr %v80, i64 %v87
  %v89 = getelementptr i16, ptr %v81, i64 %v86
  %v90 = getelementptr i16, ptr %v89, i64 256
  %v91 = load <4 x i16>, ptr %v90, align 2
  %v92 = zext <4 x i16> %v91 to <4 x i32>
  %v93 = shl <4 x i32> %v92, <i32 16, i32 16, i32 16, i32 16>
  %v94 = bitcast <4 x i32> %v93 to <4 x float>
  %v95 = getelementptr i16, ptr %v89, i64 260
  %v96 = load <4 x i16>, ptr %v95, align 2
  %v97 = zext <4 x i16> %v96 to <4 x i32>
  %v98 = shl <4 x i32> %v97, <i32 16, i32 16, i32 16, i32 16>
  %v99 = bitcast <4 x i32> %v98 to <4 x float>
  %v100 = getelementptr i16, ptr %v89, i64 2560
  call void @llvm.prefetch.p0(ptr %v100, i32 0, i32 2, i32 1)
  %v101 = getelementptr i16, ptr %v88, i64 0
  %v102 = load i16, ptr %v101, align 2
  %v103 = insertelement <4 x i16> poison, i16 %v102, i64 0
  %v104 = shufflevector <4 x i16> %v103, <4 x i16> poison, <4 x i32> zeroinitializer
  %v105 = zext <4 x i16> %v104 to <4 x i32>
  %v106 = shl <4 x i32> %v105, <i32 16, i32 16, i32 16, i32 16>
  %v107 = bitcast <4 x i32> %v106 to <4 x float>
  %v108 = load <4 x float>, ptr %acc.0.0
  %v109 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v107, <4 x float> %v94, <4 x float> %v108)
  store <4 x float> %v109, ptr %acc.0.0
  %v110 = load <4 x float>, ptr %acc.0.1
  %v111 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v107, <4 x float> %v99, <4 x float> %v110)
  store <4 x float> %v111, ptr %acc.0.1
  %v112 = getelementptr i16, ptr %v88, i64 32
  %v113 = load i16, ptr %v112, align 2
  %v114 = insertelement <4 x i16> poison, i16 %v113, i64 0
  %v115 = shufflevector <4 x i16> %v114, <4 x i16> poison, <4 x i32> zeroinitializer
  %v116 = zext <4 x i16> %v115 to <4 x i32>
  %v117 = shl <4 x i32> %v116, <i32 16, i32 16, i32 16, i32 16>
  %v118 = bitcast <4 x i32> %v117 to <4 x float>
  %v119 = load <4 x float>, ptr %acc.1.0
  %v120 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v118, <4 x float> %v94, <4 x float> %v119)
  store <4 x float> %v120, ptr %acc.1.0
  %v121 = load <4 x float>, ptr %acc.1.1
  %v122 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v118, <4 x float> %v99, <4 x float> %v121)
  store <4 x float> %v122, ptr %acc.1.1
  %v123 = getelementptr i16, ptr %v88, i64 64
  %v124 = load i16, ptr %v123, align 2
  %v125 = insertelement <4 x i16> poison, i16 %v124, i64 0
  %v126 = shufflevector <4 x i16> %v125, <4 x i16> poison, <4 x i32> zeroinitializer
  %v127 = zext <4 x i16> %v126 to <4 x i32>
  %v128 = shl <4 x i32> %v127, <i32 16, i32 16, i32 16, i32 16>
  %v129 = bitcast <4 x i32> %v128 to <4 x float>
  %v130 = load <4 x float>, ptr %acc.2.0
  %v131 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v129, <4 x float> %v94, <4 x float> %v130)
  store <4 x float> %v131, ptr %acc.2.0
  %v132 = load <4 x float>, ptr %acc.2.1
  %v133 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v129, <4 x float> %v99, <4 x float> %v132)
  store <4 x float> %v133, ptr %acc.2.1
  %k85.next = add i64 %k85, 1
  %v134 = icmp ne i64 %k85.next, 64
  br i1 %v134, label %loop83, label %after84
after84:
  %v135 = load ptr, ptr %a.at
  %v136 = getelementptr i16, ptr %v135, i64 448
  store ptr %v136, ptr %a.at
  %v137 = load ptr, ptr %b.at
  %v138 = getelementptr i16, ptr %v137, i64 768
  store ptr %v138, ptr %b.at
  %v139 = load i64, ptr %h.left
  %v140 = sub i64 %v139, 1
  store i64 %v140, ptr %h.left
  %v141 = icmp sgt i64 %v140, 0
  br i1 %v141, label %taps34, label %taps.end35
taps.end35:
  br label %done
done:
  %v142 = load <4 x float>, ptr %acc.0.0
  %v143 = getelementptr i16, ptr %residual, i64 0
  %v144 = load <4 x i16>, ptr %v143, align 2
  %v145 = zext <4 x i16> %v144 to <4 x i32>
  %v146 = shl <4 x i32> %v145, <i32 16, i32 16, i32 16, i32 16>
  %v147 = bitcast <4 x i32> %v146 to <4 x float>
  %v148 = fadd <4 x float> %v142, %v147
  %v149 = fcmp olt <4 x float> %v148, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v150 = select <4 x i1> %v149, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v148
  %v151 = fcmp ogt <4 x float> %v150, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v152 = select <4 x i1> %v151, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v150
  %v153 = bitcast <4 x float> %v152 to <4 x i32>
  %v154 = and <4 x i32> %v153, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v155 = xor <4 x i32> %v153, %v154
  %v156 = lshr <4 x i32> %v155, <i32 16, i32 16, i32 16, i32 16>
  %v157 = and <4 x i32> %v156, <i32 1, i32 1, i32 1, i32 1>
  %v158 = add <4 x i32> %v155, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v159 = add <4 x i32> %v158, %v157
  %v160 = lshr <4 x i32> %v159, <i32 16, i32 16, i32 16, i32 16>
  %v161 = lshr <4 x i32> %v155, <i32 16, i32 16, i32 16, i32 16>
  %v162 = or <4 x i32> %v161, <i32 64, i32 64, i32 64, i32 64>
  %v163 = icmp ugt <4 x i32> %v155, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v164 = select <4 x i1> %v163, <4 x i32> %v162, <4 x i32> %v160
  %v165 = lshr <4 x i32> %v154, <i32 16, i32 16, i32 16, i32 16>
  %v166 = or <4 x i32> %v164, %v165
  %v167 = trunc <4 x i32> %v166 to <4 x i16>
  %v168 = getelementptr i16, ptr %c, i64 0
  store <4 x i16> %v167, ptr %v168, align 2
  %v169 = load <4 x float>, ptr %acc.0.1
  %v170 = getelementptr i16, ptr %residual, i64 4
  %v171 = load i16, ptr %v170, align 2
  %v172 = insertelement <4 x i16> zeroinitializer, i16 %v171, i64 0
  %v173 = getelementptr i16, ptr %residual, i64 5
  %v174 = load i16, ptr %v173, align 2
  %v175 = insertelement <4 x i16> %v172, i16 %v174, i64 1
  %v176 = getelementptr i16, ptr %residual, i64 6
  %v177 = load i16, ptr %v176, align 2
  %v178 = insertelement <4 x i16> %v175, i16 %v177, i64 2
  %v179 = zext <4 x i16> %v178 to <4 x i32>
  %v180 = shl <4 x i32> %v179, <i32 16, i32 16, i32 16, i32 16>
  %v181 = bitcast <4 x i32> %v180 to <4 x float>
  %v182 = fadd <4 x float> %v169, %v181
  %v183 = fcmp olt <4 x float> %v182, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v184 = select <4 x i1> %v183, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v182
  %v185 = fcmp ogt <4 x float> %v184, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v186 = select <4 x i1> %v185, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v184
  %v187 = bitcast <4 x float> %v186 to <4 x i32>
  %v188 = and <4 x i32> %v187, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v189 = xor <4 x i32> %v187, %v188
  %v190 = lshr <4 x i32> %v189, <i32 16, i32 16, i32 16, i32 16>
  %v191 = and <4 x i32> %v190, <i32 1, i32 1, i32 1, i32 1>
  %v192 = add <4 x i32> %v189, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v193 = add <4 x i32> %v192, %v191
  %v194 = lshr <4 x i32> %v193, <i32 16, i32 16, i32 16, i32 16>
  %v195 = lshr <4 x i32> %v189, <i32 16, i32 16, i32 16, i32 16>
  %v196 = or <4 x i32> %v195, <i32 64, i32 64, i32 64, i32 64>
  %v197 = icmp ugt <4 x i32> %v189, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v198 = select <4 x i1> %v197, <4 x i32> %v196, <4 x i32> %v194
  %v199 = lshr <4 x i32> %v188, <i32 16, i32 16, i32 16, i32 16>
  %v200 = or <4 x i32> %v198, %v199
  %v201 = trunc <4 x i32> %v200 to <4 x i16>
  %v202 = extractelement <4 x i16> %v201, i64 0
  %v203 = getelementptr i16, ptr %c, i64 4
  store i16 %v202, ptr %v203, align 2
  %v204 = extractelement <4 x i16> %v201, i64 1
  %v205 = getelementptr i16, ptr %c, i64 5
  store i16 %v204, ptr %v205, align 2
  %v206 = extractelement <4 x i16> %v201, i64 2
  %v207 = getelementptr i16, ptr %c, i64 6
  store i16 %v206, ptr %v207, align 2
  %v208 = load <4 x float>, ptr %acc.1.0
  %v209 = getelementptr i16, ptr %residual, i64 7
  %v210 = load <4 x i16>, ptr %v209, align 2
  %v211 = zext <4 x i16> %v210 to <4 x i32>
  %v212 = shl <4 x i32> %v211, <i32 16, i32 16, i32 16, i32 16>
  %v213 = bitcast <4 x i32> %v212 to <4 x float>
  %v214 = fadd <4 x float> %v208, %v213
  %v215 = fcmp olt <4 x float> %v214, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v216 = select <4 x i1> %v215, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v214
  %v217 = fcmp ogt <4 x float> %v216, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v218 = select <4 x i1> %v217, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v216
  %v219 = bitcast <4 x float> %v218 to <4 x i32>
  %v220 = and <4 x i32> %v219, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v221 = xor <4 x i32> %v219, %v220
  %v222 = lshr <4 x i32> %v221, <i32 16, i32 16, i32 16, i32 16>
  %v223 = and <4 x i32> %v222, <i32 1, i32 1, i32 1, i32 1>
  %v224 = add <4 x i32> %v221, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v225 = add <4 x i32> %v224, %v223
  %v226 = lshr <4 x i32> %v225, <i32 16, i32 16, i32 16, i32 16>
  %v227 = lshr <4 x i32> %v221, <i32 16, i32 16, i32 16, i32 16>
  %v228 = or <4 x i32> %v227, <i32 64, i32 64, i32 64, i32 64>
  %v229 = icmp ugt <4 x i32> %v221, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v230 = select <4 x i1> %v229, <4 x i32> %v228, <4 x i32> %v226
  %v231 = lshr <4 x i32> %v220, <i32 16, i32 16, i32 16, i32 16>
  %v232 = or <4 x i32> %v230, %v231
  %v233 = trunc <4 x i32> %v232 to <4 x i16>
  %v234 = getelementptr i16, ptr %c, i64 7
  store <4 x i16> %v233, ptr %v234, align 2
  %v235 = load <4 x float>, ptr %acc.1.1
  %v236 = getelementptr i16, ptr %residual, i64 11
  %v237 = load i16, ptr %v236, align 2
  %v238 = insertelement <4 x i16> zeroinitializer, i16 %v237, i64 0
  %v239 = getelementptr i16, ptr %residual, i64 12
  %v240 = load i16, ptr %v239, align 2
  %v241 = insertelement <4 x i16> %v238, i16 %v240, i64 1
  %v242 = getelementptr i16, ptr %residual, i64 13
  %v243 = load i16, ptr %v242, align 2
  %v244 = insertelement <4 x i16> %v241, i16 %v243, i64 2
  %v245 = zext <4 x i16> %v244 to <4 x i32>
  %v246 = shl <4 x i32> %v245, <i32 16, i32 16, i32 16, i32 16>
  %v247 = bitcast <4 x i32> %v246 to <4 x float>
  %v248 = fadd <4 x float> %v235, %v247
  %v249 = fcmp olt <4 x float> %v248, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v250 = select <4 x i1> %v249, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v248
  %v251 = fcmp ogt <4 x float> %v250, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v252 = select <4 x i1> %v251, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v250
  %v253 = bitcast <4 x float> %v252 to <4 x i32>
  %v254 = and <4 x i32> %v253, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v255 = xor <4 x i32> %v253, %v254
  %v256 = lshr <4 x i32> %v255, <i32 16, i32 16, i32 16, i32 16>
  %v257 = and <4 x i32> %v256, <i32 1, i32 1, i32 1, i32 1>
  %v258 = add <4 x i32> %v255, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v259 = add <4 x i32> %v258, %v257
  %v260 = lshr <4 x i32> %v259, <i32 16, i32 16, i32 16, i32 16>
  %v261 = lshr <4 x i32> %v255, <i32 16, i32 16, i32 16, i32 16>
  %v262 = or <4 x i32> %v261, <i32 64, i32 64, i32 64, i32 64>
  %v263 = icmp ugt <4 x i32> %v255, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v264 = select <4 x i1> %v263, <4 x i32> %v262, <4 x i32> %v260
  %v265 = lshr <4 x i32> %v254, <i32 16, i32 16, i32 16, i32 16>
  %v266 = or <4 x i32> %v264, %v265
  %v267 = trunc <4 x i32> %v266 to <4 x i16>
  %v268 = extractelement <4 x i16> %v267, i64 0
  %v269 = getelementptr i16, ptr %c, i64 11
  store i16 %v268, ptr %v269, align 2
  %v270 = extractelement <4 x i16> %v267, i64 1
  %v271 = getelementptr i16, ptr %c, i64 12
  store i16 %v270, ptr %v271, align 2
  %v272 = extractelement <4 x i16> %v267, i64 2
  %v273 = getelementptr i16, ptr %c, i64 13
  store i16 %v272, ptr %v273, align 2
  %v274 = load <4 x float>, ptr %acc.2.0
  %v275 = getelementptr i16, ptr %residual, i64 14
  %v276 = load <4 x i16>, ptr %v275, align 2
  %v277 = zext <4 x i16> %v276 to <4 x i32>
  %v278 = shl <4 x i32> %v277, <i32 16, i32 16, i32 16, i32 16>
  %v279 = bitcast <4 x i32> %v278 to <4 x float>
  %v280 = fadd <4 x float> %v274, %v279
  %v281 = fcmp olt <4 x float> %v280, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v282 = select <4 x i1> %v281, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v280
  %v283 = fcmp ogt <4 x float> %v282, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v284 = select <4 x i1> %v283, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v282
  %v285 = bitcast <4 x float> %v284 to <4 x i32>
  %v286 = and <4 x i32> %v285, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v287 = xor <4 x i32> %v285, %v286
  %v288 = lshr <4 x i32> %v287, <i32 16, i32 16, i32 16, i32 16>
  %v289 = and <4 x i32> %v288, <i32 1, i32 1, i32 1, i32 1>
  %v290 = add <4 x i32> %v287, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v291 = add <4 x i32> %v290, %v289
  %v292 = lshr <4 x i32> %v291, <i32 16, i32 16, i32 16, i32 16>
  %v293 = lshr <4 x i32> %v287, <i32 16, i32 16, i32 16, i32 16>
  %v294 = or <4 x i32> %v293, <i32 64, i32 64, i32 64, i32 64>
  %v295 = icmp ugt <4 x i32> %v287, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v296 = select <4 x i1> %v295, <4 x i32> %v294, <4 x i32> %v292
  %v297 = lshr <4 x i32> %v286, <i32 16, i32 16, i32 16, i32 16>
  %v298 = or <4 x i32> %v296, %v297
  %v299 = trunc <4 x i32> %v298 to <4 x i16>
  %v300 = getelementptr i16, ptr %c, i64 14
  store <4 x i16> %v299, ptr %v300, align 2
  %v301 = load <4 x float>, ptr %acc.2.1
  %v302 = getelementptr i16, ptr %residual, i64 18
  %v303 = load i16, ptr %v302, align 2
  %v304 = insertelement <4 x i16> zeroinitializer, i16 %v303, i64 0
  %v305 = getelementptr i16, ptr %residual, i64 19
  %v306 = load i16, ptr %v305, align 2
  %v307 = insertelement <4 x i16> %v304, i16 %v306, i64 1
  %v308 = getelementptr i16, ptr %residual, i64 20
  %v309 = load i16, ptr %v308, align 2
  %v310 = insertelement <4 x i16> %v307, i16 %v309, i64 2
  %v311 = zext <4 x i16> %v310 to <4 x i32>
  %v312 = shl <4 x i32> %v311, <i32 16, i32 16, i32 16, i32 16>
  %v313 = bitcast <4 x i32> %v312 to <4 x float>
  %v314 = fadd <4 x float> %v301, %v313
  %v315 = fcmp olt <4 x float> %v314, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v316 = select <4 x i1> %v315, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v314
  %v317 = fcmp ogt <4 x float> %v316, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v318 = select <4 x i1> %v317, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v316
  %v319 = bitcast <4 x float> %v318 to <4 x i32>
  %v320 = and <4 x i32> %v319, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v321 = xor <4 x i32> %v319, %v320
  %v322 = lshr <4 x i32> %v321, <i32 16, i32 16, i32 16, i32 16>
  %v323 = and <4 x i32> %v322, <i32 1, i32 1, i32 1, i32 1>
  %v324 = add <4 x i32> %v321, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v325 = add <4 x i32> %v324, %v323
  %v326 = lshr <4 x i32> %v325, <i32 16, i32 16, i32 16, i32 16>
  %v327 = lshr <4 x i32> %v321, <i32 16, i32 16, i32 16, i32 16>
  %v328 = or <4 x i32> %v327, <i32 64, i32 64, i32 64, i32 64>
  %v329 = icmp ugt <4 x i32> %v321, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v330 = select <4 x i1> %v329, <4 x i32> %v328, <4 x i32> %v326
  %v331 = lshr <4 x i32> %v320, <i32 16, i32 16, i32 16, i32 16>
  %v332 = or <4 x i32> %v330, %v331
  %v333 = trunc <4 x i32> %v332 to <4 x i16>
  %v334 = extractelement <4 x i16> %v333, i64 0
  %v335 = getelementptr i16, ptr %c, i64 18
  store i16 %v334, ptr %v335, align 2
  %v336 = extractelement <4 x i16> %v333, i64 1
  %v337 = getelementptr i16, ptr %c, i64 19
  store i16 %v336, ptr %v337, align 2
  %v338 = extractelement <4 x i16> %v333, i64 2
  %v339 = getelementptr i16, ptr %c, i64 20
  store i16 %v338, ptr %v339, align 2
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
