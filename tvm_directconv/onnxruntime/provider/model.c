/* A graph of ONNX Runtime's as the bytes of an ONNX model. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5, LENGTH_BYTES = 5 };
enum { ONNX_FLOAT = 1, ONNX_INT, ONNX_STRING, ONNX_TENSOR, ONNX_FLOATS = 6, ONNX_INTS, ONNX_STRINGS };

void mix(uint64_t *digest, const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint64_t words[LANES];
  for (size_t now; size; bytes += now, size -= now) {
    now = size < sizeof words ? size : sizeof words;
    if (now < sizeof words) memset(words, 0, sizeof words);
    memcpy(words, bytes, now);
    for (int i = 0; i < LANES; i++) {
      digest[i] = (digest[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
      digest[i] ^= digest[i] >> 29;
    }
  }
}

static void put(Buffer *out, const void *bytes, size_t count) {
  if (out->size + count > out->room) {
    size_t room = (out->size + count) * 3 / 2 + 4096;
    unsigned char *grown = out->full ? NULL : realloc(out->bytes, room);
    if (!grown) {
      out->full = true;
      return;
    }
    out->bytes = grown, out->room = room;
  }
  if (count) memcpy(out->bytes + out->size, bytes, count);
  out->size += count;
}

static void varint(Buffer *out, uint64_t value) {
  unsigned char bytes[10];
  size_t count = 0;
  do bytes[count++] = (value & 127) | (value > 127 ? 128 : 0);
  while (value >>= 7);
  put(out, bytes, count);
}

static void number(Buffer *out, int field, int64_t value) {
  varint(out, field << 3 | VARINT);
  varint(out, (uint64_t)value);
}

static void bytes(Buffer *out, int field, const void *data, size_t count) {
  varint(out, field << 3 | BYTES);
  varint(out, count);
  put(out, data, count);
}

static void text(Buffer *out, int field, const char *value) { bytes(out, field, value, strlen(value)); }

static void real(Buffer *out, int field, float value) {
  varint(out, field << 3 | FIXED32);
  put(out, &value, 4);
}

/* Begin a message of a length that is known when it ends: it gets as many bytes as the longest. */
static size_t begin(Buffer *out, int field) {
  varint(out, field << 3 | BYTES);
  put(out, "\0\0\0\0\0", LENGTH_BYTES);
  return out->size;
}

static void end(Buffer *out, size_t start) {
  if (out->full) return;
  uint64_t length = out->size - start;
  for (int i = 0; i < LENGTH_BYTES; i++, length >>= 7)
    out->bytes[start - LENGTH_BYTES + i] = (length & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0);
}

static Status *tensor(Buffer *out, int field, const char *name, const Value *value) {
  TensorInfo *info;
  const void *data;
  size_t rank, size;
  int type;
  TRY(host.GetTensorTypeAndShape(value, &info));
  host.GetTensorElementType(info, &type);
  host.GetDimensionsCount(info, &rank);
  int64_t *dims = calloc(rank + 1, sizeof *dims);
  host.GetDimensions(info, dims, rank);
  host.ReleaseTensorInfo(info);
  size_t start = begin(out, field);
  for (size_t i = 0; i < rank; i++) number(out, 1, dims[i]);
  free(dims);
  number(out, 2, type);
  if (name) text(out, 8, name);
  Status *status = host.GetTensorSizeInBytes(value, &size);
  if (!status) status = host.GetTensorData(value, &data);
  if (!status && out->digest) mix(out->digest, data, size);
  else if (!status) bytes(out, 9, data, size);
  end(out, start);
  return status;
}

