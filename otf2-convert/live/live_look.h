/*
 * Look at a process while it records: the words of each thread's profile rows (common/raw/raw_trace.h, "Profiles"), and
 * its samples of Java code. The process is neither stopped nor notified. Each word is consistent. The words of a row
 * may differ by one execution, and the rows of a thread by the duration of the look.
 *
 * Files may be hostile and may change meanwhile; impossible values are ignored. One thread at a time. If the process
 * truncates its file of windows, the caller gets SIGBUS.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_LOOK_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_LOOK_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/raw_reader.h"
#include "otf2-convert/plan/java_names.h"

/* Samples of Java code come from the file `samples` of the process (common/raw/live_control.h). */
#define LIVE_WITHOUT_ROOM "[without room]" /* function of samples that found no place in the file */

/* Samples of a thread in a function (self), and in it or its callees (total). */
struct live_function {
  uint32_t thread, function; /* the latter: a number of `functions` */
  uint64_t self, total;
};

struct live_samples;

/* All zero at the begin. */
struct live_sampled_functions {
  struct live_samples *file;        /* as of the last reading; NULL: there is none */
  struct string_table functions;    /* names */
  VECTOR(uint32_t) places;          /* a place in each function (java_names.h); 0: unknown */
  struct hash of_place;             /* place -> function */
  VECTOR(struct live_function) all; /* by thread, then by function */
  struct hash index;                /* thread << 32 | function -> index in `all` while it is made */
  VECTOR(uint32_t) seen;            /* by function: the last call with it */
  VECTOR(bool) waits;               /* by thread: it has samples in calls that the process has not reported yet */
};

/* Reads the file in a process directory; without one there are no samples. False: out of memory. */
bool live_samples_take(struct live_sampled_functions *samples, int directory);
/* Makes `all` from the file. over: the process reports no further calls. False: out of memory. */
bool live_samples_sum(struct live_sampled_functions *samples, const struct java_calls *calls,
                      const struct java_names *names, bool over);
/* Returns the functions of a thread, *count of them. Valid until the next call above. */
const struct live_function *live_samples_of(const struct live_sampled_functions *samples, uint32_t thread,
                                            size_t *count);
/* True if a thread has further samples, in calls that the process has not reported yet. */
bool live_samples_wait(const struct live_sampled_functions *samples, uint32_t thread);
void live_samples_free(struct live_sampled_functions *samples);

#define LIVE_ROW_WORDS    50u
#define LIVE_METRIC_WORDS 12u

struct live_row {
  uint64_t words[LIVE_ROW_WORDS]; /* as in the record RAW_PROFILE_ROW or RAW_PROFILE_TEAM_ROW */
};

struct live_metric {
  uint64_t words[LIVE_METRIC_WORDS]; /* as in the record RAW_PROFILE_METRIC */
  size_t around;                     /* number of its row; SIZE_MAX: none */
};

/* Facts on a thread, from its records. */
struct live_is {
  bool is_java;
  unsigned type, java_flags;     /* ompt_thread_t, enum raw_java_thread */
  uint64_t tid, java_id;         /* 0: unknown */
  uint64_t begun;                /* ticks; of the thread's first record */
  uint64_t start;                /* code of its start function; 0: unknown */
  char system[17], *user, *java; /* names (thread_name.h); NULL: none */
};

struct live_thread {
  uint32_t number;
  bool known; /* a complete look at it was made */
  bool over;  /* its rows no longer change */
  struct {
    bool over;
    uint32_t as;
  } told; /* the caller's; zero at the begin */
  struct live_is is;
  uint32_t first_index;         /* number in its first team; UINT32_MAX: none */
  uint64_t first, last;         /* ticks: begin of the profile, and end of the time in its rows */
  uint64_t seen;                /* ticks: it was in the row `inside` until then, unless its rows have more time */
  size_t inside;                /* its current row */
  VECTOR(struct live_row) rows; /* of constructs */
  VECTOR(struct live_metric) metrics;
  uint64_t allocated; /* bytes, while observers needed it (common/raw/live_control.h); 0: unknown */
};

struct live_look {
  VECTOR(struct live_thread) threads; /* by number; ended ones stay */
  struct {
    int fd; /* the file `windows`; -1: not open */
    const char *bytes;
    uint64_t size;
  } windows;
  struct live_sampled_functions samples;
  VECTOR(size_t) numbers; /* places of a chunk's rows in a thread's `rows`; SIZE_MAX for a metric */
  uint64_t *buffer;       /* of a chunk in a log */
  size_t buffer_bytes;
};

void live_look_begin(struct live_look *look);
/* Reads the process directory `name` in the directory `at`. False: it cannot be read; errno says why. */
bool live_look_take(struct live_look *look, int at, const char *name);
void live_look_end(struct live_look *look);

#endif
