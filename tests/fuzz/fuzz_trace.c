#include "tests/fuzz/fuzz_trace.h"

#include "common/raw/raw_calls.h"
#include "otf2-convert/convert.h"
#include "otf2-convert/describe/describe.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX     32u
#define PROCESSES_MAX 4u
#define WINDOW_SIZE   4096

static char path[64];
static int trace_fd, raw_fd;

/* Memory that was freed is kept back for a while, to find uses of it; little of that is enough for small inputs. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=8";
}

/* Removes the files in a directory; other directories stay. */
static void remove_files(int directory)
{
  DIR *list = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY));
  struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL)
    if (entry->d_type != DT_DIR)
      unlinkat(directory, entry->d_name, 0);
  if (list != NULL)
    closedir(list);
}

/* At the program's end. The real library has left its directories of events. */
static void remove_all(void)
{
  static const char *const names[] = {"traces", "samples"};
  for (unsigned i = 0; i < 2; i++) {
    int events = openat(trace_fd, names[i], O_RDONLY | O_DIRECTORY);
    if (events >= 0)
      remove_files(events);
    unlinkat(trace_fd, names[i], AT_REMOVEDIR);
  }
  fuzz_trace_clear();
  unlinkat(trace_fd, "raw", AT_REMOVEDIR);
  rmdir(path);
}

void fuzz_trace_begin(void)
{
  snprintf(path, sizeof path, "%s/heddle-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (mkdtemp(path) == NULL || (trace_fd = open(path, O_RDONLY | O_DIRECTORY)) < 0 ||
      mkdirat(trace_fd, "raw", 0700) != 0 || (raw_fd = openat(trace_fd, "raw", O_RDONLY | O_DIRECTORY)) < 0) {
    perror(path);
    abort();
  }
  atexit(remove_all);
}

const char *fuzz_trace_path(void)
{
  return path;
}

static void directory_name(unsigned number, char name[16])
{
  snprintf(name, 16, "fuzz.%u.1", number % PROCESSES_MAX);
}

int fuzz_trace_process(unsigned number)
{
  char name[16];
  directory_name(number, name);
  return openat(raw_fd, name, O_RDONLY | O_DIRECTORY);
}

static int make_process(unsigned number)
{
  char name[16];
  directory_name(number, name);
  mkdirat(raw_fd, name, 0700);
  int fd = fuzz_trace_process(number);
  if (fd < 0)
    abort();
  return fd;
}

static void write_file(int directory, const char *name, const uint8_t *bytes, size_t size)
{
  int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
    abort();
  close(fd);
}

/* Adds to a file of chunks or windows. place: where, in windows; -1: behind what is there, and not at 0. */
static void write_place(int directory, const char *name, int place, const uint8_t *bytes, size_t size)
{
  struct stat status;
  int fd = openat(directory, name, O_WRONLY | O_CREAT, 0600);
  if (fd < 0 || fstat(fd, &status) != 0)
    abort();
  off_t end = (status.st_size + WINDOW_SIZE - 1) / WINDOW_SIZE * WINDOW_SIZE;
  off_t at = place >= 0 ? (off_t)place * WINDOW_SIZE : end > 0 ? end : WINDOW_SIZE;
  if (pwrite(fd, bytes, size, at) != (ssize_t)size)
    abort();
  close(fd);
}

static void write_packed(int process, uint8_t kind, unsigned number, const uint8_t *bytes, size_t size)
{
  char name[40];
  switch (kind) {
  case 'P':
    write_file(process, "process", bytes, size);
    break;
  case 'T':
    write_file(number == 0 ? process : trace_fd, "topology.xml", bytes, size);
    break;
  case 'L':
    snprintf(name, sizeof name, "chunks-%u.log", number);
    write_place(process, name, -1, bytes, size);
    break;
  case 'J':
    write_file(process, number == 0 ? RAW_JVM_LOG_FILE : RAW_JVM_LOG_FILE ".0", bytes, size);
    break;
  default:
    write_place(process, "windows", (int)number, bytes, size);
    break;
  }
}

void fuzz_trace_unpack(const uint8_t *data, size_t size)
{
  int process = make_process(1);
  for (unsigned files = 0; size >= 5 && files < FILES_MAX; files++) {
    size_t length = data[2] | (size_t)data[3] << 8 | (size_t)data[4] << 16;
    length = length > size - 5 ? size - 5 : length;
    if (data[0] == 'D') {
      close(process);
      process = make_process(data[1]);
    } else {
      write_packed(process, data[0], data[1], data + 5, length);
    }
    data += 5 + length;
    size -= 5 + length;
  }
  close(process);
}

/* Whatever the bytes are, only the machine can make this fail. */
static void require(int error)
{
  if (error == 0)
    return;
  fprintf(stderr, "conversion: %s\n", strerror(error));
  abort();
}

static void convert_calls(const struct plan *plan, struct converted *converted, struct definitions *definitions,
                          const uint8_t *calls, size_t size)
{
  int process = fuzz_trace_process(1);
  struct calls_span span = {converted->first_time, converted->last_time};
  struct archive *beside = converted->calls.beside; /* has left its directory; the next input removes this one */
  snprintf(beside->path, sizeof beside->path, "%s/calls-archive", path);
  mkdir(beside->path, 0700);
  write_file(process, RAW_CALLS_FILE, calls, size);
  close(process);
  require(calls_archive_convert(&converted->calls, plan, converted->locations, converted->location_count, &span));
  converted->last_time = span.last;
  require(describe_calls(plan, converted, definitions, trace_fd));
}

static void convert(const uint8_t *calls, size_t size)
{
  static struct definitions definitions;
  static struct archive archive;
  struct plan plan;
  if (plan_open(&plan, trace_fd, path, PLAN_LIVE_CONVERT, &(struct error){0}) == PLAN_READY) {
    struct converted converted = {0};
    const struct convert_settings settings = {.jobs = 1, .slice_bytes = 1024, .trace_fd = -1};
    definitions_begin(&definitions, &plan);
    require(archive_open(&archive, path, trace_fd, plan.location_count));
    require(convert_events(&converted, &plan, &archive, &definitions, &settings));
    require(describe_archive(&plan, &converted, &definitions, &archive, trace_fd));
    require(describe_samples(&plan, &converted, &definitions, trace_fd));
    require(archive_finish(&archive));
    if (calls != NULL)
      convert_calls(&plan, &converted, &definitions, calls, size);
    converted_free(&converted);
    definitions_free(&definitions);
  }
  plan_close(&plan);
}

void fuzz_trace_convert(void)
{
  convert(NULL, 0);
}

void fuzz_trace_convert_calls(const uint8_t *calls, size_t size)
{
  convert(calls, size);
}

void fuzz_trace_clear(void)
{
  for (unsigned i = 0; i < PROCESSES_MAX; i++) {
    char name[16];
    int process = fuzz_trace_process(i);
    if (process < 0)
      continue;
    directory_name(i, name);
    remove_files(process);
    close(process);
    unlinkat(raw_fd, name, AT_REMOVEDIR);
  }
  remove_files(trace_fd);
}
