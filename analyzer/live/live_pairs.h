/* `heddle live --pair`: pairs of a metric and a focus, which are measured while the command runs, and printed alone. */
#ifndef HEDDLE_ANALYZER_LIVE_LIVE_PAIRS_H
#define HEDDLE_ANALYZER_LIVE_LIVE_PAIRS_H

#include "analyzer/command/shared_options.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/metric_request.h"

#define LIVE_PAIRS 64u

struct live_pairs {
  struct live_asked asked[LIVE_PAIRS];
  struct live_amount values[LIVE_PAIRS]; /* of the last reading */
  struct live_amount sums[LIVE_PAIRS];   /* since they were inserted */
  size_t count;
  struct print *csv; /* of all readings; NULL: not begun */
  uint64_t shown;    /* readings that were printed already */
};

void live_pairs_free(struct live_pairs *pairs);

/* True if a pair needs readings with sums by number in a team: live_keep_apart(). */
bool live_pairs_by_member(const struct live_pairs *pairs);

/* The groups to measure for all pairs: LIVE_NEED_... */
uint32_t live_pairs_needs(const struct live_pairs *pairs);

/* Adds the difference of two readings. False: out of memory. */
bool live_pairs_take(struct live_pairs *pairs, const struct live_reading *between);

/* Puts what was taken last, as --json has it, into a file; it came between `from` and the reading. False: out of
 * memory. */
bool live_pairs_put(const struct live_pairs *pairs, FILE *out, const struct live *live,
                    const struct live_reading *reading, uint64_t from);

/* Takes and prints what came between two readings, at `from` and then: text, a line of JSON, rows of CSV, or (metrics)
 * OpenMetrics. False: an error. */
bool live_pairs_print(struct live_pairs *pairs, enum print_format format, bool metrics, const struct live *live,
                      const struct live_reading *between, uint64_t from, struct error *error);
/* After the last one. False: the output cannot be written. */
bool live_pairs_end(struct live_pairs *pairs);

/* The metrics, for people or programs. Returns the exit status. */
int live_pairs_list(enum print_format format);

#endif
