/* Private to export/: what a format's writer is. */
#ifndef HEDDLE_ANALYZER_EXPORT_WRITER_H
#define HEDDLE_ANALYZER_EXPORT_WRITER_H

#include "analyzer/trace/definitions.h"
#include "base/error.h"

/*
 * Writes what is looked at of the trace. False: nothing was written; `error` says why, or is empty if the reason has
 * been printed.
 */
typedef bool export_writer(const struct trace *trace, const char *path, struct error *error);

#endif
