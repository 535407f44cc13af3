#ifndef DIRECTCONV_MODEL_H
#define DIRECTCONV_MODEL_H

#include "host.h"

enum { LANES = 4 };

typedef struct {
  unsigned char *bytes;
  size_t size, room;
  bool full; /* there was no memory for more */
  uint64_t *digest; /* of LANES words: if not NULL, the bytes of weights are mixed in here, and not kept */
} Buffer;

typedef struct {
  const char **names; /* the array is the caller's, the names are the host's */
  size_t count;
} Names;

/* Mix bytes into a digest of LANES words. */
void mix(uint64_t *digest, const void *data, size_t size);

/* Append a graph, with its weights, as an ONNX model. */
Status *write_model(const Graph *graph, Buffer *out);

/* The nodes of a graph, in an array that the caller frees. */
Status *nodes_of(const Graph *graph, const Node ***nodes, size_t *count);

/* The names of what a node reads and makes; those left out are "". */
Status *inputs_of(const Node *node, Names *names);
Status *outputs_of(const Node *node, Names *names);

/* The value of an attribute, which the caller frees, also where this fails. */
Status *read_attribute(const Attribute *attribute, int type, void **data, size_t *size);
#endif