static Status *value_info(Buffer *out, int field, const ValueInfo *value) {
  const TypeInfo *type;
  const TensorInfo *info = NULL;
  const char *name;
  TRY(host.GetValueInfoName(value, &name));
  TRY(host.GetValueInfoTypeInfo(value, &type));
  if (type) TRY(host.CastTypeInfoToTensorInfo(type, &info));
  size_t start = begin(out, field);
  text(out, 1, name);
  if (info) {
    int element;
    size_t rank = 0, kind = begin(out, 2), as_tensor = begin(out, 1);
    host.GetTensorElementType(info, &element);
    number(out, 1, element);
    if (host.TensorTypeAndShape_HasShape(info)) {
      size_t shape = begin(out, 2);
      host.GetDimensionsCount(info, &rank);
      int64_t *dims = calloc(rank + 1, sizeof *dims);
      const char **names = calloc(rank + 1, sizeof *names);
      host.GetDimensions(info, dims, rank);
      host.GetSymbolicDimensions(info, names, rank);
      for (size_t i = 0; i < rank; i++) {
        size_t dim = begin(out, 1);
        if (dims[i] >= 0) number(out, 1, dims[i]);
        else if (names[i] && *names[i]) text(out, 2, names[i]);
        end(out, dim);
      }
      free(dims), free(names);
      end(out, shape);
    }
    end(out, as_tensor), end(out, kind);
  }
  end(out, start);
  return NULL;
}

Status *read_attribute(const Attribute *attribute, int type, void **data, size_t *size) {
  *size = 0;
  *data = NULL;
  char small[8];
  Status *status = host.ReadOpAttr(attribute, type, small, 0, size);
  if (status) host.ReleaseStatus(status); /* too small, which says what is needed */
  *data = calloc(1, *size + 1);
  return host.ReadOpAttr(attribute, type, *data, *size, size);
}

static Status *attribute(Buffer *out, const Attribute *given) {
  static const int KINDS[] = {0, ONNX_INT, ONNX_INTS, ONNX_FLOAT, ONNX_FLOATS, ONNX_STRING, ONNX_STRINGS, 0, ONNX_TENSOR};
  const char *name;
  int type;
  Status *unknown = host.OpAttr_GetType(given, &type);
  if (unknown) {
    host.ReleaseStatus(unknown);
    return NULL;
  }
  TRY(host.OpAttr_GetName(given, &name));
  if (type < ATTR_INT || type > ATTR_TENSOR || !KINDS[type]) return NULL;
  void *data = NULL;
  size_t size = 0;
  size_t start = begin(out, 5);
  text(out, 1, name);
  number(out, 20, KINDS[type]);
  Status *status = NULL;
  if (type == ATTR_TENSOR) {
    Value *value;
    TRY(host.OpAttr_GetTensor(given, &value));
    status = tensor(out, 5, NULL, value);
    host.ReleaseValue(value);
  } else {
    status = read_attribute(given, type, &data, &size);
  }
  const int64_t *integers = data;
  const float *floats = data;
  if (status) size = 0;
  else if (type == ATTR_INT) number(out, 3, integers[0]);
  else if (type == ATTR_FLOAT) real(out, 2, floats[0]);
  else if (type == ATTR_STRING) bytes(out, 4, data, size);
  for (size_t i = 0; type == ATTR_INTS && i < size / 8; i++) number(out, 8, integers[i]);
  for (size_t i = 0; type == ATTR_FLOATS && i < size / 4; i++) real(out, 7, floats[i]);
  for (const char *s = data; type == ATTR_STRINGS && s < (char *)data + size; s += strlen(s) + 1) text(out, 9, s);
  free(data);
  end(out, start);
  return status;
}

static Status *values_of(const Node *node, bool results, Names *names) {
  TRY((results ? host.Node_GetNumOutputs : host.Node_GetNumInputs)(node, &names->count));
  const ValueInfo **values = calloc(names->count + 1, sizeof *values);
  names->names = calloc(names->count + 1, sizeof *names->names);
  Status *status = (results ? host.Node_GetOutputs : host.Node_GetInputs)(node, values, names->count);
  for (size_t i = 0; !status && i < names->count; i++) {
    names->names[i] = "";
    if (values[i]) status = host.GetValueInfoName(values[i], &names->names[i]);
  }
  free(values);
  return status;
}

