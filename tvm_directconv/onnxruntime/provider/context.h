#ifndef DIRECTCONV_CONTEXT_H
#define DIRECTCONV_CONTEXT_H

#include "part.h"
#include "work.h"

#define PROVIDER_NAME "directconv"

/* Whether a node is an EPContext of this provider. */
bool is_context(const Node *node);

/* Load the part that an EPContext node of a graph has, inside or in a file beside the model. */
Status *part_of_context(const Options *options, const Graph *graph, const Node *node, Part **part);

/* Make the EPContext node of a compiled part, the one of this number, in place of the fused node. */
Status *context_node(const Options *options, const Graph *graph, const char *text_path, const char *library_path,
                     const Node *fused, size_t number, Node **node);
#endif
