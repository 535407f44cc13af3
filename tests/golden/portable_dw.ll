define i32 @f32_f32_f32_4x4_dw_portable__n4_a64.896_b64.768_c64_bias_clip00000000.7f800000_g4_l2.896.896.3_s1.2.-64.0.4_s0.2.0.256.4_s0.2.64.512.4(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) alwaysinline {
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
  %v2 = load <4 x float>, ptr %v1, align 4
  store <4 x float> %v2, ptr %acc.0.0
  %v3 = getelementptr float, ptr %bias, i64 0
  %v4 = load <4 x float>, ptr %v3, align 4
  store <4 x float> %v4, ptr %acc.1.0
  %v5 = getelementptr float, ptr %bias, i64 0
  %v6 = load <4 x float>, ptr %v5, align 4
  store <4 x float> %v6, ptr %acc.2.0
  %v7 = getelementptr float, ptr %bias, i64 0
  %v8 = load <4 x float>, ptr %v7, align 4
  store <4 x float> %v8, ptr %acc.3.0
  %v9 = getelementptr float, ptr %b, i64 0
  %v10 = load <4 x float>, ptr %v9, align 4
  %v11 = getelementptr float, ptr %b, i64 64
  %v12 = load <4 x float>, ptr %v11, align 4
  %v13 = getelementptr float, ptr %b, i64 128
  %v14 = load <4 x float>, ptr %v13, align 4
  %v15 = getelementptr float, ptr %b, i64 192
  %v16 = load <4 x float>, ptr %v15, align 4
  %v17 = getelementptr float, ptr %b, i64 256
  %v18 = load <4 x float>, ptr %v17, align 4
  %v19 = getelementptr float, ptr %b, i64 320
  %v20 = load <4 x float>, ptr %v19, align 4
  %v21 = getelementptr float, ptr %b, i64 384
  %v22 = load <4 x float>, ptr %v21, align 4
  %v23 = getelementptr float, ptr %b, i64 448
  %v24 = load <4 x float>, ptr %v23, align 4
  %v25 = getelementptr float, ptr %b, i64 512
  %v26 = load <4 x float>, ptr %v25, align 4
  %v27 = getelementptr float, ptr %b, i64 576
  %v28 = load <4 x float>, ptr %v27, align 4
  %v29 = getelementptr float, ptr %b, i64 640
  %v30 = load <4 x float>, ptr %v29, align 4
  %v31 = getelementptr float, ptr %b, i64 704
  %v32 = load <4 x float>, ptr %v31, align 4
  %v33 = getelementptr float, ptr %a, i64 0
  %v34 = load <4 x float>, ptr %v33, align 4
  %v35 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v36 = load <4 x float>, ptr %acc.1.0
  %v37 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v35, <4 x float> %v10, <4 x float> %v36)
  store <4 x float> %v37, ptr %acc.1.0
  %v38 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v39 = load <4 x float>, ptr %acc.0.0
  %v40 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v38, <4 x float> %v18, <4 x float> %v39)
  store <4 x float> %v40, ptr %acc.0.0
  %v41 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v42 = load <4 x float>, ptr %acc.1.0
  %v43 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v41, <4 x float> %v12, <4 x float> %v42)
  store <4 x float> %v43, ptr %acc.1.0
  %v44 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v45 = load <4 x float>, ptr %acc.0.0
  %v46 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v44, <4 x float> %v20, <4 x float> %v45)
  store <4 x float> %v46, ptr %acc.0.0
  %v47 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v48 = load <4 x float>, ptr %acc.1.0
  %v49 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v47, <4 x float> %v14, <4 x float> %v48)
  store <4 x float> %v49, ptr %acc.1.0
  %v50 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v51 = load <4 x float>, ptr %acc.0.0
  %v52 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v50, <4 x float> %v22, <4 x float> %v51)
  store <4 x float> %v52, ptr %acc.0.0
  %v53 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v54 = load <4 x float>, ptr %acc.1.0
  %v55 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v53, <4 x float> %v16, <4 x float> %v54)
  store <4 x float> %v55, ptr %acc.1.0
  %v56 = shufflevector <4 x float> %v34, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v57 = load <4 x float>, ptr %acc.0.0
  %v58 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v56, <4 x float> %v24, <4 x float> %v57)
  store <4 x float> %v58, ptr %acc.0.0
  %v59 = getelementptr float, ptr %a, i64 64
  %v60 = load <4 x float>, ptr %v59, align 4
  %v61 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v62 = load <4 x float>, ptr %acc.1.0
  %v63 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v61, <4 x float> %v18, <4 x float> %v62)
  store <4 x float> %v63, ptr %acc.1.0
  %v64 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v65 = load <4 x float>, ptr %acc.0.0
  %v66 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v64, <4 x float> %v26, <4 x float> %v65)
  store <4 x float> %v66, ptr %acc.0.0
  %v67 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v68 = load <4 x float>, ptr %acc.1.0
  %v69 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v67, <4 x float> %v20, <4 x float> %v68)
  store <4 x float> %v69, ptr %acc.1.0
  %v70 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v71 = load <4 x float>, ptr %acc.0.0
  %v72 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v70, <4 x float> %v28, <4 x float> %v71)
  store <4 x float> %v72, ptr %acc.0.0
  %v73 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v74 = load <4 x float>, ptr %acc.1.0
  %v75 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v73, <4 x float> %v22, <4 x float> %v74)
  store <4 x float> %v75, ptr %acc.1.0
  %v76 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v77 = load <4 x float>, ptr %acc.0.0
  %v78 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v76, <4 x float> %v30, <4 x float> %v77)
  store <4 x float> %v78, ptr %acc.0.0
  %v79 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v80 = load <4 x float>, ptr %acc.1.0
  %v81 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v79, <4 x float> %v24, <4 x float> %v80)
  store <4 x float> %v81, ptr %acc.1.0
  %v82 = shufflevector <4 x float> %v60, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v83 = load <4 x float>, ptr %acc.0.0
  %v84 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v82, <4 x float> %v32, <4 x float> %v83)
  store <4 x float> %v84, ptr %acc.0.0
  %v85 = getelementptr float, ptr %a, i64 128
  %v86 = load <4 x float>, ptr %v85, align 4
  %v87 = shufflevector <4 x float> %v86, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v88 = load <4 x float>, ptr %acc.1.0
  %v89 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v87, <4 x float> %v26, <4 x float> %v88)
  store <4 x float> %v89, ptr %acc.1.0
  %v90 = shufflevector <4 x float> %v86, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v91 = load <4 x float>, ptr %acc.1.0
  %v92 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v90, <4 x float> %v28, <4 x float> %v91)
  store <4 x float> %v92, ptr %acc.1.0
  %v93 = shufflevector <4 x float> %v86, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v94 = load <4 x float>, ptr %acc.1.0
  %v95 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v93, <4 x float> %v30, <4 x float> %v94)
  store <4 x float> %v95, ptr %acc.1.0
  %v96 = shufflevector <4 x float> %v86, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v97 = load <4 x float>, ptr %acc.1.0
  %v98 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v96, <4 x float> %v32, <4 x float> %v97)
  store <4 x float> %v98, ptr %acc.1.0
  %v99 = getelementptr float, ptr %b, i64 0
  %v100 = load <4 x float>, ptr %v99, align 4
  %v101 = getelementptr float, ptr %b, i64 64
  %v102 = load <4 x float>, ptr %v101, align 4
  %v103 = getelementptr float, ptr %b, i64 128
  %v104 = load <4 x float>, ptr %v103, align 4
  %v105 = getelementptr float, ptr %b, i64 192
  %v106 = load <4 x float>, ptr %v105, align 4
  %v107 = getelementptr float, ptr %b, i64 256
  %v108 = load <4 x float>, ptr %v107, align 4
  %v109 = getelementptr float, ptr %b, i64 320
  %v110 = load <4 x float>, ptr %v109, align 4
  %v111 = getelementptr float, ptr %b, i64 384
  %v112 = load <4 x float>, ptr %v111, align 4
  %v113 = getelementptr float, ptr %b, i64 448
  %v114 = load <4 x float>, ptr %v113, align 4
  %v115 = getelementptr float, ptr %b, i64 512
  %v116 = load <4 x float>, ptr %v115, align 4
  %v117 = getelementptr float, ptr %b, i64 576
  %v118 = load <4 x float>, ptr %v117, align 4
  %v119 = getelementptr float, ptr %b, i64 640
  %v120 = load <4 x float>, ptr %v119, align 4
  %v121 = getelementptr float, ptr %b, i64 704
  %v122 = load <4 x float>, ptr %v121, align 4
  %v123 = getelementptr float, ptr %b, i64 768
  %v124 = load <4 x float>, ptr %v123, align 4
  %v125 = getelementptr float, ptr %b, i64 832
  %v126 = load <4 x float>, ptr %v125, align 4
  %v127 = getelementptr float, ptr %b, i64 896
  %v128 = load <4 x float>, ptr %v127, align 4
  %v129 = getelementptr float, ptr %b, i64 960
  %v130 = load <4 x float>, ptr %v129, align 4
  %v131 = getelementptr float, ptr %b, i64 1024
  %v132 = load <4 x float>, ptr %v131, align 4
  %v133 = getelementptr float, ptr %b, i64 1088
  %v134 = load <4 x float>, ptr %v133, align 4
  %v135 = getelementptr float, ptr %b, i64 1152
  %v136 = load <4 x float>, ptr %v135, align 4
  %v137 = getelementptr float, ptr %b, i64 1216
  %v138 = load <4 x float>, ptr %v137, align 4
  %v139 = getelementptr float, ptr %b, i64 1280
  %v140 = load <4 x float>, ptr %v139, align 4
  %v141 = getelementptr float, ptr %b, i64 1344
  %v142 = load <4 x float>, ptr %v141, align 4
  %v143 = getelementptr float, ptr %b, i64 1408
  %v144 = load <4 x float>, ptr %v143, align 4
  %v145 = getelementptr float, ptr %b, i64 1472
  %v146 = load <4 x float>, ptr %v145, align 4
  %v147 = getelementptr float, ptr %a, i64 896
  %v148 = load <4 x float>, ptr %v147, align 4
  %v149 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v150 = load <4 x float>, ptr %acc.1.0
  %v151 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v149, <4 x float> %v124, <4 x float> %v150)
  store <4 x float> %v151, ptr %acc.1.0
  %v152 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v153 = load <4 x float>, ptr %acc.0.0
  %v154 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v152, <4 x float> %v132, <4 x float> %v153)
  store <4 x float> %v154, ptr %acc.0.0
  %v155 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v156 = load <4 x float>, ptr %acc.3.0
  %v157 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v155, <4 x float> %v100, <4 x float> %v156)
  store <4 x float> %v157, ptr %acc.3.0
  %v158 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v159 = load <4 x float>, ptr %acc.2.0
  %v160 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v158, <4 x float> %v108, <4 x float> %v159)
  store <4 x float> %v160, ptr %acc.2.0
  %v161 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v162 = load <4 x float>, ptr %acc.1.0
  %v163 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v161, <4 x float> %v126, <4 x float> %v162)
  store <4 x float> %v163, ptr %acc.1.0
  %v164 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v165 = load <4 x float>, ptr %acc.0.0
  %v166 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v164, <4 x float> %v134, <4 x float> %v165)
  store <4 x float> %v166, ptr %acc.0.0
  %v167 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v168 = load <4 x float>, ptr %acc.3.0
  %v169 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v167, <4 x float> %v102, <4 x float> %v168)
  store <4 x float> %v169, ptr %acc.3.0
  %v170 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v171 = load <4 x float>, ptr %acc.2.0
  %v172 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v170, <4 x float> %v110, <4 x float> %v171)
  store <4 x float> %v172, ptr %acc.2.0
  %v173 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v174 = load <4 x float>, ptr %acc.1.0
  %v175 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v173, <4 x float> %v128, <4 x float> %v174)
  store <4 x float> %v175, ptr %acc.1.0
  %v176 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v177 = load <4 x float>, ptr %acc.0.0
  %v178 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v176, <4 x float> %v136, <4 x float> %v177)
  store <4 x float> %v178, ptr %acc.0.0
  %v179 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v180 = load <4 x float>, ptr %acc.3.0
  %v181 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v179, <4 x float> %v104, <4 x float> %v180)
  store <4 x float> %v181, ptr %acc.3.0
  %v182 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v183 = load <4 x float>, ptr %acc.2.0
  %v184 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v182, <4 x float> %v112, <4 x float> %v183)
  store <4 x float> %v184, ptr %acc.2.0
  %v185 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v186 = load <4 x float>, ptr %acc.1.0
  %v187 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v185, <4 x float> %v130, <4 x float> %v186)
  store <4 x float> %v187, ptr %acc.1.0
  %v188 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v189 = load <4 x float>, ptr %acc.0.0
  %v190 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v188, <4 x float> %v138, <4 x float> %v189)
  store <4 x float> %v190, ptr %acc.0.0
  %v191 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v192 = load <4 x float>, ptr %acc.3.0
  %v193 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v191, <4 x float> %v106, <4 x float> %v192)
  store <4 x float> %v193, ptr %acc.3.0
  %v194 = shufflevector <4 x float> %v148, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v195 = load <4 x float>, ptr %acc.2.0
  %v196 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v194, <4 x float> %v114, <4 x float> %v195)
  store <4 x float> %v196, ptr %acc.2.0
  %v197 = getelementptr float, ptr %a, i64 960
  %v198 = load <4 x float>, ptr %v197, align 4
  %v199 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v200 = load <4 x float>, ptr %acc.1.0
  %v201 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v199, <4 x float> %v132, <4 x float> %v200)
  store <4 x float> %v201, ptr %acc.1.0
  %v202 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v203 = load <4 x float>, ptr %acc.0.0
  %v204 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v202, <4 x float> %v140, <4 x float> %v203)
  store <4 x float> %v204, ptr %acc.0.0
  %v205 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v206 = load <4 x float>, ptr %acc.3.0
  %v207 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v205, <4 x float> %v108, <4 x float> %v206)
  store <4 x float> %v207, ptr %acc.3.0
  %v208 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v209 = load <4 x float>, ptr %acc.2.0
  %v210 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v208, <4 x float> %v116, <4 x float> %v209)
  store <4 x float> %v210, ptr %acc.2.0
  %v211 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v212 = load <4 x float>, ptr %acc.1.0
  %v213 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v211, <4 x float> %v134, <4 x float> %v212)
  store <4 x float> %v213, ptr %acc.1.0
  %v214 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v215 = load <4 x float>, ptr %acc.0.0
  %v216 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v214, <4 x float> %v142, <4 x float> %v215)
  store <4 x float> %v216, ptr %acc.0.0
  %v217 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v218 = load <4 x float>, ptr %acc.3.0
  %v219 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v217, <4 x float> %v110, <4 x float> %v218)
  store <4 x float> %v219, ptr %acc.3.0
  %v220 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v221 = load <4 x float>, ptr %acc.2.0
  %v222 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v220, <4 x float> %v118, <4 x float> %v221)
  store <4 x float> %v222, ptr %acc.2.0
  %v223 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v224 = load <4 x float>, ptr %acc.1.0
  %v225 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v223, <4 x float> %v136, <4 x float> %v224)
  store <4 x float> %v225, ptr %acc.1.0
  %v226 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v227 = load <4 x float>, ptr %acc.0.0
  %v228 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v226, <4 x float> %v144, <4 x float> %v227)
  store <4 x float> %v228, ptr %acc.0.0
  %v229 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v230 = load <4 x float>, ptr %acc.3.0
  %v231 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v229, <4 x float> %v112, <4 x float> %v230)
  store <4 x float> %v231, ptr %acc.3.0
  %v232 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v233 = load <4 x float>, ptr %acc.2.0
  %v234 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v232, <4 x float> %v120, <4 x float> %v233)
  store <4 x float> %v234, ptr %acc.2.0
  %v235 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v236 = load <4 x float>, ptr %acc.1.0
  %v237 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v235, <4 x float> %v138, <4 x float> %v236)
  store <4 x float> %v237, ptr %acc.1.0
  %v238 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v239 = load <4 x float>, ptr %acc.0.0
  %v240 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v238, <4 x float> %v146, <4 x float> %v239)
  store <4 x float> %v240, ptr %acc.0.0
  %v241 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v242 = load <4 x float>, ptr %acc.3.0
  %v243 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v241, <4 x float> %v114, <4 x float> %v242)
  store <4 x float> %v243, ptr %acc.3.0
  %v244 = shufflevector <4 x float> %v198, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v245 = load <4 x float>, ptr %acc.2.0
  %v246 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v244, <4 x float> %v122, <4 x float> %v245)
  store <4 x float> %v246, ptr %acc.2.0
  %v247 = getelementptr float, ptr %a, i64 1024
  %v248 = load <4 x float>, ptr %v247, align 4
  %v249 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v250 = load <4 x float>, ptr %acc.1.0
  %v251 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v249, <4 x float> %v140, <4 x float> %v250)
  store <4 x float> %v251, ptr %acc.1.0
  %v252 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v253 = load <4 x float>, ptr %acc.3.0
  %v254 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v252, <4 x float> %v116, <4 x float> %v253)
  store <4 x float> %v254, ptr %acc.3.0
  %v255 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v256 = load <4 x float>, ptr %acc.1.0
  %v257 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v255, <4 x float> %v142, <4 x float> %v256)
  store <4 x float> %v257, ptr %acc.1.0
  %v258 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v259 = load <4 x float>, ptr %acc.3.0
  %v260 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v258, <4 x float> %v118, <4 x float> %v259)
  store <4 x float> %v260, ptr %acc.3.0
  %v261 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v262 = load <4 x float>, ptr %acc.1.0
  %v263 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v261, <4 x float> %v144, <4 x float> %v262)
  store <4 x float> %v263, ptr %acc.1.0
  %v264 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v265 = load <4 x float>, ptr %acc.3.0
  %v266 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v264, <4 x float> %v120, <4 x float> %v265)
  store <4 x float> %v266, ptr %acc.3.0
  %v267 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v268 = load <4 x float>, ptr %acc.1.0
  %v269 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v267, <4 x float> %v146, <4 x float> %v268)
  store <4 x float> %v269, ptr %acc.1.0
  %v270 = shufflevector <4 x float> %v248, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v271 = load <4 x float>, ptr %acc.3.0
  %v272 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v270, <4 x float> %v122, <4 x float> %v271)
  store <4 x float> %v272, ptr %acc.3.0
  %v273 = getelementptr float, ptr %b, i64 768
  %v274 = load <4 x float>, ptr %v273, align 4
  %v275 = getelementptr float, ptr %b, i64 832
  %v276 = load <4 x float>, ptr %v275, align 4
  %v277 = getelementptr float, ptr %b, i64 896
  %v278 = load <4 x float>, ptr %v277, align 4
  %v279 = getelementptr float, ptr %b, i64 960
  %v280 = load <4 x float>, ptr %v279, align 4
  %v281 = getelementptr float, ptr %b, i64 1024
  %v282 = load <4 x float>, ptr %v281, align 4
  %v283 = getelementptr float, ptr %b, i64 1088
  %v284 = load <4 x float>, ptr %v283, align 4
  %v285 = getelementptr float, ptr %b, i64 1152
  %v286 = load <4 x float>, ptr %v285, align 4
  %v287 = getelementptr float, ptr %b, i64 1216
  %v288 = load <4 x float>, ptr %v287, align 4
  %v289 = getelementptr float, ptr %b, i64 1280
  %v290 = load <4 x float>, ptr %v289, align 4
  %v291 = getelementptr float, ptr %b, i64 1344
  %v292 = load <4 x float>, ptr %v291, align 4
  %v293 = getelementptr float, ptr %b, i64 1408
  %v294 = load <4 x float>, ptr %v293, align 4
  %v295 = getelementptr float, ptr %b, i64 1472
  %v296 = load <4 x float>, ptr %v295, align 4
  %v297 = getelementptr float, ptr %b, i64 1536
  %v298 = load <4 x float>, ptr %v297, align 4
  %v299 = getelementptr float, ptr %b, i64 1600
  %v300 = load <4 x float>, ptr %v299, align 4
  %v301 = getelementptr float, ptr %b, i64 1664
  %v302 = load <4 x float>, ptr %v301, align 4
  %v303 = getelementptr float, ptr %b, i64 1728
  %v304 = load <4 x float>, ptr %v303, align 4
  %v305 = getelementptr float, ptr %b, i64 1792
  %v306 = load <4 x float>, ptr %v305, align 4
  %v307 = getelementptr float, ptr %b, i64 1856
  %v308 = load <4 x float>, ptr %v307, align 4
  %v309 = getelementptr float, ptr %b, i64 1920
  %v310 = load <4 x float>, ptr %v309, align 4
  %v311 = getelementptr float, ptr %b, i64 1984
  %v312 = load <4 x float>, ptr %v311, align 4
  %v313 = getelementptr float, ptr %b, i64 2048
  %v314 = load <4 x float>, ptr %v313, align 4
  %v315 = getelementptr float, ptr %b, i64 2112
  %v316 = load <4 x float>, ptr %v315, align 4
  %v317 = getelementptr float, ptr %b, i64 2176
  %v318 = load <4 x float>, ptr %v317, align 4
  %v319 = getelementptr float, ptr %b, i64 2240
  %v320 = load <4 x float>, ptr %v319, align 4
  %v321 = getelementptr float, ptr %a, i64 1792
  %v322 = load <4 x float>, ptr %v321, align 4
  %v323 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v324 = load <4 x float>, ptr %acc.1.0
  %v325 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v323, <4 x float> %v298, <4 x float> %v324)
  store <4 x float> %v325, ptr %acc.1.0
  %v326 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v327 = load <4 x float>, ptr %acc.0.0
  %v328 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v326, <4 x float> %v306, <4 x float> %v327)
  store <4 x float> %v328, ptr %acc.0.0
  %v329 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v330 = load <4 x float>, ptr %acc.3.0
  %v331 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v329, <4 x float> %v274, <4 x float> %v330)
  store <4 x float> %v331, ptr %acc.3.0
  %v332 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v333 = load <4 x float>, ptr %acc.2.0
  %v334 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v332, <4 x float> %v282, <4 x float> %v333)
  store <4 x float> %v334, ptr %acc.2.0
  %v335 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v336 = load <4 x float>, ptr %acc.1.0
  %v337 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v335, <4 x float> %v300, <4 x float> %v336)
  store <4 x float> %v337, ptr %acc.1.0
  %v338 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v339 = load <4 x float>, ptr %acc.0.0
  %v340 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v338, <4 x float> %v308, <4 x float> %v339)
  store <4 x float> %v340, ptr %acc.0.0
  %v341 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v342 = load <4 x float>, ptr %acc.3.0
  %v343 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v341, <4 x float> %v276, <4 x float> %v342)
  store <4 x float> %v343, ptr %acc.3.0
  %v344 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v345 = load <4 x float>, ptr %acc.2.0
  %v346 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v344, <4 x float> %v284, <4 x float> %v345)
  store <4 x float> %v346, ptr %acc.2.0
  %v347 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v348 = load <4 x float>, ptr %acc.1.0
  %v349 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v347, <4 x float> %v302, <4 x float> %v348)
  store <4 x float> %v349, ptr %acc.1.0
  %v350 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v351 = load <4 x float>, ptr %acc.0.0
  %v352 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v350, <4 x float> %v310, <4 x float> %v351)
  store <4 x float> %v352, ptr %acc.0.0
  %v353 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v354 = load <4 x float>, ptr %acc.3.0
  %v355 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v353, <4 x float> %v278, <4 x float> %v354)
  store <4 x float> %v355, ptr %acc.3.0
  %v356 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v357 = load <4 x float>, ptr %acc.2.0
  %v358 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v356, <4 x float> %v286, <4 x float> %v357)
  store <4 x float> %v358, ptr %acc.2.0
  %v359 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v360 = load <4 x float>, ptr %acc.1.0
  %v361 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v359, <4 x float> %v304, <4 x float> %v360)
  store <4 x float> %v361, ptr %acc.1.0
  %v362 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v363 = load <4 x float>, ptr %acc.0.0
  %v364 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v362, <4 x float> %v312, <4 x float> %v363)
  store <4 x float> %v364, ptr %acc.0.0
  %v365 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v366 = load <4 x float>, ptr %acc.3.0
  %v367 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v365, <4 x float> %v280, <4 x float> %v366)
  store <4 x float> %v367, ptr %acc.3.0
  %v368 = shufflevector <4 x float> %v322, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v369 = load <4 x float>, ptr %acc.2.0
  %v370 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v368, <4 x float> %v288, <4 x float> %v369)
  store <4 x float> %v370, ptr %acc.2.0
  %v371 = getelementptr float, ptr %a, i64 1856
  %v372 = load <4 x float>, ptr %v371, align 4
  %v373 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v374 = load <4 x float>, ptr %acc.1.0
  %v375 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v373, <4 x float> %v306, <4 x float> %v374)
  store <4 x float> %v375, ptr %acc.1.0
  %v376 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v377 = load <4 x float>, ptr %acc.0.0
  %v378 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v376, <4 x float> %v314, <4 x float> %v377)
  store <4 x float> %v378, ptr %acc.0.0
  %v379 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v380 = load <4 x float>, ptr %acc.3.0
  %v381 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v379, <4 x float> %v282, <4 x float> %v380)
  store <4 x float> %v381, ptr %acc.3.0
  %v382 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v383 = load <4 x float>, ptr %acc.2.0
  %v384 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v382, <4 x float> %v290, <4 x float> %v383)
  store <4 x float> %v384, ptr %acc.2.0
  %v385 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v386 = load <4 x float>, ptr %acc.1.0
  %v387 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v385, <4 x float> %v308, <4 x float> %v386)
  store <4 x float> %v387, ptr %acc.1.0
  %v388 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v389 = load <4 x float>, ptr %acc.0.0
  %v390 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v388, <4 x float> %v316, <4 x float> %v389)
  store <4 x float> %v390, ptr %acc.0.0
  %v391 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v392 = load <4 x float>, ptr %acc.3.0
  %v393 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v391, <4 x float> %v284, <4 x float> %v392)
  store <4 x float> %v393, ptr %acc.3.0
  %v394 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v395 = load <4 x float>, ptr %acc.2.0
  %v396 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v394, <4 x float> %v292, <4 x float> %v395)
  store <4 x float> %v396, ptr %acc.2.0
  %v397 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v398 = load <4 x float>, ptr %acc.1.0
  %v399 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v397, <4 x float> %v310, <4 x float> %v398)
  store <4 x float> %v399, ptr %acc.1.0
  %v400 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v401 = load <4 x float>, ptr %acc.0.0
  %v402 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v400, <4 x float> %v318, <4 x float> %v401)
  store <4 x float> %v402, ptr %acc.0.0
  %v403 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v404 = load <4 x float>, ptr %acc.3.0
  %v405 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v403, <4 x float> %v286, <4 x float> %v404)
  store <4 x float> %v405, ptr %acc.3.0
  %v406 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v407 = load <4 x float>, ptr %acc.2.0
  %v408 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v406, <4 x float> %v294, <4 x float> %v407)
  store <4 x float> %v408, ptr %acc.2.0
  %v409 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v410 = load <4 x float>, ptr %acc.1.0
  %v411 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v409, <4 x float> %v312, <4 x float> %v410)
  store <4 x float> %v411, ptr %acc.1.0
  %v412 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v413 = load <4 x float>, ptr %acc.0.0
  %v414 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v412, <4 x float> %v320, <4 x float> %v413)
  store <4 x float> %v414, ptr %acc.0.0
  %v415 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v416 = load <4 x float>, ptr %acc.3.0
  %v417 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v415, <4 x float> %v288, <4 x float> %v416)
  store <4 x float> %v417, ptr %acc.3.0
  %v418 = shufflevector <4 x float> %v372, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v419 = load <4 x float>, ptr %acc.2.0
  %v420 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v418, <4 x float> %v296, <4 x float> %v419)
  store <4 x float> %v420, ptr %acc.2.0
  %v421 = getelementptr float, ptr %a, i64 1920
  %v422 = load <4 x float>, ptr %v421, align 4
  %v423 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v424 = load <4 x float>, ptr %acc.1.0
  %v425 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v423, <4 x float> %v314, <4 x float> %v424)
  store <4 x float> %v425, ptr %acc.1.0
  %v426 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v427 = load <4 x float>, ptr %acc.3.0
  %v428 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v426, <4 x float> %v290, <4 x float> %v427)
  store <4 x float> %v428, ptr %acc.3.0
  %v429 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v430 = load <4 x float>, ptr %acc.1.0
  %v431 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v429, <4 x float> %v316, <4 x float> %v430)
  store <4 x float> %v431, ptr %acc.1.0
  %v432 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v433 = load <4 x float>, ptr %acc.3.0
  %v434 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v432, <4 x float> %v292, <4 x float> %v433)
  store <4 x float> %v434, ptr %acc.3.0
  %v435 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v436 = load <4 x float>, ptr %acc.1.0
  %v437 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v435, <4 x float> %v318, <4 x float> %v436)
  store <4 x float> %v437, ptr %acc.1.0
  %v438 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v439 = load <4 x float>, ptr %acc.3.0
  %v440 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v438, <4 x float> %v294, <4 x float> %v439)
  store <4 x float> %v440, ptr %acc.3.0
  %v441 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v442 = load <4 x float>, ptr %acc.1.0
  %v443 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v441, <4 x float> %v320, <4 x float> %v442)
  store <4 x float> %v443, ptr %acc.1.0
  %v444 = shufflevector <4 x float> %v422, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v445 = load <4 x float>, ptr %acc.3.0
  %v446 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v444, <4 x float> %v296, <4 x float> %v445)
  store <4 x float> %v446, ptr %acc.3.0
  %v447 = getelementptr float, ptr %b, i64 1536
  %v448 = load <4 x float>, ptr %v447, align 4
  %v449 = getelementptr float, ptr %b, i64 1600
  %v450 = load <4 x float>, ptr %v449, align 4
  %v451 = getelementptr float, ptr %b, i64 1664
  %v452 = load <4 x float>, ptr %v451, align 4
  %v453 = getelementptr float, ptr %b, i64 1728
  %v454 = load <4 x float>, ptr %v453, align 4
  %v455 = getelementptr float, ptr %b, i64 1792
  %v456 = load <4 x float>, ptr %v455, align 4
  %v457 = getelementptr float, ptr %b, i64 1856
  %v458 = load <4 x float>, ptr %v457, align 4
  %v459 = getelementptr float, ptr %b, i64 1920
  %v460 = load <4 x float>, ptr %v459, align 4
  %v461 = getelementptr float, ptr %b, i64 1984
  %v462 = load <4 x float>, ptr %v461, align 4
  %v463 = getelementptr float, ptr %b, i64 2048
  %v464 = load <4 x float>, ptr %v463, align 4
  %v465 = getelementptr float, ptr %b, i64 2112
  %v466 = load <4 x float>, ptr %v465, align 4
  %v467 = getelementptr float, ptr %b, i64 2176
  %v468 = load <4 x float>, ptr %v467, align 4
  %v469 = getelementptr float, ptr %b, i64 2240
  %v470 = load <4 x float>, ptr %v469, align 4
  %v471 = getelementptr float, ptr %a, i64 2688
  %v472 = load <4 x float>, ptr %v471, align 4
  %v473 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v474 = load <4 x float>, ptr %acc.3.0
  %v475 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v473, <4 x float> %v448, <4 x float> %v474)
  store <4 x float> %v475, ptr %acc.3.0
  %v476 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v477 = load <4 x float>, ptr %acc.2.0
  %v478 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v476, <4 x float> %v456, <4 x float> %v477)
  store <4 x float> %v478, ptr %acc.2.0
  %v479 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v480 = load <4 x float>, ptr %acc.3.0
  %v481 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v479, <4 x float> %v450, <4 x float> %v480)
  store <4 x float> %v481, ptr %acc.3.0
  %v482 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v483 = load <4 x float>, ptr %acc.2.0
  %v484 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v482, <4 x float> %v458, <4 x float> %v483)
  store <4 x float> %v484, ptr %acc.2.0
  %v485 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v486 = load <4 x float>, ptr %acc.3.0
  %v487 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v485, <4 x float> %v452, <4 x float> %v486)
  store <4 x float> %v487, ptr %acc.3.0
  %v488 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v489 = load <4 x float>, ptr %acc.2.0
  %v490 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v488, <4 x float> %v460, <4 x float> %v489)
  store <4 x float> %v490, ptr %acc.2.0
  %v491 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v492 = load <4 x float>, ptr %acc.3.0
  %v493 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v491, <4 x float> %v454, <4 x float> %v492)
  store <4 x float> %v493, ptr %acc.3.0
  %v494 = shufflevector <4 x float> %v472, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v495 = load <4 x float>, ptr %acc.2.0
  %v496 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v494, <4 x float> %v462, <4 x float> %v495)
  store <4 x float> %v496, ptr %acc.2.0
  %v497 = getelementptr float, ptr %a, i64 2752
  %v498 = load <4 x float>, ptr %v497, align 4
  %v499 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v500 = load <4 x float>, ptr %acc.3.0
  %v501 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v499, <4 x float> %v456, <4 x float> %v500)
  store <4 x float> %v501, ptr %acc.3.0
  %v502 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v503 = load <4 x float>, ptr %acc.2.0
  %v504 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v502, <4 x float> %v464, <4 x float> %v503)
  store <4 x float> %v504, ptr %acc.2.0
  %v505 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v506 = load <4 x float>, ptr %acc.3.0
  %v507 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v505, <4 x float> %v458, <4 x float> %v506)
  store <4 x float> %v507, ptr %acc.3.0
  %v508 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v509 = load <4 x float>, ptr %acc.2.0
  %v510 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v508, <4 x float> %v466, <4 x float> %v509)
  store <4 x float> %v510, ptr %acc.2.0
  %v511 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v512 = load <4 x float>, ptr %acc.3.0
  %v513 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v511, <4 x float> %v460, <4 x float> %v512)
  store <4 x float> %v513, ptr %acc.3.0
  %v514 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v515 = load <4 x float>, ptr %acc.2.0
  %v516 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v514, <4 x float> %v468, <4 x float> %v515)
  store <4 x float> %v516, ptr %acc.2.0
  %v517 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v518 = load <4 x float>, ptr %acc.3.0
  %v519 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v517, <4 x float> %v462, <4 x float> %v518)
  store <4 x float> %v519, ptr %acc.3.0
  %v520 = shufflevector <4 x float> %v498, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v521 = load <4 x float>, ptr %acc.2.0
  %v522 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v520, <4 x float> %v470, <4 x float> %v521)
  store <4 x float> %v522, ptr %acc.2.0
  %v523 = getelementptr float, ptr %a, i64 2816
  %v524 = load <4 x float>, ptr %v523, align 4
  %v525 = shufflevector <4 x float> %v524, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v526 = load <4 x float>, ptr %acc.3.0
  %v527 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v525, <4 x float> %v464, <4 x float> %v526)
  store <4 x float> %v527, ptr %acc.3.0
  %v528 = shufflevector <4 x float> %v524, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v529 = load <4 x float>, ptr %acc.3.0
  %v530 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v528, <4 x float> %v466, <4 x float> %v529)
  store <4 x float> %v530, ptr %acc.3.0
  %v531 = shufflevector <4 x float> %v524, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v532 = load <4 x float>, ptr %acc.3.0
  %v533 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v531, <4 x float> %v468, <4 x float> %v532)
  store <4 x float> %v533, ptr %acc.3.0
  %v534 = shufflevector <4 x float> %v524, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v535 = load <4 x float>, ptr %acc.3.0
  %v536 = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v534, <4 x float> %v470, <4 x float> %v535)
  store <4 x float> %v536, ptr %acc.3.0
  %v537 = load <4 x float>, ptr %acc.0.0
  %v538 = fcmp olt <4 x float> %v537, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v539 = select <4 x i1> %v538, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v537
  %v540 = getelementptr float, ptr %c, i64 0
  store <4 x float> %v539, ptr %v540, align 4
  %v541 = load <4 x float>, ptr %acc.1.0
  %v542 = fcmp olt <4 x float> %v541, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v543 = select <4 x i1> %v542, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v541
  %v544 = getelementptr float, ptr %c, i64 64
  store <4 x float> %v543, ptr %v544, align 4
  %v545 = load <4 x float>, ptr %acc.2.0
  %v546 = fcmp olt <4 x float> %v545, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v547 = select <4 x i1> %v546, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v545
  %v548 = getelementptr float, ptr %c, i64 896
  store <4 x float> %v547, ptr %v548, align 4
  %v549 = load <4 x float>, ptr %acc.3.0
  %v550 = fcmp olt <4 x float> %v549, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v551 = select <4 x i1> %v550, <4 x float> <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, <4 x float> %v549
  %v552 = getelementptr float, ptr %c, i64 960
  store <4 x float> %v551, ptr %v552, align 4
  ret i32 0
}
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
