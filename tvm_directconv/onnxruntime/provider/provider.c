/* An execution provider for ONNX Runtime: it takes what tvm-directconv compiles, and runs the compiled libraries.
 *
 * A worker process compiles (worker.py); this library calls neither Python nor TVM. A model that was compiled
 * before, in the cache or as EPContext nodes, needs no worker.
 */
#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
static const char NAME[] = PROVIDER_NAME;

enum { MOST_MESSAGE = 4096, MOST_NAMED = 6 };

typedef struct {
  Ep ep;
  Options options;
  const Logger *logger;
  char folder[PATH_BYTES]; /* the entry of the cache, once known */
  char refused[MOST_MESSAGE]; /* why the session is an error */
} Provider;

Host host;

Status *failed(const char *format, ...) {
  char message[MOST_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return host.CreateStatus(FAIL, message);
}

static void say(const Provider *provider, int severity, const char *message) {
  Status *status = host.LogMessage(provider->logger, severity, message, __FILE__, __LINE__, NAME);
  if (status) host.ReleaseStatus(status);
}

/* ---- which nodes */

static Status *take_contexts(const Node *const *nodes, size_t count, SupportInfo *info, size_t *taken) {
  FusionOptions fusion = {STRUCTURES, true};
  for (size_t i = 0; i < count; i++) {
    if (!is_context(nodes[i])) continue;
    TRY(host.AddNodesToFuse(info, &nodes[i], 1, &fusion));
    ++*taken;
  }
  return NULL;
}

static Status *node_that_makes(const char *name, const Node *const *nodes, size_t count, const Node **found) {
  for (size_t i = 0; i < count; i++) {
    Names names = {0};
    Status *status = outputs_of(nodes[i], &names);
    size_t k = 0;
    while (!status && k < names.count && strcmp(names.names[k], name)) k++;
    bool is_it = !status && k < names.count;
    free(names.names);
    if (status) return status;
    if (is_it) {
      *found = nodes[i];
      return NULL;
    }
  }
  return failed("a compiled part replaces a node that makes '%s', which the model lacks", name);
}

static Status *take_part(const char *path, const Node *const *nodes, size_t count, SupportInfo *info, bool *there) {
  size_t size, chosen = 0;
  char *text = read_file(path, &size), *at = text, *fields[2];
  *there = text != NULL;
  if (!text) return NULL;
  const Node **own = calloc(count + 1, sizeof *own);
  Status *status = NULL;
  while (!status && next_line(&at, fields, 2) == 2)
    if (!strcmp(fields[0], "node") && chosen < count) status = node_that_makes(fields[1], nodes, count, &own[chosen++]);
  FusionOptions fusion = {STRUCTURES, true};
  if (!status) status = host.AddNodesToFuse(info, own, chosen, &fusion);
  free(own), free(text);
  return status;
}

/* Write the nodes that stay, and why, to the log and the report; in the strict mode they are an error. */
static Status *report(const Provider *provider) {
  char path[PATH_BYTES + 32], line[MOST_MESSAGE], named[MOST_MESSAGE] = "";
  size_t size, stays = 0;
  snprintf(path, sizeof path, "%s/stays.txt", provider->folder);
  char *text = read_file(path, &size), *at = text, *fields[3];
  if (!text) return failed("cannot read '%s'", path);
  FILE *file = *provider->options.report ? fopen(provider->options.report, "w") : NULL;
  if (*provider->options.report && !file) {
    free(text);
    return failed("cannot write the report '%s'", provider->options.report);
  }
  while (next_line(&at, fields, 3) == 3) {
    snprintf(line, sizeof line, "%s stays with ONNX Runtime: %s", fields[1], fields[2]);
    say(provider, LOG_INFO, line);
    if (file) fprintf(file, "%s: %s\n", fields[1], fields[2]);
    if (stays++ < MOST_NAMED) {
      size_t used = strlen(named);
      snprintf(named + used, sizeof named - used, "%s%s: %s", used ? "; " : "", fields[1], fields[2]);
    }
  }
  if (file) fclose(file);
  free(text);
  if (stays && provider->options.strict) return failed("%zu nodes stay with ONNX Runtime: %s", stays, named);
  snprintf(line, sizeof line, "%zu nodes stay with ONNX Runtime; compiled parts: '%.3900s'", stays, provider->folder);
  say(provider, LOG_INFO, line);
  return NULL;
}

static Status *take_compiled(Provider *provider, const Graph *graph, const Node *const *nodes, size_t count,
                             SupportInfo *info) {
  char path[PATH_BYTES + 32];
  size_t parts = 0;
  Status *status = find_or_compile(&provider->options, graph, provider->folder);
  if (!status) status = report(provider);
  for (bool there = true; !status && there; parts += there) {
    snprintf(path, sizeof path, "%s/%zu.txt", provider->folder, parts);
    status = take_part(path, nodes, count, info, &there);
  }
  return status;
}

/* The host only logs an error of this step: a node is taken, so that the next step, whose errors end the session, can
 * return it. */
static Status *refuse_later(Provider *provider, Status *error, const Node *node, SupportInfo *info) {
  FusionOptions fusion = {STRUCTURES, false};
  snprintf(provider->refused, sizeof provider->refused, "%s", host.GetErrorMessage(error));
  host.ReleaseStatus(error);
  return host.AddNodesToFuse(info, &node, 1, &fusion);
}

static Status *get_capability(Ep *ep, const Graph *graph, SupportInfo *info) {
  const Node *parent, **nodes = NULL;
  size_t count, contexts = 0;
  TRY(host.Graph_GetParentNode(graph, &parent));
  if (parent) return NULL; /* a graph inside a node, which stays */
  Status *status = nodes_of(graph, &nodes, &count);
  if (!status) status = take_contexts(nodes, count, info, &contexts);
  if (!status && !contexts && count) {
    status = take_compiled((Provider *)ep, graph, nodes, count, info);
    if (status) status = refuse_later((Provider *)ep, status, nodes[0], info);
  }
  free(nodes);
  return status;
}

/* ---- what they become */

/* Find the number of the part that makes the fused node's first output. */
static Status *number_of(const Provider *provider, const Node *fused, size_t *number) {
  char path[PATH_BYTES + 32], *fields[3];
  Names names = {0};
  size_t size;
  Status *status = outputs_of(fused, &names);
  bool found = false;
  for (*number = 0; !status && !found; ++*number) {
    snprintf(path, sizeof path, "%s/%zu.txt", provider->folder, *number);
    char *text = read_file(path, &size), *at = text;
    if (!text) status = failed("no compiled part makes '%s'", names.count ? names.names[0] : "");
    for (int fields_of_line; text && (fields_of_line = next_line(&at, fields, 3));)
      found |= fields_of_line == 3 && !strcmp(fields[0], "output") && names.count && !strcmp(fields[1], names.names[0]);
    free(text);
  }
  --*number;
  free(names.names);
  return status;
}

static Status *compile_one(Provider *provider, const Graph *graph, const Node *fused, Part **part, Node **context) {
  const Node **nodes = NULL;
  size_t count, number;
  Status *status = nodes_of(graph, &nodes, &count);
  bool is_context_node = !status && count == 1 && is_context(nodes[0]);
  if (is_context_node) {
    status = part_of_context(&provider->options, graph, nodes[0], part);
  } else if (!status && !(status = number_of(provider, fused, &number))) {
    char text[PATH_BYTES + 32], library[PATH_BYTES + 32];
    snprintf(text, sizeof text, "%s/%zu.txt", provider->folder, number);
    snprintf(library, sizeof library, "%s/%zu.so", provider->folder, number);
    status = load_part(text, library, provider->options.threads, provider->options.context, part);
    if (!status && provider->options.context)
      status = context_node(&provider->options, graph, text, library, fused, number, context);
  }
  free(nodes);
  return status ? status : bind_part(*part, fused);
}

static Status *compile(Ep *ep, const Graph **graphs, const Node **fused, size_t count, ComputeInfo **infos,
                       Node **contexts) {
  if (*((Provider *)ep)->refused) return failed("%s", ((Provider *)ep)->refused);
  for (size_t i = 0; i < count; i++) {
    Part *part = NULL;
    Status *status = compile_one((Provider *)ep, graphs[i], fused[i], &part, &contexts[i]);
    if (status) {
      free_part(part);
      return status;
    }
    infos[i] = &part->info;
  }
  return NULL;
}

static void release_infos(Ep *ep, ComputeInfo **infos, size_t count) {
  (void)ep;
  for (size_t i = 0; i < count; i++) free_part((Part *)infos[i]);
}

/* ---- the factory */

static const char *ep_name(const Ep *ep) { return (void)ep, NAME; }
static const char *factory_name(const Factory *factory) { return (void)factory, NAME; }
static const char *vendor(const Factory *factory) { return (void)factory, "tvm-directconv"; }
static uint32_t vendor_id(const Factory *factory) { return (void)factory, 0; }
static const char *version(const Factory *factory) { return (void)factory, DIRECTCONV_VERSION; }
static bool is_stream_aware(const Factory *factory) { return (void)factory, false; }
static void release_allocator(Factory *factory, void *allocator) { (void)factory, (void)allocator; }
static void release_ep(Factory *factory, Ep *ep) { (void)factory, free(ep); }

static Status *no_allocator(Factory *factory, const void *memory, const void *options, void **allocator) {
  (void)factory, (void)memory, (void)options;
  *allocator = NULL; /* ONNX Runtime's own */
  return NULL;
}

static Status *no_transfer(Factory *factory, void **transfer) {
  (void)factory;
  *transfer = NULL;
  return NULL;
}

static Status *no_stream(Factory *factory, const void *device, const void *options, void **stream) {
  (void)factory, (void)device, (void)options;
  *stream = NULL;
  return NULL;
}

static Status *supported_devices(Factory *factory, const HardwareDevice *const *devices, size_t count, EpDevice **found,
                                 size_t most, size_t *found_count) {
  *found_count = 0;
  for (size_t i = 0; i < count && *found_count < most; i++)
    if (host.HardwareDevice_Type(devices[i]) == CPU_DEVICE)
      TRY(host.CreateEpDevice(factory, devices[i], NULL, NULL, &found[(*found_count)++]));
  return NULL;
}

static Status *create_ep(Factory *factory, const HardwareDevice *const *devices, const KeyValuePairs *const *metadata,
                         size_t count, const SessionOptions *session, const Logger *logger, Ep **ep) {
  (void)factory, (void)devices, (void)metadata, (void)count;
  Provider *provider = calloc(1, sizeof *provider);
  provider->ep = (Ep){STRUCTURES, ep_name, get_capability, compile, release_infos, {0}};
  provider->logger = logger;
  Status *status = read_options(session, &provider->options);
  if (status) free(provider);
  else *ep = &provider->ep;
  return status;
}

static Factory factory = {STRUCTURES, factory_name, vendor, supported_devices, create_ep, release_ep, vendor_id, version,
                          NULL, no_allocator, release_allocator, no_transfer, is_stream_aware, no_stream};

EXPORT Status *CreateEpFactories(const char *name, const ApiBase *base, const Logger *logger, Factory **factories,
                                 size_t most, size_t *count) {
  (void)name, (void)logger;
  const void *const *api = base->GetApi(VERSION);
  if (!api) { /* what reports errors has been in the API since its first version */
    char message[MOST_MESSAGE];
    const void *const *first = base->GetApi(1);
    snprintf(message, sizeof message, "this execution provider needs ONNX Runtime 1.%d or later, and this is %s", VERSION,
             base->GetVersionString());
    return first ? ((Status * (*)(int, const char *)) first[0])(FAIL, message) : NULL;
  }
#define FETCH(position, result, name, arguments) host.name = (result(*) arguments)api[position];
  HOST_FUNCTIONS(FETCH)
  const void *const *ep_api = host.GetEpApi(), *const *editor = host.GetModelEditorApi();
  if (!ep_api || !editor) return failed("this build of ONNX Runtime has no execution providers from libraries");
  *(const void **)&host.CreateEpDevice = ep_api[0];
  *(const void **)&host.AddNodesToFuse = ep_api[2];
  *(const void **)&host.CreateNode = editor[EDITOR_CREATE_NODE];
  if (!most) return failed("no room for an execution provider");
  factories[0] = &factory;
  *count = 1;
  return NULL;
}

EXPORT Status *ReleaseEpFactory(Factory *given) { return (void)given, NULL; }
