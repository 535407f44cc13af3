/* What a library of a network has beside its kernels, so that it runs without TVM: the calls of the kernels one
 * after the other, their threads, and the memory that they ask for. Python describes the calls (tvm_directconv/runtime).
 *
 * Kernels keep TVM's calling convention: they find the functions that start threads and allocate workspace behind
 * pointers, which directconv_begin sets, and raise errors by a function that is defined here. Where TVM loads the
 * library instead, it sets the pointers, errors are handed on to it, and it fetches the weights by get_params.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus /* some linkers' drivers take C for C++ */
extern "C" {
#endif

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

enum { ALIGNMENT = 64, KEPT = 8, SPINS_A_LOOK = 32, DLTENSOR = 7, TENSOR_ALIGNED = 64, MOST_DIMS = 16 };

/* ---- TVM's structures: tvm/ffi/c_api.h and dlpack.h */

typedef struct {
  int32_t type, padding;
  union {
    int64_t number;
    void *pointer;
  } value;
} Any;

typedef struct {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct Managed {
  DLTensor tensor;
  void *context;
  void (*deleter)(struct Managed *);
} Managed;

typedef struct {
  const char *data;
  size_t size;
} Bytes;

typedef struct {
  void *sync_handle;
  int32_t tasks;
} Group;

typedef int (*Kernel)(void *self, const Any *arguments, int32_t count, Any *result);
typedef int (*Task)(int number, Group *group, void *data);

/* ---- what Python hands over */

typedef struct {
  int64_t block, offset;
} Place;

typedef struct {
  Kernel kernel;
  int64_t first, count; /* of its arguments */
} Step;

typedef struct {
  DLTensor *tensors;
  const Place *places; /* of each tensor */
  int64_t tensor_count;
  const Step *steps;
  int64_t step_count;
  const Any *arguments;
} Calls;

/* ---- threads */

typedef struct {
  int32_t threads, stops;
  int64_t spin_nanoseconds;
  uint32_t epoch;             /* how many launches there were */
  int32_t remaining, parked;  /* threads that still work, and that sleep */
  int32_t waits;              /* whether the launching thread sleeps */
  int32_t failed;
  Task task;
  void *data;
  char *error;
  size_t error_bytes;
  pthread_mutex_t lock;
  pthread_cond_t begun, done;
} Team;

typedef struct {
  Team *team;
  int32_t number;
} Member;

/* ---- of each thread */

typedef struct {
  void *memory[KEPT];
  size_t bytes[KEPT];
  uint8_t taken[KEPT];
} Kept;

static __thread Team *current;  /* the team that this thread works for; NULL where TVM runs the kernels */
static __thread int is_member;
static __thread Kept kept;

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#elif defined(__powerpc64__)
  __asm__ volatile("or 27,27,27");
#endif
}

/* Wait until a number is another (or, with is_wanted, is this one) for as long as the team spins; return whether it is. */
static int spun(const Team *team, const void *number, uint32_t value, int is_wanted) {
  const uint32_t *place = (const uint32_t *)number;
  int64_t end = 0;
  for (;;) {
    for (int i = 0; i < SPINS_A_LOOK; i++) {
      if ((__atomic_load_n(place, __ATOMIC_ACQUIRE) == value) == is_wanted) return 1;
      relax();
    }
    int64_t now = nanoseconds();
    if (!end) end = now + team->spin_nanoseconds;
    if (now >= end) return 0;
    sched_yield(); /* who is waited for may be waiting for this CPU */
  }
}

static void *work(void *given) {
  Member member = *(Member *)given;
  Team *team = member.team;
  uint32_t seen = 0;
  free(given);
  current = team, is_member = 1;
  for (;;) {
    if (!spun(team, &team->epoch, seen, 0)) {
      pthread_mutex_lock(&team->lock);
      __atomic_add_fetch(&team->parked, 1, __ATOMIC_SEQ_CST);
      while (__atomic_load_n(&team->epoch, __ATOMIC_SEQ_CST) == seen) pthread_cond_wait(&team->begun, &team->lock);
      __atomic_sub_fetch(&team->parked, 1, __ATOMIC_SEQ_CST);
      pthread_mutex_unlock(&team->lock);
    }
    seen++;
    if (team->stops) break;
    Group group = {NULL, team->threads};
    if (team->task(member.number, &group, team->data)) __atomic_store_n(&team->failed, 1, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&team->remaining, 1, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&team->waits, __ATOMIC_SEQ_CST)) {
      pthread_mutex_lock(&team->lock);
      pthread_cond_signal(&team->done);
      pthread_mutex_unlock(&team->lock);
    }
  }
  for (int i = 0; i < KEPT; i++) free(kept.memory[i]);
  __atomic_sub_fetch(&team->remaining, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void start(Team *team) {
  __atomic_store_n(&team->remaining, team->threads - 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&team->epoch, 1, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&team->parked, __ATOMIC_SEQ_CST)) return;
  pthread_mutex_lock(&team->lock);
  pthread_cond_broadcast(&team->begun);
  pthread_mutex_unlock(&team->lock);
}

static int launch(Task task, void *data, int count) {
  Team *team = current;
  Group group = {NULL, count > 0 ? count : 1};
  if (!team) { /* another user of the library than this runtime: TVM */
    int (*of_tvm)(Task, void *, int) = (int (*)(Task, void *, int))dlsym(RTLD_DEFAULT, "TVMBackendParallelLaunch");
    if (of_tvm) return of_tvm(task, data, count);
  }
  if (!team || is_member || team->threads == 1 || (count > 0 && count != team->threads)) {
    for (int i = 0; i < group.tasks; i++)
      if (task(i, &group, data)) return -1;
    return 0;
  }
  group.tasks = team->threads;
  team->task = task, team->data = data, team->failed = 0;
  start(team);
  int failed = task(0, &group, data);
  if (!spun(team, &team->remaining, 0, 1)) {
    pthread_mutex_lock(&team->lock);
    __atomic_store_n(&team->waits, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&team->remaining, __ATOMIC_SEQ_CST)) pthread_cond_wait(&team->done, &team->lock);
    __atomic_store_n(&team->waits, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&team->lock);
  }
  return failed || team->failed ? -1 : 0;
}

