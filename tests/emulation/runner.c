/* Runs functions of a library that TVM made for this architecture, without TVM's runtime.
 *
 *     runner LIBRARY CALLS RESULTS
 *
 * CALLS holds the calls, which are made in order: int32 length of the function's name, the name, int32 count of
 * tensors, then per tensor: uint8 DLPack type code, uint8 bits, uint16 lanes, int32 rank, int64 extents, int64
 * bytes, data. RESULTS gets the data of all tensors after each call, one behind the other. On standard output,
 * a line per call: what its code asked of TVMBackendAllocWorkspace, "workspace SUM PEAK" in bytes.
 *
 * A compiled object reaches the runtime through weak pointers it exports, which the runtime has to fill in;
 * those and the one function it may call by name are all there is to it. Parallel loops get threads of their
 * own, as many as TVM_NUM_THREADS says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, MOST_NAME = 480, MOST_TENSORS = 32, MOST_THREADS = 64, TYPE_TENSOR = 7 };

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} Type;

typedef struct {
  void *data;
  int32_t device_type, device_id;
  int32_t rank;
  Type type;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

typedef struct {
  int32_t type_index;
  uint32_t padding;
  union {
    int64_t integer;
    void *pointer;
  } value;
} Any;

typedef int (*Function)(void *self, const Any *arguments, int32_t count, Any *result);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t allocated, live, peak;

static void *at_least(uint64_t size) {
  void *memory = NULL;
  return posix_memalign(&memory, LINE, size ? size : LINE) ? NULL : memory;
}

static uint64_t whole_lines(uint64_t size) { return (size + LINE - 1) / LINE * LINE; }

/* Pages that hold a tensor, and the one behind them that cannot be touched. */
static uint64_t whole_pages(uint64_t size) {
  uint64_t page = sysconf(_SC_PAGESIZE);
  return (whole_lines(size) + page - 1) / page * page;
}

/* Allocates a tensor: what comes after its last line cannot be touched. */
static void *guarded(uint64_t size) {
  uint64_t page = sysconf(_SC_PAGESIZE), lines = whole_lines(size), pages = whole_pages(size);
  char *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + pages, page, PROT_NONE)) return NULL;
  return memory + pages - lines;
}

static void give_back(void *tensor, uint64_t size) {
  uint64_t pages = whole_pages(size);
  munmap((char *)tensor + whole_lines(size) - pages, pages + sysconf(_SC_PAGESIZE));
}

/* The size is kept in the line before what is handed out. */
void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t size, int code, int bits) {
  (void)device_type, (void)device_id, (void)code, (void)bits;
  uint64_t *memory = at_least(size + LINE);
  if (!memory) return NULL;
  *memory = size;
  pthread_mutex_lock(&lock);
  allocated += size;
  live += size;
  if (live > peak) peak = live;
  pthread_mutex_unlock(&lock);
  return (char *)memory + LINE;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *pointer) {
  (void)device_type, (void)device_id;
  uint64_t *memory = (uint64_t *)((char *)pointer - LINE);
  pthread_mutex_lock(&lock);
  live -= *memory;
  pthread_mutex_unlock(&lock);
  free(memory);
  return 0;
}

void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t count) {
  fprintf(stderr, "%s: ", kind);
  for (int32_t i = 0; i < count; i++)
    if (parts[i]) fputs(parts[i], stderr);
  fputc('\n', stderr);
}

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

typedef struct {
  void *barrier;
  int32_t tasks;
} Group;
typedef int (*Body)(int task, Group *group, void *data);
typedef struct {
  Body body;
  void *data;
  Group *group;
  int task, status;
} Task;

static void *run_task(void *task) {
  Task *t = task;
  t->status = t->body(t->task, t->group, t->data);
  return NULL;
}

