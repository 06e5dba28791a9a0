/* Private to export/: what a format's writer is. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H

#include "analyzer/trace/definitions.h"
#include "base/error.h"

/*
 * Writes what is looked at of the trace. False: nothing was written; `error` says why, or is empty if the reason has
 * been printed.
 */
typedef bool export_writer(const struct trace *trace, const char *path, struct error *error);

/* The same for formats of samples' stacks. */
enum export_root { EXPORT_ROOT_NONE, EXPORT_ROOT_PROCESS, EXPORT_ROOT_THREAD };
struct export_stacks {
  enum export_root root; /* the frames of each stack begin with its process, or with process and thread */
  const char *trigger;   /* of formats with one number a stack; NULL: the first one of time */
  unsigned use;          /* enum calls_use: of a run with samples and exact calls */
};
typedef bool export_stacks_writer(const struct trace *trace, const struct export_stacks *options, const char *path,
                                  struct error *error);

/* Private to export/: the writers, a file a format. */

export_writer export_paraver, export_chrome, export_perfetto, export_paje, export_csv;
export_stacks_writer export_folded, export_pprof;

#endif
