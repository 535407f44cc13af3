/* Halves, as far as kernels here have them, by the compiler's own type. */
#pragma once

typedef _Float16 half, __half;
struct __align__(4) __half2 { half x, y; };
typedef __half2 half2;

inline half __float2half(float x) { return (half)x; }
inline half __float2half_rn(float x) { return (half)x; }
inline float __half2float(half x) { return (float)x; }
inline half2 make_half2(half x, half y) { return {x, y}; }
inline bool __hgt(half a, half b) { return a > b; }
inline bool __hlt(half a, half b) { return a < b; }