int TVMBackendParallelLaunch(Body body, void *data, int count) {
  const char *wanted = getenv("TVM_NUM_THREADS");
  if (count <= 0) count = wanted ? atoi(wanted) : 1;
  if (count < 1 || count > MOST_THREADS) return -1;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, count);
  Group group = {&barrier, count};
  Task tasks[MOST_THREADS];
  pthread_t threads[MOST_THREADS];
  for (int i = 0; i < count; i++) {
    tasks[i] = (Task){body, data, &group, i, 0};
    if (i && pthread_create(&threads[i], NULL, run_task, &tasks[i])) return -1;
  }
  run_task(&tasks[0]);
  int status = tasks[0].status;
  for (int i = 1; i < count; i++) {
    pthread_join(threads[i], NULL);
    status |= tasks[i].status;
  }
  pthread_barrier_destroy(&barrier);
  return status;
}

int TVMBackendParallelBarrier(int task, Group *group) {
  (void)task;
  pthread_barrier_wait(group->barrier);
  return 0;
}

static void give(void *library, const char *name, void *function) {
  void **slot = dlsym(library, name);
  if (slot) *slot = function;
}

static void take(FILE *file, void *into, size_t size) {
  if (fread(into, 1, size, file) == size) return;
  fprintf(stderr, "operands are cut short\n");
  exit(2);
}

/* Makes the next call of the file; 0 where it was right, else what the process is to end with. */
static int call(void *library, FILE *calls, FILE *results) {
  int32_t length, count;
  char name[MOST_NAME + 1] = {0}, symbol[MOST_NAME + 32];
  take(calls, &length, sizeof length);
  if (length < 0 || length > MOST_NAME) return 2;
  take(calls, name, length);
  snprintf(symbol, sizeof symbol, "__tvm_ffi_%s", name);
  Function function = (Function)dlsym(library, symbol);
  if (!function) {
    fprintf(stderr, "no function %s\n", symbol);
    return 2;
  }
  take(calls, &count, sizeof count);
  if (count < 0 || count > MOST_TENSORS) return 2;
  Tensor tensors[MOST_TENSORS] = {0};
  Any arguments[MOST_TENSORS] = {0};
  int64_t sizes[MOST_TENSORS];
  for (int i = 0; i < count; i++) {
    Tensor *t = &tensors[i];
    take(calls, &t->type, sizeof t->type);
    take(calls, &t->rank, sizeof t->rank);
    t->shape = calloc(t->rank + 1, sizeof *t->shape);
    take(calls, t->shape, t->rank * sizeof *t->shape);
    take(calls, &sizes[i], sizeof sizes[i]);
    t->data = guarded(sizes[i]);
    if (!t->shape || !t->data) return 2;
    take(calls, t->data, sizes[i]);
    t->device_type = 1;
    arguments[i].type_index = TYPE_TENSOR;
    arguments[i].value.pointer = t;
  }
  Any result = {0};
  allocated = live = peak = 0;
  /* The last name said is that of the call that ends the process, if one does. */
  fprintf(stderr, "%s\n", name);
  if (function(NULL, arguments, count, &result)) return 3;
  printf("workspace %llu %llu\n", (unsigned long long)allocated, (unsigned long long)peak);
  for (int i = 0; i < count; i++) {
    fwrite(tensors[i].data, 1, sizes[i], results);
    give_back(tensors[i].data, sizes[i]);
    free(tensors[i].shape);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: runner LIBRARY CALLS RESULTS\n");
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  give(library, "__TVMBackendAllocWorkspace", TVMBackendAllocWorkspace);
  give(library, "__TVMBackendFreeWorkspace", TVMBackendFreeWorkspace);
  give(library, "__TVMBackendParallelLaunch", TVMBackendParallelLaunch);
  give(library, "__TVMBackendParallelBarrier", TVMBackendParallelBarrier);
  FILE *calls = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
  if (!calls || !results) {
    fprintf(stderr, "no file %s, or %s cannot be written\n", argv[2], argv[3]);
    return 2;
  }
  for (int next = fgetc(calls); next != EOF; next = fgetc(calls)) {
    ungetc(next, calls);
    int status = call(library, calls, results);
    if (status) return status;
  }
  fclose(calls);
  return fclose(results) ? 2 : 0;
}
