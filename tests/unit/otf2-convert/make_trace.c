/*
 * Writes a large raw trace, for measuring the converter: make_trace DIRECTORY THREADS EVENTS. What the threads do is a
 * mix of regions with loops, chunks, critical sections, tasks and barriers, as a recorder would have seen it. EVENTS
 * counts raw records of all threads.
 */
#include "tests/unit/otf2-convert/raw_writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { BARRIER_PARALLEL = 9, BARRIER_FOR = 8, LOOP_DYNAMIC = 11, MUTEX_CRITICAL = 5, CHUNKS = 16 };

static const char process[] = "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\nclock: monotonic\nanchor: 0 0 0\n"
                              "ended: 99999999999999 exit\n";

/* One region as a member sees it: 50 records. Returns the time after it. */
static uint64_t member(struct raw_thread *t, uint32_t index, uint32_t size, uint64_t id, uint64_t time, uint64_t *task)
{
  RAW1(t, RAW_IMPLICIT_BEGIN, 2, id, time += 3, (uint64_t)index << 32 | size);
  RAW1(t, RAW_WORK_BEGIN, LOOP_DYNAMIC, 0x401000, time += 3, 1024);
  for (uint64_t i = 0; i < CHUNKS; i++)
    RAW0(t, RAW_CHUNK, 3, i * 64 << 16 | 64, time += 20);
  RAW0(t, RAW_WORK_END, LOOP_DYNAMIC, 0, time += 3);
  RAW0(t, RAW_SYNC_BEGIN, BARRIER_FOR, 0x401010, time += 3);
  RAW0(t, RAW_WAIT_BEGIN, BARRIER_FOR, 0, time += 3);
  RAW0(t, RAW_WAIT_END, BARRIER_FOR, 0, time += 3);
  RAW0(t, RAW_SYNC_END, BARRIER_FOR, 0, time += 3);
  for (int i = 0; i < 4; i++) {
    RAW1(t, RAW_MUTEX_ACQUIRE, MUTEX_CRITICAL, 77, time += 3, 0x401020);
    RAW0(t, RAW_MUTEX_ACQUIRED, MUTEX_CRITICAL, 77, time += 3);
    RAW0(t, RAW_MUTEX_RELEASED, MUTEX_CRITICAL, 77, time += 3);
  }
  for (int i = 0; i < 3; i++) {
    RAW1(t, RAW_TASK_CREATE, RAW_TASK_EXPLICIT, 0x401030, time += 3, ++*task);
    RAW0(t, RAW_TASK_SWITCH, 7, *task, time += 3);
    RAW0(t, RAW_TASK_SWITCH, 1, RAW_ID_IMPLICIT, time += 3);
  }
  RAW0(t, RAW_SYNC_BEGIN, BARRIER_PARALLEL, 0, time += 3);
  RAW0(t, RAW_WAIT_BEGIN, BARRIER_PARALLEL, 0, time += 3);
  return time;
}

static void member_end(struct raw_thread *t, uint64_t time)
{
  RAW0(t, RAW_WAIT_END, BARRIER_PARALLEL, 0, time + 1);
  RAW0(t, RAW_SYNC_END, BARRIER_PARALLEL, 0, time + 2);
  RAW0(t, RAW_IMPLICIT_END, 2, 0, time + 3);
}

int main(int count, char **arguments)
{
  if (count != 4)
    return fprintf(stderr, "Usage: make_trace DIRECTORY THREADS EVENTS\n"), 2;
  uint32_t threads = (uint32_t)strtoul(arguments[2], NULL, 10);
  uint64_t events = strtoull(arguments[3], NULL, 10), time = 1000, written = 0;
  char *directory = raw_write_process(arguments[1], "testhost.1.1", process);
  struct raw_thread **t = calloc(threads, sizeof *t);
  uint64_t *task = calloc(threads, sizeof *task);
  for (uint32_t i = 0; i < threads; i++) {
    t[i] = raw_thread_open(directory, i, 131072, 0);
    RAW0(t[i], RAW_THREAD_BEGIN, i == 0 ? 1 : 2, 100 + i, time);
    RAW0(t[i], RAW_ID_BLOCK_TAKEN, 0, i + 1, time);
    task[i] = (uint64_t)(i + 1) << RAW_ID_BLOCK_SHIFT;
  }
  RAW1(t[0], RAW_IMPLICIT_BEGIN, 1, 0, time, 1ull << 32 | 1);
  while (written < events) {
    uint64_t id = ++task[0], end = time;
    RAW1(t[0], RAW_PARALLEL_BEGIN, 2, 0x401040, time += 10, (uint64_t)threads << 48 | id);
    for (uint32_t i = 0; i < threads; i++) {
      uint64_t done = member(t[i], i, threads, id, time + i * 5, &task[i]);
      end = done > end ? done : end;
    }
    for (uint32_t i = 0; i < threads; i++)
      member_end(t[i], i == 0 ? end : end + 60);
    RAW0(t[0], RAW_PARALLEL_END, 2, id, time = end + 10);
    written += threads * 47 + 2;
    time += 100;
  }
  for (uint32_t i = 0; i < threads; i++) {
    RAW0(t[i], RAW_THREAD_END, 0, 0, time + 100);
    raw_thread_close(t[i]);
  }
  free(t);
  free(task);
  free(directory);
  return 0;
}
