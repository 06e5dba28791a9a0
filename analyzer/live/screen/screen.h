/* Screen of `heddle live`: the threads of a running program on a terminal, with keys. */
#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_SCREEN_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_SCREEN_H

#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/metric_focus.h"
#include "analyzer/live/readings/metric_request.h"

/* True if stdin and stdout are a terminal that can place its cursor. */
bool screen_possible(void);

struct screen_options {
  uint64_t interval_ns;
  const char *focus;              /* that readings have, as --focus has it; NULL: none */
  const struct live_asked *pairs; /* these are shown over time from the begin, and nothing else is measured ... */
  size_t pair_count;              /* ... if there are any */
  /* Makes the program measure these groups (LIVE_NEED_...) in place of the screen's groups before. *measured: all
   * groups that it then measures, also for others. NULL: the program takes no requests. */
  bool (*measure)(void *with, uint32_t needs, uint32_t *measured, struct error *error);
  /* Makes the program trace the focus, or nothing more (`what` NULL). NULL: it traces all or nothing. */
  bool (*trace)(void *with, const struct live_focus *what, const struct live_reading *now, struct error *error);
  /* True if it traces now, for any observer; given with `trace`. */
  bool (*traces)(void *with);
  void *with;
};

/* Reads and shows until the user quits, or a signal ends the program (SIGINT, SIGTERM, SIGHUP). The terminal is as
 * before then. False: an error. */
bool screen_watch(struct live *live, const struct screen_options *options, struct error *error);

#endif
