#ifndef DIRECTCONV_PART_H
#define DIRECTCONV_PART_H

#include "model.h"

typedef struct {
  char *name;
  int64_t *dims; /* of an output */
  size_t rank, bytes, index; /* where the fused node has it */
} Tensor;

/* A compiled part of a model: its library, and what it reads and makes. Also what the host calls to run it. */
typedef struct {
  ComputeInfo info;
  char *text; /* lines of names, as the worker writes them */
  size_t text_bytes;
  void *library;
  Tensor *inputs, *outputs;
  size_t input_count, output_count, workspace_bytes, arena_bytes;
  int threads;
  const void *weights;
  void *spare; /* an arena that no run uses, or NULL: exchanged atomically */
  int32_t (*run)(const void *model, const void *const *inputs, void *const *outputs, void *workspace);
} Part;

/* Load a part from its text and its library's file, or from both in one, as pack_part makes them. */
Status *load_part(const char *text_path, const char *library_path, int threads, Part **part);
Status *unpack_part(const char *bytes, size_t size, int threads, Part **part);
Status *pack_part(const char *text_path, const char *library_path, Buffer *out);

/* Say where the fused node has the part's inputs and outputs. */
Status *bind_part(Part *part, const Node *fused);
void free_part(Part *part);

/* Return a file's bytes, ended by a zero that is not counted, or NULL. */
char *read_file(const char *path, size_t *size);

/* Copy the next line's fields, which tabs separate, to fields, and return how many; 0 at the end. */
int next_line(char **at, char **fields, int most);
#endif
