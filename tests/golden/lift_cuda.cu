
#ifdef __CUDACC_RTC__
  #include <cuda/std/cstdint>
  using cuda::std::uint8_t;
  using cuda::std::uint16_t;
  using cuda::std::uint32_t;
  using cuda::std::uint64_t;
  using cuda::std::int8_t;
  using cuda::std::int16_t;
  using cuda::std::int32_t;
  using cuda::std::int64_t;

  #include <cuda/std/type_traits>
  namespace std {
    using cuda::std::is_same;
    using cuda::std::is_same_v;
    using cuda::std::is_integral;
    using cuda::std::is_signed;
    using cuda::std::is_unsigned;
    using cuda::std::is_floating_point;
    using cuda::std::enable_if;
    using cuda::std::conditional;
  }

  // NVRTC uses asm/volatile instead of __asm__/__volatile__ (gcc extension).
  #ifndef __asm__
  #define __asm__ asm
  #endif
  #ifndef __volatile__
  #define __volatile__ volatile
  #endif
#else
  #include <cstdint>
  #include <type_traits>
  #include <cuda.h>
#endif

#if (((__CUDACC_VER_MAJOR__ == 11) && (__CUDACC_VER_MINOR__ >= 4)) || \
     (__CUDACC_VER_MAJOR__ > 11))
#define TVM_ENABLE_L2_PREFETCH 1
#else
#define TVM_ENABLE_L2_PREFETCH 0
#endif

#ifdef _WIN32
  using uint = unsigned int;
  using uchar = unsigned char;
  using ushort = unsigned short;
  using int64_t = long long;
  using uint64_t = unsigned long long;
#else
  #define uint unsigned int
  #define uchar unsigned char
  #define ushort unsigned short
#endif
extern "C" __global__ void __launch_bounds__(64) layer0_kernel(float* __restrict__ data_ptr, float* __restrict__ padded_ptr);
extern "C" __global__ void __launch_bounds__(4) layer0_kernel_1(float* __restrict__ bias_ptr, float* __restrict__ epilogue_ptr, float* __restrict__ filter_ptr, float* __restrict__ padded_ptr);
extern "C" __global__ void __launch_bounds__(64) layer0_kernel(float* __restrict__ data_ptr, float* __restrict__ padded_ptr) {
  int cse_v6 = ((((int)blockIdx.x) * 16) + (((int)threadIdx.x) >> 2));
  if ((((((int)blockIdx.x) * 16) + (((int)threadIdx.x) >> 2)) < 55) && (((((int)blockIdx.x) * 16) + (((int)threadIdx.x) >> 2)) < 55)) {
    for (int at_1_s = 0; at_1_s < 4; ++at_1_s) {
      int cse_v8 = (((((int)blockIdx.x) * 32) + (((int)threadIdx.x) >> 1)) % 10);
      float condval;
      if ((((5 <= ((((int)blockIdx.x) * 16) + (((int)threadIdx.x) >> 2))) && (((((int)blockIdx.x) * 2) + (((int)threadIdx.x) >> 5)) < 5)) && (1 <= (((((int)blockIdx.x) * 32) + (((int)threadIdx.x) >> 1)) % 10))) && ((((((int)blockIdx.x) * 64) + ((int)threadIdx.x)) % 20) < 16)) {
        condval = data_ptr[((((((((((int)blockIdx.x) * 16) + (((int)threadIdx.x) >> 2)) / 5) * 56) + ((((((int)blockIdx.x) * 32) + (((int)threadIdx.x) >> 1)) % 10) * 8)) + ((((int)threadIdx.x) & 1) * 4)) + at_1_s) - 64)];
      } else {
        condval = 0x0p+0f/*0.000000e+00*/;
      }
      padded_ptr[(((((int)blockIdx.x) * 256) + (((int)threadIdx.x) * 4)) + at_1_s)] = condval;
    }
  }
}

