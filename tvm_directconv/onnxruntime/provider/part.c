/* A compiled part of a model: loaded, and run on the host's tensors. */
#include "part.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How ELF calls this architecture; 0 where none is known. */
#if !defined __ELF__
enum { MACHINE = 0 };
#elif defined __x86_64__
enum { MACHINE = 62 };
#elif defined __aarch64__
enum { MACHINE = 183 };
#elif defined __powerpc64__
enum { MACHINE = 21 };
#elif defined __riscv
enum { MACHINE = 243 };
#else
enum { MACHINE = 0 };
#endif

#define DAMAGED "a compiled part is damaged: remove it from the cache, or make the context model again"

enum { PATH_BYTES = 4096, ALIGNMENT = 64, MOST_FIELDS = 4, WRONG_SIZES = 4 };

/* What the part's C interface calls a model; see the header that export_c writes. */
typedef struct {
  const void *weights;
  int32_t (*parallel)(void *context, void (*task)(void *, int32_t), void *data, int32_t count);
  void *context;
  int32_t threads;
  int32_t instruction_set;
} Model;

typedef struct {
  void (*task)(void *, int32_t);
  void *data;
} Task;

char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  if (bytes && fread(bytes, 1, *size, file) != *size) free(bytes), bytes = NULL;
  if (bytes) bytes[*size] = 0;
  fclose(file);
  return bytes;
}

int next_line(char **at, char **fields, int most) {
  char *line = strsep(at, "\n");
  int count = 0;
  if (!line || !*line) return 0;
  while (line && count < most - 1) fields[count++] = strsep(&line, "\t");
  if (line) fields[count++] = line;
  return count;
}

static void do_task(void *task, size_t number) { ((Task *)task)->task(((Task *)task)->data, (int32_t)number); }

static int32_t parallel(void *context, void (*task)(void *, int32_t), void *data, int32_t count) {
  Task given = {task, data};
  Status *status = host.ParallelFor(context, do_task, (size_t)count, (size_t)count, &given);
  if (status) host.ReleaseStatus(status);
  return status != NULL;
}

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static bool is_aligned(const void *data) { return (uintptr_t)data % ALIGNMENT == 0; }

static size_t bytes_of(const Part *part, Bytes function, const int64_t *sizes, size_t number) {
  return part->size_count ? function.open(sizes, (int32_t)number) : function.fixed((int32_t)number);
}

static Status *wrong_sizes(const Part *part, const int64_t *sizes) {
  char given[256] = "", wanted[512] = "";
  for (size_t i = 0; i < part->size_count; i++)
    snprintf(given + strlen(given), sizeof given - strlen(given), "%s%lld", i ? ", " : "", (long long)sizes[i]);
  for (size_t i = 0; i < part->condition_count; i++)
    snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s", i ? " and " : "", part->conditions[i]);
  return failed("a compiled part does not take the sizes %s; it takes those with %s (fix the model's sizes, or set "
                "the option open_sizes to 0)", given, wanted);
}

static Status *read_sizes(const Part *part, KernelContext *context, int64_t *sizes) {
  for (size_t i = 0; i < part->size_count; i++) {
    const Value *value;
    TensorInfo *info;
    size_t rank = 0;
    TRY(host.KernelContext_GetInput(context, part->inputs[part->sizes[i].input].index, &value));
    TRY(host.GetTensorTypeAndShape(value, &info));
    Status *status = host.GetDimensionsCount(info, &rank);
    int64_t dims[rank + 1];
    if (!status) status = host.GetDimensions(info, dims, rank);
    host.ReleaseTensorInfo(info);
    if (status) return status;
    if (part->sizes[i].axis >= rank) return failed("input '%s' has %zu dimensions", part->inputs[part->sizes[i].input].name, rank);
    sizes[i] = dims[part->sizes[i].axis];
  }
  return NULL;
}

/* Copies of operands that are not aligned lie behind the workspace. */
static size_t arena_bytes(const Part *part, const int64_t *sizes) {
  size_t bytes = aligned(bytes_of(part, part->workspace_bytes, sizes, (size_t)part->threads));
  for (size_t i = 0; i < part->input_count; i++) bytes += aligned(bytes_of(part, part->input_bytes, sizes, i));
  for (size_t i = 0; i < part->output_count; i++) bytes += aligned(bytes_of(part, part->output_bytes, sizes, i));
  return bytes;
}

