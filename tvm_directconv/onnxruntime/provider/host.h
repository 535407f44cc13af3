/* What the provider calls of ONNX Runtime's C API, and the structures that it fills in for it.
 *
 * The API is a table of functions whose positions never change once a version is released. Only those that are
 * needed are declared, each by its position. VERSION is the one that has all of them; a host without it is refused.
 */
#ifndef DIRECTCONV_HOST_H
#define DIRECTCONV_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VERSION = 24, STRUCTURES = 23 };
enum { FAIL = 1, INVALID_ARGUMENT = 2, CPU_DEVICE = 0, EDITOR_CREATE_NODE = 6 };
enum { LOG_INFO = 1, LOG_WARNING = 2 };
enum { ATTR_INT = 1, ATTR_INTS, ATTR_FLOAT, ATTR_FLOATS, ATTR_STRING, ATTR_STRINGS, ATTR_GRAPH, ATTR_TENSOR };

typedef struct Status Status;
typedef struct Value Value;
typedef struct TypeInfo TypeInfo;
typedef struct TensorInfo TensorInfo;
typedef struct ValueInfo ValueInfo;
typedef struct Node Node;
typedef struct Graph Graph;
typedef struct Attribute Attribute;
typedef struct Logger Logger;
typedef struct KernelContext KernelContext;
typedef struct SessionOptions SessionOptions;
typedef struct HardwareDevice HardwareDevice;
typedef struct EpDevice EpDevice;
typedef struct SupportInfo SupportInfo;
typedef struct KeyValuePairs KeyValuePairs;
typedef struct ComputeContext ComputeContext;

typedef struct {
  const void *const *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} ApiBase;

#define HOST_FUNCTIONS(X)                                                                             \
  X(0, Status *, CreateStatus, (int code, const char *message))                                       \
  X(2, const char *, GetErrorMessage, (const Status *))                                               \
  X(51, Status *, GetTensorMutableData, (Value *, void **))                                           \
  X(55, Status *, CastTypeInfoToTensorInfo, (const TypeInfo *, const TensorInfo **))                  \
  X(60, Status *, GetTensorElementType, (const TensorInfo *, int *))                                  \
  X(61, Status *, GetDimensionsCount, (const TensorInfo *, size_t *))                                 \
  X(62, Status *, GetDimensions, (const TensorInfo *, int64_t *, size_t))                             \
  X(63, Status *, GetSymbolicDimensions, (const TensorInfo *, const char **, size_t))                 \
  X(65, Status *, GetTensorTypeAndShape, (const Value *, TensorInfo **))                              \
  X(90, Status *, KernelContext_GetInput, (const KernelContext *, size_t, const Value **))            \
  X(91, Status *, KernelContext_GetOutput, (KernelContext *, size_t, const int64_t *, size_t, Value **)) \
  X(93, void, ReleaseStatus, (Status *))                                                              \
  X(96, void, ReleaseValue, (Value *))                                                                \
  X(99, void, ReleaseTensorInfo, (TensorInfo *))                                                      \
  X(211, Status *, CreateOpAttr, (const char *, const void *, int, int type, Attribute **))           \
  X(212, void, ReleaseOpAttr, (Attribute *))                                                          \
  X(237, Status *, HasSessionConfigEntry, (const SessionOptions *, const char *, int *))              \
  X(238, Status *, GetSessionConfigEntry, (const SessionOptions *, const char *, char *, size_t *))   \
  X(247, Status *, LogMessage, (const Logger *, int, const char *, const char *, int, const char *))  \
  X(272, Status *, ReadOpAttr, (const Attribute *, int type, void *, size_t, size_t *))               \
  X(274, Status *, ParallelFor, (const KernelContext *, void (*)(void *, size_t), size_t, size_t, void *)) \
  X(289, Status *, GetValueInfoName, (const ValueInfo *, const char **))                              \
  X(290, Status *, GetValueInfoTypeInfo, (const ValueInfo *, const TypeInfo **))                      \
  X(291, const void *const *, GetModelEditorApi, (void))                                              \
  X(307, int, HardwareDevice_Type, (const HardwareDevice *))                                          \
  X(317, const void *const *, GetEpApi, (void))                                                       \
  X(318, Status *, GetTensorSizeInBytes, (const Value *, size_t *))                                   \
  X(326, Status *, GetInitializerValue, (const ValueInfo *, const Value **))                          \
  X(334, Status *, Graph_GetModelPath, (const Graph *, const char **))                                \
  X(335, Status *, Graph_GetOnnxIRVersion, (const Graph *, int64_t *))                                \
  X(336, Status *, Graph_GetNumOperatorSets, (const Graph *, size_t *))                               \
  X(337, Status *, Graph_GetOperatorSets, (const Graph *, const char **, int64_t *, size_t))          \
  X(338, Status *, Graph_GetNumInputs, (const Graph *, size_t *))                                     \
  X(339, Status *, Graph_GetInputs, (const Graph *, const ValueInfo **, size_t))                      \
  X(340, Status *, Graph_GetNumOutputs, (const Graph *, size_t *))                                    \
  X(341, Status *, Graph_GetOutputs, (const Graph *, const ValueInfo **, size_t))                     \
  X(342, Status *, Graph_GetNumInitializers, (const Graph *, size_t *))                               \
  X(343, Status *, Graph_GetInitializers, (const Graph *, const ValueInfo **, size_t))                \
  X(344, Status *, Graph_GetNumNodes, (const Graph *, size_t *))                                      \
  X(345, Status *, Graph_GetNodes, (const Graph *, const Node **, size_t))                            \
  X(346, Status *, Graph_GetParentNode, (const Graph *, const Node **))                               \
  X(349, Status *, Node_GetName, (const Node *, const char **))                                       \
  X(350, Status *, Node_GetOperatorType, (const Node *, const char **))                               \
  X(351, Status *, Node_GetDomain, (const Node *, const char **))                                     \
  X(353, Status *, Node_GetNumInputs, (const Node *, size_t *))                                       \
  X(354, Status *, Node_GetInputs, (const Node *, const ValueInfo **, size_t))                        \
  X(355, Status *, Node_GetNumOutputs, (const Node *, size_t *))                                      \
  X(356, Status *, Node_GetOutputs, (const Node *, const ValueInfo **, size_t))                       \
  X(359, Status *, Node_GetNumAttributes, (const Node *, size_t *))                                   \
  X(360, Status *, Node_GetAttributes, (const Node *, const Attribute **, size_t))                    \
  X(361, Status *, Node_GetAttributeByName, (const Node *, const char *, const Attribute **))         \
  X(362, Status *, OpAttr_GetTensor, (const Attribute *, Value **))                                   \
  X(363, Status *, OpAttr_GetType, (const Attribute *, int *))                                        \
  X(364, Status *, OpAttr_GetName, (const Attribute *, const char **))                                \
  X(365, Status *, Node_GetNumSubgraphs, (const Node *, size_t *))                                    \
  X(378, Status *, GetTensorData, (const Value *, const void **))                                     \
  X(390, bool, TensorTypeAndShape_HasShape, (const TensorInfo *))

