/*
 * A look at the profiles of a process while it records (common/raw/raw_trace.h, "Profiles"): the words of each thread's
 * rows as they are now. The process is not stopped and does not notice. Each word is whole; a row's words may be one
 * execution apart, and a thread's rows are as apart as the look takes.
 *
 * Files may say anything, and may change meanwhile: what cannot be true is left out. One thread at a time. A process
 * that cuts its own file of windows ends the caller by SIGBUS.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_LOOK_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_LOOK_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/raw_reader.h"
#include "otf2-convert/plan/java_names.h"

/*
 * Samples of Java code by thread and function, out of the file `samples` of a running process
 * (common/raw/live_control.h), which may say anything. One thread at a time.
 */

#define LIVE_WITHOUT_ROOM "[without room]" /* the function of samples that have no place in the file */

/* Samples of a thread in a function, and in it or in what it called. */
struct live_function {
  uint32_t thread, function; /* the latter: a number of `functions` */
  uint64_t self, total;
};

struct live_samples;

/* All zero at the begin. */
struct live_sampled_functions {
  struct live_samples *file;        /* as it was read last; NULL: there is none */
  struct string_table functions;    /* names */
  VECTOR(uint32_t) places;          /* a place in each of them (java_names.h); 0: none is known */
  struct hash of_place;             /* place -> function */
  VECTOR(struct live_function) all; /* by thread, then by function */
  struct hash index;                /* thread << 32 | function -> index of `all` while it is made */
  VECTOR(uint32_t) seen;            /* by function: the last call that it was found in */
  VECTOR(bool) waits;               /* by thread: it has samples in calls that the process has not told yet */
};

/* Reads the file in a process directory; without one there are no samples. False: memory is short. */
bool live_samples_take(struct live_sampled_functions *samples, int directory);
/* Makes `all` of what was read. over: the process tells no further calls. False: memory is short. */
bool live_samples_sum(struct live_sampled_functions *samples, const struct java_calls *calls,
                      const struct java_names *names, bool over);
/* Those of a thread: *count. Valid until the next call above. */
const struct live_function *live_samples_of(const struct live_sampled_functions *samples, uint32_t thread,
                                            size_t *count);
/* Whether it has others, in calls that the process has not told yet. */
bool live_samples_wait(const struct live_sampled_functions *samples, uint32_t thread);
void live_samples_free(struct live_sampled_functions *samples);

#define LIVE_ROW_WORDS    50u
#define LIVE_METRIC_WORDS 12u

struct live_row {
  uint64_t words[LIVE_ROW_WORDS]; /* as in the record RAW_PROFILE_ROW or RAW_PROFILE_TEAM_ROW */
};

struct live_metric {
  uint64_t words[LIVE_METRIC_WORDS]; /* as in the record RAW_PROFILE_METRIC */
  size_t around;                     /* number of the row that it is in; SIZE_MAX: none */
};

/* What a thread's records say it is. */
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
  bool known; /* there was a whole look at it */
  bool over;  /* its rows do not change any more */
  struct {
    bool over;
    uint32_t as;
  } told; /* the caller's; zero at the begin */
  struct live_is is;
  uint32_t first_index;         /* number in its first team; UINT32_MAX: none */
  uint64_t first, last;         /* ticks: the begin of the profile, and up to when its rows have the time */
  uint64_t seen;                /* ticks: it was in the row `inside` until then, unless its rows have more time */
  size_t inside;                /* the row that it is in now */
  VECTOR(struct live_row) rows; /* of constructs */
  VECTOR(struct live_metric) metrics;
  uint64_t allocated; /* bytes, while observers needed it (common/raw/live_control.h); 0: unknown */
};

struct live_look {
  VECTOR(struct live_thread) threads; /* by number; those that were over before stay */
  struct {
    int fd; /* the file `windows`; -1: not open */
    const char *bytes;
    uint64_t size;
  } windows;
  struct live_sampled_functions samples;
  VECTOR(size_t) numbers; /* of the rows of a chunk, in a thread's `rows`; of a metric SIZE_MAX */
  uint64_t *buffer;       /* of a chunk in a log */
  size_t buffer_bytes;
};

void live_look_begin(struct live_look *look);
/* Looks at the process directory `name` in the directory `at`. False: it cannot be read, errno says why. */
bool live_look_take(struct live_look *look, int at, const char *name);
void live_look_end(struct live_look *look);

#endif