static Status *run_in(Part *part, KernelContext *context, const int64_t *sizes, char *arena) {
  const void *inputs[part->input_count + 1];
  void *outputs[part->output_count + 1], *results[part->output_count + 1];
  char *free_bytes = arena + aligned(bytes_of(part, part->workspace_bytes, sizes, (size_t)part->threads));
  for (size_t i = 0; i < part->input_count; i++) {
    const Tensor *tensor = &part->inputs[i];
    const Value *value;
    size_t bytes, wanted = bytes_of(part, part->input_bytes, sizes, i);
    TRY(host.KernelContext_GetInput(context, tensor->index, &value));
    TRY(host.GetTensorSizeInBytes(value, &bytes));
    if (bytes != wanted && part->size_count) return wrong_sizes(part, sizes);
    if (bytes != wanted)
      return failed("input '%s' has %zu bytes, but was compiled for %zu", tensor->name, bytes, wanted);
    TRY(host.GetTensorData(value, &inputs[i]));
    if (!is_aligned(inputs[i])) {
      inputs[i] = memcpy(free_bytes, inputs[i], bytes);
      free_bytes += aligned(bytes);
    }
  }
  for (size_t i = 0; i < part->output_count; i++) {
    const Tensor *tensor = &part->outputs[i];
    int64_t dims[tensor->rank + 1];
    Value *value;
    for (size_t axis = 0; axis < tensor->rank; axis++)
      dims[axis] = part->size_count ? part->output_extent(sizes, (int32_t)i, (int32_t)axis) : tensor->dims[axis];
    TRY(host.KernelContext_GetOutput(context, tensor->index, dims, tensor->rank, &value));
    TRY(host.GetTensorMutableData(value, &results[i]));
    outputs[i] = results[i];
    if (!is_aligned(results[i])) {
      outputs[i] = free_bytes;
      free_bytes += aligned(bytes_of(part, part->output_bytes, sizes, i));
    }
  }
  Model model = {part->weights, parallel, context, part->threads, part->instruction_set};
  int32_t code = part->size_count ? part->run.open(&model, sizes, inputs, outputs, arena)
                                  : part->run.fixed(&model, inputs, outputs, arena);
  if (code == WRONG_SIZES) return wrong_sizes(part, sizes);
  if (code) return failed("a compiled part ended with code %d", code);
  for (size_t i = 0; i < part->output_count; i++)
    if (outputs[i] != results[i]) memcpy(results[i], outputs[i], bytes_of(part, part->output_bytes, sizes, i));
  return NULL;
}

static Status *create_state(ComputeInfo *info, ComputeContext *context, void **state) {
  (void)context;
  *state = info;
  return NULL;
}

static void release_state(ComputeInfo *info, void *state) { (void)info, (void)state; }

/* Runs may be simultaneous: each has an arena of its own, and one is kept for the next. */
static Status *compute(ComputeInfo *info, void *state, KernelContext *context) {
  Part *part = (Part *)info;
  (void)state;
  if (*part->elsewhere) return failed("%s; this session only wrote the context model", part->elsewhere);
  int64_t sizes[part->size_count + 1];
  TRY(read_sizes(part, context, sizes));
  size_t bytes = arena_bytes(part, sizes);
  Arena *arena = __atomic_exchange_n(&part->spare, NULL, __ATOMIC_ACQ_REL);
  if (arena && arena->bytes < bytes) free(arena), arena = NULL;
  if (!arena) {
    void *made = NULL;
    if (posix_memalign(&made, ALIGNMENT, sizeof *arena + bytes)) return failed("no memory for a workspace of %zu bytes", bytes);
    arena = made;
    arena->bytes = bytes;
  }
  Status *status = run_in(part, context, sizes, arena->data);
  free(__atomic_exchange_n(&part->spare, arena, __ATOMIC_ACQ_REL));
  return status;
}

/* Return an array with room for one more element, or NULL, which leaves it as it was. */
static void *longer(void *array, size_t count, size_t element) { return realloc(array, (count + 1) * element); }

