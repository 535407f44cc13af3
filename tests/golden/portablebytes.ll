define i32 @u8_u8_s8_3x8_row_portablebytes__n7_a40.560_b8.640_c7_p4_bias_clipc1200000.42c80000_w0.7.1.0_z10_s1.3.0.0.40_s0.3.40.320.40(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) alwaysinline {
entry:
  %acc.0.0 = alloca <4 x i32>
  %acc.0.1 = alloca <4 x i32>
  %acc.1.0 = alloca <4 x i32>
  %acc.1.1 = alloca <4 x i32>
  %acc.2.0 = alloca <4 x i32>
  %acc.2.1 = alloca <4 x i32>
  %a.at = alloca ptr
  %b.at = alloca ptr
  %h.left = alloca i64
  %q = alloca i64
  %v1 = getelementptr i32, ptr %bias, i64 7
  %v2 = load <4 x i32>, ptr %v1, align 1
  store <4 x i32> %v2, ptr %acc.0.0
  %v3 = getelementptr i32, ptr %bias, i64 0
  %v4 = load <4 x i32>, ptr %v3, align 1
  store <4 x i32> %v4, ptr %acc.1.0
  %v5 = getelementptr i32, ptr %bias, i64 0
  %v6 = load <4 x i32>, ptr %v5, align 1
  store <4 x i32> %v6, ptr %acc.2.0
  %v7 = getelementptr i32, ptr %bias, i64 11
  %v8 = load i32, ptr %v7, align 1
  %v9 = insertelement <4 x i32> zeroinitializer, i32 %v8, i64 0
  %v10 = getelementptr i32, ptr %bias, i64 12
  %v11 = load i32, ptr %v10, align 1
  %v12 = insertelement <4 x i32> %v9, i32 %v11, i64 1
  %v13 = getelementptr i32, ptr %bias, i64 13
  %v14 = load i32, ptr %v13, align 1
  %v15 = insertelement <4 x i32> %v12, i32 %v14, i64 2
  store <4 x i32> %v15, ptr %acc.0.1
  %v16 = getelementptr i32, ptr %bias, i64 4
  %v17 = load i32, ptr %v16, align 1
  %v18 = insertelement <4 x i32> zeroinitializer, i32 %v17, i64 0
  %v19 = getelementptr i32, ptr %bias, i64 5
  %v20 = load i32, ptr %v19, align 1
  %v21 = insertelement <4 x i32> %v18, i32 %v20, i64 1
  %v22 = getelementptr i32, ptr %bias, i64 6
  %v23 = load i32, ptr %v22, align 1
  %v24 = insertelement <4 x i32> %v21, i32 %v23, i64 2
  store <4 x i32> %v24, ptr %acc.1.1
  %v25 = getelementptr i32, ptr %bias, i64 4
  %v26 = load i32, ptr %v25, align 1
  %v27 = insertelement <4 x i32> zeroinitializer, i32 %v26, i64 0
  %v28 = getelementptr i32, ptr %bias, i64 5
  %v29 = load i32, ptr %v28, align 1
  %v30 = insertelement <4 x i32> %v27, i32 %v29, i64 1
  %v31 = getelementptr i32, ptr %bias, i64 6
  %v32 = load i32, ptr %v31, align 1
  %v33 = insertelement <4 x i32> %v30, i32 %v32, i64 2
  store <4 x i32> %v33, ptr %acc.2.1
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
  %v44 = getelementptr i8, ptr %v36, i64 %v43
  %v45 = getelementptr i8, ptr %v37, i64 %v42
  %v46 = getelementptr i8, ptr %v45, i64 0
  %v47 = load <4 x i8>, ptr %v46, align 1
  %v48 = sext <4 x i8> %v47 to <4 x i32>
  %v49 = getelementptr i8, ptr %v45, i64 4
  %v50 = load <4 x i8>, ptr %v49, align 1
  %v51 = sext <4 x i8> %v50 to <4 x i32>
  %v52 = getelementptr i8, ptr %v44, i64 40
  %v53 = load i8, ptr %v52, align 1
  %v54 = zext i8 %v53 to i32
  %v55 = insertelement <4 x i32> poison, i32 %v54, i64 0
  %v56 = shufflevector <4 x i32> %v55, <4 x i32> poison, <4 x i32> zeroinitializer
  %v57 = mul <4 x i32> %v56, %v48
  %v58 = load <4 x i32>, ptr %acc.1.0
  %v59 = add <4 x i32> %v58, %v57
  store <4 x i32> %v59, ptr %acc.1.0
  %v60 = mul <4 x i32> %v56, %v51
  %v61 = load <4 x i32>, ptr %acc.1.1
  %v62 = add <4 x i32> %v61, %v60
  store <4 x i32> %v62, ptr %acc.1.1
  %v63 = getelementptr i8, ptr %v44, i64 80
  %v64 = load i8, ptr %v63, align 1
  %v65 = zext i8 %v64 to i32
  %v66 = insertelement <4 x i32> poison, i32 %v65, i64 0
  %v67 = shufflevector <4 x i32> %v66, <4 x i32> poison, <4 x i32> zeroinitializer
  %v68 = mul <4 x i32> %v67, %v48
  %v69 = load <4 x i32>, ptr %acc.2.0
  %v70 = add <4 x i32> %v69, %v68
  store <4 x i32> %v70, ptr %acc.2.0
  %v71 = mul <4 x i32> %v67, %v51
  %v72 = load <4 x i32>, ptr %acc.2.1
  %v73 = add <4 x i32> %v72, %v71
  store <4 x i32> %v73, ptr %acc.2.1
  %k41.next = add i64 %k41, 1
  %v74 = icmp ne i64 %k41.next, 40
  br i1 %v74, label %loop39, label %after40
after40:
  %v75 = load ptr, ptr %a.at
  %v76 = load ptr, ptr %b.at
  br label %before77
before77:
  br label %loop78
loop78:
  %k80 = phi i64 [ 0, %before77 ], [ %k80.next, %loop78 ]
  %v81 = mul i64 %k80, 8
  %v82 = mul i64 %k80, 1
  %v83 = getelementptr i8, ptr %v75, i64 %v82
  %v84 = getelementptr i8, ptr %v76, i64 %v81
  %v85 = getelementptr i8, ptr %v84, i64 320
  %v86 = load <4 x i8>, ptr %v85, align 1
  %v87 = sext <4 x i8> %v86 to <4 x i32>
  %v88 = getelementptr i8, ptr %v84, i64 324
  %v89 = load <4 x i8>, ptr %v88, align 1
  %v90 = sext <4 x i8> %v89 to <4 x i32>
  %v91 = getelementptr i8, ptr %v83, i64 40
  %v92 = load i8, ptr %v91, align 1
  %v93 = zext i8 %v92 to i32
  %v94 = insertelement <4 x i32> poison, i32 %v93, i64 0
  %v95 = shufflevector <4 x i32> %v94, <4 x i32> poison, <4 x i32> zeroinitializer
  %v96 = mul <4 x i32> %v95, %v87
  %v97 = load <4 x i32>, ptr %acc.0.0
  %v98 = add <4 x i32> %v97, %v96
  store <4 x i32> %v98, ptr %acc.0.0
  %v99 = mul <4 x i32> %v95, %v90
  %v100 = load <4 x i32>, ptr %acc.0.1
  %v101 = add <4 x i32> %v100, %v99
  store <4 x i32> %v101, ptr %acc.0.1
  %v102 = getelementptr i8, ptr %v83, i64 80
  %v103 = load i8, ptr %v102, align 1
  %v104 = zext i8 %v103 to i32
  %v105 = insertelement <4 x i32> poison, i32 %v104, i64 0
  %v106 = shufflevector <4 x i32> %v105, <4 x i32> poison, <4 x i32> zeroinitializer
  %v107 = mul <4 x i32> %v106, %v87
  %v108 = load <4 x i32>, ptr %acc.1.0
  %v109 = add <4 x i32> %v108, %v107
  store <4 x i32> %v109, ptr %acc.1.0
  %v110 = mul <4 x i32> %v106, %v90
  %v111 = load <4 x i32>, ptr %acc.1.1
  %v112 = add <4 x i32> %v111, %v110
  store <4 x i32> %v112, ptr %acc.1.1
  %v113 = getelementptr i8, ptr %v83, i64 120
  %v114 = load i8, ptr %v113, align 1
  %v115 = zext i8 %v114 to i32
  %v116 = insertelement <4 x i32> poison, i32 %v115, i64 0
  %v117 = shufflevector <4 x i32> %v116, <4 x i32> poison, <4 x i32> zeroinitializer
  %v118 = mul <4 x i32> %v117, %v87
  %v119 = load <4 x i32>, ptr %acc.2.0
  %v120 = add <4 x i32> %v119, %v118
  store <4 x i32> %v120, ptr %acc.2.0
  %v121 = mul <4 x i32> %v117, %v90
  %v122 = load <4 x i32>, ptr %acc.2.1
  %v123 = add <4 x i32> %v122, %v121
  store <4 x i32> %v123, ptr %acc.2.1
  %k80.next = add i64 %k80, 1
  %v124 = icmp ne i64 %k80.next, 40
  br i1 %v124, label %loop78, label %after79
after79:
  %v125 = load ptr, ptr %a.at
  %v126 = getelementptr i8, ptr %v125, i64 560
  store ptr %v126, ptr %a.at
  %v127 = load ptr, ptr %b.at
  %v128 = getelementptr i8, ptr %v127, i64 640
  store ptr %v128, ptr %b.at
  %v129 = load i64, ptr %h.left
  %v130 = sub i64 %v129, 1
  store i64 %v130, ptr %h.left
  %v131 = icmp sgt i64 %v130, 0
  br i1 %v131, label %taps34, label %taps.end35
taps.end35:
  br label %done
done:
  %v132 = load <4 x i32>, ptr %acc.0.0
  %v133 = sitofp <4 x i32> %v132 to <4 x float>
  %v134 = getelementptr float, ptr %residual, i64 0
  %v135 = load <4 x float>, ptr %v134, align 1
  %v136 = fmul <4 x float> %v133, %v135
  %v137 = fcmp olt <4 x float> %v136, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v138 = select <4 x i1> %v137, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v136
  %v139 = fcmp ogt <4 x float> %v138, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v140 = select <4 x i1> %v139, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v138
  %v141 = fadd <4 x float> %v140, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v142 = bitcast <4 x float> %v141 to <4 x i32>
  %v143 = add <4 x i32> %v142, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v144 = trunc <4 x i32> %v143 to <4 x i8>
  %v145 = getelementptr i8, ptr %c, i64 0
  store <4 x i8> %v144, ptr %v145, align 1
  %v146 = load <4 x i32>, ptr %acc.0.1
  %v147 = sitofp <4 x i32> %v146 to <4 x float>
  %v148 = getelementptr float, ptr %residual, i64 4
  %v149 = load float, ptr %v148, align 1
  %v150 = insertelement <4 x float> zeroinitializer, float %v149, i64 0
  %v151 = getelementptr float, ptr %residual, i64 5
  %v152 = load float, ptr %v151, align 1
  %v153 = insertelement <4 x float> %v150, float %v152, i64 1
  %v154 = getelementptr float, ptr %residual, i64 6
  %v155 = load float, ptr %v154, align 1
  %v156 = insertelement <4 x float> %v153, float %v155, i64 2
  %v157 = fmul <4 x float> %v147, %v156
  %v158 = fcmp olt <4 x float> %v157, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v159 = select <4 x i1> %v158, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v157
  %v160 = fcmp ogt <4 x float> %v159, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v161 = select <4 x i1> %v160, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v159
  %v162 = fadd <4 x float> %v161, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v163 = bitcast <4 x float> %v162 to <4 x i32>
  %v164 = add <4 x i32> %v163, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v165 = trunc <4 x i32> %v164 to <4 x i8>
  %v166 = extractelement <4 x i8> %v165, i64 0
  %v167 = getelementptr i8, ptr %c, i64 4
  store i8 %v166, ptr %v167, align 1
  %v168 = extractelement <4 x i8> %v165, i64 1
  %v169 = getelementptr i8, ptr %c, i64 5
  store i8 %v168, ptr %v169, align 1
  %v170 = extractelement <4 x i8> %v165, i64 2
  %v171 = getelementptr i8, ptr %c, i64 6
  store i8 %v170, ptr %v171, align 1
  %v172 = load <4 x i32>, ptr %acc.1.0
  %v173 = sitofp <4 x i32> %v172 to <4 x float>
  %v174 = getelementptr float, ptr %residual, i64 0
  %v175 = load <4 x float>, ptr %v174, align 1
  %v176 = fmul <4 x float> %v173, %v175
  %v177 = fcmp olt <4 x float> %v176, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v178 = select <4 x i1> %v177, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v176
  %v179 = fcmp ogt <4 x float> %v178, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v180 = select <4 x i1> %v179, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v178
  %v181 = fadd <4 x float> %v180, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v182 = bitcast <4 x float> %v181 to <4 x i32>
  %v183 = add <4 x i32> %v182, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v184 = trunc <4 x i32> %v183 to <4 x i8>
  %v185 = getelementptr i8, ptr %c, i64 7
  store <4 x i8> %v184, ptr %v185, align 1
  %v186 = load <4 x i32>, ptr %acc.1.1
  %v187 = sitofp <4 x i32> %v186 to <4 x float>
  %v188 = getelementptr float, ptr %residual, i64 4
  %v189 = load float, ptr %v188, align 1
  %v190 = insertelement <4 x float> zeroinitializer, float %v189, i64 0
  %v191 = getelementptr float, ptr %residual, i64 5
  %v192 = load float, ptr %v191, align 1
  %v193 = insertelement <4 x float> %v190, float %v192, i64 1
  %v194 = getelementptr float, ptr %residual, i64 6
  %v195 = load float, ptr %v194, align 1
  %v196 = insertelement <4 x float> %v193, float %v195, i64 2
  %v197 = fmul <4 x float> %v187, %v196
  %v198 = fcmp olt <4 x float> %v197, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v199 = select <4 x i1> %v198, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v197
  %v200 = fcmp ogt <4 x float> %v199, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v201 = select <4 x i1> %v200, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v199
  %v202 = fadd <4 x float> %v201, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v203 = bitcast <4 x float> %v202 to <4 x i32>
  %v204 = add <4 x i32> %v203, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v205 = trunc <4 x i32> %v204 to <4 x i8>
  %v206 = extractelement <4 x i8> %v205, i64 0
  %v207 = getelementptr i8, ptr %c, i64 11
  store i8 %v206, ptr %v207, align 1
  %v208 = extractelement <4 x i8> %v205, i64 1
  %v209 = getelementptr i8, ptr %c, i64 12
  store i8 %v208, ptr %v209, align 1
  %v210 = extractelement <4 x i8> %v205, i64 2
  %v211 = getelementptr i8, ptr %c, i64 13
  store i8 %v210, ptr %v211, align 1
  %v212 = load <4 x i32>, ptr %acc.2.0
  %v213 = sitofp <4 x i32> %v212 to <4 x float>
  %v214 = getelementptr float, ptr %residual, i64 0
  %v215 = load <4 x float>, ptr %v214, align 1
  %v216 = fmul <4 x float> %v213, %v215
  %v217 = fcmp olt <4 x float> %v216, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v218 = select <4 x i1> %v217, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v216
  %v219 = fcmp ogt <4 x float> %v218, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v220 = select <4 x i1> %v219, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v218
  %v221 = fadd <4 x float> %v220, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v222 = bitcast <4 x float> %v221 to <4 x i32>
  %v223 = add <4 x i32> %v222, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v224 = trunc <4 x i32> %v223 to <4 x i8>
  %v225 = getelementptr i8, ptr %c, i64 14
  store <4 x i8> %v224, ptr %v225, align 1
  %v226 = load <4 x i32>, ptr %acc.2.1
  %v227 = sitofp <4 x i32> %v226 to <4 x float>
  %v228 = getelementptr float, ptr %residual, i64 4
  %v229 = load float, ptr %v228, align 1
  %v230 = insertelement <4 x float> zeroinitializer, float %v229, i64 0
  %v231 = getelementptr float, ptr %residual, i64 5
  %v232 = load float, ptr %v231, align 1
  %v233 = insertelement <4 x float> %v230, float %v232, i64 1
  %v234 = getelementptr float, ptr %residual, i64 6
  %v235 = load float, ptr %v234, align 1
  %v236 = insertelement <4 x float> %v233, float %v235, i64 2
  %v237 = fmul <4 x float> %v227, %v236
  %v238 = fcmp olt <4 x float> %v237, <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>
  %v239 = select <4 x i1> %v238, <4 x float> <float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000, float 0xC024000000000000>, <4 x float> %v237
  %v240 = fcmp ogt <4 x float> %v239, <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>
  %v241 = select <4 x i1> %v240, <4 x float> <float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000, float 0x4059000000000000>, <4 x float> %v239
  %v242 = fadd <4 x float> %v241, <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>
  %v243 = bitcast <4 x float> %v242 to <4 x i32>
  %v244 = add <4 x i32> %v243, <i32 -1262485494, i32 -1262485494, i32 -1262485494, i32 -1262485494>
  %v245 = trunc <4 x i32> %v244 to <4 x i8>
  %v246 = extractelement <4 x i8> %v245, i64 0
  %v247 = getelementptr i8, ptr %c, i64 18
  store i8 %v246, ptr %v247, align 1
  %v248 = extractelement <4 x i8> %v245, i64 1
  %v249 = getelementptr i8, ptr %c, i64 19
  store i8 %v248, ptr %v249, align 1
  %v250 = extractelement <4 x i8> %v245, i64 2
  %v251 = getelementptr i8, ptr %c, i64 20
  store i8 %v250, ptr %v251, align 1
  ret i32 0
}
