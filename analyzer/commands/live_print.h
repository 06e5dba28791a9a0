/* A reading of a running process as text, JSON or CSV. */
#ifndef HEDDLE_ANALYZER_COMMANDS_LIVE_PRINT_H
#define HEDDLE_ANALYZER_COMMANDS_LIVE_PRINT_H

#include "analyzer/commands/shared_options.h"
#include "analyzer/live/live.h"

#include <stdio.h>

struct live_view {
  enum print_format format;
  uint64_t top;   /* constructs */
  uint64_t shown; /* readings that were printed already */
};

/* reading: since the threads began, or since the reading before. False: an error. */
bool live_print(const struct live_view *view, const struct live *live, const struct live_reading *reading,
                struct error *error);
/* The same into a file. */
bool live_print_to(FILE *file, const struct live_view *view, const struct live *live,
                   const struct live_reading *reading, struct error *error);
/* When the time of a reading began, in ticks: that of its first thread, or the reading before. */
uint64_t live_began(const struct live_reading *reading);
/* Says that the program has ended. */
void live_print_end(const struct live *live);

#endif