/* Return a team of so many threads, the one that runs a network among them; of fewer where the system has no more. */
EXPORTED Team *directconv_team(int32_t threads, int64_t spin_nanoseconds) {
  Team *team = (Team *)calloc(1, sizeof *team);
  if (!team) return NULL;
  team->threads = 1, team->spin_nanoseconds = spin_nanoseconds;
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->begun, NULL);
  pthread_cond_init(&team->done, NULL);
  for (int32_t number = 1; number < threads; number++) {
    pthread_t made;
    Member *member = (Member *)malloc(sizeof *member);
    if (!member) break;
    member->team = team, member->number = number;
    if (pthread_create(&made, NULL, work, member)) {
      free(member);
      break;
    }
    pthread_detach(made);
    team->threads++;
  }
  return team;
}

EXPORTED int32_t directconv_team_threads(const Team *team) { return team->threads; }

EXPORTED void directconv_team_spins(Team *team, int64_t nanoseconds) { team->spin_nanoseconds = nanoseconds; }

/* End a team's threads, which nobody uses meanwhile. */
EXPORTED void directconv_team_end(Team *team) {
  team->stops = 1;
  start(team);
  while (!spun(team, &team->remaining, 0, 1)) {
    struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
  }
  /* The structure stays: a thread may still be leaving the lock. */
}

/* ---- workspace: the blocks that a thread was given last are kept for it */

static void *allocate(int device_type, int device_id, uint64_t bytes, int code, int bits) {
  void *made = NULL;
  int place = -1;
  (void)device_type, (void)device_id, (void)code, (void)bits;
  for (int i = 0; i < KEPT; i++) {
    if (kept.taken[i]) continue;
    if (kept.bytes[i] >= bytes && kept.memory[i]) {
      kept.taken[i] = 1;
      return kept.memory[i];
    }
    place = i;
  }
  if (posix_memalign(&made, ALIGNMENT, bytes ? bytes : 1)) return NULL;
  if (place >= 0) {
    free(kept.memory[place]);
    kept.memory[place] = made, kept.bytes[place] = bytes, kept.taken[place] = 1;
  }
  return made;
}

static int release(int device_type, int device_id, void *memory) {
  (void)device_type, (void)device_id;
  for (int i = 0; i < KEPT; i++) {
    if (kept.memory[i] == memory) {
      kept.taken[i] = 0;
      return 0;
    }
  }
  free(memory);
  return 0;
}

/* ---- errors: the first one's class and text are the team's; where TVM runs the kernels they are TVM's */

static pthread_mutex_t raising = PTHREAD_MUTEX_INITIALIZER;

HIDDEN void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t count) {
  if (!current) {
    void (*raise)(const char *, const char **, int32_t) =
        (void (*)(const char *, const char **, int32_t))dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStrParts");
    if (raise) raise(kind, parts, count);
    return;
  }
  pthread_mutex_lock(&raising);
  if (current->error && !*current->error) {
    size_t used = (size_t)snprintf(current->error, current->error_bytes, "%s\n", kind);
    for (int32_t i = 0; i < count && used < current->error_bytes; i++)
      if (parts[i]) used += (size_t)snprintf(current->error + used, current->error_bytes - used, "%s", parts[i]);
  }
  pthread_mutex_unlock(&raising);
}

HIDDEN void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

/* ---- runs */

/* Kernels that start no threads, or ask for no workspace, do not have these pointers. */
extern int (*__TVMBackendParallelLaunch)(Task, void *, int) __attribute__((weak));
extern void *(*__TVMBackendAllocWorkspace)(int, int, uint64_t, int, int) __attribute__((weak));
extern int (*__TVMBackendFreeWorkspace)(int, int, void *) __attribute__((weak));

