/* The results of all analyses of one run, for the documents and the findings of a report. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_FACTS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_FACTS_H

#include "analyzer/analyses/counters/metric_readings.h"
#include "analyzer/analyses/events/sums.h"
#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/analyses/intervals/sampled_intervals.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/analyses/waits/waits.h"
#include "analyzer/command/command.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/windows.h"
#include "analyzer/models/sequences/from_trace.h"
#include "analyzer/report/calls_json.h"
#include "analyzer/report/teamwork.h"

/* The sequences for the models of a report, and the maximum of their states. */
enum { REPORT_BY_COUNTS, REPORT_BY_ROLES, REPORT_SEQUENCES };
enum { REPORT_STATES_MOST = 200 };

#define REPORT_POINTS_MOST    200000 /* single events on a page */
#define REPORT_INTERVALS_MOST 100000 /* and intervals */
#define REPORT_READINGS_MOST  200000 /* and values of metrics */

struct report_facts {
  const struct specified *specified; /* set by the caller; NULL: there is none */
  bool commands;                     /* set by the caller: the page has the whole command lines */
  struct trace *trace;
  struct pool *pool;
  struct run_analyses all;
  struct census census;
  bool waits; /* `all` has the waits of threads for each other; false for many threads: too many pairs */
  struct lock_wait longest_wait; /* since == until: no thread waited */
  struct arrows arrows;          /* of locks */
  struct teamwork teamwork;
  struct waits_found found; /* who ended waits, and critical paths */
  struct tasks tasks;
  struct windows windows; /* for the tree of reasons */
  struct report_calls calls;
  struct points_kept points;       /* the program's events */
  struct metric_readings readings; /* of metrics */
  struct intervals intervals;      /* of the specification; likewise single ones */
  struct intervals_kept kept;
  struct pes_stream *sequences[REPORT_SEQUENCES]; /* NULL: too many states */
};

/* Analyzes the trace; all members but `specified` are zero before. False: an error. report_facts_free() in any case. */
#define REPORT_FACTS_STEPS 1 /* of progress */
bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct error *error);
void report_facts_free(struct report_facts *facts);

#endif
