/*
 * Export of an archive in the formats of other viewers:
 *   PARAVER   three files, .prv, .pcf and .row: states, and events with the numbers that Paraver's configurations
 * expect
 *   PERFETTO  Perfetto's packets: regions as slices, arrows as flows, number of threads in each state
 *   CHROME    the same as Chrome's trace events, which are JSON
 *   PAJE      for ViTE and PajeNG: states and arrows
 *   CSV       a row for each time that a thread was in one state in one construct
 *   FOLDED    stacks of the run's samples, for flame graph tools
 *   PPROF     the same with lines, threads, constructs and states, for pprof
 *
 * All are streamed: memory grows with threads, regions, locks and unfinished tasks, never with events. Times count from
 * the begin of the trace, in ns (rounded down), in CSV also in ticks. If the trace is restricted (trace/restriction.h),
 * the formats have only this part.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_EXPORT_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_EXPORT_H

#include "analyzer/exchange/export/formats.h"

enum export_format {
  EXPORT_PARAVER,
  EXPORT_PERFETTO,
  EXPORT_CHROME,
  EXPORT_PAJE,
  EXPORT_CSV,
  EXPORT_OF_EVENTS, /* number of formats of events; the others are of samples */
  EXPORT_FOLDED = EXPORT_OF_EVENTS,
  EXPORT_PPROF,
  EXPORT_FORMATS
};

struct export_kind {
  const char *name;     /* on the command line: "paraver" */
  const char *suffix;   /* suffix of files, with its dot: ".prv" */
  bool several;         /* more than one file: `path` is the one with the suffix, the others have the same directory */
  export_writer *write; /* NULL: a format of samples */
  export_stacks_writer *write_stacks; /* NULL: a format of events */
};

extern const struct export_kind export_kinds[EXPORT_FORMATS];

#endif
