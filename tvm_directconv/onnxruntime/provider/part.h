#ifndef DIRECTCONV_PART_H
#define DIRECTCONV_PART_H

#include "model.h"

typedef struct {
  char *name;
  int64_t *dims; /* of an output; where sizes are open, each run computes its own */
  size_t rank, index; /* where the fused node has it */
} Tensor;

/* Where an open size is found: a dimension of an input. */
typedef struct {
  size_t input, axis;
} Place;

/* The functions of a part's library, which are given the open sizes first, where there are any. */
typedef union {
  uint64_t (*fixed)(int32_t number);
  uint64_t (*open)(const int64_t *sizes, int32_t number);
} Bytes;

typedef union {
  int32_t (*fixed)(const void *model, const void *const *inputs, void *const *outputs, void *workspace);
  int32_t (*open)(const void *model, const int64_t *sizes, const void *const *inputs, void *const *outputs,
                  void *workspace);
} Run;

/* What a run works in. */
typedef struct {
  size_t bytes;
  _Alignas(64) char data[];
} Arena;

/* A compiled part of a model: its library, and what it reads and makes. Also what the host calls to run it. */
typedef struct {
  ComputeInfo info;
  char *text; /* lines of names, as the worker writes them */
  size_t text_bytes;
  void *library;
  char elsewhere[1024]; /* why this CPU does not run the code, which a session has only written */
  Tensor *inputs, *outputs;
  Place *sizes;
  char **conditions; /* on the sizes */
  size_t input_count, output_count, size_count, condition_count;
  int threads;
  const void *weights;
  int32_t instruction_set; /* by its number; set by the part's init, as the weights are */
  Arena *spare; /* one that no run uses, or NULL: exchanged atomically */
  Bytes input_bytes, output_bytes, workspace_bytes;
  int64_t (*output_extent)(const int64_t *sizes, int32_t number, int32_t axis);
  Run run;
} Part;

/* Load a part from its text and its library's file. Where it is ``only_written``, to a context model, code that this CPU
 * does not run is no error before it is to run. */
Status *load_part(const char *text_path, const char *library_path, int threads, bool only_written, Part **part);

/* Load a part from a copy of its text and its library, the bytes of a file or, if they are NULL, the file of this path. */
Status *load_alone(const char *text, const char *path, const char *bytes, size_t size, int threads, Part **part);

/* Say where the fused node has the part's inputs and outputs. */
Status *bind_part(Part *part, const Node *fused);
void free_part(Part *part);

/* Write a file that nobody sees half of. */
Status *write_file(const char *path, const char *bytes, size_t size);

/* Return a file's bytes, ended by a zero that is not counted, or NULL. */
char *read_file(const char *path, size_t *size);

/* Copy the next line's fields, which tabs separate, to fields, and return how many; 0 at the end. */
int next_line(char **at, char **fields, int most);
#endif