static bool add_tensor(Tensor **tensors, size_t *count, char **fields) {
  Tensor *more = longer(*tensors, *count, sizeof **tensors);
  if (!more) return false;
  *tensors = more;
  Tensor *tensor = more + *count;
  *tensor = (Tensor){.name = fields[1]};
  char *dims = fields[2], *dim;
  tensor->dims = calloc(strlen(dims) + 1, sizeof *tensor->dims);
  if (!tensor->dims) return false;
  while ((dim = strsep(&dims, " ")))
    if (*dim) tensor->dims[tensor->rank++] = strtoll(dim, NULL, 10);
  ++*count;
  return true;
}

static bool add_size(Part *part, char **fields) {
  Place *more = longer(part->sizes, part->size_count, sizeof *more);
  if (!more) return false;
  part->sizes = more;
  more[part->size_count++] = (Place){strtoul(fields[1], NULL, 10), strtoul(fields[2], NULL, 10)};
  return true;
}

static bool add_condition(Part *part, char *text) {
  char **more = longer(part->conditions, part->condition_count, sizeof *more);
  if (!more) return false;
  part->conditions = more;
  more[part->condition_count++] = text;
  return true;
}

/* Say what the code uses and this CPU lacks. */
static Status *check_cpu(const Part *part) {
  const char *(*missing)(int32_t) = dlsym(part->library, "part_missing"), *name;
  char names[512] = "";
  for (int32_t i = 0; missing && (name = missing(i)); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
  return *names ? failed("a compiled part may use %s, which this CPU lacks: compile the model for this CPU, or with the "
                         "option target for what all have", names) : NULL;
}

/* Whether a file is a library of ELF for another architecture than this one, which no loader takes. */
static bool is_foreign(const char *path) {
  unsigned char head[20] = "";
  FILE *file = MACHINE ? fopen(path, "rb") : NULL;
  bool there = file && fread(head, 1, sizeof head, file) == sizeof head;
  if (file) fclose(file);
  return there && !memcmp(head, "\177ELF", 4) && (head[18] | head[19] << 8) != MACHINE;
}

static Status *read_text(Part *part, char *text) {
  char *fields[MOST_FIELDS];
  bool room = true, sized = true;
  for (int count; room && (count = next_line(&text, fields, MOST_FIELDS));) {
    if (count == 2 && !strcmp(fields[0], "condition")) room = add_condition(part, fields[1]);
    if (count < 3) continue;
    if (!strcmp(fields[0], "input")) room = add_tensor(&part->inputs, &part->input_count, fields);
    if (!strcmp(fields[0], "output")) room = add_tensor(&part->outputs, &part->output_count, fields);
    if (!strcmp(fields[0], "size")) room = add_size(part, fields);
  }
  if (!room) return failed("no memory for a compiled part");
  for (size_t i = 0; i < part->size_count; i++) sized &= part->sizes[i].input < part->input_count;
  return sized ? NULL : failed(DAMAGED);
}

static Status *find_functions(Part *part) {
  int32_t (*init)(Model *, const void *, uint64_t) = dlsym(part->library, "part_init");
  part->workspace_bytes.fixed = dlsym(part->library, "part_workspace_bytes");
  part->input_bytes.fixed = dlsym(part->library, "part_input_bytes");
  part->output_bytes.fixed = dlsym(part->library, "part_output_bytes");
  part->output_extent = dlsym(part->library, "part_output_extent");
  part->run.fixed = dlsym(part->library, "part_run");
  if (!init || !part->workspace_bytes.fixed || !part->input_bytes.fixed || !part->output_bytes.fixed ||
      !part->run.fixed || (part->size_count && !part->output_extent))
    return failed(DAMAGED);
  Model model;
  if (init(&model, NULL, 0)) return failed("a compiled part refuses its weights");
  part->weights = model.weights;
  part->instruction_set = model.instruction_set;
  return NULL;
}

/* Where ``only_written``, code that this CPU does not run is an error of its runs alone. */
static Status *opened(char *text, const char *library_path, int threads, bool only_written, Part **result) {
  Part *part = calloc(1, sizeof *part);
  *result = part;
  if (!part || !text) {
    free(text);
    return failed("no memory for a compiled part");
  }
  part->info = (ComputeInfo){STRUCTURES, create_state, compute, release_state};
  part->text = text;
  part->threads = threads;
  TRY(read_text(part, text));
  Status *elsewhere = is_foreign(library_path) ? failed("a compiled part is code for CPUs of another architecture: compile "
                                                        "the model for this CPU") : NULL;
  if (!elsewhere) {
    part->library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (!part->library) return failed("cannot load a compiled part: %s", dlerror());
    elsewhere = check_cpu(part);
  }
  if (!elsewhere) return find_functions(part);
  if (!only_written) return elsewhere;
  snprintf(part->elsewhere, sizeof part->elsewhere, "%s", host.GetErrorMessage(elsewhere));
  host.ReleaseStatus(elsewhere);
  return NULL;
}

Status *load_part(const char *text_path, const char *library_path, int threads, bool only_written, Part **part) {
  size_t size;
  char *text = read_file(text_path, &size);
  *part = NULL;
  if (!text) return failed("cannot read '%s'", text_path);
  return opened(text, library_path, threads, only_written, part);
}

Status *write_file(const char *path, const char *bytes, size_t size) {
  char partial[PATH_BYTES];
  if (snprintf(partial, sizeof partial, "%s.XXXXXX", path) >= (int)sizeof partial) return failed("'%s' is too long", path);
  int file = mkstemp(partial);
  if (file < 0) return failed("cannot write '%s': %s", path, strerror(errno));
  for (ssize_t now; size && (now = write(file, bytes, size)) > 0; bytes += now) size -= (size_t)now;
  Status *status = size || fchmod(file, 0644) || close(file) || rename(partial, path)
                       ? failed("cannot write '%s': %s", path, strerror(errno)) : NULL;
  if (status) unlink(partial);
  return status;
}

/* The dynamic loader returns what it has under the same name, even if the file was replaced since: each load is under
 * a name of its own, which is gone afterwards. */
Status *load_alone(const char *text, const char *path, const char *bytes, size_t size, int threads, Part **part) {
  const char *temporary = getenv("TMPDIR");
  char folder[PATH_BYTES], alias[PATH_BYTES + 16];
  *part = NULL;
  snprintf(folder, sizeof folder, "%s/directconv-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) return failed("cannot write '%s', from where a compiled part would be loaded", folder);
  snprintf(alias, sizeof alias, "%s/part.so", folder);
  char *real = bytes ? NULL : realpath(path, NULL);
  Status *status = bytes                        ? write_file(alias, bytes, size)
                   : !real || symlink(real, alias) ? failed("cannot read '%s': %s", path, strerror(errno))
                                                : NULL;
  if (!status) status = opened(strdup(text), alias, threads, false, part);
  unlink(alias), rmdir(folder), free(real);
  return status;
}

static Status *bind(Tensor *tensors, size_t count, const Names *names, const char *what) {
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < names->count && strcmp(names->names[k], tensors[i].name)) k++;
    if (k == names->count) return failed("the fused node lacks the %s '%s' of its compiled part", what, tensors[i].name);
    tensors[i].index = k;
  }
  return NULL;
}

Status *bind_part(Part *part, const Node *fused) {
  Names inputs = {0}, outputs = {0};
  Status *status = inputs_of(fused, &inputs);
  if (!status) status = outputs_of(fused, &outputs);
  if (!status && outputs.count != part->output_count)
    status = failed("the fused node has %zu outputs, its compiled part %zu", outputs.count, part->output_count);
  if (!status) status = bind(part->inputs, part->input_count, &inputs, "input");
  if (!status) status = bind(part->outputs, part->output_count, &outputs, "output");
  free(inputs.names), free(outputs.names);
  return status;
}

void free_part(Part *part) {
  if (!part) return;
  for (size_t i = 0; i < part->input_count; i++) free(part->inputs[i].dims);
  for (size_t i = 0; i < part->output_count; i++) free(part->outputs[i].dims);
  free(part->inputs), free(part->outputs), free(part->sizes), free(part->conditions), free(part->text);
  free(part->spare);
  if (part->library) dlclose(part->library);
  free(part);
}
