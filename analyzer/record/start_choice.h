/* What `heddle start` traces of a program: chosen threads, chosen constructs. */
#ifndef HEDDLE_ANALYZER_RECORD_START_CHOICE_H
#define HEDDLE_ANALYZER_RECORD_START_CHOICE_H

#include "analyzer/record/launch/live_process.h"
#include "analyzer/record/launch/live_request.h"
#include "analyzer/trace/definitions.h"

#include <stddef.h>

#define START_CONSTRUCTS 64u

struct start_choice {
  const char *threads;                      /* a pattern of names; NULL: all */
  const char *constructs[START_CONSTRUCTS]; /* places, or patterns of names; the caller's */
  size_t construct_count;                   /* 0: all */
  size_t found_threads, found_constructs;   /* what start_choose() chose */
};

/* What to ask a program for, so that it traces or no longer does: LIVE_.... In one with HEDDLE_LIVE the trace is
 * switched, and measurement if it began without; in others measurement. */
uint32_t start_operations(const struct live_requests *requests, bool on);

/* Tells the program what is chosen, by a reading of it; *operations becomes what that adds to LIVE_TRACE_ON. False:
 * there is no such thread or construct, or the error says what else is wrong. */
bool start_choose(struct start_choice *choice, struct live_requests *requests, const struct live_process *process,
                  uint32_t *operations, struct error *error);

/* Whether a construct is what a user wrote: FILE:LINE, a function, or a pattern of its name, with or without an @
 * before. */
bool start_is_named(const struct trace_region *region, const char *text);

#endif
