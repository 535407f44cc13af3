define i32 @winograd_input_f32_avx2__m2x3_c20_s1040_p64_r3584_h56(ptr %dst, ptr %src, i64 %row, i64 %col) alwaysinline {
entry:
  %zeros = alloca <8 x float>
  store <8 x float> zeroinitializer, ptr %zeros
  %nowhere = alloca <8 x float>
  %between = alloca [16 x <8 x float>]
  %v1 = mul i64 %row, 3584
  %v2 = getelementptr float, ptr %src, i64 %v1
  %v3 = mul i64 %col, 64
  %v4 = getelementptr float, ptr %v2, i64 %v3
  %v5 = add i64 %row, 0
  %v6 = icmp ult i64 %v5, 56
  %v7 = add i64 %row, 1
  %v8 = icmp ult i64 %v7, 56
  %v9 = add i64 %row, 2
  %v10 = icmp ult i64 %v9, 56
  %v11 = add i64 %row, 3
  %v12 = icmp ult i64 %v11, 56
  %v13 = add i64 %col, 0
  %v14 = icmp ult i64 %v13, 56
  %v15 = add i64 %col, 3
  %v16 = icmp ult i64 %v15, 56
  %v17 = and i1 true, %v6
  %v18 = and i1 %v17, %v8
  %v19 = and i1 %v18, %v10
  %v20 = and i1 %v19, %v12
  %v21 = and i1 %v20, %v14
  %v22 = and i1 %v21, %v16
  br i1 %v22, label %whole, label %border
whole:
  br label %loop23
loop23:
  %i24 = phi i64 [ 0, %whole ], [ %v83, %loop59.end ]
  %v25 = mul i64 %i24, 8
  %v26 = getelementptr float, ptr %v4, i64 %v25
  %v27 = mul i64 %i24, 8
  %v28 = getelementptr float, ptr %dst, i64 %v27
  br label %loop29
loop29:
  %i30 = phi i64 [ 0, %loop23 ], [ %v57, %loop29 ]
  %v31 = mul i64 %i30, 64
  %v32 = getelementptr float, ptr %v26, i64 %v31
  %v33 = getelementptr float, ptr %v32, i64 0
  %v34 = load <8 x float>, ptr %v33, align 4
  %v35 = getelementptr float, ptr %v32, i64 3584
  %v36 = load <8 x float>, ptr %v35, align 4
  %v37 = getelementptr float, ptr %v32, i64 7168
  %v38 = load <8 x float>, ptr %v37, align 4
  %v39 = getelementptr float, ptr %v32, i64 10752
  %v40 = load <8 x float>, ptr %v39, align 4
  %v41 = fadd <8 x float> %v38, %v36
  %v42 = fsub <8 x float> %v38, %v36
  %v43 = fsub <8 x float> %v38, %v34
  %v44 = fsub <8 x float> %v40, %v36
  %v45 = mul i64 %i30, 8
  %v46 = getelementptr float, ptr %between, i64 %v45
  %v47 = getelementptr float, ptr %v46, i64 0
  store <8 x float> %v43, ptr %v47
  %v48 = mul i64 %i30, 8
  %v49 = getelementptr float, ptr %between, i64 %v48
  %v50 = getelementptr float, ptr %v49, i64 32
  store <8 x float> %v41, ptr %v50
  %v51 = mul i64 %i30, 8
  %v52 = getelementptr float, ptr %between, i64 %v51
  %v53 = getelementptr float, ptr %v52, i64 64
  store <8 x float> %v42, ptr %v53
  %v54 = mul i64 %i30, 8
  %v55 = getelementptr float, ptr %between, i64 %v54
  %v56 = getelementptr float, ptr %v55, i64 96
  store <8 x float> %v44, ptr %v56
  %v57 = add i64 %i30, 1
  %v58 = icmp ne i64 %v57, 4
  br i1 %v58, label %loop29, label %loop29.end, !llvm.loop !0
loop29.end:
  br label %loop59
loop59:
  %i60 = phi i64 [ 0, %loop29.end ], [ %v81, %loop59 ]
  %v61 = mul i64 %i60, 4160
  %v62 = getelementptr float, ptr %v28, i64 %v61
  %v63 = mul i64 %i60, 32
  %v64 = getelementptr float, ptr %between, i64 %v63
  %v65 = getelementptr float, ptr %v64, i64 0
  %v66 = load <8 x float>, ptr %v65
  %v67 = getelementptr float, ptr %v64, i64 8
  %v68 = load <8 x float>, ptr %v67
  %v69 = getelementptr float, ptr %v64, i64 16
  %v70 = load <8 x float>, ptr %v69
  %v71 = getelementptr float, ptr %v64, i64 24
  %v72 = load <8 x float>, ptr %v71
  %v73 = fadd <8 x float> %v70, %v68
  %v74 = fsub <8 x float> %v70, %v68
  %v75 = fsub <8 x float> %v70, %v66
  %v76 = fsub <8 x float> %v72, %v68
  %v77 = getelementptr float, ptr %v62, i64 0
  store <8 x float> %v75, ptr %v77, align 4
  %v78 = getelementptr float, ptr %v62, i64 1040
  store <8 x float> %v73, ptr %v78, align 4
  %v79 = getelementptr float, ptr %v62, i64 2080
  store <8 x float> %v74, ptr %v79, align 4
  %v80 = getelementptr float, ptr %v62, i64 3120
  store <8 x float> %v76, ptr %v80, align 4
  %v81 = add i64 %i60, 1
  %v82 = icmp ne i64 %v81, 4
  br i1 %v82, label %loop59, label %loop59.end, !llvm.loop !0
loop59.end:
  %v83 = add i64 %i24, 1
  %v84 = icmp ne i64 %v83, 2
  br i1 %v84, label %loop23, label %loop23.end, !llvm.loop !0
loop23.end:
  br label %rest
border:
  br label %loop85
loop85:
  %i86 = phi i64 [ 0, %border ], [ %v155, %loop131.end ]
  %v87 = mul i64 %i86, 8
  %v88 = getelementptr float, ptr %v4, i64 %v87
  %v89 = mul i64 %i86, 8
  %v90 = getelementptr float, ptr %dst, i64 %v89
  br label %loop91
loop91:
  %i92 = phi i64 [ 0, %loop85 ], [ %v129, %loop91 ]
  %v93 = mul i64 %i92, 64
  %v94 = getelementptr float, ptr %v88, i64 %v93
  %v95 = add i64 %col, %i92
  %v96 = icmp ult i64 %v95, 56
  %v97 = getelementptr float, ptr %v94, i64 0
  %v98 = select i1 %v96, ptr %v97, ptr %zeros
  %v99 = select i1 %v6, ptr %v98, ptr %zeros
  %v100 = load <8 x float>, ptr %v99, align 4
  %v101 = getelementptr float, ptr %v94, i64 3584
  %v102 = select i1 %v96, ptr %v101, ptr %zeros
  %v103 = select i1 %v8, ptr %v102, ptr %zeros
  %v104 = load <8 x float>, ptr %v103, align 4
  %v105 = getelementptr float, ptr %v94, i64 7168
  %v106 = select i1 %v96, ptr %v105, ptr %zeros
  %v107 = select i1 %v10, ptr %v106, ptr %zeros
  %v108 = load <8 x float>, ptr %v107, align 4
  %v109 = getelementptr float, ptr %v94, i64 10752
  %v110 = select i1 %v96, ptr %v109, ptr %zeros
  %v111 = select i1 %v12, ptr %v110, ptr %zeros
  %v112 = load <8 x float>, ptr %v111, align 4
  %v113 = fadd <8 x float> %v108, %v104
  %v114 = fsub <8 x float> %v108, %v104
  %v115 = fsub <8 x float> %v108, %v100
  %v116 = fsub <8 x float> %v112, %v104
  %v117 = mul i64 %i92, 8
  %v118 = getelementptr float, ptr %between, i64 %v117
  %v119 = getelementptr float, ptr %v118, i64 0
  store <8 x float> %v115, ptr %v119
  %v120 = mul i64 %i92, 8
  %v121 = getelementptr float, ptr %between, i64 %v120
  %v122 = getelementptr float, ptr %v121, i64 32
  store <8 x float> %v113, ptr %v122
  %v123 = mul i64 %i92, 8
  %v124 = getelementptr float, ptr %between, i64 %v123
  %v125 = getelementptr float, ptr %v124, i64 64
  store <8 x float> %v114, ptr %v125
  %v126 = mul i64 %i92, 8
  %v127 = getelementptr float, ptr %between, i64 %v126
  %v128 = getelementptr float, ptr %v127, i64 96
  store <8 x float> %v116, ptr %v128
  %v129 = add i64 %i92, 1
  %v130 = icmp ne i64 %v129, 4
  br i1 %v130, label %loop91, label %loop91.end, !llvm.loop !0
loop91.end:
  br label %loop131
loop131:
  %i132 = phi i64 [ 0, %loop91.end ], [ %v153, %loop131 ]
  %v133 = mul i64 %i132, 4160
  %v134 = getelementptr float, ptr %v90, i64 %v133
  %v135 = mul i64 %i132, 32
  %v136 = getelementptr float, ptr %between, i64 %v135
  %v137 = getelementptr float, ptr %v136, i64 0
  %v138 = load <8 x float>, ptr %v137
  %v139 = getelementptr float, ptr %v136, i64 8
  %v140 = load <8 x float>, ptr %v139
  %v141 = getelementptr float, ptr %v136, i64 16
  %v142 = load <8 x float>, ptr %v141
  %v143 = getelementptr float, ptr %v136, i64 24
  %v144 = load <8 x float>, ptr %v143
  %v145 = fadd <8 x float> %v142, %v140
  %v146 = fsub <8 x float> %v142, %v140
  %v147 = fsub <8 x float> %v142, %v138
  %v148 = fsub <8 x float> %v144, %v140
  %v149 = getelementptr float, ptr %v134, i64 0
  store <8 x float> %v147, ptr %v149, align 4
  %v150 = getelementptr float, ptr %v134, i64 1040
  store <8 x float> %v145, ptr %v150, align 4
  %v151 = getelementptr float, ptr %v134, i64 2080
  store <8 x float> %v146, ptr %v151, align 4
  %v152 = getelementptr float, ptr %v134, i64 3120
  store <8 x float> %v148, ptr %v152, align 4
  %v153 = add i64 %i132, 1
  %v154 = icmp ne i64 %v153, 4
  br i1 %v154, label %loop131, label %loop131.end, !llvm.loop !0
loop131.end:
  %v155 = add i64 %i86, 1
  %v156 = icmp ne i64 %v155, 2
  br i1 %v156, label %loop85, label %loop85.end, !llvm.loop !0
loop85.end:
  br label %rest
rest:
  %v157 = mul i64 2, 8
  %v158 = getelementptr float, ptr %v4, i64 %v157
  %v159 = mul i64 2, 8
  %v160 = getelementptr float, ptr %dst, i64 %v159
  br label %loop161
loop161:
  %i162 = phi i64 [ 0, %rest ], [ %v199, %loop161 ]
  %v163 = mul i64 %i162, 64
  %v164 = getelementptr float, ptr %v158, i64 %v163
  %v165 = add i64 %col, %i162
  %v166 = icmp ult i64 %v165, 56
  %v167 = getelementptr float, ptr %v164, i64 0
  %v168 = select i1 %v166, ptr %v167, ptr %zeros
  %v169 = select i1 %v6, ptr %v168, ptr %zeros
  %v170 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v169, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v171 = getelementptr float, ptr %v164, i64 3584
  %v172 = select i1 %v166, ptr %v171, ptr %zeros
  %v173 = select i1 %v8, ptr %v172, ptr %zeros
  %v174 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v173, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v175 = getelementptr float, ptr %v164, i64 7168
  %v176 = select i1 %v166, ptr %v175, ptr %zeros
  %v177 = select i1 %v10, ptr %v176, ptr %zeros
  %v178 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v177, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v179 = getelementptr float, ptr %v164, i64 10752
  %v180 = select i1 %v166, ptr %v179, ptr %zeros
  %v181 = select i1 %v12, ptr %v180, ptr %zeros
  %v182 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %v181, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v183 = fadd <8 x float> %v178, %v174
  %v184 = fsub <8 x float> %v178, %v174
  %v185 = fsub <8 x float> %v178, %v170
  %v186 = fsub <8 x float> %v182, %v174
  %v187 = mul i64 %i162, 8
  %v188 = getelementptr float, ptr %between, i64 %v187
  %v189 = getelementptr float, ptr %v188, i64 0
  store <8 x float> %v185, ptr %v189
  %v190 = mul i64 %i162, 8
  %v191 = getelementptr float, ptr %between, i64 %v190
  %v192 = getelementptr float, ptr %v191, i64 32
  store <8 x float> %v183, ptr %v192
  %v193 = mul i64 %i162, 8
  %v194 = getelementptr float, ptr %between, i64 %v193
  %v195 = getelementptr float, ptr %v194, i64 64
  store <8 x float> %v184, ptr %v195
  %v196 = mul i64 %i162, 8
  %v197 = getelementptr float, ptr %between, i64 %v196
  %v198 = getelementptr float, ptr %v197, i64 96
  store <8 x float> %v186, ptr %v198
  %v199 = add i64 %i162, 1
  %v200 = icmp ne i64 %v199, 4
  br i1 %v200, label %loop161, label %loop161.end, !llvm.loop !0
loop161.end:
  br label %loop201
loop201:
  %i202 = phi i64 [ 0, %loop161.end ], [ %v223, %loop201 ]
  %v203 = mul i64 %i202, 4160
  %v204 = getelementptr float, ptr %v160, i64 %v203
  %v205 = mul i64 %i202, 32
  %v206 = getelementptr float, ptr %between, i64 %v205
  %v207 = getelementptr float, ptr %v206, i64 0
  %v208 = load <8 x float>, ptr %v207
  %v209 = getelementptr float, ptr %v206, i64 8
  %v210 = load <8 x float>, ptr %v209
  %v211 = getelementptr float, ptr %v206, i64 16
  %v212 = load <8 x float>, ptr %v211
  %v213 = getelementptr float, ptr %v206, i64 24
  %v214 = load <8 x float>, ptr %v213
  %v215 = fadd <8 x float> %v212, %v210
  %v216 = fsub <8 x float> %v212, %v210
  %v217 = fsub <8 x float> %v212, %v208
  %v218 = fsub <8 x float> %v214, %v210
  %v219 = getelementptr float, ptr %v204, i64 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v217, ptr align 4 %v219, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v220 = getelementptr float, ptr %v204, i64 1040
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v215, ptr align 4 %v220, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v221 = getelementptr float, ptr %v204, i64 2080
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v216, ptr align 4 %v221, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v222 = getelementptr float, ptr %v204, i64 3120
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v218, ptr align 4 %v222, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v223 = add i64 %i202, 1
  %v224 = icmp ne i64 %v223, 4
  br i1 %v224, label %loop201, label %loop201.end, !llvm.loop !0
loop201.end:
  ret i32 0
}
declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
