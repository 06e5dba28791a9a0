/*
 * What a search switches on in a running process, and takes back. All requests of a search go through here.
 *
 * A guard, a process of its own, takes back what is inserted if this process is killed meanwhile. So begin while this
 * process has one thread, and before it opens what the guard must not hold open.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_INSERT_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_INSERT_H

#include "analyzer/record/launch/live_request.h"

#include <sys/types.h>

/* What is on, as bits. */
#define INSERT_SUMS   1u /* threads add up what they do */
#define INSERT_EVENTS 2u /* they write events, too */

struct insert {
  struct live_requests requests; /* without a control page: the process takes no requests, and adds up all the time */
  unsigned before, now;
  pid_t guard;
  int to_guard;
};

/* Asks what is on. False: error says why; there is nothing to end. */
bool insert_begin(struct insert *insert, const struct live_process *process, struct error *error);

/* Whether events can be switched on. */
bool insert_can_trace(const struct insert *insert);

/* Switches on what is wanted, and off what is not and was off before. False: an error. */
bool insert_set(struct insert *insert, unsigned wanted, struct error *error);

/* Takes back all, and asks what is on: insert->now is as `before`. False: it is not, or there was no answer. */
bool insert_end(struct insert *insert, struct error *error);

#endif
