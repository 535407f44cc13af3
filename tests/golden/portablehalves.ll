define i32 @bf16_bf16_bf16_3x8_row_portablehalves__n7_a32.448_b8.768_c7_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.256.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) alwaysinline {
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
  %v56 = getelementptr i16, ptr %v44, i64 0
  %v57 = load i16, ptr %v56, align 2
  %v58 = insertelement <4 x i16> poison, i16 %v57, i64 0
  %v59 = shufflevector <4 x i16> %v58, <4 x i16> poison, <4 x i32> zeroinitializer
  %v60 = zext <4 x i16> %v59 to <4 x i32>
  %v61 = shl <4 x i32> %v60, <i32 16, i32 16, i32 16, i32 16>
  %v62 = bitcast <4 x i32> %v61 to <4 x float>
  %v63 = load <4 x float>, ptr %acc.1.0
  %v64 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v62, <4 x float> %v50, <4 x float> %v63)
  store <4 x float> %v64, ptr %acc.1.0
  %v65 = load <4 x float>, ptr %acc.1.1
  %v66 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v62, <4 x float> %v55, <4 x float> %v65)
  store <4 x float> %v66, ptr %acc.1.1
  %v67 = getelementptr i16, ptr %v44, i64 32
  %v68 = load i16, ptr %v67, align 2
  %v69 = insertelement <4 x i16> poison, i16 %v68, i64 0
  %v70 = shufflevector <4 x i16> %v69, <4 x i16> poison, <4 x i32> zeroinitializer
  %v71 = zext <4 x i16> %v70 to <4 x i32>
  %v72 = shl <4 x i32> %v71, <i32 16, i32 16, i32 16, i32 16>
  %v73 = bitcast <4 x i32> %v72 to <4 x float>
  %v74 = load <4 x float>, ptr %acc.2.0
  %v75 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v73, <4 x float> %v50, <4 x float> %v74)
  store <4 x float> %v75, ptr %acc.2.0
  %v76 = load <4 x float>, ptr %acc.2.1
  %v77 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v73, <4 x float> %v55, <4 x float> %v76)
  store <4 x float> %v77, ptr %acc.2.1
  %k41.next = add i64 %k41, 1
  %v78 = icmp ne i64 %k41.next, 32
  br i1 %v78, label %loop39, label %after40
after40:
  %v79 = load ptr, ptr %a.at
  %v80 = load ptr, ptr %b.at
  br label %before81
before81:
  br label %loop82
