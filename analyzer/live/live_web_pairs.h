/* Pairs of a metric and a focus that a browser adds to `heddle live --web`, and removes. All under the caller's lock.
 */
#ifndef HEDDLE_ANALYZER_LIVE_LIVE_WEB_PAIRS_H
#define HEDDLE_ANALYZER_LIVE_LIVE_WEB_PAIRS_H

#include "analyzer/live/live_pairs.h"
#include "analyzer/record/launch/live_request.h"

struct live_web_pairs {
  struct live_pairs pairs;        /* their texts are ours */
  struct live_requests *requests; /* to the process; what cannot be switched has no control file, or cannot trace */
  bool alone;                     /* nothing else is measured */
  uint64_t from;                  /* ticks: begin of what was taken last */
};

/* Adds a pair, which counts from the next live_web_pairs_take() on. False: an error, and nothing has changed. */
bool live_web_pairs_add(struct live_web_pairs *web, struct live *live, const char *text, struct error *error);
/* False: there is no such pair, or as below. */
bool live_web_pairs_remove(struct live_web_pairs *web, const char *text, struct error *error);
/* Measures the pairs alone, or all again. False: the process cannot be switched. */
bool live_web_pairs_alone(struct live_web_pairs *web, bool alone, struct error *error);

/* Takes what came between two readings. False: no memory. */
bool live_web_pairs_take(struct live_web_pairs *web, const struct live_reading *before, const struct live_reading *now);

void live_web_pairs_free(struct live_web_pairs *web);

#endif