extern "C" __global__ void __launch_bounds__(4) layer0_kernel_1(float* __restrict__ bias_ptr, float* __restrict__ epilogue_ptr, float* __restrict__ filter_ptr, float* __restrict__ padded_ptr) {
  alignas(64) float partial_local_ptr[12];
  alignas(64) float window_local_ptr[24];
  alignas(64) float weights_local_ptr[4];
  for (int x_2_init = 0; x_2_init < 2; ++x_2_init) {
    partial_local_ptr[(x_2_init * 2)] = 0x0p+0f/*0.000000e+00*/;
  }
  for (int x_2_init_1 = 0; x_2_init_1 < 2; ++x_2_init_1) {
    partial_local_ptr[((x_2_init_1 * 2) + 4)] = 0x0p+0f/*0.000000e+00*/;
  }
  for (int x_2_init_2 = 0; x_2_init_2 < 2; ++x_2_init_2) {
    partial_local_ptr[((x_2_init_2 * 2) + 8)] = 0x0p+0f/*0.000000e+00*/;
  }
  for (int x_2_init_3 = 0; x_2_init_3 < 2; ++x_2_init_3) {
    partial_local_ptr[((x_2_init_3 * 2) + 1)] = 0x0p+0f/*0.000000e+00*/;
  }
  for (int x_2_init_4 = 0; x_2_init_4 < 2; ++x_2_init_4) {
    partial_local_ptr[((x_2_init_4 * 2) + 5)] = 0x0p+0f/*0.000000e+00*/;
  }
  for (int x_2_init_5 = 0; x_2_init_5 < 2; ++x_2_init_5) {
    partial_local_ptr[((x_2_init_5 * 2) + 9)] = 0x0p+0f/*0.000000e+00*/;
  }
  int cse_v1 = (((int)blockIdx.y) >> 1);
  int cse_v2 = (((int)blockIdx.y) & 1);
  int cse_v3 = (((int)threadIdx.y) * 16);
  int cse_v7 = ((((int)blockIdx.y) & 1) * 32);
  for (int j = 0; j < 18; ++j) {
    int cse_v10 = ((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4));
    *(float4*)(window_local_ptr + 0) = *(float4*)(padded_ptr + ((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)));
    *(float4*)(window_local_ptr + 4) = *(float4*)(padded_ptr + (((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)) + 8));
    *(float4*)(window_local_ptr + 8) = *(float4*)(padded_ptr + (((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)) + 80));
    *(float4*)(window_local_ptr + 12) = *(float4*)(padded_ptr + (((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)) + 88));
    *(float4*)(window_local_ptr + 16) = *(float4*)(padded_ptr + (((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)) + 160));
    *(float4*)(window_local_ptr + 20) = *(float4*)(padded_ptr + (((((((((int)blockIdx.y) >> 1) * 240) + ((j / 6) * 80)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + ((j % 6) * 4)) + 168));
    int cse_v9 = (((((int)blockIdx.x) * 288) + (j * 16)) + (((int)threadIdx.x) * 4));
    *(float4*)(weights_local_ptr + 0) = *(float4*)(filter_ptr + (((((int)blockIdx.x) * 288) + (j * 16)) + (((int)threadIdx.x) * 4)));
    partial_local_ptr[0] = (partial_local_ptr[0] + (window_local_ptr[0] * weights_local_ptr[0]));
    partial_local_ptr[0] = (partial_local_ptr[0] + (window_local_ptr[1] * weights_local_ptr[1]));
    partial_local_ptr[0] = (partial_local_ptr[0] + (window_local_ptr[2] * weights_local_ptr[2]));
    partial_local_ptr[0] = (partial_local_ptr[0] + (window_local_ptr[3] * weights_local_ptr[3]));
    partial_local_ptr[2] = (partial_local_ptr[2] + (window_local_ptr[4] * weights_local_ptr[0]));
    partial_local_ptr[2] = (partial_local_ptr[2] + (window_local_ptr[5] * weights_local_ptr[1]));
    partial_local_ptr[2] = (partial_local_ptr[2] + (window_local_ptr[6] * weights_local_ptr[2]));
    partial_local_ptr[2] = (partial_local_ptr[2] + (window_local_ptr[7] * weights_local_ptr[3]));
    partial_local_ptr[4] = (partial_local_ptr[4] + (window_local_ptr[8] * weights_local_ptr[0]));
    partial_local_ptr[4] = (partial_local_ptr[4] + (window_local_ptr[9] * weights_local_ptr[1]));
    partial_local_ptr[4] = (partial_local_ptr[4] + (window_local_ptr[10] * weights_local_ptr[2]));
    partial_local_ptr[4] = (partial_local_ptr[4] + (window_local_ptr[11] * weights_local_ptr[3]));
    partial_local_ptr[6] = (partial_local_ptr[6] + (window_local_ptr[12] * weights_local_ptr[0]));
    partial_local_ptr[6] = (partial_local_ptr[6] + (window_local_ptr[13] * weights_local_ptr[1]));
    partial_local_ptr[6] = (partial_local_ptr[6] + (window_local_ptr[14] * weights_local_ptr[2]));
    partial_local_ptr[6] = (partial_local_ptr[6] + (window_local_ptr[15] * weights_local_ptr[3]));
    partial_local_ptr[8] = (partial_local_ptr[8] + (window_local_ptr[16] * weights_local_ptr[0]));
    partial_local_ptr[8] = (partial_local_ptr[8] + (window_local_ptr[17] * weights_local_ptr[1]));
    partial_local_ptr[8] = (partial_local_ptr[8] + (window_local_ptr[18] * weights_local_ptr[2]));
    partial_local_ptr[8] = (partial_local_ptr[8] + (window_local_ptr[19] * weights_local_ptr[3]));
    partial_local_ptr[10] = (partial_local_ptr[10] + (window_local_ptr[20] * weights_local_ptr[0]));
    partial_local_ptr[10] = (partial_local_ptr[10] + (window_local_ptr[21] * weights_local_ptr[1]));
    partial_local_ptr[10] = (partial_local_ptr[10] + (window_local_ptr[22] * weights_local_ptr[2]));
    partial_local_ptr[10] = (partial_local_ptr[10] + (window_local_ptr[23] * weights_local_ptr[3]));
    *(float4*)(weights_local_ptr + 0) = *(float4*)(filter_ptr + ((((((int)blockIdx.x) * 288) + (j * 16)) + (((int)threadIdx.x) * 4)) + 8));
    partial_local_ptr[1] = (partial_local_ptr[1] + (window_local_ptr[0] * weights_local_ptr[0]));
    partial_local_ptr[1] = (partial_local_ptr[1] + (window_local_ptr[1] * weights_local_ptr[1]));
    partial_local_ptr[1] = (partial_local_ptr[1] + (window_local_ptr[2] * weights_local_ptr[2]));
    partial_local_ptr[1] = (partial_local_ptr[1] + (window_local_ptr[3] * weights_local_ptr[3]));
    partial_local_ptr[3] = (partial_local_ptr[3] + (window_local_ptr[4] * weights_local_ptr[0]));
    partial_local_ptr[3] = (partial_local_ptr[3] + (window_local_ptr[5] * weights_local_ptr[1]));
    partial_local_ptr[3] = (partial_local_ptr[3] + (window_local_ptr[6] * weights_local_ptr[2]));
    partial_local_ptr[3] = (partial_local_ptr[3] + (window_local_ptr[7] * weights_local_ptr[3]));
    partial_local_ptr[5] = (partial_local_ptr[5] + (window_local_ptr[8] * weights_local_ptr[0]));
    partial_local_ptr[5] = (partial_local_ptr[5] + (window_local_ptr[9] * weights_local_ptr[1]));
    partial_local_ptr[5] = (partial_local_ptr[5] + (window_local_ptr[10] * weights_local_ptr[2]));
    partial_local_ptr[5] = (partial_local_ptr[5] + (window_local_ptr[11] * weights_local_ptr[3]));
    partial_local_ptr[7] = (partial_local_ptr[7] + (window_local_ptr[12] * weights_local_ptr[0]));
    partial_local_ptr[7] = (partial_local_ptr[7] + (window_local_ptr[13] * weights_local_ptr[1]));
    partial_local_ptr[7] = (partial_local_ptr[7] + (window_local_ptr[14] * weights_local_ptr[2]));
    partial_local_ptr[7] = (partial_local_ptr[7] + (window_local_ptr[15] * weights_local_ptr[3]));
    partial_local_ptr[9] = (partial_local_ptr[9] + (window_local_ptr[16] * weights_local_ptr[0]));
    partial_local_ptr[9] = (partial_local_ptr[9] + (window_local_ptr[17] * weights_local_ptr[1]));
    partial_local_ptr[9] = (partial_local_ptr[9] + (window_local_ptr[18] * weights_local_ptr[2]));
    partial_local_ptr[9] = (partial_local_ptr[9] + (window_local_ptr[19] * weights_local_ptr[3]));
    partial_local_ptr[11] = (partial_local_ptr[11] + (window_local_ptr[20] * weights_local_ptr[0]));
    partial_local_ptr[11] = (partial_local_ptr[11] + (window_local_ptr[21] * weights_local_ptr[1]));
    partial_local_ptr[11] = (partial_local_ptr[11] + (window_local_ptr[22] * weights_local_ptr[2]));
    partial_local_ptr[11] = (partial_local_ptr[11] + (window_local_ptr[23] * weights_local_ptr[3]));
  }
  for (int ax0 = 0; ax0 < 3; ++ax0) {
    for (int ax1 = 0; ax1 < 2; ++ax1) {
      for (int ax2 = 0; ax2 < 2; ++ax2) {
        if (((((((int)blockIdx.y) >> 1) * 3) + ax0) < 7) && (((((((int)blockIdx.y) & 1) * 4) + (((int)threadIdx.y) * 2)) + ax1) < 7)) {
          int cse_v4 = (((int)blockIdx.x) * 4);
          int cse_v5 = (((int)threadIdx.x) * 2);
          epilogue_ptr[(((((((((((int)blockIdx.y) >> 1) * 168) + (ax0 * 56)) + ((((int)blockIdx.y) & 1) * 32)) + (((int)threadIdx.y) * 16)) + (ax1 * 8)) + (((int)blockIdx.x) * 4)) + (((int)threadIdx.x) * 2)) + ax2)] = max(0x0p+0f/*0.000000e+00*/, (partial_local_ptr[(((ax0 * 4) + (ax1 * 2)) + ax2)] + bias_ptr[(((((int)blockIdx.x) * 4) + (((int)threadIdx.x) * 2)) + ax2)]));
        }
      }
    }
  }
}

