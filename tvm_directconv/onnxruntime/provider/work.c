/* Options, the cache and the worker that fills it. */
#include "work.h"

#include <errno.h>
#include <spawn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { MOST_SAID = 1500, MOST_THREADS = 1024, WORD_DIGITS = 16 };
static const char *const COMPILER_NAMES[COMPILER_OPTIONS] = {"precision", "accuracy", "target", "open_sizes"};

static Status *entry(const SessionOptions *session, const char *key, char *value) {
  int there = 0;
  size_t size = OPTION_BYTES;
  TRY(host.HasSessionConfigEntry(session, key, &there));
  return there ? host.GetSessionConfigEntry(session, key, value, &size) : NULL;
}

static Status *option(const SessionOptions *session, const char *name, const char *variable, const char *otherwise,
                      char *value) {
  char key[OPTION_BYTES];
  const char *set = variable ? getenv(variable) : NULL;
  snprintf(value, OPTION_BYTES, "%s", set && *set ? set : otherwise);
  snprintf(key, sizeof key, "ep.directconv.%s", name);
  return entry(session, key, value);
}

static Status *flag(const SessionOptions *session, const char *key, bool *value) {
  char text[OPTION_BYTES] = "0";
  TRY(entry(session, key, text));
  if (strcmp(text, "0") && strcmp(text, "1")) return failed("%s must be 0 or 1, not '%s'", key, text);
  *value = *text == '1';
  return NULL;
}

Status *read_options(const SessionOptions *session, Options *options) {
  char threads[OPTION_BYTES], *end;
  TRY(option(session, "python", "TVM_DIRECTCONV_PYTHON", DIRECTCONV_PYTHON, options->python));
  TRY(option(session, "cache", "TVM_DIRECTCONV_CACHE_DIR", DIRECTCONV_CACHE, options->cache));
  TRY(option(session, "report", NULL, "", options->report));
  TRY(option(session, "threads", NULL, "1", threads));
  for (int i = 0; i < COMPILER_OPTIONS; i++) {
    char value[OPTION_BYTES];
    TRY(option(session, COMPILER_NAMES[i], NULL, "", value));
    if (*value) snprintf(options->compiler[i], OPTION_BYTES, "%s=%.900s", COMPILER_NAMES[i], value);
  }
  long count = strtol(threads, &end, 10);
  if (*end || count < 1 || count > MOST_THREADS)
    return failed("ep.directconv.threads must be a number from 1 to %d, not '%s'", MOST_THREADS, threads);
  options->threads = (int)count;
  TRY(flag(session, "ep.directconv.strict", &options->strict));
  TRY(entry(session, "ep.context_file_path", options->context_path));
  TRY(flag(session, "ep.context_embed_mode", &options->embed));
  return flag(session, "ep.context_enable", &options->context);
}

/* Add what Linux says of the CPU, for which code is compiled: machines may share a cache's folder. */
static void mix_cpu(uint64_t *digest) {
  static const char *const NAMES[] = {"vendor_id", "model name", "flags", "Features", "CPU part", "cpu\t"};
  char line[16384];
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) return;
  while (fgets(line, sizeof line, file) && *line != '\n')
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
      if (!strncmp(line, NAMES[i], strlen(NAMES[i]))) mix(digest, line, strlen(line));
  fclose(file);
}

/* Make the key of a graph's entry: a digest of all that what is compiled depends on. */
static Status *key_of(const Options *options, const Graph *graph, char *key) {
  uint64_t digest[LANES] = {1, 2, 3, 4};
  Buffer rest = {.digest = digest};
  Status *status = write_model(graph, &rest);
  mix(digest, rest.bytes, rest.size);
  mix(digest, options->compiler, sizeof options->compiler);
  mix(digest, DIRECTCONV_VERSION, strlen(DIRECTCONV_VERSION));
  mix_cpu(digest);
  free(rest.bytes);
  for (int i = 0; i < LANES; i++) {
    uint64_t word = 0;
    for (int lane = 0; lane < LANES; lane++) word = (word ^ digest[lane ^ i]) * 0x9e3779b97f4a7c15u, word ^= word >> 31;
    snprintf(key + i * WORD_DIGITS, WORD_DIGITS + 1, "%016llx", (unsigned long long)word);
  }
  return status;
}

/* Code of the cache is run: it is read where nobody but this user and root writes. */
static bool is_trusted(const char *path) {
  struct stat found;
  return !stat(path, &found) && (found.st_uid == geteuid() || !found.st_uid) && !(found.st_mode & (S_IWGRP | S_IWOTH));
}

static Status *write_all(const char *path, int file, const char *bytes, size_t size) {
  for (ssize_t now; size; bytes += now, size -= (size_t)now)
    if ((now = write(file, bytes, size)) <= 0) return failed("cannot write '%s': %s", path, strerror(errno));
  return NULL;
}

static Status *run_worker(const Options *options, const char *model, const char *folder, const char *log) {
  const char *arguments[6 + COMPILER_OPTIONS] = {options->python, "-m", "tvm_directconv.onnxruntime.provider.worker", model,
                                                 folder};
  posix_spawn_file_actions_t actions;
  pid_t process;
  int state = 0, count = 5;
  for (int i = 0; i < COMPILER_OPTIONS; i++)
    if (*options->compiler[i]) arguments[count++] = options->compiler[i];
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  int error = posix_spawnp(&process, options->python, &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return failed("cannot start the compiler '%s': %s; the option python names an interpreter that has tvm-directconv",
                  options->python, strerror(error));
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(state) && !WEXITSTATUS(state)) return NULL;
  char said[MOST_SAID + 1] = "";
  FILE *file = fopen(log, "rb");
  if (file) {
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > MOST_SAID ? size - MOST_SAID : 0, SEEK_SET);
    said[fread(said, 1, MOST_SAID, file)] = 0;
    fclose(file);
  }
  return failed("the compiler '%s' failed with state %d and said: %s", options->python, state, said);
}

Status *find_or_compile(const Options *options, const Graph *graph, char *folder) {
  char path[PATH_BYTES], log[PATH_BYTES + 16], key[LANES * WORD_DIGITS + 1];
  const char *temporary = getenv("TMPDIR");
  TRY(key_of(options, graph, key));
  snprintf(folder, PATH_BYTES, "%s/onnxruntime/%s", options->cache, key);
  if (!access(folder, F_OK)) {
    if (!is_trusted(folder)) return failed("'%s' can be written by others, and code is not loaded from it", folder);
    snprintf(log, sizeof log, "%s/entry.json", folder);
    utimensat(AT_FDCWD, log, NULL, 0); /* the least recently used go first (cache.py) */
    return NULL;
  }
  snprintf(path, sizeof path, "%s/directconv-XXXXXX", temporary ? temporary : "/tmp");
  int file = mkstemp(path);
  if (file < 0) return failed("cannot write '%s': %s", path, strerror(errno));
  snprintf(log, sizeof log, "%s.log", path);
  Buffer model = {0};
  Status *status = write_model(graph, &model);
  if (!status) status = write_all(path, file, (char *)model.bytes, model.size);
  close(file), free(model.bytes);
  if (!status) status = run_worker(options, path, folder, log);
  unlink(path), unlink(log);
  if (!status && access(folder, F_OK)) status = failed("the compiler '%s' made nothing", options->python);
  return status;
}
