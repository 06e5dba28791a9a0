/*
 * The definitions of the archive, written when all events are: clock, machine, processes, threads, teams, regions,
 * attributes, and what is known of the run as properties.
 */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_H

#include "otf2-convert/convert.h"

/* trace_fd: the trace directory. Returns 0 or an errno value. */
int describe_archive(const struct plan *plan, const struct converted *converted, const struct definitions *definitions,
                     struct archive *archive, int trace_fd);

#endif
