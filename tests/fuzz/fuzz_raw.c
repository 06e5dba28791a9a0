/*
 * libFuzzer target: any bytes as a trace directory, read and converted. The input is cut into files by the corpus'
 * simple container (below), so that a mutation reaches logs, windows and process files alike.
 *
 *     container: { 'P' process-file | 'L' log | 'W' window } one byte, thread or slot number one byte, length 3 bytes
 * little endian, bytes
 *
 * Any input must convert, or be refused by the plan, within libFuzzer's limits of memory and time. What the archive
 * then says is not looked at here.
 */
#include "otf2-convert/convert.h"
#include "otf2-convert/describe.h"
#include "otf2-convert/say.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char trace[64];
static int trace_fd, process_fd;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  char path[128];
  snprintf(trace, sizeof trace, "%s/heddle-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (mkdtemp(trace) == NULL)
    abort();
  snprintf(path, sizeof path, "%s/raw", trace);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/raw/fuzz.1.1", trace);
  mkdir(path, 0700);
  trace_fd = open(trace, O_RDONLY | O_DIRECTORY);
  process_fd = open(path, O_RDONLY | O_DIRECTORY);
  say_quiet(true);
  return 0;
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
  int fd = openat(process_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
    abort();
  close(fd);
}

/* Unpacks the container; *names gets what was written. */
static unsigned unpack(const uint8_t *data, size_t size, char names[][40], unsigned most)
{
  unsigned count = 0;
  while (size >= 5 && count < most) {
    size_t length = data[2] | (size_t)data[3] << 8 | (size_t)data[4] << 16;
    length = length > size - 5 ? size - 5 : length;
    if (data[0] == 'P')
      strcpy(names[count], "process");
    else if (data[0] == 'L')
      snprintf(names[count], sizeof names[0], "thread-%u.log", data[1]);
    else
      snprintf(names[count], sizeof names[0], "slot-%u.window", data[1]);
    write_file(names[count++], data + 5, length);
    data += 5 + length;
    size -= 5 + length;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char names[16][40];
  unsigned count = unpack(data, size, names, 16);
  struct plan plan;
  if (plan_open(&plan, trace_fd, trace, PLAN_LIVE_CONVERT) == 0) {
    static struct definitions definitions;
    struct archive archive;
    struct converted converted = {0};
    const struct convert_settings settings = {.jobs = 1, .slice_bytes = 4096};
    definitions_begin(&definitions, &plan);
    int error = archive_open(&archive, trace, trace_fd, plan.location_count);
    if (error == 0)
      error = convert_events(&converted, &plan, &archive, &definitions, &settings);
    if (error == 0)
      error = describe_archive(&plan, &converted, &definitions, &archive, trace_fd);
    if (error == 0)
      error = archive_finish(&archive);
    if (error != 0) /* whatever the bytes are, only the machine can make this fail */
      abort();
    converted_free(&converted);
    definitions_free(&definitions);
  }
  plan_close(&plan);
  while (count > 0)
    unlinkat(process_fd, names[--count], 0);
  return 0;
}
