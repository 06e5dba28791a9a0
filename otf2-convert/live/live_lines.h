/*
 * Lines of a reading for `heddle live`: a look at a process (live_look.h) with the names of constructs and threads. The
 * format is in docs/live.md.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_LINES_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_LINES_H

#include "otf2-convert/live/live_look.h"
#include "otf2-convert/live/live_native.h"
#include "otf2-convert/timeline/definitions.h"

#include <stdio.h>

/* Names that were written; they are not written again. All zero at the begin. */
struct live_lines {
  struct string_table regions; /* as written; their numbers are the regions' */
  struct string_table codes;   /* likewise */
  struct string_table threads; /* likewise, as written last */
  struct string_table objects; /* names of locks, events, ... */
  struct hash object_of;       /* a metric's kind, object and name -> number of its name */
  struct region_cache cache;
};

/* The process file has grown: names may be others. */
void live_lines_forget(struct live_lines *lines);

/* definitions: of a plan with this process alone. native: samples of native code; NULL: there are none. now: ticks;
 * over: the process no longer records. */
void live_lines_write(struct live_lines *lines, FILE *out, struct definitions *definitions, struct live_look *look,
                      struct live_native *native, uint64_t now, bool over);
void live_lines_free(struct live_lines *lines);

#endif
