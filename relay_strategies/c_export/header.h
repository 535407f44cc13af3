/* ${name}.h: a network for ${target}, compiled by tvm-directconv ${version}.
 *
 * ${object} has its kernels${where}. It allocates nothing, keeps no state and calls nothing but
 * functions of the C library (-lm): one model may run in several threads at once, each with a workspace of its own.
 * Workspaces, inputs and outputs begin at multiples of ${macro}_ALIGNMENT bytes; what they hold before does not
 * matter, and inputs are not written.
 */
#ifndef ${macro}_H
#define ${macro}_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ${macro}_INPUTS ${input_count}
#define ${macro}_OUTPUTS ${output_count}
#define ${macro}_ALIGNMENT ${alignment}
${workspace_line}
#define ${macro}_WEIGHTS_BYTES ${weights_bytes}u${weights_remark}

/* In the order of the arrays that ${name}_run takes; tensors are dense, their last dimension fastest. */
${tensors}

${size_lines}/* What functions return. */
#define ${macro}_OK 0
#define ${macro}_MISALIGNED 1     /* a pointer is no multiple of ${macro}_ALIGNMENT */
#define ${macro}_WRONG_WEIGHTS 2  /* the weights are not this network's, or ${name}_init was not called */
#define ${macro}_THREADS_FAILED 3 /* the caller's parallel returned something else than 0 */
${wrong_sizes}#define ${macro}_WRONG_CPU 5      /* the code uses what this CPU lacks: see ${name}_missing */

/* Calls task(data, i) once for each i from 0 to count - 1, in any order and in any threads, and returns 0 when all
 * calls have returned. */
typedef int32_t (*${name}_parallel)(void *context, void (*task)(void *data, int32_t number), void *data,
                                    int32_t count);

/* What ${name}_init fills in. To run in several threads, set parallel, its context and the number of threads.
 * instruction_set is the first that the CPU has of these: ${instruction_sets}. */
typedef struct ${name}_model {
  const void *weights;
  ${name}_parallel parallel;
  void *context;
  int32_t threads;
  int32_t instruction_set;
} ${name}_model;

${init_comment}
int32_t ${name}_init(${name}_model *model, const void *weights, uint64_t bytes);

/* What the code for the last instruction set uses and this CPU lacks, as "avx512f", by its number from 0; NULL behind
 * the last. It and ${name}_init run on every CPU; other functions do not. x86 CPUs are asked, and Linux of Arm's and
 * POWER's (getauxval): elsewhere it returns NULL. */
const char *${name}_missing(int32_t number);

/* The size of an input or output by its number, in bytes; 0 where there is none. */
uint64_t ${name}_input_bytes(${sizes}int32_t number);
uint64_t ${name}_output_bytes(${sizes}int32_t number);
${extent}
/* The size of the workspace for so many threads, in bytes. */
uint64_t ${name}_workspace_bytes(${sizes}int32_t threads);

int32_t ${name}_run(const ${name}_model *model, ${sizes}const void *const *inputs, void *const *outputs, void *workspace);

#ifdef __cplusplus
}
#endif

#endif
