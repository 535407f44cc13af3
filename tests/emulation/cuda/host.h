/* What kernels in CUDA C see of a GPU where a host's C++ compiler takes them: a block's threads are contexts that
 * run one after the other, each up to where it waits for the others. A launch goes through them forwards or
 * backwards, so that what one of them reads before another wrote it is wrong in one of the two. */
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <ucontext.h>
#include <utility>

#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __host__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct Index { int x, y, z; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
struct int2 { int x, y; };
struct int3 { int x, y, z; };
struct alignas(16) int4 { int x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

template <class T, class U> inline auto max(T a, U b) { return a < b ? b : a; }
template <class T, class U> inline auto min(T a, U b) { return b < a ? b : a; }
inline float __expf(float x) { return expf(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline float __int_as_float(int bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }

static const int WARP = 32, STACK = 1 << 16;
static Index threadIdx, blockIdx, blockDim, gridDim;
static ucontext_t launcher;
static struct Thread {
    ucontext_t context;
    Index place;
    bool ended;
    char *stack;
    double lane;
} *threads;
static int current;
static void (*body)(void *);
static void *given;

inline void __syncthreads() { swapcontext(&threads[current].context, &launcher); }
inline unsigned __activemask() { return ~0u; }

/* All of a block's threads shuffle together. */
template <class T> T exchanged(T value, int from) {
    threads[current].lane = value;
    __syncthreads();
    T found = (T)threads[from].lane;
    __syncthreads();
    return found;
}
template <class T> T __shfl_sync(unsigned, T value, int lane, int width) {
    return exchanged(value, current / width * width + lane % width);
}
template <class T> T __shfl_down_sync(unsigned, T value, int offset, int width) {
    int from = current + offset;
    return exchanged(value, from / width == current / width && from < blockDim.x * blockDim.y * blockDim.z ? from : current);
}

static void thread() {
    body(given);
    threads[current].ended = true;
}

static void run_block(int count, bool backwards) {
    for (int i = 0; i < count; i++) {
        Thread &t = threads[i];
        t.ended = false;
        t.place = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        getcontext(&t.context);
        t.context.uc_stack.ss_sp = t.stack;
        t.context.uc_stack.ss_size = STACK;
        t.context.uc_link = &launcher;
        makecontext(&t.context, thread, 0);
    }
    for (int left = count; left;)
        for (int i = 0; i < count; i++) {
            current = backwards ? count - 1 - i : i;
            if (threads[current].ended) continue;
            threadIdx = threads[current].place;
            swapcontext(&launcher, &threads[current].context);
            left -= threads[current].ended;
        }
}

template <class... A, size_t... I> void apply(void (*kernel)(A...), void **arguments, std::index_sequence<I...>) {
    kernel(*(A *)arguments[I]...);
}

/* Launch a kernel that waits for no other thread, or one that does. */
template <class... A> void launch(void (*kernel)(A...), void **arguments, const int *sizes, bool waits, bool backwards) {
    gridDim = {sizes[0], sizes[1], sizes[2]}, blockDim = {sizes[3], sizes[4], sizes[5]};
    int count = blockDim.x * blockDim.y * blockDim.z;
    struct Call { void (*kernel)(A...); void **arguments; } call = {kernel, arguments};
    given = &call;
    body = [](void *it) {
        Call *call = (Call *)it;
        apply(call->kernel, call->arguments, std::index_sequence_for<A...>());
    };
    threads = (Thread *)calloc(count, sizeof(Thread));
    for (int i = 0; waits && i < count; i++) threads[i].stack = (char *)malloc(STACK);
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
                if (waits) {
                    run_block(count, backwards);
                    continue;
                }
                for (int i = 0; i < count; i++) {
                    int at = backwards ? count - 1 - i : i;
                    threadIdx = {at % blockDim.x, at / blockDim.x % blockDim.y, at / blockDim.x / blockDim.y};
                    body(given);
                }
            }
    for (int i = 0; i < count; i++) free(threads[i].stack);
    free(threads);
}

/* TVM writes it behind __shared__, where attributes of the language itself may not be. */
#define alignas(bytes) __attribute__((aligned(bytes)))
