/* What the threads of a running program do, on a terminal: a screen with keys. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_SCREEN_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_SCREEN_H

#include "analyzer/live/readings/asked.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/pair.h"

/* Whether there is a terminal that can show a screen: at stdin and stdout, and it can place its cursor. */
bool screen_possible(void);

struct screen_options {
  uint64_t interval_ns;
  const char *focus;              /* that readings have, as --focus has it; NULL: none */
  const struct live_asked *pairs; /* these are shown over time from the begin, and nothing else is measured ... */
  size_t pair_count;              /* ... if there are any */
  /* Has the program measure this (LIVE_NEED_...), in place of what the screen asked for before; says what is measured
   * then, also for others. NULL: the program cannot be told. */
  bool (*measure)(void *with, uint32_t needs, uint32_t *measured, struct error *error);
  /* Has the program trace what the focus says, or nothing more (NULL). NULL: it traces all or nothing. */
  bool (*trace)(void *with, const struct live_focus *what, const struct live_reading *now, struct error *error);
  /* Whether it traces now, whoever asked; given with `trace`. */
  bool (*traces)(void *with);
  void *with;
};

/* Reads and shows until the user quits, or a signal ends the program (SIGINT, SIGTERM, SIGHUP). The terminal is as
 * before then. False: an error. */
bool screen_watch(struct live *live, const struct screen_options *options, struct error *error);

#endif
