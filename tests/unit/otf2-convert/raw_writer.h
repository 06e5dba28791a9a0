/*
 * Composes raw traces for tests, benchmarks and fuzzing, as a recorder would leave them, or as none ever would.
 * Failures end the program.
 */
#ifndef HEDDLE_TESTS_RAW_WRITER_H
#define HEDDLE_TESTS_RAW_WRITER_H

#include "common/raw/raw_trace.h"

#include <stddef.h>
#include <stdint.h>

/* A process directory under `trace`/raw; its process file has `text` after the line with the version, or is missing
 * (NULL). Returns its path, to be freed. */
char *raw_write_process(const char *trace, const char *name, const char *text);

/* A process file that is good enough: ticks are ns of CLOCK_MONOTONIC and also of CLOCK_REALTIME. */
#define RAW_PLAIN_PROCESS                                                                                              \
  "host: testhost\npid: 1\nstart: 1\nexe: /bin/test\narg: test\nclock: monotonic\nanchor: 0 0 0\nended: 1000000 "      \
  "exit\n"

struct raw_thread {
  char *directory;
  uint32_t thread, sequence, window_size, ring_slots;
  uint64_t anchor;       /* the next chunk's, in ticks */
  uint64_t anchor_ns;    /* of the next chunk; 0: as many as ticks */
  uint64_t not_measured; /* the next chunk's, as in raw_trace.h ... */
  uint32_t lost_after;   /* ... and this */
  uint64_t log_end;
  uint64_t used; /* words of the unfinished chunk */
  uint64_t words[];
};

/* Begins a thread's log. Freed by raw_thread_close, which writes the last chunk if it has records. */
struct raw_thread *raw_thread_open(const char *directory, uint32_t thread, uint32_t window_size, uint32_t ring_slots);
void raw_thread_close(struct raw_thread *thread);

/* Adds a record; extra words as raw_trace.h has them for the kind. */
void raw_put(struct raw_thread *thread, unsigned kind, unsigned detail, uint64_t value, uint64_t time, size_t extra,
             const uint64_t *words);
#define RAW0(t, kind, detail, value, time)       raw_put(t, kind, detail, value, time, 0, NULL)
#define RAW1(t, kind, detail, value, time, word) raw_put(t, kind, detail, value, time, 1, (uint64_t[]){word})

/* Writes the unfinished chunk to the log; skips its number instead; or leaves it in a window as a killed process does.
 */
void raw_thread_flush(struct raw_thread *thread);
void raw_thread_lose(struct raw_thread *thread);
void raw_thread_leave(struct raw_thread *thread, unsigned slot);

#endif
