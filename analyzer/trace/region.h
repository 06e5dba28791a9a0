/* Facts in a region's name and description, in the words of common/raw/archive_names.h. */
#ifndef HEDDLE_ANALYZER_TRACE_REGION_H
#define HEDDLE_ANALYZER_TRACE_REGION_H

#include "analyzer/trace/definitions.h"

#include <stddef.h>

/* Whether the name begins with `begin`; the rest is the place. */
bool trace_region_begins(const struct trace_region *region, const char *begin);

/* Whether the name begins with a directive's (`!$omp task`), also in Java's form, a comment (`//omp task`). */
bool trace_region_is_directive(const struct trace_region *region, const char *name);

/* The value of a fact in the description; it ends at the next `;` or the end. NULL: no such fact. */
const char *trace_region_fact(const struct trace_region *region, const char *key);

/* Whether the description has the fact with this value. */
bool trace_region_says(const struct trace_region *region, const char *key, const char *value);

/*
 * Whether a region is at a place as `heddle record --keep` takes it: FILE:LINE, FILE:LINE-LINE, FILE, a function, or
 * the region's name. FILE is a path or its end.
 */
bool trace_region_is_at(const struct trace_region *region, const char *place, size_t size);

#endif
