/* Private to awaited/: the time of the processors that is not used, shared out among waits. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_JAVA_SHARES_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_JAVA_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AWAITED_WINDOWS 512 /* of the analyzed part */

/* Ticks of all threads in each window. */
struct window_sums {
  double ticks[AWAITED_WINDOWS];
};

/* Where the analyzed part begins, and how long it is. */
struct window_span {
  uint64_t begin, length; /* ticks; length 0: unknown */
};

/* The waits of one place. */
struct wait_share {
  bool join; /* they are for the end of a thread */
  struct window_sums waits;
  double won; /* the result */
};

/* Adds a stretch of time, `times` times. */
void window_sums_add(struct window_sums *sums, const struct window_span *span, uint64_t begin, uint64_t end,
                     double times);

struct windows_used {
  struct window_sums worked;  /* RUN, and READY: the program could not do more about these */
  struct window_sums stopped; /* GC */
  struct window_sums locked;  /* waits for locks */
};

/* Fills in `won` of all shares. processors: that the program may use; 0: unknown. */
void shares_find(const struct window_span *span, const struct windows_used *used, uint64_t processors,
                 struct wait_share *const *shares, size_t count);

#endif
