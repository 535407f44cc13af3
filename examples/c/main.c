/* Runs an exported network: raw inputs from files, raw outputs to files.
 *
 *     tvm-directconv export-c squeezenet . --name network
 *     cc -O2 -pthread main.c network.o -lm -o network
 *     ./network image.bin result.bin
 *
 * The files are the network's inputs and then its outputs, in the header's order, as numpy's tofile writes them.
 * Options before them: -t THREADS, and -w network.weights, where the weights are beside the object.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "network.h"

#define MOST_THREADS 64

static void fail(const char *what, const char *name) {
  fprintf(stderr, "network: %s%s\n", what, name);
  exit(1);
}

/* Room for a tensor or the workspace, as the network wants it. */
static void *room(uint64_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, NETWORK_ALIGNMENT, bytes ? bytes : 1)) fail("out of memory", "");
  return memory;
}

static void *read_tensor(const char *path, uint64_t bytes) {
  void *tensor = room(bytes);
  FILE *file = fopen(path, "rb");
  if (!file || fread(tensor, 1, bytes, file) != bytes || fgetc(file) != EOF) fail("not the input's size: ", path);
  fclose(file);
  return tensor;
}

static void write_tensor(const char *path, const void *tensor, uint64_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(tensor, 1, bytes, file) != bytes || fclose(file)) fail("cannot write ", path);
}

/* The weights stay in the file, and the system reads of it what is used. */
static const void *map_weights(const char *path, uint64_t *bytes) {
  struct stat found;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &found)) fail("cannot read ", path);
  *bytes = (uint64_t)found.st_size;
  void *weights = mmap(NULL, found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (weights == MAP_FAILED) fail("cannot map ", path);
  return weights;
}

/* Threads of their own for every call: enough for an example. A program would keep them waiting. */
typedef struct {
  void (*task)(void *data, int32_t number);
  void *data;
  int32_t number;
} Work;

static void *work(void *given) {
  Work *mine = given;
  mine->task(mine->data, mine->number);
  return NULL;
}

static int32_t in_threads(void *context, void (*task)(void *, int32_t), void *data, int32_t count) {
  pthread_t threads[MOST_THREADS];
  Work works[MOST_THREADS];
  int32_t started = 0, failed = 0;
  (void)context;
  for (int32_t i = 1; i < count && !failed; i++) {
    works[i] = (Work){task, data, i};
    failed = pthread_create(&threads[i], NULL, work, &works[i]);
    started += !failed;
  }
  task(data, 0);
  for (int32_t i = 1; i <= started; i++) pthread_join(threads[i], NULL);
  return failed;
}

int main(int argc, char **argv) {
  const void *weights = NULL;
  uint64_t bytes = 0;
  int32_t threads = 1;
  for (int option; (option = getopt(argc, argv, "t:w:")) != -1;) {
    if (option == 't') threads = atoi(optarg);
    else if (option == 'w') weights = map_weights(optarg, &bytes);
    else return 2;
  }
  char **paths = argv + optind;
  if (argc - optind != NETWORK_INPUTS + NETWORK_OUTPUTS || threads < 1 || threads > MOST_THREADS)
    fail("usage: [-t THREADS] [-w WEIGHTS] INPUT... OUTPUT...", "");

  network_model model;
  int32_t refused = network_init(&model, weights, bytes);
  if (refused == NETWORK_WRONG_CPU) fail("this CPU lacks ", network_missing(0));
  if (refused) fail("these are not its weights", "");
  if (threads > 1) model.parallel = in_threads, model.threads = threads;

  const void *inputs[NETWORK_INPUTS + 1];
  void *outputs[NETWORK_OUTPUTS + 1];
  for (int i = 0; i < NETWORK_INPUTS; i++) inputs[i] = read_tensor(paths[i], network_input_bytes(i));
  for (int i = 0; i < NETWORK_OUTPUTS; i++) outputs[i] = room(network_output_bytes(i));
  int32_t status = network_run(&model, inputs, outputs, room(network_workspace_bytes(threads)));
  if (status) {
    fprintf(stderr, "network: run returned %d\n", (int)status);
    return 1;
  }
  for (int i = 0; i < NETWORK_OUTPUTS; i++)
    write_tensor(paths[NETWORK_INPUTS + i], outputs[i], network_output_bytes(i));
  return 0;
}
