define i32 @f32_f32_f32_11x8_row_vsx__n8_a1.1_b8.1_c8_acc_silu3f800000_residual_empty(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64 } asm sideeffect "mr 12, 3
	lxvw4x 0, 0, 12
	addi 12, 3, 32
	lxvw4x 2, 0, 12
	addi 12, 3, 64
	lxvw4x 4, 0, 12
	addi 12, 3, 96
	lxvw4x 6, 0, 12
	addi 12, 3, 128
	lxvw4x 8, 0, 12
	addi 12, 3, 160
	lxvw4x 10, 0, 12
	addi 12, 3, 192
	lxvw4x 12, 0, 12
	addi 12, 3, 224
	lxvw4x 14, 0, 12
	addi 12, 3, 256
	lxvw4x 16, 0, 12
	addi 12, 3, 288
	lxvw4x 18, 0, 12
	addi 12, 3, 320
	lxvw4x 20, 0, 12
	addi 12, 3, 16
	lxvw4x 1, 0, 12
	addi 12, 3, 48
	lxvw4x 3, 0, 12
	addi 12, 3, 80
	lxvw4x 5, 0, 12
	addi 12, 3, 112
	lxvw4x 7, 0, 12
	addi 12, 3, 144
	lxvw4x 9, 0, 12
	addi 12, 3, 176
	lxvw4x 11, 0, 12
	addi 12, 3, 208
	lxvw4x 13, 0, 12
	addi 12, 3, 240
	lxvw4x 15, 0, 12
	addi 12, 3, 272
	lxvw4x 17, 0, 12
	addi 12, 3, 304
	lxvw4x 19, 0, 12
	addi 12, 3, 336
	lxvw4x 21, 0, 12
	lis 12, -15695
	ori 12, 12, 26214
	mtvsrwz 24, 12
	xxspltw 24, 24, 1
	lis 12, 17072
	ori 12, 12, 0
	mtvsrwz 25, 12
	xxspltw 25, 25, 1
	lis 12, -16456
	ori 12, 12, 43579
	mtvsrwz 26, 12
	xxspltw 26, 26, 1
	lis 12, 19264
	ori 12, 12, 127
	mtvsrwz 27, 12
	xxspltw 27, 27, 1
	lis 12, -13504
	ori 12, 12, 127
	mtvsrwz 28, 12
	xxspltw 28, 28, 1
	lis 12, 16177
	ori 12, 12, 32768
	mtvsrwz 29, 12
	xxspltw 29, 29, 1
	lis 12, -18082
	ori 12, 12, 32899
	mtvsrwz 30, 12
	xxspltw 30, 30, 1
	lis 12, 15029
	ori 12, 12, 62931
	mtvsrwz 31, 12
	xxspltw 31, 31, 1
	lis 12, -17399
	ori 12, 12, 5232
	mtvsrwz 32, 12
	xxspltw 32, 32, 1
	lis 12, 15658
	ori 12, 12, 43836
	mtvsrwz 33, 12
	xxspltw 33, 33, 1
	lis 12, -16854
	ori 12, 12, 43607
	mtvsrwz 34, 12
	xxspltw 34, 34, 1
	lis 12, 16127
	ori 12, 12, 65535
	mtvsrwz 35, 12
	xxspltw 35, 35, 1
	lis 12, -16512
	ori 12, 12, 0
	mtvsrwz 36, 12
	xxspltw 36, 36, 1
	lis 12, 16256
	ori 12, 12, 0
	mtvsrwz 37, 12
	xxspltw 37, 37, 1
	xvcmpgtsp 23, 24, 0
	xxsel 0, 0, 24, 23
	xvcmpgtsp 23, 24, 1
	xxsel 1, 1, 24, 23
	xvcmpgtsp 23, 24, 2
	xxsel 2, 2, 24, 23
	xvcmpgtsp 23, 24, 3
	xxsel 3, 3, 24, 23
	xvcmpgtsp 23, 0, 25
	xxsel 63, 0, 25, 23
	xvcmpgtsp 23, 1, 25
	xxsel 60, 1, 25, 23
	xvcmpgtsp 23, 2, 25
	xxsel 57, 2, 25, 23
	xvcmpgtsp 23, 3, 25
	xxsel 54, 3, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xxlor 56, 27, 27
	xvmaddasp 56, 57, 26
	xxlor 53, 27, 27
	xvmaddasp 53, 54, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	xvaddsp 55, 56, 28
	xvaddsp 52, 53, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddasp 57, 55, 29
	xvmaddasp 54, 52, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xvmaddmsp 55, 30, 57
	xvmaddmsp 52, 30, 54
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xxlor 57, 32, 32
	xvmaddasp 57, 55, 31
	xxlor 54, 32, 32
	xvmaddasp 54, 52, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 57, 55, 33
	xvmaddmsp 54, 52, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 57, 55, 34
	xvmaddmsp 54, 52, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 57, 55, 35
	xvmaddmsp 54, 52, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 57, 55, 36
	xvmaddmsp 54, 52, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 57, 55, 37
	xvmaddmsp 54, 52, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvmaddmsp 57, 56, 37
	xvmaddmsp 54, 53, 37
	xvdivsp 0, 0, 63
	xvdivsp 1, 1, 60
	xvdivsp 2, 2, 57
	xvdivsp 3, 3, 54
	mr 12, 7
	lxvw4x 22, 0, 12
	xvaddsp 0, 0, 22
	addi 12, 7, 16
	lxvw4x 22, 0, 12
	xvaddsp 1, 1, 22
	addi 12, 7, 32
	lxvw4x 22, 0, 12
	xvaddsp 2, 2, 22
	addi 12, 7, 48
	lxvw4x 22, 0, 12
	xvaddsp 3, 3, 22
	mr 12, 3
	stxvw4x 0, 0, 12
	addi 12, 3, 16
	stxvw4x 1, 0, 12
	addi 12, 3, 32
	stxvw4x 2, 0, 12
	addi 12, 3, 48
	stxvw4x 3, 0, 12
	xvcmpgtsp 23, 24, 4
	xxsel 4, 4, 24, 23
	xvcmpgtsp 23, 24, 5
	xxsel 5, 5, 24, 23
	xvcmpgtsp 23, 24, 6
	xxsel 6, 6, 24, 23
	xvcmpgtsp 23, 24, 7
	xxsel 7, 7, 24, 23
	xvcmpgtsp 23, 4, 25
	xxsel 63, 4, 25, 23
	xvcmpgtsp 23, 5, 25
	xxsel 60, 5, 25, 23
	xvcmpgtsp 23, 6, 25
	xxsel 57, 6, 25, 23
	xvcmpgtsp 23, 7, 25
	xxsel 54, 7, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xxlor 56, 27, 27
	xvmaddasp 56, 57, 26
	xxlor 53, 27, 27
	xvmaddasp 53, 54, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	xvaddsp 55, 56, 28
	xvaddsp 52, 53, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddasp 57, 55, 29
	xvmaddasp 54, 52, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xvmaddmsp 55, 30, 57
	xvmaddmsp 52, 30, 54
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xxlor 57, 32, 32
	xvmaddasp 57, 55, 31
	xxlor 54, 32, 32
	xvmaddasp 54, 52, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 57, 55, 33
	xvmaddmsp 54, 52, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 57, 55, 34
	xvmaddmsp 54, 52, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 57, 55, 35
	xvmaddmsp 54, 52, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 57, 55, 36
	xvmaddmsp 54, 52, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 57, 55, 37
	xvmaddmsp 54, 52, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvmaddmsp 57, 56, 37
	xvmaddmsp 54, 53, 37
	xvdivsp 4, 4, 63
	xvdivsp 5, 5, 60
	xvdivsp 6, 6, 57
	xvdivsp 7, 7, 54
	addi 12, 7, 64
	lxvw4x 22, 0, 12
	xvaddsp 4, 4, 22
	addi 12, 7, 80
	lxvw4x 22, 0, 12
	xvaddsp 5, 5, 22
	addi 12, 7, 96
	lxvw4x 22, 0, 12
	xvaddsp 6, 6, 22
	addi 12, 7, 112
	lxvw4x 22, 0, 12
	xvaddsp 7, 7, 22
	addi 12, 3, 64
	stxvw4x 4, 0, 12
	addi 12, 3, 80
	stxvw4x 5, 0, 12
	addi 12, 3, 96
	stxvw4x 6, 0, 12
	addi 12, 3, 112
	stxvw4x 7, 0, 12
	xvcmpgtsp 23, 24, 8
	xxsel 8, 8, 24, 23
	xvcmpgtsp 23, 24, 9
	xxsel 9, 9, 24, 23
	xvcmpgtsp 23, 24, 10
	xxsel 10, 10, 24, 23
	xvcmpgtsp 23, 24, 11
	xxsel 11, 11, 24, 23
	xvcmpgtsp 23, 8, 25
	xxsel 63, 8, 25, 23
	xvcmpgtsp 23, 9, 25
	xxsel 60, 9, 25, 23
	xvcmpgtsp 23, 10, 25
	xxsel 57, 10, 25, 23
	xvcmpgtsp 23, 11, 25
	xxsel 54, 11, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xxlor 56, 27, 27
	xvmaddasp 56, 57, 26
	xxlor 53, 27, 27
	xvmaddasp 53, 54, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	xvaddsp 55, 56, 28
	xvaddsp 52, 53, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddasp 57, 55, 29
	xvmaddasp 54, 52, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xvmaddmsp 55, 30, 57
	xvmaddmsp 52, 30, 54
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xxlor 57, 32, 32
	xvmaddasp 57, 55, 31
	xxlor 54, 32, 32
	xvmaddasp 54, 52, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 57, 55, 33
	xvmaddmsp 54, 52, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 57, 55, 34
	xvmaddmsp 54, 52, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 57, 55, 35
	xvmaddmsp 54, 52, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 57, 55, 36
	xvmaddmsp 54, 52, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 57, 55, 37
	xvmaddmsp 54, 52, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvmaddmsp 57, 56, 37
	xvmaddmsp 54, 53, 37
	xvdivsp 8, 8, 63
	xvdivsp 9, 9, 60
	xvdivsp 10, 10, 57
	xvdivsp 11, 11, 54
	addi 12, 7, 128
	lxvw4x 22, 0, 12
	xvaddsp 8, 8, 22
	addi 12, 7, 144
	lxvw4x 22, 0, 12
	xvaddsp 9, 9, 22
	addi 12, 7, 160
	lxvw4x 22, 0, 12
	xvaddsp 10, 10, 22
	addi 12, 7, 176
	lxvw4x 22, 0, 12
	xvaddsp 11, 11, 22
	addi 12, 3, 128
	stxvw4x 8, 0, 12
	addi 12, 3, 144
	stxvw4x 9, 0, 12
	addi 12, 3, 160
	stxvw4x 10, 0, 12
	addi 12, 3, 176
	stxvw4x 11, 0, 12
	xvcmpgtsp 23, 24, 12
	xxsel 12, 12, 24, 23
	xvcmpgtsp 23, 24, 13
	xxsel 13, 13, 24, 23
	xvcmpgtsp 23, 24, 14
	xxsel 14, 14, 24, 23
	xvcmpgtsp 23, 24, 15
	xxsel 15, 15, 24, 23
	xvcmpgtsp 23, 12, 25
	xxsel 63, 12, 25, 23
	xvcmpgtsp 23, 13, 25
	xxsel 60, 13, 25, 23
	xvcmpgtsp 23, 14, 25
	xxsel 57, 14, 25, 23
	xvcmpgtsp 23, 15, 25
	xxsel 54, 15, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xxlor 56, 27, 27
	xvmaddasp 56, 57, 26
	xxlor 53, 27, 27
	xvmaddasp 53, 54, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	xvaddsp 55, 56, 28
	xvaddsp 52, 53, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddasp 57, 55, 29
	xvmaddasp 54, 52, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xvmaddmsp 55, 30, 57
	xvmaddmsp 52, 30, 54
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xxlor 57, 32, 32
	xvmaddasp 57, 55, 31
	xxlor 54, 32, 32
	xvmaddasp 54, 52, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 57, 55, 33
	xvmaddmsp 54, 52, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 57, 55, 34
	xvmaddmsp 54, 52, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 57, 55, 35
	xvmaddmsp 54, 52, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 57, 55, 36
	xvmaddmsp 54, 52, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 57, 55, 37
	xvmaddmsp 54, 52, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvmaddmsp 57, 56, 37
	xvmaddmsp 54, 53, 37
	xvdivsp 12, 12, 63
	xvdivsp 13, 13, 60
	xvdivsp 14, 14, 57
	xvdivsp 15, 15, 54
	addi 12, 7, 192
	lxvw4x 22, 0, 12
	xvaddsp 12, 12, 22
	addi 12, 7, 208
	lxvw4x 22, 0, 12
	xvaddsp 13, 13, 22
	addi 12, 7, 224
	lxvw4x 22, 0, 12
	xvaddsp 14, 14, 22
	addi 12, 7, 240
	lxvw4x 22, 0, 12
	xvaddsp 15, 15, 22
	addi 12, 3, 192
	stxvw4x 12, 0, 12
	addi 12, 3, 208
	stxvw4x 13, 0, 12
	addi 12, 3, 224
	stxvw4x 14, 0, 12
	addi 12, 3, 240
	stxvw4x 15, 0, 12
	xvcmpgtsp 23, 24, 16
	xxsel 16, 16, 24, 23
	xvcmpgtsp 23, 24, 17
	xxsel 17, 17, 24, 23
	xvcmpgtsp 23, 24, 18
	xxsel 18, 18, 24, 23
	xvcmpgtsp 23, 24, 19
	xxsel 19, 19, 24, 23
	xvcmpgtsp 23, 16, 25
	xxsel 63, 16, 25, 23
	xvcmpgtsp 23, 17, 25
	xxsel 60, 17, 25, 23
	xvcmpgtsp 23, 18, 25
	xxsel 57, 18, 25, 23
	xvcmpgtsp 23, 19, 25
	xxsel 54, 19, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xxlor 56, 27, 27
	xvmaddasp 56, 57, 26
	xxlor 53, 27, 27
	xvmaddasp 53, 54, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	xvaddsp 55, 56, 28
	xvaddsp 52, 53, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	vspltisw 19, -9
	xxlor 50, 56, 56
	vslw 18, 18, 19
	xxlor 56, 50, 50
	vspltisw 19, -9
	xxlor 50, 53, 53
	vslw 18, 18, 19
	xxlor 53, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddasp 57, 55, 29
	xvmaddasp 54, 52, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xvmaddmsp 55, 30, 57
	xvmaddmsp 52, 30, 54
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xxlor 57, 32, 32
	xvmaddasp 57, 55, 31
	xxlor 54, 32, 32
	xvmaddasp 54, 52, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 57, 55, 33
	xvmaddmsp 54, 52, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 57, 55, 34
	xvmaddmsp 54, 52, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 57, 55, 35
	xvmaddmsp 54, 52, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 57, 55, 36
	xvmaddmsp 54, 52, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 57, 55, 37
	xvmaddmsp 54, 52, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvmaddmsp 57, 56, 37
	xvmaddmsp 54, 53, 37
	xvdivsp 16, 16, 63
	xvdivsp 17, 17, 60
	xvdivsp 18, 18, 57
	xvdivsp 19, 19, 54
	addi 12, 7, 256
	lxvw4x 22, 0, 12
	xvaddsp 16, 16, 22
	addi 12, 7, 272
	lxvw4x 22, 0, 12
	xvaddsp 17, 17, 22
	addi 12, 7, 288
	lxvw4x 22, 0, 12
	xvaddsp 18, 18, 22
	addi 12, 7, 304
	lxvw4x 22, 0, 12
	xvaddsp 19, 19, 22
	addi 12, 3, 256
	stxvw4x 16, 0, 12
	addi 12, 3, 272
	stxvw4x 17, 0, 12
	addi 12, 3, 288
	stxvw4x 18, 0, 12
	addi 12, 3, 304
	stxvw4x 19, 0, 12
	xvcmpgtsp 23, 24, 20
	xxsel 20, 20, 24, 23
	xvcmpgtsp 23, 24, 21
	xxsel 21, 21, 24, 23
	xvcmpgtsp 23, 20, 25
	xxsel 63, 20, 25, 23
	xvcmpgtsp 23, 21, 25
	xxsel 60, 21, 25, 23
	xxlor 62, 27, 27
	xvmaddasp 62, 63, 26
	xxlor 59, 27, 27
	xvmaddasp 59, 60, 26
	xvaddsp 61, 62, 28
	xvaddsp 58, 59, 28
	vspltisw 19, -9
	xxlor 50, 62, 62
	vslw 18, 18, 19
	xxlor 62, 50, 50
	vspltisw 19, -9
	xxlor 50, 59, 59
	vslw 18, 18, 19
	xxlor 59, 50, 50
	xvmaddasp 63, 61, 29
	xvmaddasp 60, 58, 29
	xvmaddmsp 61, 30, 63
	xvmaddmsp 58, 30, 60
	xxlor 63, 32, 32
	xvmaddasp 63, 61, 31
	xxlor 60, 32, 32
	xvmaddasp 60, 58, 31
	xvmaddmsp 63, 61, 33
	xvmaddmsp 60, 58, 33
	xvmaddmsp 63, 61, 34
	xvmaddmsp 60, 58, 34
	xvmaddmsp 63, 61, 35
	xvmaddmsp 60, 58, 35
	xvmaddmsp 63, 61, 36
	xvmaddmsp 60, 58, 36
	xvmaddmsp 63, 61, 37
	xvmaddmsp 60, 58, 37
	xvmaddmsp 63, 62, 37
	xvmaddmsp 60, 59, 37
	xvdivsp 20, 20, 63
	xvdivsp 21, 21, 60
	addi 12, 7, 320
	lxvw4x 22, 0, 12
	xvaddsp 20, 20, 22
	addi 12, 7, 336
	lxvw4x 22, 0, 12
	xvaddsp 21, 21, 22
	addi 12, 3, 320
	stxvw4x 20, 0, 12
	addi 12, 3, 336
	stxvw4x 21, 0, 12", "={r3},={r4},={r5},={r6},={r7},={r8},0,1,2,3,4,5,~{vs0},~{vs1},~{vs2},~{vs3},~{vs4},~{vs5},~{vs6},~{vs7},~{vs8},~{vs9},~{vs10},~{vs11},~{vs12},~{vs13},~{vs14},~{vs15},~{vs16},~{vs17},~{vs18},~{vs19},~{vs20},~{vs21},~{vs22},~{vs23},~{vs24},~{vs25},~{vs26},~{vs27},~{vs28},~{vs29},~{vs30},~{vs31},~{vs32},~{vs33},~{vs34},~{vs35},~{vs36},~{vs37},~{vs38},~{vs39},~{vs40},~{vs41},~{vs42},~{vs43},~{vs44},~{vs45},~{vs46},~{vs47},~{vs48},~{vs49},~{vs50},~{vs51},~{vs52},~{vs53},~{vs54},~{vs55},~{vs56},~{vs57},~{vs58},~{vs59},~{vs60},~{vs61},~{vs62},~{vs63},~{r0},~{r9},~{r10},~{r11},~{r12},~{r14},~{r15},~{r16},~{r17},~{r18},~{r19},~{r20},~{r21},~{r22},~{r23},~{r24},~{r25},~{r26},~{r27},~{r28},~{memory},~{cr0}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+power8-vector,+vsx" }
attributes #1 = { noduplicate }
