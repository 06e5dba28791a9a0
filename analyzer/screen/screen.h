/* What the threads of a running program do, on a terminal: a screen with keys. */
#ifndef HEDDLE_ANALYZER_SCREEN_SCREEN_H
#define HEDDLE_ANALYZER_SCREEN_SCREEN_H

#include "analyzer/live/live.h"

/* Whether there is a terminal that can show a screen: at stdin and stdout, and it can place its cursor. */
bool screen_possible(void);

/* Reads and shows until the user quits, or a signal ends the program (SIGINT, SIGTERM, SIGHUP). The terminal is as
 * before then. False: an error. */
bool screen_watch(struct live *live, uint64_t interval_ns, struct error *error);

#endif