Status *inputs_of(const Node *node, Names *names) { return values_of(node, false, names); }

Status *outputs_of(const Node *node, Names *names) { return values_of(node, true, names); }

static Status *node_message(Buffer *out, const Node *node) {
  const char *name, *type, *domain;
  size_t count, subgraphs;
  TRY(host.Node_GetName(node, &name));
  TRY(host.Node_GetOperatorType(node, &type));
  TRY(host.Node_GetDomain(node, &domain));
  TRY(host.Node_GetNumAttributes(node, &count));
  TRY(host.Node_GetNumSubgraphs(node, &subgraphs));
  size_t start = begin(out, 1);
  for (int results = 0; results < 2; results++) {
    Names names = {0};
    Status *status = values_of(node, results, &names);
    for (size_t i = 0; !status && i < names.count; i++) text(out, 1 + results, names.names[i]);
    free(names.names);
    if (status) return status;
  }
  text(out, 3, name);
  text(out, 4, type);
  /* A node with graphs of its own stays with ONNX Runtime, which asks about these graphs by themselves. */
  text(out, 7, subgraphs ? "with_subgraphs" : domain);
  const Attribute **attributes = calloc(count + 1, sizeof *attributes);
  Status *status = host.Node_GetAttributes(node, attributes, count);
  for (size_t i = 0; !status && i < count; i++) status = attribute(out, attributes[i]);
  free(attributes);
  end(out, start);
  return status;
}

static Status *values(Buffer *out, const Graph *graph, int field) {
  size_t count;
  bool weights = field == 5;
  TRY((weights ? host.Graph_GetNumInitializers : field == 11 ? host.Graph_GetNumInputs : host.Graph_GetNumOutputs)(graph, &count));
  const ValueInfo **infos = calloc(count + 1, sizeof *infos);
  Status *status = (weights ? host.Graph_GetInitializers : field == 11 ? host.Graph_GetInputs : host.Graph_GetOutputs)(graph, infos, count);
  for (size_t i = 0; !status && i < count; i++) {
    const char *name;
    const Value *value;
    if (!weights) status = value_info(out, field, infos[i]);
    else if (!(status = host.GetValueInfoName(infos[i], &name)) && !(status = host.GetInitializerValue(infos[i], &value)))
      status = tensor(out, field, name, value);
  }
  free(infos);
  return status;
}

Status *nodes_of(const Graph *graph, const Node ***nodes, size_t *count) {
  TRY(host.Graph_GetNumNodes(graph, count));
  *nodes = calloc(*count + 1, sizeof **nodes);
  return host.Graph_GetNodes(graph, *nodes, *count);
}

Status *write_model(const Graph *graph, Buffer *out) {
  int64_t ir;
  size_t sets, count;
  const Node **nodes;
  TRY(host.Graph_GetOnnxIRVersion(graph, &ir));
  number(out, 1, ir);
  TRY(host.Graph_GetNumOperatorSets(graph, &sets));
  const char **domains = calloc(sets + 1, sizeof *domains);
  int64_t *versions = calloc(sets + 1, sizeof *versions);
  Status *status = host.Graph_GetOperatorSets(graph, domains, versions, sets);
  for (size_t i = 0; !status && i < sets; i++) {
    size_t set = begin(out, 8);
    text(out, 1, domains[i]);
    number(out, 2, versions[i]);
    end(out, set);
  }
  free(domains), free(versions);
  if (status) return status;
  size_t start = begin(out, 7);
  text(out, 2, "graph");
  status = nodes_of(graph, &nodes, &count);
  for (size_t i = 0; !status && i < count; i++) status = node_message(out, nodes[i]);
  free(nodes);
  static const int FIELDS[] = {5, 11, 12};
  for (int i = 0; !status && i < 3; i++) status = values(out, graph, FIELDS[i]);
  end(out, start);
  return status ? status : out->full ? failed("no memory for a model of this size") : NULL;
}
