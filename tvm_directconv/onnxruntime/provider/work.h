#ifndef DIRECTCONV_WORK_H
#define DIRECTCONV_WORK_H

#include "model.h"

enum { PATH_BYTES = 4096, OPTION_BYTES = 1024, COMPILER_OPTIONS = 4 };

typedef struct {
  char python[OPTION_BYTES], cache[OPTION_BYTES], report[OPTION_BYTES];
  char context_path[OPTION_BYTES]; /* of the context model; "" where not given */
  char compiler[COMPILER_OPTIONS][OPTION_BYTES]; /* NAME=VALUE, for the worker; "" where not given */
  int threads;
  bool strict, context, embed;
} Options;

/* Read what the session's options say. */
Status *read_options(const SessionOptions *session, Options *options);

/* Find a graph in the cache, or have the worker compile it; folder, of PATH_BYTES, gets the entry's path. */
Status *find_or_compile(const Options *options, const Graph *graph, char *folder);
#endif
