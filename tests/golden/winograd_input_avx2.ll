define i32 @winograd_input_f32_avx2__m2_c20_s1040_p64_r3584_h56(ptr %dst, ptr %src, i64 %row, i64 %col) alwaysinline {
entry:
  %zeros = alloca <8 x float>
  store <8 x float> zeroinitializer, ptr %zeros
  %nowhere = alloca <8 x float>
  %v1 = mul i64 %row, 3584
  %v2 = mul i64 %col, 64
  %v3 = add i64 %v1, %v2
  %v4 = getelementptr float, ptr %src, i64 %v3
  %v5 = sub i64 52, %row
  %v6 = sub i64 52, %col
  %v7 = icmp sge i64 %row, 0
  %v8 = and i1 true, %v7
  %v9 = icmp sge i64 %col, 0
  %v10 = and i1 %v8, %v9
  %v11 = icmp sge i64 %v5, 0
  %v12 = and i1 %v10, %v11
  %v13 = icmp sge i64 %v6, 0
  %v14 = and i1 %v12, %v13
  %v15 = add i64 %row, 0
  %v16 = icmp ult i64 %v15, 56
  %v17 = add i64 %row, 1
  %v18 = icmp ult i64 %v17, 56
  %v19 = add i64 %row, 2
  %v20 = icmp ult i64 %v19, 56
  %v21 = add i64 %row, 3
  %v22 = icmp ult i64 %v21, 56
  %v23 = add i64 %col, 0
  %v24 = icmp ult i64 %v23, 56
  %v25 = add i64 %col, 1
  %v26 = icmp ult i64 %v25, 56
  %v27 = add i64 %col, 2
  %v28 = icmp ult i64 %v27, 56
  %v29 = add i64 %col, 3
  %v30 = icmp ult i64 %v29, 56
  br i1 %v14, label %whole, label %border
whole:
  br label %whole.loop
whole.loop:
  %whole.at = phi i64 [ 0, %whole ], [ %whole.next, %whole.loop ]
  %v31 = getelementptr float, ptr %v4, i64 %whole.at
  %v32 = getelementptr float, ptr %dst, i64 %whole.at
  %v33 = getelementptr float, ptr %v31, i64 0
  %v34 = load <8 x float>, ptr %v33, align 4
  %v35 = getelementptr float, ptr %v31, i64 3584
  %v36 = load <8 x float>, ptr %v35, align 4
  %v37 = getelementptr float, ptr %v31, i64 7168
  %v38 = load <8 x float>, ptr %v37, align 4
  %v39 = getelementptr float, ptr %v31, i64 10752
  %v40 = load <8 x float>, ptr %v39, align 4
  %v41 = fadd <8 x float> %v38, %v36
  %v42 = fsub <8 x float> %v38, %v36
  %v43 = fsub <8 x float> %v38, %v34
  %v44 = fsub <8 x float> %v40, %v36
  %v45 = getelementptr float, ptr %v31, i64 64
  %v46 = load <8 x float>, ptr %v45, align 4
  %v47 = getelementptr float, ptr %v31, i64 3648
  %v48 = load <8 x float>, ptr %v47, align 4
  %v49 = getelementptr float, ptr %v31, i64 7232
  %v50 = load <8 x float>, ptr %v49, align 4
  %v51 = getelementptr float, ptr %v31, i64 10816
  %v52 = load <8 x float>, ptr %v51, align 4
  %v53 = fadd <8 x float> %v50, %v48
  %v54 = fsub <8 x float> %v50, %v48
  %v55 = fsub <8 x float> %v50, %v46
  %v56 = fsub <8 x float> %v52, %v48
  %v57 = getelementptr float, ptr %v31, i64 128
  %v58 = load <8 x float>, ptr %v57, align 4
  %v59 = getelementptr float, ptr %v31, i64 3712
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = getelementptr float, ptr %v31, i64 7296
  %v62 = load <8 x float>, ptr %v61, align 4
  %v63 = getelementptr float, ptr %v31, i64 10880
  %v64 = load <8 x float>, ptr %v63, align 4
  %v65 = fadd <8 x float> %v62, %v60
  %v66 = fsub <8 x float> %v62, %v60
  %v67 = fsub <8 x float> %v62, %v58
  %v68 = fsub <8 x float> %v64, %v60
  %v69 = getelementptr float, ptr %v31, i64 192
  %v70 = load <8 x float>, ptr %v69, align 4
  %v71 = getelementptr float, ptr %v31, i64 3776
  %v72 = load <8 x float>, ptr %v71, align 4
  %v73 = getelementptr float, ptr %v31, i64 7360
  %v74 = load <8 x float>, ptr %v73, align 4
  %v75 = getelementptr float, ptr %v31, i64 10944
  %v76 = load <8 x float>, ptr %v75, align 4
  %v77 = fadd <8 x float> %v74, %v72
  %v78 = fsub <8 x float> %v74, %v72
  %v79 = fsub <8 x float> %v74, %v70
  %v80 = fsub <8 x float> %v76, %v72
  %v81 = fadd <8 x float> %v67, %v55
  %v82 = fsub <8 x float> %v67, %v55
  %v83 = fsub <8 x float> %v67, %v43
  %v84 = fsub <8 x float> %v79, %v55
  %v85 = getelementptr float, ptr %v32, i64 0
  store <8 x float> %v83, ptr %v85, align 4
  %v86 = getelementptr float, ptr %v32, i64 1040
  store <8 x float> %v81, ptr %v86, align 4
  %v87 = getelementptr float, ptr %v32, i64 2080
  store <8 x float> %v82, ptr %v87, align 4
  %v88 = getelementptr float, ptr %v32, i64 3120
  store <8 x float> %v84, ptr %v88, align 4
  %v89 = fadd <8 x float> %v65, %v53
  %v90 = fsub <8 x float> %v65, %v53
  %v91 = fsub <8 x float> %v65, %v41
  %v92 = fsub <8 x float> %v77, %v53
  %v93 = getelementptr float, ptr %v32, i64 4160
  store <8 x float> %v91, ptr %v93, align 4
  %v94 = getelementptr float, ptr %v32, i64 5200
  store <8 x float> %v89, ptr %v94, align 4
  %v95 = getelementptr float, ptr %v32, i64 6240
  store <8 x float> %v90, ptr %v95, align 4
  %v96 = getelementptr float, ptr %v32, i64 7280
  store <8 x float> %v92, ptr %v96, align 4
  %v97 = fadd <8 x float> %v66, %v54
  %v98 = fsub <8 x float> %v66, %v54
  %v99 = fsub <8 x float> %v66, %v42
  %v100 = fsub <8 x float> %v78, %v54
  %v101 = getelementptr float, ptr %v32, i64 8320
  store <8 x float> %v99, ptr %v101, align 4
  %v102 = getelementptr float, ptr %v32, i64 9360
  store <8 x float> %v97, ptr %v102, align 4
  %v103 = getelementptr float, ptr %v32, i64 10400
  store <8 x float> %v98, ptr %v103, align 4
  %v104 = getelementptr float, ptr %v32, i64 11440
  store <8 x float> %v100, ptr %v104, align 4
  %v105 = fadd <8 x float> %v68, %v56
  %v106 = fsub <8 x float> %v68, %v56
  %v107 = fsub <8 x float> %v68, %v44
  %v108 = fsub <8 x float> %v80, %v56
  %v109 = getelementptr float, ptr %v32, i64 12480
  store <8 x float> %v107, ptr %v109, align 4
  %v110 = getelementptr float, ptr %v32, i64 13520
  store <8 x float> %v105, ptr %v110, align 4
  %v111 = getelementptr float, ptr %v32, i64 14560
  store <8 x float> %v106, ptr %v111, align 4
  %v112 = getelementptr float, ptr %v32, i64 15600
  store <8 x float> %v108, ptr %v112, align 4
  %whole.next = add i64 %whole.at, 8
  %v113 = icmp ne i64 %whole.next, 16
  br i1 %v113, label %whole.loop, label %rest
border:
  br label %border.loop
border.loop:
  %border.at = phi i64 [ 0, %border ], [ %border.next, %border.loop ]
  %v114 = getelementptr float, ptr %v4, i64 %border.at
  %v115 = getelementptr float, ptr %dst, i64 %border.at
  %v116 = getelementptr float, ptr %v114, i64 0
  %v117 = and i1 %v16, %v24
  %v118 = select i1 %v117, ptr %v116, ptr %zeros
  %v119 = load <8 x float>, ptr %v118, align 4
  %v120 = getelementptr float, ptr %v114, i64 3584
  %v121 = and i1 %v18, %v24
  %v122 = select i1 %v121, ptr %v120, ptr %zeros
  %v123 = load <8 x float>, ptr %v122, align 4
  %v124 = getelementptr float, ptr %v114, i64 7168
  %v125 = and i1 %v20, %v24
  %v126 = select i1 %v125, ptr %v124, ptr %zeros
  %v127 = load <8 x float>, ptr %v126, align 4
  %v128 = getelementptr float, ptr %v114, i64 10752
  %v129 = and i1 %v22, %v24
  %v130 = select i1 %v129, ptr %v128, ptr %zeros
  %v131 = load <8 x float>, ptr %v130, align 4
  %v132 = fadd <8 x float> %v127, %v123
  %v133 = fsub <8 x float> %v127, %v123
  %v134 = fsub <8 x float> %v127, %v119
  %v135 = fsub <8 x float> %v131, %v123
  %v136 = getelementptr float, ptr %v114, i64 64
  %v137 = and i1 %v16, %v26
  %v138 = select i1 %v137, ptr %v136, ptr %zeros
  %v139 = load <8 x float>, ptr %v138, align 4
  %v140 = getelementptr float, ptr %v114, i64 3648
  %v141 = and i1 %v18, %v26
  %v142 = select i1 %v141, ptr %v140, ptr %zeros
  %v143 = load <8 x float>, ptr %v142, align 4
  %v144 = getelementptr float, ptr %v114, i64 7232
  %v145 = and i1 %v20, %v26
  %v146 = select i1 %v145, ptr %v144, ptr %zeros
  %v147 = load <8 x float>, ptr %v146, align 4
  %v148 = getelementptr float, ptr %v114, i64 10816
  %v149 = and i1 %v22, %v26
  %v150 = select i1 %v149, ptr %v148, ptr %zeros
  %v151 = load <8 x float>, ptr %v150, align 4
  %v152 = fadd <8 x float> %v147, %v143
  %v153 = fsub <8 x float> %v147, %v143
  %v154 = fsub <8 x float> %v147, %v139
  %v155 = fsub <8 x float> %v151, %v143
  %v156 = getelementptr float, ptr %v114, i64 128
  %v157 = and i1 %v16, %v28
  %v158 = select i1 %v157, ptr %v156, ptr %zeros
  %v159 = load <8 x float>, ptr %v158, align 4
  %v160 = getelementptr float, ptr %v114, i64 3712
  %v161 = and i1 %v18, %v28
  %v162 = select i1 %v161, ptr %v160, ptr %zeros
  %v163 = load <8 x float>, ptr %v162, align 4
  %v164 = getelementptr float, ptr %v114, i64 7296
  %v165 = and i1 %v20, %v28
  %v166 = select i1 %v165, ptr %v164, ptr %zeros
  %v167 = load <8 x float>, ptr %v166, align 4
  %v168 = getelementptr float, ptr %v114, i64 10880
  %v169 = and i1 %v22, %v28
  %v170 = select i1 %v169, ptr %v168, ptr %zeros
  %v171 = load <8 x float>, ptr %v170, align 4
  %v172 = fadd <8 x float> %v167, %v163
  %v173 = fsub <8 x float> %v167, %v163
  %v174 = fsub <8 x float> %v167, %v159
  %v175 = fsub <8 x float> %v171, %v163
  %v176 = getelementptr float, ptr %v114, i64 192
  %v177 = and i1 %v16, %v30
  %v178 = select i1 %v177, ptr %v176, ptr %zeros
  %v179 = load <8 x float>, ptr %v178, align 4
  %v180 = getelementptr float, ptr %v114, i64 3776
  %v181 = and i1 %v18, %v30
  %v182 = select i1 %v181, ptr %v180, ptr %zeros
  %v183 = load <8 x float>, ptr %v182, align 4
  %v184 = getelementptr float, ptr %v114, i64 7360
  %v185 = and i1 %v20, %v30
  %v186 = select i1 %v185, ptr %v184, ptr %zeros
  %v187 = load <8 x float>, ptr %v186, align 4
  %v188 = getelementptr float, ptr %v114, i64 10944
  %v189 = and i1 %v22, %v30
  %v190 = select i1 %v189, ptr %v188, ptr %zeros
  %v191 = load <8 x float>, ptr %v190, align 4
  %v192 = fadd <8 x float> %v187, %v183
  %v193 = fsub <8 x float> %v187, %v183
  %v194 = fsub <8 x float> %v187, %v179
  %v195 = fsub <8 x float> %v191, %v183
  %v196 = fadd <8 x float> %v174, %v154
  %v197 = fsub <8 x float> %v174, %v154
  %v198 = fsub <8 x float> %v174, %v134
  %v199 = fsub <8 x float> %v194, %v154
  %v200 = getelementptr float, ptr %v115, i64 0
  store <8 x float> %v198, ptr %v200, align 4
  %v201 = getelementptr float, ptr %v115, i64 1040
  store <8 x float> %v196, ptr %v201, align 4
  %v202 = getelementptr float, ptr %v115, i64 2080
  store <8 x float> %v197, ptr %v202, align 4
  %v203 = getelementptr float, ptr %v115, i64 3120
  store <8 x float> %v199, ptr %v203, align 4
  %v204 = fadd <8 x float> %v172, %v152
  %v205 = fsub <8 x float> %v172, %v152
  %v206 = fsub <8 x float> %v172, %v132
  %v207 = fsub <8 x float> %v192, %v152
  %v208 = getelementptr float, ptr %v115, i64 4160
  store <8 x float> %v206, ptr %v208, align 4
  %v209 = getelementptr float, ptr %v115, i64 5200
  store <8 x float> %v204, ptr %v209, align 4
  %v210 = getelementptr float, ptr %v115, i64 6240
  store <8 x float> %v205, ptr %v210, align 4
  %v211 = getelementptr float, ptr %v115, i64 7280
  store <8 x float> %v207, ptr %v211, align 4
  %v212 = fadd <8 x float> %v173, %v153
  %v213 = fsub <8 x float> %v173, %v153
  %v214 = fsub <8 x float> %v173, %v133
  %v215 = fsub <8 x float> %v193, %v153
  %v216 = getelementptr float, ptr %v115, i64 8320
  store <8 x float> %v214, ptr %v216, align 4
  %v217 = getelementptr float, ptr %v115, i64 9360
  store <8 x float> %v212, ptr %v217, align 4
  %v218 = getelementptr float, ptr %v115, i64 10400
  store <8 x float> %v213, ptr %v218, align 4
  %v219 = getelementptr float, ptr %v115, i64 11440
  store <8 x float> %v215, ptr %v219, align 4
  %v220 = fadd <8 x float> %v175, %v155
  %v221 = fsub <8 x float> %v175, %v155
  %v222 = fsub <8 x float> %v175, %v135
  %v223 = fsub <8 x float> %v195, %v155
  %v224 = getelementptr float, ptr %v115, i64 12480
  store <8 x float> %v222, ptr %v224, align 4
  %v225 = getelementptr float, ptr %v115, i64 13520
  store <8 x float> %v220, ptr %v225, align 4
  %v226 = getelementptr float, ptr %v115, i64 14560
  store <8 x float> %v221, ptr %v226, align 4
  %v227 = getelementptr float, ptr %v115, i64 15600
  store <8 x float> %v223, ptr %v227, align 4
  %border.next = add i64 %border.at, 8
  %v228 = icmp ne i64 %border.next, 16
  br i1 %v228, label %border.loop, label %rest
rest:
  %v229 = getelementptr float, ptr %v4, i64 16
  %v230 = getelementptr float, ptr %dst, i64 16
  %v231 = getelementptr float, ptr %v229, i64 0
  %v232 = and i1 %v16, %v24
  %v233 = select i1 %v232, ptr %v231, ptr %zeros
  %v234 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v233, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v235 = getelementptr float, ptr %v229, i64 3584
  %v236 = and i1 %v18, %v24
  %v237 = select i1 %v236, ptr %v235, ptr %zeros
  %v238 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v237, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v239 = getelementptr float, ptr %v229, i64 7168
  %v240 = and i1 %v20, %v24
  %v241 = select i1 %v240, ptr %v239, ptr %zeros
  %v242 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v241, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v243 = getelementptr float, ptr %v229, i64 10752
  %v244 = and i1 %v22, %v24
  %v245 = select i1 %v244, ptr %v243, ptr %zeros
  %v246 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v245, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v247 = fadd <8 x float> %v242, %v238
  %v248 = fsub <8 x float> %v242, %v238
  %v249 = fsub <8 x float> %v242, %v234
  %v250 = fsub <8 x float> %v246, %v238
  %v251 = getelementptr float, ptr %v229, i64 64
  %v252 = and i1 %v16, %v26
  %v253 = select i1 %v252, ptr %v251, ptr %zeros
  %v254 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v253, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v255 = getelementptr float, ptr %v229, i64 3648
  %v256 = and i1 %v18, %v26
  %v257 = select i1 %v256, ptr %v255, ptr %zeros
  %v258 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v257, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v259 = getelementptr float, ptr %v229, i64 7232
  %v260 = and i1 %v20, %v26
  %v261 = select i1 %v260, ptr %v259, ptr %zeros
  %v262 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v261, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v263 = getelementptr float, ptr %v229, i64 10816
  %v264 = and i1 %v22, %v26
  %v265 = select i1 %v264, ptr %v263, ptr %zeros
  %v266 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v265, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v267 = fadd <8 x float> %v262, %v258
  %v268 = fsub <8 x float> %v262, %v258
  %v269 = fsub <8 x float> %v262, %v254
  %v270 = fsub <8 x float> %v266, %v258
  %v271 = getelementptr float, ptr %v229, i64 128
  %v272 = and i1 %v16, %v28
  %v273 = select i1 %v272, ptr %v271, ptr %zeros
  %v274 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v273, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v275 = getelementptr float, ptr %v229, i64 3712
  %v276 = and i1 %v18, %v28
  %v277 = select i1 %v276, ptr %v275, ptr %zeros
  %v278 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v277, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v279 = getelementptr float, ptr %v229, i64 7296
  %v280 = and i1 %v20, %v28
  %v281 = select i1 %v280, ptr %v279, ptr %zeros
  %v282 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v281, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v283 = getelementptr float, ptr %v229, i64 10880
  %v284 = and i1 %v22, %v28
  %v285 = select i1 %v284, ptr %v283, ptr %zeros
  %v286 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v285, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v287 = fadd <8 x float> %v282, %v278
  %v288 = fsub <8 x float> %v282, %v278
  %v289 = fsub <8 x float> %v282, %v274
  %v290 = fsub <8 x float> %v286, %v278
  %v291 = getelementptr float, ptr %v229, i64 192
  %v292 = and i1 %v16, %v30
  %v293 = select i1 %v292, ptr %v291, ptr %zeros
  %v294 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v293, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v295 = getelementptr float, ptr %v229, i64 3776
  %v296 = and i1 %v18, %v30
  %v297 = select i1 %v296, ptr %v295, ptr %zeros
  %v298 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v297, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v299 = getelementptr float, ptr %v229, i64 7360
  %v300 = and i1 %v20, %v30
  %v301 = select i1 %v300, ptr %v299, ptr %zeros
  %v302 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v301, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v303 = getelementptr float, ptr %v229, i64 10944
  %v304 = and i1 %v22, %v30
  %v305 = select i1 %v304, ptr %v303, ptr %zeros
  %v306 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v305, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v307 = fadd <8 x float> %v302, %v298
  %v308 = fsub <8 x float> %v302, %v298
  %v309 = fsub <8 x float> %v302, %v294
  %v310 = fsub <8 x float> %v306, %v298
  %v311 = fadd <8 x float> %v289, %v269
  %v312 = fsub <8 x float> %v289, %v269
  %v313 = fsub <8 x float> %v289, %v249
  %v314 = fsub <8 x float> %v309, %v269
  %v315 = getelementptr float, ptr %v230, i64 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v313, ptr align 4 %v315, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v316 = getelementptr float, ptr %v230, i64 1040
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v311, ptr align 4 %v316, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v317 = getelementptr float, ptr %v230, i64 2080
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v312, ptr align 4 %v317, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v318 = getelementptr float, ptr %v230, i64 3120
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v314, ptr align 4 %v318, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v319 = fadd <8 x float> %v287, %v267
  %v320 = fsub <8 x float> %v287, %v267
  %v321 = fsub <8 x float> %v287, %v247
  %v322 = fsub <8 x float> %v307, %v267
  %v323 = getelementptr float, ptr %v230, i64 4160
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v321, ptr align 4 %v323, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v324 = getelementptr float, ptr %v230, i64 5200
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v319, ptr align 4 %v324, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v325 = getelementptr float, ptr %v230, i64 6240
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v320, ptr align 4 %v325, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v326 = getelementptr float, ptr %v230, i64 7280
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v322, ptr align 4 %v326, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v327 = fadd <8 x float> %v288, %v268
  %v328 = fsub <8 x float> %v288, %v268
  %v329 = fsub <8 x float> %v288, %v248
  %v330 = fsub <8 x float> %v308, %v268
  %v331 = getelementptr float, ptr %v230, i64 8320
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v329, ptr align 4 %v331, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v332 = getelementptr float, ptr %v230, i64 9360
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v327, ptr align 4 %v332, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v333 = getelementptr float, ptr %v230, i64 10400
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v328, ptr align 4 %v333, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v334 = getelementptr float, ptr %v230, i64 11440
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v330, ptr align 4 %v334, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v335 = fadd <8 x float> %v290, %v270
  %v336 = fsub <8 x float> %v290, %v270
  %v337 = fsub <8 x float> %v290, %v250
  %v338 = fsub <8 x float> %v310, %v270
  %v339 = getelementptr float, ptr %v230, i64 12480
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v337, ptr align 4 %v339, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v340 = getelementptr float, ptr %v230, i64 13520
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v335, ptr align 4 %v340, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v341 = getelementptr float, ptr %v230, i64 14560
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v336, ptr align 4 %v341, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v342 = getelementptr float, ptr %v230, i64 15600
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v338, ptr align 4 %v342, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  ret i32 0
}
declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
