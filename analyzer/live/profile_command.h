/* Command `heddle profile`, and the page of `heddle report` for a profile, which has sums and no events. */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_COMMAND_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct trace;
struct pool;

/* Writes the whole page: HTML without scripts. False: an error. */
bool profiled_page_write(FILE *file, const struct trace *trace, struct pool *pool, struct error *error);

#endif