loop82:
  %k84 = phi i64 [ 0, %before81 ], [ %k84.next, %loop82 ]
  %v85 = mul i64 %k84, 8
  %v86 = mul i64 %k84, 1
  %v87 = getelementptr i16, ptr %v79, i64 %v86
  %v88 = getelementptr i16, ptr %v80, i64 %v85
  %v89 = getelementptr i16, ptr %v88, i64 256
  %v90 = load <4 x i16>, ptr %v89, align 2
  %v91 = zext <4 x i16> %v90 to <4 x i32>
  %v92 = shl <4 x i32> %v91, <i32 16, i32 16, i32 16, i32 16>
  %v93 = bitcast <4 x i32> %v92 to <4 x float>
  %v94 = getelementptr i16, ptr %v88, i64 260
  %v95 = load <4 x i16>, ptr %v94, align 2
  %v96 = zext <4 x i16> %v95 to <4 x i32>
  %v97 = shl <4 x i32> %v96, <i32 16, i32 16, i32 16, i32 16>
  %v98 = bitcast <4 x i32> %v97 to <4 x float>
  %v99 = getelementptr i16, ptr %v87, i64 0
  %v100 = load i16, ptr %v99, align 2
  %v101 = insertelement <4 x i16> poison, i16 %v100, i64 0
  %v102 = shufflevector <4 x i16> %v101, <4 x i16> poison, <4 x i32> zeroinitializer
  %v103 = zext <4 x i16> %v102 to <4 x i32>
  %v104 = shl <4 x i32> %v103, <i32 16, i32 16, i32 16, i32 16>
  %v105 = bitcast <4 x i32> %v104 to <4 x float>
  %v106 = load <4 x float>, ptr %acc.0.0
  %v107 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v105, <4 x float> %v93, <4 x float> %v106)
  store <4 x float> %v107, ptr %acc.0.0
  %v108 = load <4 x float>, ptr %acc.0.1
  %v109 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v105, <4 x float> %v98, <4 x float> %v108)
  store <4 x float> %v109, ptr %acc.0.1
  %v110 = getelementptr i16, ptr %v87, i64 32
  %v111 = load i16, ptr %v110, align 2
  %v112 = insertelement <4 x i16> poison, i16 %v111, i64 0
  %v113 = shufflevector <4 x i16> %v112, <4 x i16> poison, <4 x i32> zeroinitializer
  %v114 = zext <4 x i16> %v113 to <4 x i32>
  %v115 = shl <4 x i32> %v114, <i32 16, i32 16, i32 16, i32 16>
  %v116 = bitcast <4 x i32> %v115 to <4 x float>
  %v117 = load <4 x float>, ptr %acc.1.0
  %v118 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v116, <4 x float> %v93, <4 x float> %v117)
  store <4 x float> %v118, ptr %acc.1.0
  %v119 = load <4 x float>, ptr %acc.1.1
  %v120 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v116, <4 x float> %v98, <4 x float> %v119)
  store <4 x float> %v120, ptr %acc.1.1
  %v121 = getelementptr i16, ptr %v87, i64 64
  %v122 = load i16, ptr %v121, align 2
  %v123 = insertelement <4 x i16> poison, i16 %v122, i64 0
  %v124 = shufflevector <4 x i16> %v123, <4 x i16> poison, <4 x i32> zeroinitializer
  %v125 = zext <4 x i16> %v124 to <4 x i32>
  %v126 = shl <4 x i32> %v125, <i32 16, i32 16, i32 16, i32 16>
  %v127 = bitcast <4 x i32> %v126 to <4 x float>
  %v128 = load <4 x float>, ptr %acc.2.0
  %v129 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v127, <4 x float> %v93, <4 x float> %v128)
  store <4 x float> %v129, ptr %acc.2.0
  %v130 = load <4 x float>, ptr %acc.2.1
  %v131 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v127, <4 x float> %v98, <4 x float> %v130)
  store <4 x float> %v131, ptr %acc.2.1
  %k84.next = add i64 %k84, 1
  %v132 = icmp ne i64 %k84.next, 64
  br i1 %v132, label %loop82, label %after83
after83:
  %v133 = load ptr, ptr %a.at
  %v134 = getelementptr i16, ptr %v133, i64 448
  store ptr %v134, ptr %a.at
  %v135 = load ptr, ptr %b.at
  %v136 = getelementptr i16, ptr %v135, i64 768
  store ptr %v136, ptr %b.at
  %v137 = load i64, ptr %h.left
  %v138 = sub i64 %v137, 1
  store i64 %v138, ptr %h.left
  %v139 = icmp sgt i64 %v138, 0
  br i1 %v139, label %taps34, label %taps.end35
taps.end35:
  br label %done
