#ifndef HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_SUITS_H
#define HEDDLE_ANALYZER_LIVE_SCREEN_TERMINAL_SUITS_H

#include <stdbool.h>

/* Whether stdin and stdout are a terminal that can show a screen: it can place its cursor. */
bool terminal_suits(void);

#endif
