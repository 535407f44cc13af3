define i32 @bf16_bf16_bf16_4x4_dw_portablehalves__n4_a64.896_b64.768_c64_bias_clip00000000.7f800000_g4_l2.896.896.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) alwaysinline {
entry:
  %acc.0.0 = alloca <4 x float>
  %acc.1.0 = alloca <4 x float>
  %acc.2.0 = alloca <4 x float>
  %acc.3.0 = alloca <4 x float>
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
  %v7 = getelementptr float, ptr %bias, i64 0
  %v8 = load <4 x float>, ptr %v7, align 2
  store <4 x float> %v8, ptr %acc.3.0
  %v9 = getelementptr i16, ptr %b, i64 0
  %v10 = load <4 x i16>, ptr %v9, align 2
  %v11 = zext <4 x i16> %v10 to <4 x i32>
  %v12 = shl <4 x i32> %v11, <i32 16, i32 16, i32 16, i32 16>
  %v13 = bitcast <4 x i32> %v12 to <4 x float>
  %v14 = getelementptr i16, ptr %b, i64 64
  %v15 = load <4 x i16>, ptr %v14, align 2
  %v16 = zext <4 x i16> %v15 to <4 x i32>
  %v17 = shl <4 x i32> %v16, <i32 16, i32 16, i32 16, i32 16>
  %v18 = bitcast <4 x i32> %v17 to <4 x float>
  %v19 = getelementptr i16, ptr %b, i64 128
  %v20 = load <4 x i16>, ptr %v19, align 2
  %v21 = zext <4 x i16> %v20 to <4 x i32>
  %v22 = shl <4 x i32> %v21, <i32 16, i32 16, i32 16, i32 16>
  %v23 = bitcast <4 x i32> %v22 to <4 x float>
  %v24 = getelementptr i16, ptr %b, i64 192
  %v25 = load <4 x i16>, ptr %v24, align 2
  %v26 = zext <4 x i16> %v25 to <4 x i32>
  %v27 = shl <4 x i32> %v26, <i32 16, i32 16, i32 16, i32 16>
  %v28 = bitcast <4 x i32> %v27 to <4 x float>
  %v29 = getelementptr i16, ptr %b, i64 256
  %v30 = load <4 x i16>, ptr %v29, align 2
  %v31 = zext <4 x i16> %v30 to <4 x i32>
  %v32 = shl <4 x i32> %v31, <i32 16, i32 16, i32 16, i32 16>
  %v33 = bitcast <4 x i32> %v32 to <4 x float>
  %v34 = getelementptr i16, ptr %b, i64 320
  %v35 = load <4 x i16>, ptr %v34, align 2
  %v36 = zext <4 x i16> %v35 to <4 x i32>
  %v37 = shl <4 x i32> %v36, <i32 16, i32 16, i32 16, i32 16>
  %v38 = bitcast <4 x i32> %v37 to <4 x float>
  %v39 = getelementptr i16, ptr %b, i64 384
  %v40 = load <4 x i16>, ptr %v39, align 2
  %v41 = zext <4 x i16> %v40 to <4 x i32>
  %v42 = shl <4 x i32> %v41, <i32 16, i32 16, i32 16, i32 16>
  %v43 = bitcast <4 x i32> %v42 to <4 x float>
  %v44 = getelementptr i16, ptr %b, i64 448
  %v45 = load <4 x i16>, ptr %v44, align 2
  %v46 = zext <4 x i16> %v45 to <4 x i32>
  %v47 = shl <4 x i32> %v46, <i32 16, i32 16, i32 16, i32 16>
  %v48 = bitcast <4 x i32> %v47 to <4 x float>
  %v49 = getelementptr i16, ptr %b, i64 512
  %v50 = load <4 x i16>, ptr %v49, align 2
  %v51 = zext <4 x i16> %v50 to <4 x i32>
  %v52 = shl <4 x i32> %v51, <i32 16, i32 16, i32 16, i32 16>
  %v53 = bitcast <4 x i32> %v52 to <4 x float>
  %v54 = getelementptr i16, ptr %b, i64 576
  %v55 = load <4 x i16>, ptr %v54, align 2
  %v56 = zext <4 x i16> %v55 to <4 x i32>
  %v57 = shl <4 x i32> %v56, <i32 16, i32 16, i32 16, i32 16>
  %v58 = bitcast <4 x i32> %v57 to <4 x float>
  %v59 = getelementptr i16, ptr %b, i64 640
  %v60 = load <4 x i16>, ptr %v59, align 2
  %v61 = zext <4 x i16> %v60 to <4 x i32>
  %v62 = shl <4 x i32> %v61, <i32 16, i32 16, i32 16, i32 16>
  %v63 = bitcast <4 x i32> %v62 to <4 x float>
  %v64 = getelementptr i16, ptr %b, i64 704
  %v65 = load <4 x i16>, ptr %v64, align 2
  %v66 = zext <4 x i16> %v65 to <4 x i32>
  %v67 = shl <4 x i32> %v66, <i32 16, i32 16, i32 16, i32 16>
  %v68 = bitcast <4 x i32> %v67 to <4 x float>
  %v69 = getelementptr i16, ptr %a, i64 0
  %v70 = load <4 x i16>, ptr %v69, align 2
  %v71 = zext <4 x i16> %v70 to <4 x i32>
  %v72 = shl <4 x i32> %v71, <i32 16, i32 16, i32 16, i32 16>
  %v73 = bitcast <4 x i32> %v72 to <4 x float>
  %v74 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v75 = load <4 x float>, ptr %acc.1.0
  %v76 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v74, <4 x float> %v13, <4 x float> %v75)
  store <4 x float> %v76, ptr %acc.1.0
  %v77 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v78 = load <4 x float>, ptr %acc.0.0
  %v79 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v77, <4 x float> %v33, <4 x float> %v78)
  store <4 x float> %v79, ptr %acc.0.0
  %v80 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v81 = load <4 x float>, ptr %acc.1.0
  %v82 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v80, <4 x float> %v18, <4 x float> %v81)
  store <4 x float> %v82, ptr %acc.1.0
  %v83 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v84 = load <4 x float>, ptr %acc.0.0
  %v85 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v83, <4 x float> %v38, <4 x float> %v84)
  store <4 x float> %v85, ptr %acc.0.0
  %v86 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v87 = load <4 x float>, ptr %acc.1.0
  %v88 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v86, <4 x float> %v23, <4 x float> %v87)
  store <4 x float> %v88, ptr %acc.1.0
  %v89 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v90 = load <4 x float>, ptr %acc.0.0
  %v91 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v89, <4 x float> %v43, <4 x float> %v90)
  store <4 x float> %v91, ptr %acc.0.0
  %v92 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v93 = load <4 x float>, ptr %acc.1.0
  %v94 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v92, <4 x float> %v28, <4 x float> %v93)
  store <4 x float> %v94, ptr %acc.1.0
  %v95 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v96 = load <4 x float>, ptr %acc.0.0
  %v97 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v95, <4 x float> %v48, <4 x float> %v96)
  store <4 x float> %v97, ptr %acc.0.0
  %v98 = getelementptr i16, ptr %a, i64 64
  %v99 = load <4 x i16>, ptr %v98, align 2
  %v100 = zext <4 x i16> %v99 to <4 x i32>
  %v101 = shl <4 x i32> %v100, <i32 16, i32 16, i32 16, i32 16>
  %v102 = bitcast <4 x i32> %v101 to <4 x float>
  %v103 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v104 = load <4 x float>, ptr %acc.1.0
  %v105 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v103, <4 x float> %v33, <4 x float> %v104)
  store <4 x float> %v105, ptr %acc.1.0
  %v106 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v107 = load <4 x float>, ptr %acc.0.0
  %v108 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v106, <4 x float> %v53, <4 x float> %v107)
  store <4 x float> %v108, ptr %acc.0.0
  %v109 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v110 = load <4 x float>, ptr %acc.1.0
  %v111 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v109, <4 x float> %v38, <4 x float> %v110)
  store <4 x float> %v111, ptr %acc.1.0
  %v112 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v113 = load <4 x float>, ptr %acc.0.0
  %v114 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v112, <4 x float> %v58, <4 x float> %v113)
  store <4 x float> %v114, ptr %acc.0.0
  %v115 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v116 = load <4 x float>, ptr %acc.1.0
  %v117 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v115, <4 x float> %v43, <4 x float> %v116)
  store <4 x float> %v117, ptr %acc.1.0
  %v118 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v119 = load <4 x float>, ptr %acc.0.0
  %v120 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v118, <4 x float> %v63, <4 x float> %v119)
  store <4 x float> %v120, ptr %acc.0.0
  %v121 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v122 = load <4 x float>, ptr %acc.1.0
  %v123 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v121, <4 x float> %v48, <4 x float> %v122)
  store <4 x float> %v123, ptr %acc.1.0
  %v124 = shufflevector <4 x float> %v102, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v125 = load <4 x float>, ptr %acc.0.0
  %v126 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v124, <4 x float> %v68, <4 x float> %v125)
  store <4 x float> %v126, ptr %acc.0.0
  %v127 = getelementptr i16, ptr %a, i64 128
  %v128 = load <4 x i16>, ptr %v127, align 2
  %v129 = zext <4 x i16> %v128 to <4 x i32>
  %v130 = shl <4 x i32> %v129, <i32 16, i32 16, i32 16, i32 16>
  %v131 = bitcast <4 x i32> %v130 to <4 x float>
  %v132 = shufflevector <4 x float> %v131, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v133 = load <4 x float>, ptr %acc.1.0
  %v134 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v132, <4 x float> %v53, <4 x float> %v133)
  store <4 x float> %v134, ptr %acc.1.0
  %v135 = shufflevector <4 x float> %v131, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v136 = load <4 x float>, ptr %acc.1.0
  %v137 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v135, <4 x float> %v58, <4 x float> %v136)
  store <4 x float> %v137, ptr %acc.1.0
  %v138 = shufflevector <4 x float> %v131, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v139 = load <4 x float>, ptr %acc.1.0
  %v140 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v138, <4 x float> %v63, <4 x float> %v139)
  store <4 x float> %v140, ptr %acc.1.0
  %v141 = shufflevector <4 x float> %v131, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v142 = load <4 x float>, ptr %acc.1.0
  %v143 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v141, <4 x float> %v68, <4 x float> %v142)
  store <4 x float> %v143, ptr %acc.1.0
  %v144 = getelementptr i16, ptr %b, i64 0
  %v145 = load <4 x i16>, ptr %v144, align 2
  %v146 = zext <4 x i16> %v145 to <4 x i32>
  %v147 = shl <4 x i32> %v146, <i32 16, i32 16, i32 16, i32 16>
  %v148 = bitcast <4 x i32> %v147 to <4 x float>
  %v149 = getelementptr i16, ptr %b, i64 64
  %v150 = load <4 x i16>, ptr %v149, align 2
  %v151 = zext <4 x i16> %v150 to <4 x i32>
  %v152 = shl <4 x i32> %v151, <i32 16, i32 16, i32 16, i32 16>
  %v153 = bitcast <4 x i32> %v152 to <4 x float>
  %v154 = getelementptr i16, ptr %b, i64 128
  %v155 = load <4 x i16>, ptr %v154, align 2
  %v156 = zext <4 x i16> %v155 to <4 x i32>
  %v157 = shl <4 x i32> %v156, <i32 16, i32 16, i32 16, i32 16>
  %v158 = bitcast <4 x i32> %v157 to <4 x float>
  %v159 = getelementptr i16, ptr %b, i64 192
  %v160 = load <4 x i16>, ptr %v159, align 2
  %v161 = zext <4 x i16> %v160 to <4 x i32>
  %v162 = shl <4 x i32> %v161, <i32 16, i32 16, i32 16, i32 16>
  %v163 = bitcast <4 x i32> %v162 to <4 x float>
  %v164 = getelementptr i16, ptr %b, i64 256
  %v165 = load <4 x i16>, ptr %v164, align 2
  %v166 = zext <4 x i16> %v165 to <4 x i32>
  %v167 = shl <4 x i32> %v166, <i32 16, i32 16, i32 16, i32 16>
  %v168 = bitcast <4 x i32> %v167 to <4 x float>
  %v169 = getelementptr i16, ptr %b, i64 320
  %v170 = load <4 x i16>, ptr %v169, align 2
  %v171 = zext <4 x i16> %v170 to <4 x i32>
  %v172 = shl <4 x i32> %v171, <i32 16, i32 16, i32 16, i32 16>
  %v173 = bitcast <4 x i32> %v172 to <4 x float>
  %v174 = getelementptr i16, ptr %b, i64 384
  %v175 = load <4 x i16>, ptr %v174, align 2
  %v176 = zext <4 x i16> %v175 to <4 x i32>
  %v177 = shl <4 x i32> %v176, <i32 16, i32 16, i32 16, i32 16>
  %v178 = bitcast <4 x i32> %v177 to <4 x float>
  %v179 = getelementptr i16, ptr %b, i64 448
  %v180 = load <4 x i16>, ptr %v179, align 2
  %v181 = zext <4 x i16> %v180 to <4 x i32>
  %v182 = shl <4 x i32> %v181, <i32 16, i32 16, i32 16, i32 16>
  %v183 = bitcast <4 x i32> %v182 to <4 x float>
  %v184 = getelementptr i16, ptr %b, i64 512
  %v185 = load <4 x i16>, ptr %v184, align 2
  %v186 = zext <4 x i16> %v185 to <4 x i32>
  %v187 = shl <4 x i32> %v186, <i32 16, i32 16, i32 16, i32 16>
  %v188 = bitcast <4 x i32> %v187 to <4 x float>
  %v189 = getelementptr i16, ptr %b, i64 576
  %v190 = load <4 x i16>, ptr %v189, align 2
  %v191 = zext <4 x i16> %v190 to <4 x i32>
  %v192 = shl <4 x i32> %v191, <i32 16, i32 16, i32 16, i32 16>
  %v193 = bitcast <4 x i32> %v192 to <4 x float>
  %v194 = getelementptr i16, ptr %b, i64 640
  %v195 = load <4 x i16>, ptr %v194, align 2
  %v196 = zext <4 x i16> %v195 to <4 x i32>
  %v197 = shl <4 x i32> %v196, <i32 16, i32 16, i32 16, i32 16>
  %v198 = bitcast <4 x i32> %v197 to <4 x float>
  %v199 = getelementptr i16, ptr %b, i64 704
  %v200 = load <4 x i16>, ptr %v199, align 2
  %v201 = zext <4 x i16> %v200 to <4 x i32>
  %v202 = shl <4 x i32> %v201, <i32 16, i32 16, i32 16, i32 16>
  %v203 = bitcast <4 x i32> %v202 to <4 x float>
  %v204 = getelementptr i16, ptr %b, i64 768
  %v205 = load <4 x i16>, ptr %v204, align 2
  %v206 = zext <4 x i16> %v205 to <4 x i32>
  %v207 = shl <4 x i32> %v206, <i32 16, i32 16, i32 16, i32 16>
  %v208 = bitcast <4 x i32> %v207 to <4 x float>
  %v209 = getelementptr i16, ptr %b, i64 832
  %v210 = load <4 x i16>, ptr %v209, align 2
  %v211 = zext <4 x i16> %v210 to <4 x i32>
  %v212 = shl <4 x i32> %v211, <i32 16, i32 16, i32 16, i32 16>
  %v213 = bitcast <4 x i32> %v212 to <4 x float>
  %v214 = getelementptr i16, ptr %b, i64 896
  %v215 = load <4 x i16>, ptr %v214, align 2
  %v216 = zext <4 x i16> %v215 to <4 x i32>
  %v217 = shl <4 x i32> %v216, <i32 16, i32 16, i32 16, i32 16>
  %v218 = bitcast <4 x i32> %v217 to <4 x float>
  %v219 = getelementptr i16, ptr %b, i64 960
  %v220 = load <4 x i16>, ptr %v219, align 2
  %v221 = zext <4 x i16> %v220 to <4 x i32>
  %v222 = shl <4 x i32> %v221, <i32 16, i32 16, i32 16, i32 16>
  %v223 = bitcast <4 x i32> %v222 to <4 x float>
  %v224 = getelementptr i16, ptr %b, i64 1024
  %v225 = load <4 x i16>, ptr %v224, align 2
  %v226 = zext <4 x i16> %v225 to <4 x i32>
  %v227 = shl <4 x i32> %v226, <i32 16, i32 16, i32 16, i32 16>
  %v228 = bitcast <4 x i32> %v227 to <4 x float>
  %v229 = getelementptr i16, ptr %b, i64 1088
  %v230 = load <4 x i16>, ptr %v229, align 2
  %v231 = zext <4 x i16> %v230 to <4 x i32>
  %v232 = shl <4 x i32> %v231, <i32 16, i32 16, i32 16, i32 16>
  %v233 = bitcast <4 x i32> %v232 to <4 x float>
  %v234 = getelementptr i16, ptr %b, i64 1152
  %v235 = load <4 x i16>, ptr %v234, align 2
  %v236 = zext <4 x i16> %v235 to <4 x i32>
  %v237 = shl <4 x i32> %v236, <i32 16, i32 16, i32 16, i32 16>
  %v238 = bitcast <4 x i32> %v237 to <4 x float>
  %v239 = getelementptr i16, ptr %b, i64 1216
  %v240 = load <4 x i16>, ptr %v239, align 2
  %v241 = zext <4 x i16> %v240 to <4 x i32>
  %v242 = shl <4 x i32> %v241, <i32 16, i32 16, i32 16, i32 16>
  %v243 = bitcast <4 x i32> %v242 to <4 x float>
  %v244 = getelementptr i16, ptr %b, i64 1280
  %v245 = load <4 x i16>, ptr %v244, align 2
  %v246 = zext <4 x i16> %v245 to <4 x i32>
  %v247 = shl <4 x i32> %v246, <i32 16, i32 16, i32 16, i32 16>
  %v248 = bitcast <4 x i32> %v247 to <4 x float>
  %v249 = getelementptr i16, ptr %b, i64 1344
  %v250 = load <4 x i16>, ptr %v249, align 2
  %v251 = zext <4 x i16> %v250 to <4 x i32>
  %v252 = shl <4 x i32> %v251, <i32 16, i32 16, i32 16, i32 16>
  %v253 = bitcast <4 x i32> %v252 to <4 x float>
  %v254 = getelementptr i16, ptr %b, i64 1408
  %v255 = load <4 x i16>, ptr %v254, align 2
  %v256 = zext <4 x i16> %v255 to <4 x i32>
  %v257 = shl <4 x i32> %v256, <i32 16, i32 16, i32 16, i32 16>
  %v258 = bitcast <4 x i32> %v257 to <4 x float>
  %v259 = getelementptr i16, ptr %b, i64 1472
  %v260 = load <4 x i16>, ptr %v259, align 2
  %v261 = zext <4 x i16> %v260 to <4 x i32>
  %v262 = shl <4 x i32> %v261, <i32 16, i32 16, i32 16, i32 16>
  %v263 = bitcast <4 x i32> %v262 to <4 x float>
  %v264 = getelementptr i16, ptr %a, i64 896
  %v265 = load <4 x i16>, ptr %v264, align 2
  %v266 = zext <4 x i16> %v265 to <4 x i32>
  %v267 = shl <4 x i32> %v266, <i32 16, i32 16, i32 16, i32 16>
  %v268 = bitcast <4 x i32> %v267 to <4 x float>
  %v269 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v270 = load <4 x float>, ptr %acc.1.0
  %v271 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v269, <4 x float> %v208, <4 x float> %v270)
  store <4 x float> %v271, ptr %acc.1.0
  %v272 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v273 = load <4 x float>, ptr %acc.0.0
  %v274 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v272, <4 x float> %v228, <4 x float> %v273)
  store <4 x float> %v274, ptr %acc.0.0
  %v275 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v276 = load <4 x float>, ptr %acc.3.0
  %v277 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v275, <4 x float> %v148, <4 x float> %v276)
  store <4 x float> %v277, ptr %acc.3.0
  %v278 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v279 = load <4 x float>, ptr %acc.2.0
  %v280 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v278, <4 x float> %v168, <4 x float> %v279)
  store <4 x float> %v280, ptr %acc.2.0
  %v281 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v282 = load <4 x float>, ptr %acc.1.0
  %v283 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v281, <4 x float> %v213, <4 x float> %v282)
  store <4 x float> %v283, ptr %acc.1.0
  %v284 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v285 = load <4 x float>, ptr %acc.0.0
  %v286 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v284, <4 x float> %v233, <4 x float> %v285)
  store <4 x float> %v286, ptr %acc.0.0
  %v287 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v288 = load <4 x float>, ptr %acc.3.0
  %v289 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v287, <4 x float> %v153, <4 x float> %v288)
  store <4 x float> %v289, ptr %acc.3.0
  %v290 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v291 = load <4 x float>, ptr %acc.2.0
  %v292 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v290, <4 x float> %v173, <4 x float> %v291)
  store <4 x float> %v292, ptr %acc.2.0
  %v293 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v294 = load <4 x float>, ptr %acc.1.0
  %v295 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v293, <4 x float> %v218, <4 x float> %v294)
  store <4 x float> %v295, ptr %acc.1.0
  %v296 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v297 = load <4 x float>, ptr %acc.0.0
  %v298 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v296, <4 x float> %v238, <4 x float> %v297)
  store <4 x float> %v298, ptr %acc.0.0
  %v299 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v300 = load <4 x float>, ptr %acc.3.0
  %v301 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v299, <4 x float> %v158, <4 x float> %v300)
  store <4 x float> %v301, ptr %acc.3.0
  %v302 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v303 = load <4 x float>, ptr %acc.2.0
  %v304 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v302, <4 x float> %v178, <4 x float> %v303)
  store <4 x float> %v304, ptr %acc.2.0
  %v305 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v306 = load <4 x float>, ptr %acc.1.0
  %v307 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v305, <4 x float> %v223, <4 x float> %v306)
  store <4 x float> %v307, ptr %acc.1.0
  %v308 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v309 = load <4 x float>, ptr %acc.0.0
  %v310 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v308, <4 x float> %v243, <4 x float> %v309)
  store <4 x float> %v310, ptr %acc.0.0
  %v311 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v312 = load <4 x float>, ptr %acc.3.0
  %v313 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v311, <4 x float> %v163, <4 x float> %v312)
  store <4 x float> %v313, ptr %acc.3.0
  %v314 = shufflevector <4 x float> %v268, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v315 = load <4 x float>, ptr %acc.2.0
  %v316 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v314, <4 x float> %v183, <4 x float> %v315)
  store <4 x float> %v316, ptr %acc.2.0
  %v317 = getelementptr i16, ptr %a, i64 960
  %v318 = load <4 x i16>, ptr %v317, align 2
  %v319 = zext <4 x i16> %v318 to <4 x i32>
  %v320 = shl <4 x i32> %v319, <i32 16, i32 16, i32 16, i32 16>
  %v321 = bitcast <4 x i32> %v320 to <4 x float>
  %v322 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v323 = load <4 x float>, ptr %acc.1.0
  %v324 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v322, <4 x float> %v228, <4 x float> %v323)
  store <4 x float> %v324, ptr %acc.1.0
  %v325 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v326 = load <4 x float>, ptr %acc.0.0
  %v327 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v325, <4 x float> %v248, <4 x float> %v326)
  store <4 x float> %v327, ptr %acc.0.0
  %v328 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v329 = load <4 x float>, ptr %acc.3.0
  %v330 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v328, <4 x float> %v168, <4 x float> %v329)
  store <4 x float> %v330, ptr %acc.3.0
  %v331 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v332 = load <4 x float>, ptr %acc.2.0
  %v333 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v331, <4 x float> %v188, <4 x float> %v332)
  store <4 x float> %v333, ptr %acc.2.0
  %v334 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v335 = load <4 x float>, ptr %acc.1.0
  %v336 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v334, <4 x float> %v233, <4 x float> %v335)
  store <4 x float> %v336, ptr %acc.1.0
  %v337 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v338 = load <4 x float>, ptr %acc.0.0
  %v339 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v337, <4 x float> %v253, <4 x float> %v338)
  store <4 x float> %v339, ptr %acc.0.0
  %v340 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v341 = load <4 x float>, ptr %acc.3.0
  %v342 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v340, <4 x float> %v173, <4 x float> %v341)
  store <4 x float> %v342, ptr %acc.3.0
  %v343 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v344 = load <4 x float>, ptr %acc.2.0
  %v345 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v343, <4 x float> %v193, <4 x float> %v344)
  store <4 x float> %v345, ptr %acc.2.0
  %v346 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v347 = load <4 x float>, ptr %acc.1.0
  %v348 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v346, <4 x float> %v238, <4 x float> %v347)
  store <4 x float> %v348, ptr %acc.1.0
  %v349 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v350 = load <4 x float>, ptr %acc.0.0
  %v351 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v349, <4 x float> %v258, <4 x float> %v350)
  store <4 x float> %v351, ptr %acc.0.0
  %v352 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v353 = load <4 x float>, ptr %acc.3.0
  %v354 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v352, <4 x float> %v178, <4 x float> %v353)
  store <4 x float> %v354, ptr %acc.3.0
  %v355 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v356 = load <4 x float>, ptr %acc.2.0
  %v357 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v355, <4 x float> %v198, <4 x float> %v356)
  store <4 x float> %v357, ptr %acc.2.0
  %v358 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v359 = load <4 x float>, ptr %acc.1.0
  %v360 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v358, <4 x float> %v243, <4 x float> %v359)
  store <4 x float> %v360, ptr %acc.1.0
  %v361 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v362 = load <4 x float>, ptr %acc.0.0
  %v363 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v361, <4 x float> %v263, <4 x float> %v362)
  store <4 x float> %v363, ptr %acc.0.0
  %v364 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v365 = load <4 x float>, ptr %acc.3.0
  %v366 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v364, <4 x float> %v183, <4 x float> %v365)
  store <4 x float> %v366, ptr %acc.3.0
  %v367 = shufflevector <4 x float> %v321, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v368 = load <4 x float>, ptr %acc.2.0
  %v369 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v367, <4 x float> %v203, <4 x float> %v368)
  store <4 x float> %v369, ptr %acc.2.0
  %v370 = getelementptr i16, ptr %a, i64 1024
  %v371 = load <4 x i16>, ptr %v370, align 2
  %v372 = zext <4 x i16> %v371 to <4 x i32>
  %v373 = shl <4 x i32> %v372, <i32 16, i32 16, i32 16, i32 16>
  %v374 = bitcast <4 x i32> %v373 to <4 x float>
  %v375 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v376 = load <4 x float>, ptr %acc.1.0
  %v377 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v375, <4 x float> %v248, <4 x float> %v376)
  store <4 x float> %v377, ptr %acc.1.0
  %v378 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v379 = load <4 x float>, ptr %acc.3.0
  %v380 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v378, <4 x float> %v188, <4 x float> %v379)
  store <4 x float> %v380, ptr %acc.3.0
  %v381 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v382 = load <4 x float>, ptr %acc.1.0
  %v383 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v381, <4 x float> %v253, <4 x float> %v382)
  store <4 x float> %v383, ptr %acc.1.0
  %v384 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v385 = load <4 x float>, ptr %acc.3.0
  %v386 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v384, <4 x float> %v193, <4 x float> %v385)
  store <4 x float> %v386, ptr %acc.3.0
  %v387 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v388 = load <4 x float>, ptr %acc.1.0
  %v389 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v387, <4 x float> %v258, <4 x float> %v388)
  store <4 x float> %v389, ptr %acc.1.0
  %v390 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v391 = load <4 x float>, ptr %acc.3.0
  %v392 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v390, <4 x float> %v198, <4 x float> %v391)
  store <4 x float> %v392, ptr %acc.3.0
  %v393 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v394 = load <4 x float>, ptr %acc.1.0
  %v395 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v393, <4 x float> %v263, <4 x float> %v394)
  store <4 x float> %v395, ptr %acc.1.0
  %v396 = shufflevector <4 x float> %v374, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v397 = load <4 x float>, ptr %acc.3.0
  %v398 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v396, <4 x float> %v203, <4 x float> %v397)
  store <4 x float> %v398, ptr %acc.3.0
  %v399 = getelementptr i16, ptr %b, i64 768
  %v400 = load <4 x i16>, ptr %v399, align 2
  %v401 = zext <4 x i16> %v400 to <4 x i32>
  %v402 = shl <4 x i32> %v401, <i32 16, i32 16, i32 16, i32 16>
  %v403 = bitcast <4 x i32> %v402 to <4 x float>
  %v404 = getelementptr i16, ptr %b, i64 832
  %v405 = load <4 x i16>, ptr %v404, align 2
  %v406 = zext <4 x i16> %v405 to <4 x i32>
  %v407 = shl <4 x i32> %v406, <i32 16, i32 16, i32 16, i32 16>
  %v408 = bitcast <4 x i32> %v407 to <4 x float>
  %v409 = getelementptr i16, ptr %b, i64 896
  %v410 = load <4 x i16>, ptr %v409, align 2
  %v411 = zext <4 x i16> %v410 to <4 x i32>
  %v412 = shl <4 x i32> %v411, <i32 16, i32 16, i32 16, i32 16>
  %v413 = bitcast <4 x i32> %v412 to <4 x float>
  %v414 = getelementptr i16, ptr %b, i64 960
  %v415 = load <4 x i16>, ptr %v414, align 2
  %v416 = zext <4 x i16> %v415 to <4 x i32>
  %v417 = shl <4 x i32> %v416, <i32 16, i32 16, i32 16, i32 16>
  %v418 = bitcast <4 x i32> %v417 to <4 x float>
  %v419 = getelementptr i16, ptr %b, i64 1024
  %v420 = load <4 x i16>, ptr %v419, align 2
  %v421 = zext <4 x i16> %v420 to <4 x i32>
  %v422 = shl <4 x i32> %v421, <i32 16, i32 16, i32 16, i32 16>
  %v423 = bitcast <4 x i32> %v422 to <4 x float>
  %v424 = getelementptr i16, ptr %b, i64 1088
  %v425 = load <4 x i16>, ptr %v424, align 2
  %v426 = zext <4 x i16> %v425 to <4 x i32>
  %v427 = shl <4 x i32> %v426, <i32 16, i32 16, i32 16, i32 16>
  %v428 = bitcast <4 x i32> %v427 to <4 x float>
  %v429 = getelementptr i16, ptr %b, i64 1152
  %v430 = load <4 x i16>, ptr %v429, align 2
  %v431 = zext <4 x i16> %v430 to <4 x i32>
  %v432 = shl <4 x i32> %v431, <i32 16, i32 16, i32 16, i32 16>
  %v433 = bitcast <4 x i32> %v432 to <4 x float>
  %v434 = getelementptr i16, ptr %b, i64 1216
  %v435 = load <4 x i16>, ptr %v434, align 2
  %v436 = zext <4 x i16> %v435 to <4 x i32>
  %v437 = shl <4 x i32> %v436, <i32 16, i32 16, i32 16, i32 16>
  %v438 = bitcast <4 x i32> %v437 to <4 x float>
  %v439 = getelementptr i16, ptr %b, i64 1280
  %v440 = load <4 x i16>, ptr %v439, align 2
  %v441 = zext <4 x i16> %v440 to <4 x i32>
  %v442 = shl <4 x i32> %v441, <i32 16, i32 16, i32 16, i32 16>
  %v443 = bitcast <4 x i32> %v442 to <4 x float>
  %v444 = getelementptr i16, ptr %b, i64 1344
  %v445 = load <4 x i16>, ptr %v444, align 2
  %v446 = zext <4 x i16> %v445 to <4 x i32>
  %v447 = shl <4 x i32> %v446, <i32 16, i32 16, i32 16, i32 16>
  %v448 = bitcast <4 x i32> %v447 to <4 x float>
  %v449 = getelementptr i16, ptr %b, i64 1408
  %v450 = load <4 x i16>, ptr %v449, align 2
  %v451 = zext <4 x i16> %v450 to <4 x i32>
  %v452 = shl <4 x i32> %v451, <i32 16, i32 16, i32 16, i32 16>
  %v453 = bitcast <4 x i32> %v452 to <4 x float>
  %v454 = getelementptr i16, ptr %b, i64 1472
  %v455 = load <4 x i16>, ptr %v454, align 2
  %v456 = zext <4 x i16> %v455 to <4 x i32>
  %v457 = shl <4 x i32> %v456, <i32 16, i32 16, i32 16, i32 16>
  %v458 = bitcast <4 x i32> %v457 to <4 x float>
  %v459 = getelementptr i16, ptr %b, i64 1536
  %v460 = load <4 x i16>, ptr %v459, align 2
  %v461 = zext <4 x i16> %v460 to <4 x i32>
  %v462 = shl <4 x i32> %v461, <i32 16, i32 16, i32 16, i32 16>
  %v463 = bitcast <4 x i32> %v462 to <4 x float>
  %v464 = getelementptr i16, ptr %b, i64 1600
  %v465 = load <4 x i16>, ptr %v464, align 2
  %v466 = zext <4 x i16> %v465 to <4 x i32>
  %v467 = shl <4 x i32> %v466, <i32 16, i32 16, i32 16, i32 16>
  %v468 = bitcast <4 x i32> %v467 to <4 x float>
  %v469 = getelementptr i16, ptr %b, i64 1664
  %v470 = load <4 x i16>, ptr %v469, align 2
  %v471 = zext <4 x i16> %v470 to <4 x i32>
  %v472 = shl <4 x i32> %v471, <i32 16, i32 16, i32 16, i32 16>
  %v473 = bitcast <4 x i32> %v472 to <4 x float>
  %v474 = getelementptr i16, ptr %b, i64 1728
  %v475 = load <4 x i16>, ptr %v474, align 2
  %v476 = zext <4 x i16> %v475 to <4 x i32>
  %v477 = shl <4 x i32> %v476, <i32 16, i32 16, i32 16, i32 16>
  %v478 = bitcast <4 x i32> %v477 to <4 x float>
  %v479 = getelementptr i16, ptr %b, i64 1792
  %v480 = load <4 x i16>, ptr %v479, align 2
  %v481 = zext <4 x i16> %v480 to <4 x i32>
  %v482 = shl <4 x i32> %v481, <i32 16, i32 16, i32 16, i32 16>
  %v483 = bitcast <4 x i32> %v482 to <4 x float>
  %v484 = getelementptr i16, ptr %b, i64 1856
  %v485 = load <4 x i16>, ptr %v484, align 2
  %v486 = zext <4 x i16> %v485 to <4 x i32>
  %v487 = shl <4 x i32> %v486, <i32 16, i32 16, i32 16, i32 16>
  %v488 = bitcast <4 x i32> %v487 to <4 x float>
  %v489 = getelementptr i16, ptr %b, i64 1920
  %v490 = load <4 x i16>, ptr %v489, align 2
  %v491 = zext <4 x i16> %v490 to <4 x i32>
  %v492 = shl <4 x i32> %v491, <i32 16, i32 16, i32 16, i32 16>
  %v493 = bitcast <4 x i32> %v492 to <4 x float>
  %v494 = getelementptr i16, ptr %b, i64 1984
  %v495 = load <4 x i16>, ptr %v494, align 2
  %v496 = zext <4 x i16> %v495 to <4 x i32>
  %v497 = shl <4 x i32> %v496, <i32 16, i32 16, i32 16, i32 16>
  %v498 = bitcast <4 x i32> %v497 to <4 x float>
  %v499 = getelementptr i16, ptr %b, i64 2048
  %v500 = load <4 x i16>, ptr %v499, align 2
  %v501 = zext <4 x i16> %v500 to <4 x i32>
  %v502 = shl <4 x i32> %v501, <i32 16, i32 16, i32 16, i32 16>
  %v503 = bitcast <4 x i32> %v502 to <4 x float>
  %v504 = getelementptr i16, ptr %b, i64 2112
  %v505 = load <4 x i16>, ptr %v504, align 2
  %v506 = zext <4 x i16> %v505 to <4 x i32>
  %v507 = shl <4 x i32> %v506, <i32 16, i32 16, i32 16, i32 16>
  %v508 = bitcast <4 x i32> %v507 to <4 x float>
  %v509 = getelementptr i16, ptr %b, i64 2176
  %v510 = load <4 x i16>, ptr %v509, align 2
  %v511 = zext <4 x i16> %v510 to <4 x i32>
  %v512 = shl <4 x i32> %v511, <i32 16, i32 16, i32 16, i32 16>
  %v513 = bitcast <4 x i32> %v512 to <4 x float>
  %v514 = getelementptr i16, ptr %b, i64 2240
  %v515 = load <4 x i16>, ptr %v514, align 2
  %v516 = zext <4 x i16> %v515 to <4 x i32>
  %v517 = shl <4 x i32> %v516, <i32 16, i32 16, i32 16, i32 16>
  %v518 = bitcast <4 x i32> %v517 to <4 x float>
  %v519 = getelementptr i16, ptr %a, i64 1792
  %v520 = load <4 x i16>, ptr %v519, align 2
  %v521 = zext <4 x i16> %v520 to <4 x i32>
  %v522 = shl <4 x i32> %v521, <i32 16, i32 16, i32 16, i32 16>
  %v523 = bitcast <4 x i32> %v522 to <4 x float>
  %v524 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v525 = load <4 x float>, ptr %acc.1.0
  %v526 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v524, <4 x float> %v463, <4 x float> %v525)
  store <4 x float> %v526, ptr %acc.1.0
  %v527 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v528 = load <4 x float>, ptr %acc.0.0
  %v529 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v527, <4 x float> %v483, <4 x float> %v528)
  store <4 x float> %v529, ptr %acc.0.0
  %v530 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v531 = load <4 x float>, ptr %acc.3.0
  %v532 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v530, <4 x float> %v403, <4 x float> %v531)
  store <4 x float> %v532, ptr %acc.3.0
  %v533 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v534 = load <4 x float>, ptr %acc.2.0
  %v535 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v533, <4 x float> %v423, <4 x float> %v534)
  store <4 x float> %v535, ptr %acc.2.0
  %v536 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v537 = load <4 x float>, ptr %acc.1.0
  %v538 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v536, <4 x float> %v468, <4 x float> %v537)
  store <4 x float> %v538, ptr %acc.1.0
  %v539 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v540 = load <4 x float>, ptr %acc.0.0
  %v541 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v539, <4 x float> %v488, <4 x float> %v540)
  store <4 x float> %v541, ptr %acc.0.0
  %v542 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v543 = load <4 x float>, ptr %acc.3.0
  %v544 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v542, <4 x float> %v408, <4 x float> %v543)
  store <4 x float> %v544, ptr %acc.3.0
  %v545 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v546 = load <4 x float>, ptr %acc.2.0
  %v547 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v545, <4 x float> %v428, <4 x float> %v546)
  store <4 x float> %v547, ptr %acc.2.0
  %v548 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v549 = load <4 x float>, ptr %acc.1.0
  %v550 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v548, <4 x float> %v473, <4 x float> %v549)
  store <4 x float> %v550, ptr %acc.1.0
  %v551 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v552 = load <4 x float>, ptr %acc.0.0
  %v553 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v551, <4 x float> %v493, <4 x float> %v552)
  store <4 x float> %v553, ptr %acc.0.0
  %v554 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v555 = load <4 x float>, ptr %acc.3.0
  %v556 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v554, <4 x float> %v413, <4 x float> %v555)
  store <4 x float> %v556, ptr %acc.3.0
  %v557 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v558 = load <4 x float>, ptr %acc.2.0
  %v559 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v557, <4 x float> %v433, <4 x float> %v558)
  store <4 x float> %v559, ptr %acc.2.0
  %v560 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v561 = load <4 x float>, ptr %acc.1.0
  %v562 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v560, <4 x float> %v478, <4 x float> %v561)
  store <4 x float> %v562, ptr %acc.1.0
  %v563 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v564 = load <4 x float>, ptr %acc.0.0
  %v565 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v563, <4 x float> %v498, <4 x float> %v564)
  store <4 x float> %v565, ptr %acc.0.0
  %v566 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v567 = load <4 x float>, ptr %acc.3.0
  %v568 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v566, <4 x float> %v418, <4 x float> %v567)
  store <4 x float> %v568, ptr %acc.3.0
  %v569 = shufflevector <4 x float> %v523, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v570 = load <4 x float>, ptr %acc.2.0
  %v571 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v569, <4 x float> %v438, <4 x float> %v570)
  store <4 x float> %v571, ptr %acc.2.0
  %v572 = getelementptr i16, ptr %a, i64 1856
  %v573 = load <4 x i16>, ptr %v572, align 2
  %v574 = zext <4 x i16> %v573 to <4 x i32>
  %v575 = shl <4 x i32> %v574, <i32 16, i32 16, i32 16, i32 16>
  %v576 = bitcast <4 x i32> %v575 to <4 x float>
  %v577 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v578 = load <4 x float>, ptr %acc.1.0
  %v579 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v577, <4 x float> %v483, <4 x float> %v578)
  store <4 x float> %v579, ptr %acc.1.0
  %v580 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v581 = load <4 x float>, ptr %acc.0.0
  %v582 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v580, <4 x float> %v503, <4 x float> %v581)
  store <4 x float> %v582, ptr %acc.0.0
  %v583 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v584 = load <4 x float>, ptr %acc.3.0
  %v585 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v583, <4 x float> %v423, <4 x float> %v584)
  store <4 x float> %v585, ptr %acc.3.0
  %v586 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v587 = load <4 x float>, ptr %acc.2.0
  %v588 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v586, <4 x float> %v443, <4 x float> %v587)
  store <4 x float> %v588, ptr %acc.2.0
  %v589 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v590 = load <4 x float>, ptr %acc.1.0
  %v591 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v589, <4 x float> %v488, <4 x float> %v590)
  store <4 x float> %v591, ptr %acc.1.0
  %v592 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v593 = load <4 x float>, ptr %acc.0.0
  %v594 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v592, <4 x float> %v508, <4 x float> %v593)
  store <4 x float> %v594, ptr %acc.0.0
  %v595 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v596 = load <4 x float>, ptr %acc.3.0
  %v597 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v595, <4 x float> %v428, <4 x float> %v596)
  store <4 x float> %v597, ptr %acc.3.0
  %v598 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v599 = load <4 x float>, ptr %acc.2.0
  %v600 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v598, <4 x float> %v448, <4 x float> %v599)
  store <4 x float> %v600, ptr %acc.2.0
  %v601 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v602 = load <4 x float>, ptr %acc.1.0
  %v603 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v601, <4 x float> %v493, <4 x float> %v602)
  store <4 x float> %v603, ptr %acc.1.0
  %v604 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v605 = load <4 x float>, ptr %acc.0.0
  %v606 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v604, <4 x float> %v513, <4 x float> %v605)
  store <4 x float> %v606, ptr %acc.0.0
  %v607 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v608 = load <4 x float>, ptr %acc.3.0
  %v609 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v607, <4 x float> %v433, <4 x float> %v608)
  store <4 x float> %v609, ptr %acc.3.0
  %v610 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v611 = load <4 x float>, ptr %acc.2.0
  %v612 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v610, <4 x float> %v453, <4 x float> %v611)
  store <4 x float> %v612, ptr %acc.2.0
  %v613 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v614 = load <4 x float>, ptr %acc.1.0
  %v615 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v613, <4 x float> %v498, <4 x float> %v614)
  store <4 x float> %v615, ptr %acc.1.0
  %v616 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v617 = load <4 x float>, ptr %acc.0.0
  %v618 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v616, <4 x float> %v518, <4 x float> %v617)
  store <4 x float> %v618, ptr %acc.0.0
  %v619 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v620 = load <4 x float>, ptr %acc.3.0
  %v621 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v619, <4 x float> %v438, <4 x float> %v620)
  store <4 x float> %v621, ptr %acc.3.0
  %v622 = shufflevector <4 x float> %v576, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v623 = load <4 x float>, ptr %acc.2.0
  %v624 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v622, <4 x float> %v458, <4 x float> %v623)
  store <4 x float> %v624, ptr %acc.2.0
  %v625 = getelementptr i16, ptr %a, i64 1920
  %v626 = load <4 x i16>, ptr %v625, align 2
  %v627 = zext <4 x i16> %v626 to <4 x i32>
  %v628 = shl <4 x i32> %v627, <i32 16, i32 16, i32 16, i32 16>
  %v629 = bitcast <4 x i32> %v628 to <4 x float>
  %v630 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v631 = load <4 x float>, ptr %acc.1.0
  %v632 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v630, <4 x float> %v503, <4 x float> %v631)
  store <4 x float> %v632, ptr %acc.1.0
  %v633 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v634 = load <4 x float>, ptr %acc.3.0
  %v635 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v633, <4 x float> %v443, <4 x float> %v634)
  store <4 x float> %v635, ptr %acc.3.0
  %v636 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v637 = load <4 x float>, ptr %acc.1.0
  %v638 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v636, <4 x float> %v508, <4 x float> %v637)
  store <4 x float> %v638, ptr %acc.1.0
  %v639 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v640 = load <4 x float>, ptr %acc.3.0
  %v641 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v639, <4 x float> %v448, <4 x float> %v640)
  store <4 x float> %v641, ptr %acc.3.0
  %v642 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v643 = load <4 x float>, ptr %acc.1.0
  %v644 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v642, <4 x float> %v513, <4 x float> %v643)
  store <4 x float> %v644, ptr %acc.1.0
  %v645 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v646 = load <4 x float>, ptr %acc.3.0
  %v647 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v645, <4 x float> %v453, <4 x float> %v646)
  store <4 x float> %v647, ptr %acc.3.0
  %v648 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v649 = load <4 x float>, ptr %acc.1.0
  %v650 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v648, <4 x float> %v518, <4 x float> %v649)
  store <4 x float> %v650, ptr %acc.1.0
  %v651 = shufflevector <4 x float> %v629, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v652 = load <4 x float>, ptr %acc.3.0
  %v653 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v651, <4 x float> %v458, <4 x float> %v652)
  store <4 x float> %v653, ptr %acc.3.0
  %v654 = getelementptr i16, ptr %b, i64 1536
  %v655 = load <4 x i16>, ptr %v654, align 2
  %v656 = zext <4 x i16> %v655 to <4 x i32>
  %v657 = shl <4 x i32> %v656, <i32 16, i32 16, i32 16, i32 16>
  %v658 = bitcast <4 x i32> %v657 to <4 x float>
  %v659 = getelementptr i16, ptr %b, i64 1600
  %v660 = load <4 x i16>, ptr %v659, align 2
  %v661 = zext <4 x i16> %v660 to <4 x i32>
  %v662 = shl <4 x i32> %v661, <i32 16, i32 16, i32 16, i32 16>
  %v663 = bitcast <4 x i32> %v662 to <4 x float>
  %v664 = getelementptr i16, ptr %b, i64 1664
  %v665 = load <4 x i16>, ptr %v664, align 2
  %v666 = zext <4 x i16> %v665 to <4 x i32>
  %v667 = shl <4 x i32> %v666, <i32 16, i32 16, i32 16, i32 16>
  %v668 = bitcast <4 x i32> %v667 to <4 x float>
  %v669 = getelementptr i16, ptr %b, i64 1728
  %v670 = load <4 x i16>, ptr %v669, align 2
  %v671 = zext <4 x i16> %v670 to <4 x i32>
  %v672 = shl <4 x i32> %v671, <i32 16, i32 16, i32 16, i32 16>
  %v673 = bitcast <4 x i32> %v672 to <4 x float>
  %v674 = getelementptr i16, ptr %b, i64 1792
  %v675 = load <4 x i16>, ptr %v674, align 2
  %v676 = zext <4 x i16> %v675 to <4 x i32>
  %v677 = shl <4 x i32> %v676, <i32 16, i32 16, i32 16, i32 16>
  %v678 = bitcast <4 x i32> %v677 to <4 x float>
  %v679 = getelementptr i16, ptr %b, i64 1856
  %v680 = load <4 x i16>, ptr %v679, align 2
  %v681 = zext <4 x i16> %v680 to <4 x i32>
  %v682 = shl <4 x i32> %v681, <i32 16, i32 16, i32 16, i32 16>
  %v683 = bitcast <4 x i32> %v682 to <4 x float>
  %v684 = getelementptr i16, ptr %b, i64 1920
  %v685 = load <4 x i16>, ptr %v684, align 2
  %v686 = zext <4 x i16> %v685 to <4 x i32>
  %v687 = shl <4 x i32> %v686, <i32 16, i32 16, i32 16, i32 16>
  %v688 = bitcast <4 x i32> %v687 to <4 x float>
  %v689 = getelementptr i16, ptr %b, i64 1984
  %v690 = load <4 x i16>, ptr %v689, align 2
  %v691 = zext <4 x i16> %v690 to <4 x i32>
  %v692 = shl <4 x i32> %v691, <i32 16, i32 16, i32 16, i32 16>
  %v693 = bitcast <4 x i32> %v692 to <4 x float>
  %v694 = getelementptr i16, ptr %b, i64 2048
  %v695 = load <4 x i16>, ptr %v694, align 2
  %v696 = zext <4 x i16> %v695 to <4 x i32>
  %v697 = shl <4 x i32> %v696, <i32 16, i32 16, i32 16, i32 16>
  %v698 = bitcast <4 x i32> %v697 to <4 x float>
  %v699 = getelementptr i16, ptr %b, i64 2112
  %v700 = load <4 x i16>, ptr %v699, align 2
  %v701 = zext <4 x i16> %v700 to <4 x i32>
  %v702 = shl <4 x i32> %v701, <i32 16, i32 16, i32 16, i32 16>
  %v703 = bitcast <4 x i32> %v702 to <4 x float>
  %v704 = getelementptr i16, ptr %b, i64 2176
  %v705 = load <4 x i16>, ptr %v704, align 2
  %v706 = zext <4 x i16> %v705 to <4 x i32>
  %v707 = shl <4 x i32> %v706, <i32 16, i32 16, i32 16, i32 16>
  %v708 = bitcast <4 x i32> %v707 to <4 x float>
  %v709 = getelementptr i16, ptr %b, i64 2240
  %v710 = load <4 x i16>, ptr %v709, align 2
  %v711 = zext <4 x i16> %v710 to <4 x i32>
  %v712 = shl <4 x i32> %v711, <i32 16, i32 16, i32 16, i32 16>
  %v713 = bitcast <4 x i32> %v712 to <4 x float>
  %v714 = getelementptr i16, ptr %a, i64 2688
  %v715 = load <4 x i16>, ptr %v714, align 2
  %v716 = zext <4 x i16> %v715 to <4 x i32>
  %v717 = shl <4 x i32> %v716, <i32 16, i32 16, i32 16, i32 16>
  %v718 = bitcast <4 x i32> %v717 to <4 x float>
  %v719 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v720 = load <4 x float>, ptr %acc.3.0
  %v721 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v719, <4 x float> %v658, <4 x float> %v720)
  store <4 x float> %v721, ptr %acc.3.0
  %v722 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v723 = load <4 x float>, ptr %acc.2.0
  %v724 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v722, <4 x float> %v678, <4 x float> %v723)
  store <4 x float> %v724, ptr %acc.2.0
  %v725 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v726 = load <4 x float>, ptr %acc.3.0
  %v727 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v725, <4 x float> %v663, <4 x float> %v726)
  store <4 x float> %v727, ptr %acc.3.0
  %v728 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v729 = load <4 x float>, ptr %acc.2.0
  %v730 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v728, <4 x float> %v683, <4 x float> %v729)
  store <4 x float> %v730, ptr %acc.2.0
  %v731 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v732 = load <4 x float>, ptr %acc.3.0
  %v733 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v731, <4 x float> %v668, <4 x float> %v732)
  store <4 x float> %v733, ptr %acc.3.0
  %v734 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v735 = load <4 x float>, ptr %acc.2.0
  %v736 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v734, <4 x float> %v688, <4 x float> %v735)
  store <4 x float> %v736, ptr %acc.2.0
  %v737 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v738 = load <4 x float>, ptr %acc.3.0
  %v739 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v737, <4 x float> %v673, <4 x float> %v738)
  store <4 x float> %v739, ptr %acc.3.0
  %v740 = shufflevector <4 x float> %v718, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v741 = load <4 x float>, ptr %acc.2.0
  %v742 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v740, <4 x float> %v693, <4 x float> %v741)
  store <4 x float> %v742, ptr %acc.2.0
  %v743 = getelementptr i16, ptr %a, i64 2752
  %v744 = load <4 x i16>, ptr %v743, align 2
  %v745 = zext <4 x i16> %v744 to <4 x i32>
  %v746 = shl <4 x i32> %v745, <i32 16, i32 16, i32 16, i32 16>
  %v747 = bitcast <4 x i32> %v746 to <4 x float>
  %v748 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v749 = load <4 x float>, ptr %acc.3.0
  %v750 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v748, <4 x float> %v678, <4 x float> %v749)
  store <4 x float> %v750, ptr %acc.3.0
  %v751 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v752 = load <4 x float>, ptr %acc.2.0
  %v753 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v751, <4 x float> %v698, <4 x float> %v752)
  store <4 x float> %v753, ptr %acc.2.0
  %v754 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v755 = load <4 x float>, ptr %acc.3.0
  %v756 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v754, <4 x float> %v683, <4 x float> %v755)
  store <4 x float> %v756, ptr %acc.3.0
  %v757 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v758 = load <4 x float>, ptr %acc.2.0
  %v759 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v757, <4 x float> %v703, <4 x float> %v758)
  store <4 x float> %v759, ptr %acc.2.0
  %v760 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v761 = load <4 x float>, ptr %acc.3.0
  %v762 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v760, <4 x float> %v688, <4 x float> %v761)
  store <4 x float> %v762, ptr %acc.3.0
  %v763 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v764 = load <4 x float>, ptr %acc.2.0
  %v765 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v763, <4 x float> %v708, <4 x float> %v764)
  store <4 x float> %v765, ptr %acc.2.0
  %v766 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v767 = load <4 x float>, ptr %acc.3.0
  %v768 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v766, <4 x float> %v693, <4 x float> %v767)
  store <4 x float> %v768, ptr %acc.3.0
  %v769 = shufflevector <4 x float> %v747, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v770 = load <4 x float>, ptr %acc.2.0
  %v771 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v769, <4 x float> %v713, <4 x float> %v770)
  store <4 x float> %v771, ptr %acc.2.0
  %v772 = getelementptr i16, ptr %a, i64 2816
  %v773 = load <4 x i16>, ptr %v772, align 2
  %v774 = zext <4 x i16> %v773 to <4 x i32>
  %v775 = shl <4 x i32> %v774, <i32 16, i32 16, i32 16, i32 16>
  %v776 = bitcast <4 x i32> %v775 to <4 x float>
  %v777 = shufflevector <4 x float> %v776, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v778 = load <4 x float>, ptr %acc.3.0
  %v779 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v777, <4 x float> %v698, <4 x float> %v778)
  store <4 x float> %v779, ptr %acc.3.0
  %v780 = shufflevector <4 x float> %v776, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v781 = load <4 x float>, ptr %acc.3.0
  %v782 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v780, <4 x float> %v703, <4 x float> %v781)
  store <4 x float> %v782, ptr %acc.3.0
  %v783 = shufflevector <4 x float> %v776, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v784 = load <4 x float>, ptr %acc.3.0
  %v785 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v783, <4 x float> %v708, <4 x float> %v784)
  store <4 x float> %v785, ptr %acc.3.0
  %v786 = shufflevector <4 x float> %v776, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v787 = load <4 x float>, ptr %acc.3.0
  %v788 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v786, <4 x float> %v713, <4 x float> %v787)
  store <4 x float> %v788, ptr %acc.3.0
  %v789 = load <4 x float>, ptr %acc.0.0
  %v790 = fcmp olt <4 x float> %v789, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v791 = select <4 x i1> %v790, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v789
  %v792 = bitcast <4 x float> %v791 to <4 x i32>
  %v793 = and <4 x i32> %v792, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v794 = xor <4 x i32> %v792, %v793
  %v795 = lshr <4 x i32> %v794, <i32 16, i32 16, i32 16, i32 16>
  %v796 = and <4 x i32> %v795, <i32 1, i32 1, i32 1, i32 1>
  %v797 = add <4 x i32> %v794, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v798 = add <4 x i32> %v797, %v796
  %v799 = lshr <4 x i32> %v798, <i32 16, i32 16, i32 16, i32 16>
  %v800 = lshr <4 x i32> %v794, <i32 16, i32 16, i32 16, i32 16>
  %v801 = or <4 x i32> %v800, <i32 64, i32 64, i32 64, i32 64>
  %v802 = icmp ugt <4 x i32> %v794, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v803 = select <4 x i1> %v802, <4 x i32> %v801, <4 x i32> %v799
  %v804 = lshr <4 x i32> %v793, <i32 16, i32 16, i32 16, i32 16>
  %v805 = or <4 x i32> %v803, %v804
  %v806 = trunc <4 x i32> %v805 to <4 x i16>
  %v807 = getelementptr i16, ptr %c, i64 0
  store <4 x i16> %v806, ptr %v807, align 2
  %v808 = load <4 x float>, ptr %acc.1.0
  %v809 = fcmp olt <4 x float> %v808, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v810 = select <4 x i1> %v809, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v808
  %v811 = bitcast <4 x float> %v810 to <4 x i32>
  %v812 = and <4 x i32> %v811, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v813 = xor <4 x i32> %v811, %v812
  %v814 = lshr <4 x i32> %v813, <i32 16, i32 16, i32 16, i32 16>
  %v815 = and <4 x i32> %v814, <i32 1, i32 1, i32 1, i32 1>
  %v816 = add <4 x i32> %v813, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v817 = add <4 x i32> %v816, %v815
  %v818 = lshr <4 x i32> %v817, <i32 16, i32 16, i32 16, i32 16>
  %v819 = lshr <4 x i32> %v813, <i32 16, i32 16, i32 16, i32 16>
  %v820 = or <4 x i32> %v819, <i32 64, i32 64, i32 64, i32 64>
  %v821 = icmp ugt <4 x i32> %v813, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v822 = select <4 x i1> %v821, <4 x i32> %v820, <4 x i32> %v818
  %v823 = lshr <4 x i32> %v812, <i32 16, i32 16, i32 16, i32 16>
  %v824 = or <4 x i32> %v822, %v823
  %v825 = trunc <4 x i32> %v824 to <4 x i16>
  %v826 = getelementptr i16, ptr %c, i64 64
  store <4 x i16> %v825, ptr %v826, align 2
  %v827 = load <4 x float>, ptr %acc.2.0
  %v828 = fcmp olt <4 x float> %v827, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v829 = select <4 x i1> %v828, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v827
  %v830 = bitcast <4 x float> %v829 to <4 x i32>
  %v831 = and <4 x i32> %v830, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v832 = xor <4 x i32> %v830, %v831
  %v833 = lshr <4 x i32> %v832, <i32 16, i32 16, i32 16, i32 16>
  %v834 = and <4 x i32> %v833, <i32 1, i32 1, i32 1, i32 1>
  %v835 = add <4 x i32> %v832, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v836 = add <4 x i32> %v835, %v834
  %v837 = lshr <4 x i32> %v836, <i32 16, i32 16, i32 16, i32 16>
  %v838 = lshr <4 x i32> %v832, <i32 16, i32 16, i32 16, i32 16>
  %v839 = or <4 x i32> %v838, <i32 64, i32 64, i32 64, i32 64>
  %v840 = icmp ugt <4 x i32> %v832, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v841 = select <4 x i1> %v840, <4 x i32> %v839, <4 x i32> %v837
  %v842 = lshr <4 x i32> %v831, <i32 16, i32 16, i32 16, i32 16>
  %v843 = or <4 x i32> %v841, %v842
  %v844 = trunc <4 x i32> %v843 to <4 x i16>
  %v845 = getelementptr i16, ptr %c, i64 896
  store <4 x i16> %v844, ptr %v845, align 2
  %v846 = load <4 x float>, ptr %acc.3.0
  %v847 = fcmp olt <4 x float> %v846, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v848 = select <4 x i1> %v847, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v846
  %v849 = bitcast <4 x float> %v848 to <4 x i32>
  %v850 = and <4 x i32> %v849, <i32 2147483648, i32 2147483648, i32 2147483648, i32 2147483648>
  %v851 = xor <4 x i32> %v849, %v850
  %v852 = lshr <4 x i32> %v851, <i32 16, i32 16, i32 16, i32 16>
  %v853 = and <4 x i32> %v852, <i32 1, i32 1, i32 1, i32 1>
  %v854 = add <4 x i32> %v851, <i32 32767, i32 32767, i32 32767, i32 32767>
  %v855 = add <4 x i32> %v854, %v853
  %v856 = lshr <4 x i32> %v855, <i32 16, i32 16, i32 16, i32 16>
  %v857 = lshr <4 x i32> %v851, <i32 16, i32 16, i32 16, i32 16>
  %v858 = or <4 x i32> %v857, <i32 64, i32 64, i32 64, i32 64>
  %v859 = icmp ugt <4 x i32> %v851, <i32 2139095040, i32 2139095040, i32 2139095040, i32 2139095040>
  %v860 = select <4 x i1> %v859, <4 x i32> %v858, <4 x i32> %v856
  %v861 = lshr <4 x i32> %v850, <i32 16, i32 16, i32 16, i32 16>
  %v862 = or <4 x i32> %v860, %v861
  %v863 = trunc <4 x i32> %v862 to <4 x i16>
  %v864 = getelementptr i16, ptr %c, i64 960
  store <4 x i16> %v863, ptr %v864, align 2
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