#define FIELD(position, result, name, arguments) result(*name) arguments;
typedef struct {
  HOST_FUNCTIONS(FIELD)
  Status *(*CreateEpDevice)(void *factory, const HardwareDevice *, const KeyValuePairs *, const KeyValuePairs *,
                            EpDevice **);
  Status *(*AddNodesToFuse)(SupportInfo *, const Node *const *, size_t, const void *options);
  Status *(*CreateNode)(const char *type, const char *domain, const char *name, const char *const *inputs, size_t,
                        const char *const *outputs, size_t, Attribute **, size_t, Node **);
} Host;
#undef FIELD
extern Host host;

typedef struct {
  uint32_t version;
  bool drop_constant_initializers;
} FusionOptions;

typedef struct ComputeInfo {
  uint32_t version;
  Status *(*CreateState)(struct ComputeInfo *, ComputeContext *, void **state);
  Status *(*Compute)(struct ComputeInfo *, void *state, KernelContext *);
  void (*ReleaseState)(struct ComputeInfo *, void *state);
} ComputeInfo;

typedef struct Ep {
  uint32_t version;
  const char *(*GetName)(const struct Ep *);
  Status *(*GetCapability)(struct Ep *, const Graph *, SupportInfo *);
  Status *(*Compile)(struct Ep *, const Graph **, const Node **fused, size_t, ComputeInfo **, Node **context_nodes);
  void (*ReleaseNodeComputeInfos)(struct Ep *, ComputeInfo **, size_t);
  void *optional[9]; /* data layout to compatibility: not offered */
} Ep;

typedef struct Factory {
  uint32_t version;
  const char *(*GetName)(const struct Factory *);
  const char *(*GetVendor)(const struct Factory *);
  Status *(*GetSupportedDevices)(struct Factory *, const HardwareDevice *const *, size_t, EpDevice **, size_t, size_t *);
  Status *(*CreateEp)(struct Factory *, const HardwareDevice *const *, const KeyValuePairs *const *, size_t,
                      const SessionOptions *, const Logger *, Ep **);
  void (*ReleaseEp)(struct Factory *, Ep *);
  uint32_t (*GetVendorId)(const struct Factory *);
  const char *(*GetVersion)(const struct Factory *);
  void *ValidateCompiledModelCompatibilityInfo;
  Status *(*CreateAllocator)(struct Factory *, const void *, const void *, void **);
  void (*ReleaseAllocator)(struct Factory *, void *);
  Status *(*CreateDataTransfer)(struct Factory *, void **);
  bool (*IsStreamAware)(const struct Factory *);
  Status *(*CreateSyncStreamForDevice)(struct Factory *, const void *, const void *, void **);
} Factory;

/* Return a status with a message made as printf does. */
Status *failed(const char *format, ...);

#define TRY(call)                 \
  do {                            \
    Status *status_ = (call);     \
    if (status_) return status_;  \
  } while (0)
#endif
