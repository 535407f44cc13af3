define i32 @bf16_bf16_bf16_3x32_row_avx512bf16halves__n31_a32.448_b32.3072_c31_p4_bias_residual_clip00000000.40c00000_s1.3.-32.0.32_s0.3.0.1024.64(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #0 {
  %r = call { ptr, ptr, ptr, ptr, ptr, i64, ptr } asm sideeffect "mov $$32767, %r10d
	kmovw %r10d, %k1
	vmovups 0(%rcx), %zmm6
	vmovaps %zmm6, %zmm0
	vmovaps %zmm6, %zmm2
	vmovaps %zmm6, %zmm4
	vmovups 64(%rcx), %zmm7{%k1}{z}
	vmovaps %zmm7, %zmm1
	vmovaps %zmm7, %zmm3
	vmovaps %zmm7, %zmm5
	test %r9, %r9
	jz 3f
	2:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	prefetcht1 256(%r13)
	prefetcht1 320(%r13)
	prefetcht1 384(%r13)
	prefetcht1 448(%r13)
	add $$512, %r13
	vpmovzxwd 0(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 32(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 0(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 64(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 64(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 96(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 2(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 66(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 128(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 160(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 4(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 68(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 192(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 224(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 6(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 70(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 256(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 288(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 8(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 72(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 320(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 352(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 10(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 74(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 384(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 416(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 12(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 76(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 448(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 480(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 14(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 78(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 512(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 544(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 16(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 80(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 576(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 608(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 18(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 82(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 640(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 672(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 20(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 84(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 704(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 736(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 22(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 86(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 768(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 800(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 24(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 88(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 832(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 864(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 26(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 90(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 896(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 928(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 28(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 92(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 960(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 992(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 30(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 94(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1024(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1056(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 32(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 96(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1088(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1120(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 34(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 98(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1152(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1184(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 36(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 100(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1216(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1248(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 38(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 102(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1280(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1312(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 40(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 104(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1344(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1376(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 42(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 106(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1408(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1440(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 44(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 108(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1472(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1504(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 46(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 110(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1536(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1568(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 48(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 112(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1600(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1632(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 50(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 114(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1664(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1696(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 52(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 116(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1728(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1760(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 54(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 118(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1792(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1824(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 56(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 120(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1856(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1888(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 58(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 122(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1920(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 1952(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 60(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 124(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 1984(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2016(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 62(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 126(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	mov $$4, %rax
	1:
	prefetcht1 0(%r13)
	prefetcht1 64(%r13)
	prefetcht1 128(%r13)
	prefetcht1 192(%r13)
	add $$256, %r13
	vpmovzxwd 2048(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2080(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 0(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 64(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 128(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2112(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2144(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 2(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 66(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 130(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2176(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2208(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 4(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 68(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 132(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2240(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2272(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 6(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 70(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 134(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2304(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2336(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 8(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 72(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 136(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2368(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2400(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 10(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 74(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 138(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2432(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2464(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 12(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 76(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 140(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2496(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2528(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 14(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 78(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 142(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2560(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2592(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 16(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 80(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 144(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2624(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2656(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 18(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 82(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 146(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2688(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2720(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 20(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 84(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 148(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2752(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2784(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 22(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 86(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 150(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2816(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2848(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 24(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 88(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 152(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2880(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2912(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 26(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 90(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 154(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 2944(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 2976(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 28(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 92(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 156(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	vpmovzxwd 3008(%rdx), %zmm6
	vpslld $$16, %zmm6, %zmm6
	vpmovzxwd 3040(%rdx), %zmm7
	vpslld $$16, %zmm7, %zmm7
	vpbroadcastw 30(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm0
	vfmadd231ps %zmm8, %zmm7, %zmm1
	vpbroadcastw 94(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm2
	vfmadd231ps %zmm8, %zmm7, %zmm3
	vpbroadcastw 158(%rsi), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vfmadd231ps %zmm8, %zmm6, %zmm4
	vfmadd231ps %zmm8, %zmm7, %zmm5
	add $$32, %rsi
	add $$1024, %rdx
	dec %rax
	jnz 1b
	add $$768, %rsi
	add $$2048, %rdx
	dec %r9
	jnz 2b
	3:
	vpxord %zmm6, %zmm6, %zmm6
	mov $$1086324736, %r10d
	vpbroadcastd %r10d, %zmm7
	vpmovzxwd 0(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm0, %zmm0
	vmaxps %zmm0, %zmm6, %zmm0
	vminps %zmm0, %zmm7, %zmm0
	vcvtneps2bf16 %zmm0, %ymm8
	vmovdqu16 %ymm8, 0(%rdi)
	vpmovzxwd 32(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm1, %zmm1
	vmaxps %zmm1, %zmm6, %zmm1
	vminps %zmm1, %zmm7, %zmm1
	vcvtneps2bf16 %zmm1, %ymm8
	vmovdqu16 %ymm8, 32(%rdi){%k1}
	vpmovzxwd 62(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm2, %zmm2
	vmaxps %zmm2, %zmm6, %zmm2
	vminps %zmm2, %zmm7, %zmm2
	vcvtneps2bf16 %zmm2, %ymm8
	vmovdqu16 %ymm8, 62(%rdi)
	vpmovzxwd 94(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm3, %zmm3
	vmaxps %zmm3, %zmm6, %zmm3
	vminps %zmm3, %zmm7, %zmm3
	vcvtneps2bf16 %zmm3, %ymm8
	vmovdqu16 %ymm8, 94(%rdi){%k1}
	vpmovzxwd 124(%r8), %zmm8
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm4, %zmm4
	vmaxps %zmm4, %zmm6, %zmm4
	vminps %zmm4, %zmm7, %zmm4
	vcvtneps2bf16 %zmm4, %ymm8
	vmovdqu16 %ymm8, 124(%rdi)
	vpmovzxwd 156(%r8), %zmm8{%k1}{z}
	vpslld $$16, %zmm8, %zmm8
	vaddps %zmm8, %zmm5, %zmm5
	vmaxps %zmm5, %zmm6, %zmm5
	vminps %zmm5, %zmm7, %zmm5
	vcvtneps2bf16 %zmm5, %ymm8
	vmovdqu16 %ymm8, 156(%rdi){%k1}
	vzeroupper", "={rdi},={rsi},={rdx},={rcx},={r8},={r9},={r13},0,1,2,3,4,5,6,~{zmm0},~{zmm1},~{zmm2},~{zmm3},~{zmm4},~{zmm5},~{zmm6},~{zmm7},~{zmm8},~{zmm9},~{zmm10},~{zmm11},~{zmm12},~{zmm13},~{zmm14},~{zmm15},~{zmm16},~{zmm17},~{zmm18},~{zmm19},~{zmm20},~{zmm21},~{zmm22},~{zmm23},~{zmm24},~{zmm25},~{zmm26},~{zmm27},~{zmm28},~{zmm29},~{zmm30},~{zmm31},~{rax},~{r10},~{k1},~{k2},~{k3},~{memory},~{cc},~{dirflag},~{fpsr},~{flags}"(ptr %c, ptr %a, ptr %b, ptr %bias, ptr %residual, i64 %taps_h, ptr %ahead) #1
  ret i32 0
}
attributes #0 = { alwaysinline "target-features"="+avx512bf16,+avx512bw,+avx512dq,+avx512f,+avx512vl" }
attributes #1 = { noduplicate }
