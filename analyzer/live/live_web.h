/*
 * `heddle live --web`: the readings of a running process for the browsers of this machine (analyzer/live/loopback).
 *
 *   GET /<token>/                              the page
 *   GET /<token>/reading?whole=W&after=N       JSON: what was read last
 *   GET /<token>/pairs?add=P, ?remove=P, ?alone=A, ?metrics=1
 *                                              JSON: `error`, what is against it, or null; `metrics` that there are
 *
 * P is a pair of a metric and a focus (analyzer/live/readings/metric_request.h), which counts from now on. alone=1: the
 * process measures the pairs and nothing else; 0: all. Browsers share the pairs. The answer to `reading` has them:
 * `alone`, and `pairs`, what `heddle live --pair --json` prints.
 *
 * It also has `number`, from 1 on; `interval`, in seconds; `age`, the seconds since the first thread began; and `over`.
 * `next` has the seconds up to the next reading (null: there is none). `reading` has the output of `heddle live
 * --json`: since the reading before, or (whole=1) since each thread began. `reading` is null if the last one has the
 * number N.
 */
#ifndef HEDDLE_ANALYZER_LIVE_LIVE_WEB_H
#define HEDDLE_ANALYZER_LIVE_LIVE_WEB_H

#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/metric_request.h"

struct live_requests;

struct live_web_options {
  uint16_t port; /* 0: any that is free */
  uint64_t interval_ns;
  const struct live_asked *pairs; /* these are there from the begin, and nothing else is measured ... */
  size_t pair_count;              /* ... if there are any */
};

/* Prints the address, reads once an interval, and serves until a signal, also when the process has ended. False: an
 * error. */
#ifdef HEDDLE_NO_VIEW
static inline bool live_web(struct live *live, struct live_requests *requests, const struct live_web_options *options,
                            struct error *error)
{
  (void)live, (void)requests, (void)options;
  return error_set(error, "this program was built without its server (HEDDLE_VIEW): use heddle live without --web");
}
#else
bool live_web(struct live *live, struct live_requests *requests, const struct live_web_options *options,
              struct error *error);
#endif

#endif
