/* A document in JSON, kept in memory: a report embeds it. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_JSON_H
#define HEDDLE_ANALYZER_REPORT_REPORT_JSON_H

#include "analyzer/command/print/print.h"

#include <stddef.h>

/* Prints the document's content. False: out of memory. */
typedef bool report_put(struct print *print, const void *context);

/* The text that put() prints; the caller frees it. `size` may be NULL. NULL: out of memory. */
char *report_json(uint64_t ticks_per_second, report_put *put, const void *context, size_t *size);

#endif
