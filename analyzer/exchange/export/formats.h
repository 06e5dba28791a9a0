/* Private to export/. Writers of formats, a file a format. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H

#include "analyzer/trace/definitions.h"
#include "base/error.h"

/*
 * Writes the trace, as far as its restriction admits. False: nothing was written; `error` has the reason, or is empty
 * if the reason has been printed.
 */
typedef bool export_writer(const struct trace *trace, const char *path, struct error *error);

/* Writer of a format of samples' stacks, and its options. */
enum export_root { EXPORT_ROOT_NONE, EXPORT_ROOT_PROCESS, EXPORT_ROOT_THREAD };
struct export_stacks {
  enum export_root root; /* the frames of each stack begin with its process, or with process and thread */
  const char *trigger;   /* for formats with one number a stack; NULL: the first trigger of time */
  unsigned use;          /* enum calls_use: of a run with samples and exact calls */
};
typedef bool export_stacks_writer(const struct trace *trace, const struct export_stacks *options, const char *path,
                                  struct error *error);

export_writer export_paraver, export_chrome, export_perfetto, export_paje, export_csv;
export_stacks_writer export_folded, export_pprof;

#endif
