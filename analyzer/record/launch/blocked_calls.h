/*
 * In which system call the program's threads are that have no processor for long, as /proc tells while they are in it.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_CALLS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_BLOCKED_CALLS_H

#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

/* Threads that wait in the kernel and were not asked yet: process << 32 | thread -> since when. */
struct blocked_calls {
  struct hash waiting;
};

/* The thread leaves its processor, or gets one. Without memory it is not asked. */
void blocked_calls_out(struct blocked_calls *calls, uint64_t who, uint64_t time);
void blocked_calls_in(struct blocked_calls *calls, uint64_t who);

/* Asks those that have waited since `before` or longer, each once for a wait, and hands over those in a system call. */
/* `on`: what the call is about, a file, a socket, an address; NULL: not known. */
typedef void blocked_calls_taker(void *context, uint64_t who, uint32_t call, const char *on);
void blocked_calls_ask(struct blocked_calls *calls, uint64_t before, blocked_calls_taker *taker, void *context);

void blocked_calls_free(struct blocked_calls *calls);

#endif