done:
  %v140 = load <4 x float>, ptr %acc.0.0
  %v141 = getelementptr i16, ptr %residual, i64 0
  %v142 = load <4 x i16>, ptr %v141, align 2
  %v143 = zext <4 x i16> %v142 to <4 x i32>
  %v144 = shl <4 x i32> %v143, <i32 16, i32 16, i32 16, i32 16>
  %v145 = bitcast <4 x i32> %v144 to <4 x float>
  %v146 = fadd <4 x float> %v140, %v145
  %v147 = fcmp olt <4 x float> %v146, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v148 = select <4 x i1> %v147, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v146
  %v149 = fcmp ogt <4 x float> %v148, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v150 = select <4 x i1> %v149, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v148
  %v151 = bitcast <4 x float> %v150 to <4 x i32>
  %v152 = and <4 x i32> %v151, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v153 = xor <4 x i32> %v151, %v152
  %v154 = lshr <4 x i32> %v153, <i32 16, i32 16, i32 16, i32 16>
  %v155 = and <4 x i32> %v154, <i32 1, i32 1, i32 1, i32 1>
  %v156 = add <4 x i32> %v153, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v157 = add <4 x i32> %v156, %v155
  %v158 = lshr <4 x i32> %v157, <i32 16, i32 16, i32 16, i32 16>
  %v159 = lshr <4 x i32> %v153, <i32 16, i32 16, i32 16, i32 16>
  %v160 = or <4 x i32> %v159, <i32 64, i32 64, i32 64, i32 64>
  %v161 = icmp ugt <4 x i32> %v153, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v162 = select <4 x i1> %v161, <4 x i32> %v160, <4 x i32> %v158
  %v163 = lshr <4 x i32> %v152, <i32 16, i32 16, i32 16, i32 16>
  %v164 = or <4 x i32> %v162, %v163
  %v165 = trunc <4 x i32> %v164 to <4 x i16>
  %v166 = getelementptr i16, ptr %c, i64 0
  store <4 x i16> %v165, ptr %v166, align 2
  %v167 = load <4 x float>, ptr %acc.0.1
  %v168 = getelementptr i16, ptr %residual, i64 4
  %v169 = load i16, ptr %v168, align 2
  %v170 = insertelement <4 x i16> zeroinitializer, i16 %v169, i64 0
  %v171 = getelementptr i16, ptr %residual, i64 5
  %v172 = load i16, ptr %v171, align 2
  %v173 = insertelement <4 x i16> %v170, i16 %v172, i64 1
  %v174 = getelementptr i16, ptr %residual, i64 6
  %v175 = load i16, ptr %v174, align 2
  %v176 = insertelement <4 x i16> %v173, i16 %v175, i64 2
  %v177 = zext <4 x i16> %v176 to <4 x i32>
  %v178 = shl <4 x i32> %v177, <i32 16, i32 16, i32 16, i32 16>
  %v179 = bitcast <4 x i32> %v178 to <4 x float>
  %v180 = fadd <4 x float> %v167, %v179
  %v181 = fcmp olt <4 x float> %v180, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v182 = select <4 x i1> %v181, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v180
  %v183 = fcmp ogt <4 x float> %v182, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v184 = select <4 x i1> %v183, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v182
  %v185 = bitcast <4 x float> %v184 to <4 x i32>
  %v186 = and <4 x i32> %v185, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v187 = xor <4 x i32> %v185, %v186
  %v188 = lshr <4 x i32> %v187, <i32 16, i32 16, i32 16, i32 16>
  %v189 = and <4 x i32> %v188, <i32 1, i32 1, i32 1, i32 1>
  %v190 = add <4 x i32> %v187, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v191 = add <4 x i32> %v190, %v189
  %v192 = lshr <4 x i32> %v191, <i32 16, i32 16, i32 16, i32 16>
  %v193 = lshr <4 x i32> %v187, <i32 16, i32 16, i32 16, i32 16>
  %v194 = or <4 x i32> %v193, <i32 64, i32 64, i32 64, i32 64>
  %v195 = icmp ugt <4 x i32> %v187, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v196 = select <4 x i1> %v195, <4 x i32> %v194, <4 x i32> %v192
  %v197 = lshr <4 x i32> %v186, <i32 16, i32 16, i32 16, i32 16>
  %v198 = or <4 x i32> %v196, %v197
  %v199 = trunc <4 x i32> %v198 to <4 x i16>
  %v200 = extractelement <4 x i16> %v199, i64 0
  %v201 = getelementptr i16, ptr %c, i64 4
  store i16 %v200, ptr %v201, align 2
  %v202 = extractelement <4 x i16> %v199, i64 1
  %v203 = getelementptr i16, ptr %c, i64 5
  store i16 %v202, ptr %v203, align 2
  %v204 = extractelement <4 x i16> %v199, i64 2
  %v205 = getelementptr i16, ptr %c, i64 6
  store i16 %v204, ptr %v205, align 2
  %v206 = load <4 x float>, ptr %acc.1.0
  %v207 = getelementptr i16, ptr %residual, i64 7
  %v208 = load <4 x i16>, ptr %v207, align 2
  %v209 = zext <4 x i16> %v208 to <4 x i32>
  %v210 = shl <4 x i32> %v209, <i32 16, i32 16, i32 16, i32 16>
  %v211 = bitcast <4 x i32> %v210 to <4 x float>
  %v212 = fadd <4 x float> %v206, %v211
  %v213 = fcmp olt <4 x float> %v212, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v214 = select <4 x i1> %v213, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v212
  %v215 = fcmp ogt <4 x float> %v214, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v216 = select <4 x i1> %v215, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v214
  %v217 = bitcast <4 x float> %v216 to <4 x i32>
  %v218 = and <4 x i32> %v217, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v219 = xor <4 x i32> %v217, %v218
  %v220 = lshr <4 x i32> %v219, <i32 16, i32 16, i32 16, i32 16>
  %v221 = and <4 x i32> %v220, <i32 1, i32 1, i32 1, i32 1>
  %v222 = add <4 x i32> %v219, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v223 = add <4 x i32> %v222, %v221
  %v224 = lshr <4 x i32> %v223, <i32 16, i32 16, i32 16, i32 16>
  %v225 = lshr <4 x i32> %v219, <i32 16, i32 16, i32 16, i32 16>
  %v226 = or <4 x i32> %v225, <i32 64, i32 64, i32 64, i32 64>
  %v227 = icmp ugt <4 x i32> %v219, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v228 = select <4 x i1> %v227, <4 x i32> %v226, <4 x i32> %v224
  %v229 = lshr <4 x i32> %v218, <i32 16, i32 16, i32 16, i32 16>
  %v230 = or <4 x i32> %v228, %v229
  %v231 = trunc <4 x i32> %v230 to <4 x i16>
  %v232 = getelementptr i16, ptr %c, i64 7
  store <4 x i16> %v231, ptr %v232, align 2
  %v233 = load <4 x float>, ptr %acc.1.1
  %v234 = getelementptr i16, ptr %residual, i64 11
  %v235 = load i16, ptr %v234, align 2
  %v236 = insertelement <4 x i16> zeroinitializer, i16 %v235, i64 0
  %v237 = getelementptr i16, ptr %residual, i64 12
  %v238 = load i16, ptr %v237, align 2
  %v239 = insertelement <4 x i16> %v236, i16 %v238, i64 1
  %v240 = getelementptr i16, ptr %residual, i64 13
  %v241 = load i16, ptr %v240, align 2
  %v242 = insertelement <4 x i16> %v239, i16 %v241, i64 2
  %v243 = zext <4 x i16> %v242 to <4 x i32>
  %v244 = shl <4 x i32> %v243, <i32 16, i32 16, i32 16, i32 16>
  %v245 = bitcast <4 x i32> %v244 to <4 x float>
  %v246 = fadd <4 x float> %v233, %v245
  %v247 = fcmp olt <4 x float> %v246, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v248 = select <4 x i1> %v247, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v246
  %v249 = fcmp ogt <4 x float> %v248, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v250 = select <4 x i1> %v249, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v248
  %v251 = bitcast <4 x float> %v250 to <4 x i32>
  %v252 = and <4 x i32> %v251, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v253 = xor <4 x i32> %v251, %v252
  %v254 = lshr <4 x i32> %v253, <i32 16, i32 16, i32 16, i32 16>
  %v255 = and <4 x i32> %v254, <i32 1, i32 1, i32 1, i32 1>
  %v256 = add <4 x i32> %v253, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v257 = add <4 x i32> %v256, %v255
  %v258 = lshr <4 x i32> %v257, <i32 16, i32 16, i32 16, i32 16>
  %v259 = lshr <4 x i32> %v253, <i32 16, i32 16, i32 16, i32 16>
  %v260 = or <4 x i32> %v259, <i32 64, i32 64, i32 64, i32 64>
  %v261 = icmp ugt <4 x i32> %v253, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v262 = select <4 x i1> %v261, <4 x i32> %v260, <4 x i32> %v258
  %v263 = lshr <4 x i32> %v252, <i32 16, i32 16, i32 16, i32 16>
  %v264 = or <4 x i32> %v262, %v263
  %v265 = trunc <4 x i32> %v264 to <4 x i16>
  %v266 = extractelement <4 x i16> %v265, i64 0
  %v267 = getelementptr i16, ptr %c, i64 11
  store i16 %v266, ptr %v267, align 2
  %v268 = extractelement <4 x i16> %v265, i64 1
  %v269 = getelementptr i16, ptr %c, i64 12
  store i16 %v268, ptr %v269, align 2
  %v270 = extractelement <4 x i16> %v265, i64 2
  %v271 = getelementptr i16, ptr %c, i64 13
  store i16 %v270, ptr %v271, align 2
  %v272 = load <4 x float>, ptr %acc.2.0
  %v273 = getelementptr i16, ptr %residual, i64 14
  %v274 = load <4 x i16>, ptr %v273, align 2
  %v275 = zext <4 x i16> %v274 to <4 x i32>
  %v276 = shl <4 x i32> %v275, <i32 16, i32 16, i32 16, i32 16>
  %v277 = bitcast <4 x i32> %v276 to <4 x float>
  %v278 = fadd <4 x float> %v272, %v277
  %v279 = fcmp olt <4 x float> %v278, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v280 = select <4 x i1> %v279, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v278
  %v281 = fcmp ogt <4 x float> %v280, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v282 = select <4 x i1> %v281, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v280
  %v283 = bitcast <4 x float> %v282 to <4 x i32>
  %v284 = and <4 x i32> %v283, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v285 = xor <4 x i32> %v283, %v284
  %v286 = lshr <4 x i32> %v285, <i32 16, i32 16, i32 16, i32 16>
  %v287 = and <4 x i32> %v286, <i32 1, i32 1, i32 1, i32 1>
  %v288 = add <4 x i32> %v285, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v289 = add <4 x i32> %v288, %v287
  %v290 = lshr <4 x i32> %v289, <i32 16, i32 16, i32 16, i32 16>
  %v291 = lshr <4 x i32> %v285, <i32 16, i32 16, i32 16, i32 16>
  %v292 = or <4 x i32> %v291, <i32 64, i32 64, i32 64, i32 64>
  %v293 = icmp ugt <4 x i32> %v285, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v294 = select <4 x i1> %v293, <4 x i32> %v292, <4 x i32> %v290
  %v295 = lshr <4 x i32> %v284, <i32 16, i32 16, i32 16, i32 16>
  %v296 = or <4 x i32> %v294, %v295
  %v297 = trunc <4 x i32> %v296 to <4 x i16>
  %v298 = getelementptr i16, ptr %c, i64 14
  store <4 x i16> %v297, ptr %v298, align 2
  %v299 = load <4 x float>, ptr %acc.2.1
  %v300 = getelementptr i16, ptr %residual, i64 18
  %v301 = load i16, ptr %v300, align 2
  %v302 = insertelement <4 x i16> zeroinitializer, i16 %v301, i64 0
  %v303 = getelementptr i16, ptr %residual, i64 19
  %v304 = load i16, ptr %v303, align 2
  %v305 = insertelement <4 x i16> %v302, i16 %v304, i64 1
  %v306 = getelementptr i16, ptr %residual, i64 20
  %v307 = load i16, ptr %v306, align 2
  %v308 = insertelement <4 x i16> %v305, i16 %v307, i64 2
  %v309 = zext <4 x i16> %v308 to <4 x i32>
  %v310 = shl <4 x i32> %v309, <i32 16, i32 16, i32 16, i32 16>
  %v311 = bitcast <4 x i32> %v310 to <4 x float>
  %v312 = fadd <4 x float> %v299, %v311
  %v313 = fcmp olt <4 x float> %v312, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v314 = select <4 x i1> %v313, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v312
  %v315 = fcmp ogt <4 x float> %v314, <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>
  %v316 = select <4 x i1> %v315, <4 x float> <float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000, float 0x4018000000000000>, <4 x float> %v314
  %v317 = bitcast <4 x float> %v316 to <4 x i32>
  %v318 = and <4 x i32> %v317, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v319 = xor <4 x i32> %v317, %v318
  %v320 = lshr <4 x i32> %v319, <i32 16, i32 16, i32 16, i32 16>
  %v321 = and <4 x i32> %v320, <i32 1, i32 1, i32 1, i32 1>
  %v322 = add <4 x i32> %v319, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v323 = add <4 x i32> %v322, %v321
  %v324 = lshr <4 x i32> %v323, <i32 16, i32 16, i32 16, i32 16>
  %v325 = lshr <4 x i32> %v319, <i32 16, i32 16, i32 16, i32 16>
  %v326 = or <4 x i32> %v325, <i32 64, i32 64, i32 64, i32 64>
  %v327 = icmp ugt <4 x i32> %v319, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v328 = select <4 x i1> %v327, <4 x i32> %v326, <4 x i32> %v324
  %v329 = lshr <4 x i32> %v318, <i32 16, i32 16, i32 16, i32 16>
  %v330 = or <4 x i32> %v328, %v329
  %v331 = trunc <4 x i32> %v330 to <4 x i16>
  %v332 = extractelement <4 x i16> %v331, i64 0
  %v333 = getelementptr i16, ptr %c, i64 18
  store i16 %v332, ptr %v333, align 2
  %v334 = extractelement <4 x i16> %v331, i64 1
  %v335 = getelementptr i16, ptr %c, i64 19
  store i16 %v334, ptr %v335, align 2
  %v336 = extractelement <4 x i16> %v331, i64 2
  %v337 = getelementptr i16, ptr %c, i64 20
  store i16 %v336, ptr %v337, align 2
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