EXPORTED void directconv_begin(void) {
  if (&__TVMBackendParallelLaunch) __TVMBackendParallelLaunch = launch;
  if (&__TVMBackendAllocWorkspace) __TVMBackendAllocWorkspace = allocate;
  if (&__TVMBackendFreeWorkspace) __TVMBackendFreeWorkspace = release;
}

/* Copy one tensor of bytes to another, by the convention of kernels. */
EXPORTED int directconv_copy(void *self, const Any *arguments, int32_t count, Any *result) {
  const DLTensor *source = (const DLTensor *)arguments[0].value.pointer, *copy = (const DLTensor *)arguments[1].value.pointer;
  (void)self, (void)count, (void)result;
  memcpy(copy->data, source->data, (size_t)source->shape[0]);
  return 0;
}

/* Call all kernels on tensors in these blocks of memory; return 0, or put the class and text of an error in error. */
EXPORTED int32_t directconv_run(const Calls *calls, void *const *blocks, Team *team, char *error, int64_t error_bytes) {
  for (int64_t i = 0; i < calls->tensor_count; i++)
    calls->tensors[i].data = (char *)blocks[calls->places[i].block] + calls->places[i].offset;
  *error = 0;
  team->error = error, team->error_bytes = (size_t)error_bytes;
  Team *before = current;
  current = team;
  int failed = 0;
  for (int64_t i = 0; i < calls->step_count && !failed; i++) {
    const Step *step = &calls->steps[i];
    Any result = {0, 0, {0}};
    failed = step->kernel(NULL, calls->arguments + step->first, (int32_t)step->count, &result);
  }
  current = before;
  team->error = NULL;
  return failed;
}

/* ---- weights for TVM, of libraries that have them inside */

#ifdef DIRECTCONV_WEIGHTS

typedef struct {
  int64_t offset, shape[MOST_DIMS];
  int32_t ndim, code, bits, lanes;
} Weight;

extern const char directconv_weights[];
extern const Weight directconv_weight_list[];
extern const int64_t directconv_weight_count;

static void keep(Managed *weight) { (void)weight; }

static void *tensors; /* TVM's array of the weights, made once */

static int made_array(void **array) {
  int (*to_tensor)(Managed *, int32_t, int32_t, void **) =
      (int (*)(Managed *, int32_t, int32_t, void **))dlsym(RTLD_DEFAULT, "TVMFFITensorFromDLPack");
  int (*get)(const Bytes *, void **) = (int (*)(const Bytes *, void **))dlsym(RTLD_DEFAULT, "TVMFFIFunctionGetGlobal");
  int (*call)(void *, Any *, int32_t, Any *) =
      (int (*)(void *, Any *, int32_t, Any *))dlsym(RTLD_DEFAULT, "TVMFFIFunctionCall");
  static const Bytes NAME = {"ffi.Array", 9};
  int64_t count = directconv_weight_count;
  void *function = NULL;
  if (!to_tensor || !get || !call || get(&NAME, &function)) return -1;
  Any *given = (Any *)calloc((size_t)count + 1, sizeof *given);
  Managed *managed = (Managed *)calloc((size_t)count + 1, sizeof *managed); /* which TVM keeps */
  Any result = {0, 0, {0}};
  int failed = !given || !managed;
  for (int64_t i = 0; i < count && !failed; i++) {
    const Weight *weight = &directconv_weight_list[i];
    DLTensor tensor = {(char *)directconv_weights + weight->offset, 1, 0, weight->ndim, (uint8_t)weight->code,
                       (uint8_t)weight->bits, (uint16_t)weight->lanes, (int64_t *)weight->shape, NULL, 0};
    managed[i].tensor = tensor;
    managed[i].deleter = keep;
    failed = to_tensor(&managed[i], 0, 1, &given[i].value.pointer);
    if (!failed) given[i].type = *(int32_t *)((char *)given[i].value.pointer + 8); /* TVMFFIObject.type_index */
  }
  if (!failed) failed = call(function, given, (int32_t)count, &result);
  free(given);
  *array = result.value.pointer;
  return failed ? -1 : 0;
}

/* What TVM's virtual machine calls as "get_params". */
EXPORTED int __tvm_ffi_get_params(void *self, const Any *arguments, int32_t count, Any *result) {
  int (*increase)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "TVMFFIObjectIncRef");
  (void)self, (void)arguments, (void)count;
  pthread_mutex_lock(&raising);
  int failed = !increase || (!tensors && made_array(&tensors)) || increase(tensors);
  pthread_mutex_unlock(&raising);
  if (failed) return -1;
  result->type = *(int32_t *)((char *)tensors + 8);
  result->padding = 0;
  result->value.pointer = tensors;
  return 0;
}
#endif

#ifdef __cplusplus
}
#endif
