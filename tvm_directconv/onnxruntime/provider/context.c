/* EPContext nodes: a compiled part in a model, so that neither the worker nor the graph is needed again.
 *
 * The text that part.c reads is in the attribute notes. The library is the content itself where embed_mode is 1; where
 * it is 0, the content is the name of a file beside the model, and max_size its size.
 */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char TYPE[] = "EPContext", CONTENT[] = "ep_cache_context", TEXT[] = "notes", EMBEDDED[] = "embed_mode",
                  SIZE[] = "max_size", SUFFIX[] = ".onnx";

/* Read a text, which the caller frees, also where this fails. */
static Status *text_of(const Node *node, const char *name, char **text, size_t *size) {
  const Attribute *attribute = NULL;
  *text = NULL;
  TRY(host.Node_GetAttributeByName(node, name, &attribute));
  return attribute ? read_attribute(attribute, ATTR_STRING, (void **)text, size)
                   : failed("an EPContext node lacks the attribute '%s'", name);
}

static Status *number_in(const Node *node, const char *name, int64_t *number) {
  const Attribute *attribute = NULL;
  size_t size;
  TRY(host.Node_GetAttributeByName(node, name, &attribute));
  return attribute ? host.ReadOpAttr(attribute, ATTR_INT, number, sizeof *number, &size) : NULL;
}

bool is_context(const Node *node) {
  const char *type;
  char *source = NULL;
  size_t size;
  Status *status = host.Node_GetOperatorType(node, &type);
  bool ours = false;
  if (!status && !strcmp(type, TYPE)) {
    status = text_of(node, "source", &source, &size);
    ours = !status && !strcmp(source, PROVIDER_NAME);
  }
  free(source);
  if (status) host.ReleaseStatus(status);
  return ours;
}

/* The length of a path without ".onnx". */
static int stem_of(const char *path) {
  size_t length = strlen(path), suffix = sizeof SUFFIX - 1;
  return (int)(length > suffix && !strcmp(path + length - suffix, SUFFIX) ? length - suffix : length);
}

/* Write the path of the model that context nodes get into, as ONNX Runtime names it; "" if nothing names it. */
static Status *written_path(const Options *options, const Graph *graph, char *path) {
  const char *own;
  TRY(host.Graph_GetModelPath(graph, &own));
  if (*options->context_path || !*own) snprintf(path, PATH_BYTES, "%s", options->context_path);
  else snprintf(path, PATH_BYTES, "%.*s_ctx%s", stem_of(own), own, SUFFIX);
  return NULL;
}

static Status *load_beside(const Options *options, const Graph *graph, const char *text, const char *name, int64_t size,
                           Part **part) {
  char file[2 * PATH_BYTES];
  const char *path;
  struct stat found;
  TRY(host.Graph_GetModelPath(graph, &path));
  if (!*path) path = options->context_path; /* which says where a model in memory is from */
  if (!*name || strchr(name, '/')) return failed("an EPContext node names '%s', which is not a file beside the model", name);
  const char *last = strrchr(path, '/');
  snprintf(file, sizeof file, "%.*s%s", (int)(last ? last + 1 - path : 0), path, name);
  if (stat(file, &found)) return failed("cannot read '%s', the compiled part of an EPContext node", file);
  if (found.st_size != size)
    return failed("'%s' has %lld bytes, and the model was written with %lld", file, (long long)found.st_size, (long long)size);
  return load_alone(text, file, NULL, 0, options->threads, part);
}

Status *part_of_context(const Options *options, const Graph *graph, const Node *node, Part **part) {
  char *text = NULL, *content = NULL;
  size_t text_size, size;
  int64_t embedded = 1, file_size = 0;
  Status *status = text_of(node, TEXT, &text, &text_size);
  if (!status) status = text_of(node, CONTENT, &content, &size);
  if (!status) status = number_in(node, EMBEDDED, &embedded);
  if (!status) status = number_in(node, SIZE, &file_size);
  if (!status && embedded) status = load_alone(text, NULL, content, size, options->threads, part);
  else if (!status) status = load_beside(options, graph, text, content, file_size, part);
  free(text), free(content);
  return status;
}

/* Write a library beside the model, and its name in place of its bytes. */
static Status *put_beside(const char *model, size_t number, char **library, size_t *size) {
  char path[PATH_BYTES];
  if (snprintf(path, sizeof path, "%.*s_directconv%zu.so", stem_of(model), model, number) >= (int)sizeof path)
    return failed("'%s' is too long", model);
  TRY(write_file(path, *library, *size));
  const char *last = strrchr(path, '/');
  free(*library);
  *library = strdup(last ? last + 1 : path);
  *size = *library ? strlen(*library) : 0;
  return NULL;
}

static Status *made(const char *text, const char *content, size_t size, int64_t embedded, int64_t bytes, const Node *fused,
                    Node **node) {
  Names inputs = {0}, outputs = {0};
  const char *name;
  int64_t one = 1;
  Attribute *attributes[6] = {0};
  Status *status = host.Node_GetName(fused, &name);
  if (!status) status = inputs_of(fused, &inputs);
  if (!status) status = outputs_of(fused, &outputs);
  if (!status) status = host.CreateOpAttr(CONTENT, content, (int)size, ATTR_STRING, &attributes[0]);
  if (!status) status = host.CreateOpAttr(TEXT, text, (int)strlen(text), ATTR_STRING, &attributes[1]);
  if (!status) status = host.CreateOpAttr("source", PROVIDER_NAME, (int)strlen(PROVIDER_NAME), ATTR_STRING, &attributes[2]);
  if (!status) status = host.CreateOpAttr(EMBEDDED, &embedded, 1, ATTR_INT, &attributes[3]);
  if (!status) status = host.CreateOpAttr("main_context", &one, 1, ATTR_INT, &attributes[4]);
  if (!status) status = host.CreateOpAttr(SIZE, &bytes, 1, ATTR_INT, &attributes[5]);
  if (!status) /* which owns the attributes from now on */
    status = host.CreateNode(TYPE, "com.microsoft", name, inputs.names, inputs.count, outputs.names, outputs.count,
                             attributes, 6, node);
  free(inputs.names), free(outputs.names);
  return status;
}

Status *context_node(const Options *options, const Graph *graph, const char *text_path, const char *library_path,
                     const Node *fused, size_t number, Node **node) {
  char model[PATH_BYTES];
  size_t text_size, size = 0;
  TRY(written_path(options, graph, model));
  bool embed = options->embed || !*model; /* a model in memory has nothing beside it */
  char *text = read_file(text_path, &text_size), *library = read_file(library_path, &size);
  int64_t bytes = (int64_t)size;
  Status *status = text && library ? NULL : failed("cannot read '%s' and '%s'", text_path, library_path);
  if (!status && embed && size > INT32_MAX - 4096)
    status = failed("a compiled part of %zu bytes is too large for an EPContext node: set ep.context_embed_mode to 0", size);
  if (!status && !embed) status = put_beside(model, number, &library, &size);
  if (!status) status = made(text, library, size, embed, bytes, fused, node);
  free(text), free(library);
  return status;
}
