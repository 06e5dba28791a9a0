/*
 * libFuzzer target: any bytes as the logs and windows of a process that goes on (packed as fuzz_trace.h says), looked
 * at (otf2-convert/live/live_look.h). What a look finds is no more than there are bytes, and a second look finds the
 * same.
 */
#include "otf2-convert/live/live_look.h"
#include "tests/fuzz/fuzz_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_look: %s\n", what);
  abort();
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_trace_begin();
  return 0;
}

/* The number of rows. */
static size_t check(const struct live_look *look, size_t size)
{
  size_t rows = 0;
  for (size_t i = 0; i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    require(i == 0 || thread->number > look->threads.items[i - 1].number, "a thread is there twice");
    require(thread->known || thread->rows.count == 0, "rows without a look");
    for (size_t k = 0; k < thread->rows.count; k++) {
      unsigned kind = raw_kind_of(thread->rows.items[k].words[0]);
      require(kind == RAW_PROFILE_ROW || kind == RAW_PROFILE_TEAM_ROW, "a row is none");
    }
    for (size_t k = 0; k < thread->metrics.count; k++) {
      size_t around = thread->metrics.items[k].around;
      require(around == SIZE_MAX || around < thread->rows.count, "a metric is in a row that is none");
    }
    rows += thread->rows.count + thread->metrics.count;
  }
  require(rows <= size / (LIVE_METRIC_WORDS * 8), "there are more rows than bytes");
  return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_trace_unpack(data, size);
  int process = fuzz_trace_process(1);
  struct live_look look;
  live_look_begin(&look);
  require(live_look_take(&look, process, "."), "the directory cannot be read");
  size_t threads = look.threads.count, rows = check(&look, size);
  require(live_look_take(&look, process, "."), "the directory cannot be read again");
  require(check(&look, size) == rows && look.threads.count == threads, "a second look finds something else");
  live_look_end(&look);
  close(process);
  fuzz_trace_clear();
  return 0;
}
