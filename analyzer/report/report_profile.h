/* A profile's part of a report: archives with sums and no events (analyzer/live/profile). */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_PROFILE_H
#define HEDDLE_ANALYZER_REPORT_REPORT_PROFILE_H

#include "analyzer/report/bundle.h"
#include "base/pool.h"

/*
 * Adds the documents of the commands that read profiles, the largest waits as findings, and a note on what needs
 * events. With `names_only`, the documents have no command lines. False: an error.
 */
bool report_profile_add(struct bundle_run *run, struct trace *trace, struct pool *pool, bool names_only,
                        struct error *error);

#endif
