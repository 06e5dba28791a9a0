#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_SUITS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_SUITS_H

#include <stdbool.h>

/* True if stdin and stdout are a terminal that can place its cursor. */
bool terminal_suits(void);

#endif
