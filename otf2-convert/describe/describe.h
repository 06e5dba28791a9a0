/*
 * The definitions of the archive, written after all events: clock, machine, processes, threads, teams, regions,
 * attributes, and the properties of the run.
 */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBE_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_DESCRIBE_H

#include "otf2-convert/convert.h"

/* trace_fd: the trace directory. Returns 0 or an errno value. */
int describe_archive(const struct plan *plan, const struct converted *converted, struct definitions *definitions,
                     struct archive *archive, int trace_fd);
/* The same of samples.otf2 (samples.h), which is whole then; nothing without samples. */
int describe_samples(const struct plan *plan, struct converted *converted, struct definitions *definitions,
                     int trace_fd);
/* The same of calls.otf2 (calls.h). */
int describe_calls(const struct plan *plan, struct converted *converted, struct definitions *definitions, int trace_fd);

#endif
