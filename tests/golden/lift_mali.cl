// Function: layer0_kernel
__kernel void layer0_kernel(__global float* restrict bias_ptr, __global float* restrict data_ptr, __global float* restrict epilogue_ptr, __global float* restrict filter_ptr) {
  float partial_local_ptr[12];
  float window_local_ptr[24];
  float weights_local_ptr[4];
  __local float partial_shared_ptr[144];
  float sums_local_ptr[1];
  for (int x_2_init = 0; x_2_init < 2; ++x_2_init) {
    partial_local_ptr[(x_2_init * 2)] = 0.000000e+00f;
  }
  for (int x_2_init_1 = 0; x_2_init_1 < 2; ++x_2_init_1) {
    partial_local_ptr[((x_2_init_1 * 2) + 4)] = 0.000000e+00f;
  }
  for (int x_2_init_2 = 0; x_2_init_2 < 2; ++x_2_init_2) {
    partial_local_ptr[((x_2_init_2 * 2) + 8)] = 0.000000e+00f;
  }
  for (int x_2_init_3 = 0; x_2_init_3 < 2; ++x_2_init_3) {
    partial_local_ptr[((x_2_init_3 * 2) + 1)] = 0.000000e+00f;
  }
  for (int x_2_init_4 = 0; x_2_init_4 < 2; ++x_2_init_4) {
    partial_local_ptr[((x_2_init_4 * 2) + 5)] = 0.000000e+00f;
  }
  for (int x_2_init_5 = 0; x_2_init_5 < 2; ++x_2_init_5) {
    partial_local_ptr[((x_2_init_5 * 2) + 9)] = 0.000000e+00f;
  }
  int cse_v1 = ((convert_int(get_group_id(1))) >> 1);
  int cse_v3 = ((convert_int(get_group_id(1))) & 1);
  int cse_v5 = ((convert_int(get_local_id(0))) >> 1);
  int cse_v7 = (((convert_int(get_group_id(1))) >> 1) * 3);
  int cse_v8 = (((convert_int(get_group_id(1))) & 1) * 4);
  int cse_v11 = (((convert_int(get_group_id(1))) >> 1) * 168);
  int cse_v12 = (((convert_int(get_group_id(1))) & 1) * 32);
  for (int j = 0; j < 6; ++j) {
    int cse_v2 = (j >> 1);
    int cse_v4 = (j & 1);
    int cse_v9 = ((j & 1) * 12);
    int cse_v10 = (((convert_int(get_local_id(0))) >> 1) * 4);
    int cse_v13 = ((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1));
    int cse_v14 = ((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2));
    int cse_v15 = (((j & 1) * 12) + (((convert_int(get_local_id(0))) >> 1) * 4));
    int cse_v20 = (((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1));
    int cse_v23 = ((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4));
    for (int ax2_s = 0; ax2_s < 4; ++ax2_s) {
      float condval;
      if (((bool)(((bool)(((bool)(1 <= ((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)))) && ((bool)(((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)) < 8)))) && ((bool)(1 <= (((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + (((((j & 1) * 12) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s) >> 3)))))) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 8))) {
        condval = data_ptr[((((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s) - 64)];
      } else {
        condval = 0.000000e+00f;
      }
      window_local_ptr[ax2_s] = condval;
    }
    for (int ax2_s_1 = 0; ax2_s_1 < 4; ++ax2_s_1) {
      float condval_1;
      if (((bool)(((bool)(1 <= ((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)))) && ((bool)(((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)) < 8)))) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 7))) {
        condval_1 = data_ptr[((((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_1) - 56)];
      } else {
        condval_1 = 0.000000e+00f;
      }
      window_local_ptr[(ax2_s_1 + 4)] = condval_1;
    }
    for (int ax2_s_2 = 0; ax2_s_2 < 4; ++ax2_s_2) {
      float condval_2;
      if (((bool)(((bool)(((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)) < 7)) && ((bool)(1 <= (((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + (((((j & 1) * 12) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_2) >> 3)))))) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 8))) {
        condval_2 = data_ptr[((((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_2) - 8)];
      } else {
        condval_2 = 0.000000e+00f;
      }
      window_local_ptr[(ax2_s_2 + 8)] = condval_2;
    }
    for (int ax2_s_3 = 0; ax2_s_3 < 4; ++ax2_s_3) {
      float condval_3;
      if (((bool)(((((convert_int(get_group_id(1))) >> 1) * 3) + (j >> 1)) < 7)) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 7))) {
        condval_3 = data_ptr[(((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_3)];
      } else {
        condval_3 = 0.000000e+00f;
      }
      window_local_ptr[(ax2_s_3 + 12)] = condval_3;
    }
    for (int ax2_s_4 = 0; ax2_s_4 < 4; ++ax2_s_4) {
      float condval_4;
      if (((bool)(((bool)((convert_int(get_group_id(1))) < 4)) && ((bool)(1 <= (((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + (((((j & 1) * 12) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_4) >> 3)))))) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 8))) {
        condval_4 = data_ptr[((((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_4) + 48)];
      } else {
        condval_4 = 0.000000e+00f;
      }
      window_local_ptr[(ax2_s_4 + 16)] = condval_4;
    }
    for (int ax2_s_5 = 0; ax2_s_5 < 4; ++ax2_s_5) {
      float condval_5;
      if (((bool)((convert_int(get_group_id(1))) < 4)) && ((bool)((((((convert_int(get_group_id(1))) & 1) * 4) + ((convert_int(get_local_id(1))) * 2)) + ((((j & 1) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) < 7))) {
        condval_5 = data_ptr[((((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((j >> 1) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((convert_int(get_local_id(1))) * 16)) + ((j & 1) * 12)) + (((convert_int(get_local_id(0))) >> 1) * 4)) + ax2_s_5) + 56)];
      } else {
        condval_5 = 0.000000e+00f;
      }
      window_local_ptr[(ax2_s_5 + 20)] = condval_5;
    }
    int cse_v16 = ((((convert_int(get_group_id(0))) * 288) + (j * 48)) + ((convert_int(get_local_id(0))) * 4));
    vstore4(vload4(0, filter_ptr + ((((convert_int(get_group_id(0))) * 288) + (j * 48)) + ((convert_int(get_local_id(0))) * 4))), 0, weights_local_ptr + 0);
    partial_local_ptr[0] = (partial_local_ptr[0] + dot(vload4(0, window_local_ptr + 0), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[2] = (partial_local_ptr[2] + dot(vload4(0, window_local_ptr + 4), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[4] = (partial_local_ptr[4] + dot(vload4(0, window_local_ptr + 8), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[6] = (partial_local_ptr[6] + dot(vload4(0, window_local_ptr + 12), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[8] = (partial_local_ptr[8] + dot(vload4(0, window_local_ptr + 16), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[10] = (partial_local_ptr[10] + dot(vload4(0, window_local_ptr + 20), vload4(0, weights_local_ptr + 0)));
    vstore4(vload4(0, filter_ptr + (((((convert_int(get_group_id(0))) * 288) + (j * 48)) + ((convert_int(get_local_id(0))) * 4)) + 24)), 0, weights_local_ptr + 0);
    partial_local_ptr[1] = (partial_local_ptr[1] + dot(vload4(0, window_local_ptr + 0), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[3] = (partial_local_ptr[3] + dot(vload4(0, window_local_ptr + 4), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[5] = (partial_local_ptr[5] + dot(vload4(0, window_local_ptr + 8), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[7] = (partial_local_ptr[7] + dot(vload4(0, window_local_ptr + 12), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[9] = (partial_local_ptr[9] + dot(vload4(0, window_local_ptr + 16), vload4(0, weights_local_ptr + 0)));
    partial_local_ptr[11] = (partial_local_ptr[11] + dot(vload4(0, window_local_ptr + 20), vload4(0, weights_local_ptr + 0)));
  }
  for (int ax0 = 0; ax0 < 3; ++ax0) {
    for (int ax1 = 0; ax1 < 2; ++ax1) {
      for (int ax2 = 0; ax2 < 2; ++ax2) {
        partial_shared_ptr[((((((ax0 * 48) + ((convert_int(get_local_id(1))) * 24)) + (ax1 * 12)) + (((convert_int(get_local_id(0))) & 1) * 6)) + (ax2 * 3)) + ((convert_int(get_local_id(0))) >> 1))] = partial_local_ptr[(((ax0 * 4) + (ax1 * 2)) + ax2)];
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int ax0_ax1_ax2_ax3_fused_0 = 0; ax0_ax1_ax2_ax3_fused_0 < 4; ++ax0_ax1_ax2_ax3_fused_0) {
    int cse_v17 = ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1);
    int cse_v18 = ((((convert_int(get_local_id(1))) * 6) + (convert_int(get_local_id(0)))) & 3);
    for (int ax4 = 0; ax4 < 3; ++ax4) {
      if (ax4 == 0) {
        sums_local_ptr[0] = 0.000000e+00f;
      }
      sums_local_ptr[0] = (sums_local_ptr[0] + partial_shared_ptr[((((ax0_ax1_ax2_ax3_fused_0 * 36) + (((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1) * 12)) + (((((convert_int(get_local_id(1))) * 6) + (convert_int(get_local_id(0)))) & 3) * 3)) + ax4)]);
    }
    int cse_v19 = ((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1));
    int cse_v21 = (((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) >> 2);
    int cse_v22 = (((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) & 3);
    if (((bool)(((((convert_int(get_group_id(1))) >> 1) * 3) + (((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) >> 2)) < 7)) && ((bool)(((((convert_int(get_group_id(1))) & 1) * 4) + (((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) & 3)) < 7))) {
      int cse_v6 = ((convert_int(get_group_id(0))) * 4);
      epilogue_ptr[((((((((convert_int(get_group_id(1))) >> 1) * 168) + ((((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) >> 2) * 56)) + (((convert_int(get_group_id(1))) & 1) * 32)) + ((((ax0_ax1_ax2_ax3_fused_0 * 3) + ((((convert_int(get_local_id(1))) * 3) + ((convert_int(get_local_id(0))) >> 1)) >> 1)) & 3) * 8)) + ((convert_int(get_group_id(0))) * 4)) + ((((convert_int(get_local_id(1))) * 6) + (convert_int(get_local_id(0)))) & 3))] = max((float)0.000000e+00f, (float)(sums_local_ptr[0] + bias_ptr[(((convert_int(get_group_id(0))) * 4) + ((((convert_int(get_local_id(1))) * 6) + (convert_int(get_local_id(0)))) & 3))]));
    }
  }
}

