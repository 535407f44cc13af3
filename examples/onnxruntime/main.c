/* Runs a model by ONNX Runtime with this package's execution provider: a raw input from a file, the first output to one.
 *
 *     cc -O2 -Iinclude main.c -Llib -lonnxruntime -o host        (headers and library of an ONNX Runtime release)
 *     ./host LIBRARY model.onnx input.bin result.bin
 *
 * LIBRARY is what tvm_directconv.onnxruntime.library_path() returns. Where the model is one of EPContext nodes, the
 * host needs no Python. The model has one input, of float32 and fixed size, as numpy's tofile writes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"

enum { MOST_DIMENSIONS = 8 };
static const OrtApi *ort;

static void check(OrtStatus *status) {
  if (!status) return;
  fprintf(stderr, "host: %s\n", ort->GetErrorMessage(status));
  exit(1);
}

static void add_provider(OrtEnv *env, OrtSessionOptions *options, const char *library) {
  static const char *const KEYS[] = {"report"}, *const VALUES[] = {"stays.txt"};
  const OrtEpDevice *const *devices;
  size_t count;
  check(ort->RegisterExecutionProviderLibrary(env, "directconv", library));
  check(ort->GetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count; i++)
    if (!strcmp(ort->EpDevice_EpName(devices[i]), "directconv"))
      check(ort->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, KEYS, VALUES, 1));
}

static OrtValue *input_of(const OrtSession *session, const char *path) {
  OrtTypeInfo *type;
  const OrtTensorTypeAndShapeInfo *info;
  OrtMemoryInfo *memory;
  OrtValue *value;
  int64_t dims[MOST_DIMENSIONS];
  size_t rank, count = 1;
  check(ort->SessionGetInputTypeInfo(session, 0, &type));
  check(ort->CastTypeInfoToTensorInfo(type, &info));
  check(ort->GetDimensionsCount(info, &rank));
  check(ort->GetDimensions(info, dims, rank));
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  float *data = aligned_alloc(64, (count * sizeof *data + 63) / 64 * 64); /* which the provider reads without a copy */
  FILE *file = fopen(path, "rb");
  if (!data || !file || fread(data, sizeof *data, count, file) != count) {
    fprintf(stderr, "host: '%s' is not %zu numbers\n", path, count);
    exit(1);
  }
  fclose(file);
  check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(ort->CreateTensorWithDataAsOrtValue(memory, data, count * sizeof *data, dims, rank,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  return value;
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: host LIBRARY MODEL INPUT RESULT\n");
    return 1;
  }
  ort = OrtGetApiBase()->GetApi(24);
  if (!ort) return 1;
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  OrtAllocator *allocator;
  char *input, *output;
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "host", &env));
  check(ort->CreateSessionOptions(&options));
  add_provider(env, options, arguments[1]);
  check(ort->CreateSession(env, arguments[2], options, &session));
  check(ort->GetAllocatorWithDefaultOptions(&allocator));
  check(ort->SessionGetInputName(session, 0, allocator, &input));
  check(ort->SessionGetOutputName(session, 0, allocator, &output));
  const OrtValue *given = input_of(session, arguments[3]);
  OrtValue *result = NULL;
  check(ort->Run(session, NULL, (const char *const *)&input, &given, 1, (const char *const *)&output, 1, &result));
  void *data;
  size_t bytes;
  check(ort->GetTensorMutableData(result, &data));
  check(ort->GetTensorSizeInBytes(result, &bytes));
  FILE *file = fopen(arguments[4], "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file)) {
    fprintf(stderr, "host: cannot write '%s'\n", arguments[4]);
    return 1;
  }
  ort->ReleaseValue(result);
  ort->ReleaseSession(session);
  ort->ReleaseSessionOptions(options);
  check(ort->UnregisterExecutionProviderLibrary(env, "directconv"));
  ort->ReleaseEnv(env);
  return 0;
}
