/*
 * Requests to a running process that has a control file (common/raw/live_control.h), and its answers. Also sums and
 * events that a search switches on there and off again.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_REQUEST_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_REQUEST_H

#include "analyzer/record/launch/live_process.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live_control;

/* The control file of a process, mapped. Several may be open at once, also in several processes. */
struct live_requests {
  struct live_control *control;
  long pid;
  int fd;       /* of the file: holds the lock of the slot */
  int slot;     /* of live_requests_observe(); -1: none */
  bool sampled; /* samples of its native code are taken outside of it, also if no observer needs them */
};

/* False: error says why; there is nothing to close. */
bool live_requests_open(struct live_requests *requests, const struct live_process *process, struct error *error);
void live_requests_close(struct live_requests *requests);

/* True if tracing can be switched (HEDDLE_LIVE). live_requests_begun(): the state of the process when it began, bits
 * LIVE_MEASURES, .... */
bool live_requests_can_trace(const struct live_requests *requests);
uint32_t live_requests_begun(const struct live_requests *requests);

/* Asks for operations (LIVE_TRACE_ON, ...; 0: an answer alone), and waits for the answer: *state is what is on now.
 * False: the process has ended or has not answered within some seconds, and the error says so. */
bool live_requests_ask(struct live_requests *requests, uint32_t operations, uint32_t *state, struct error *error);

/* True if the process has all of these groups, which not every process has. It may learn late that one is missing.
 * False: the error names it. */
bool live_requests_offer(const struct live_requests *requests, uint32_t needs, struct error *error);

/* Makes the process measure these groups (LIVE_NEED_...) in place of the groups of the last call; 0: none. They stay on
 * until the requests are closed or this process ends. Waits until the process measures them. False: as above, or there
 * are too many observers. */
bool live_requests_observe(struct live_requests *requests, uint32_t needs, struct error *error);

/* Chooses the threads that LIVE_TRACE_CHOSEN traces, by number: those below LIVE_THREADS. */
void live_requests_choose(struct live_requests *requests, const uint64_t *numbers, size_t count);

/* Chooses the constructs that LIVE_TRACE_CODES traces, by their codes: at most LIVE_CODES. */
void live_requests_choose_codes(struct live_requests *requests, const uint64_t *codes, size_t count);

/* The state of the process at its last answer to any observer: bits LIVE_MEASURES, ... */
uint32_t live_requests_state(const struct live_requests *requests);

/* The groups that the process measures now: LIVE_NEED_... */
uint32_t live_requests_measured(const struct live_requests *requests);

/*
 * Insertion of measurements into a running process by a search. All requests of a search go through here.
 *
 * A guard, a process of its own, takes back all insertions if this process is killed. insert_begin() forks it: call it
 * while this process has one thread, and before it opens files that the guard must not hold open.
 */

/* Insertions, as bits. */
#define INSERT_SUMS   1u /* threads add up what they do */
#define INSERT_EVENTS 2u /* they write events, too */

struct insert {
  struct live_requests requests; /* without a control page: the process takes no requests, and always adds up */
  unsigned before, now;
  pid_t guard;
  int to_guard;
};

/* Reads the state. False: error says why; there is nothing to end. */
bool insert_begin(struct insert *insert, const struct live_process *process, struct error *error);

/* True if events can be switched on. */
bool insert_can_trace(const struct insert *insert);

/* Switches on the `wanted` bits, and off the others that were off before. False: an error. */
bool insert_set(struct insert *insert, unsigned wanted, struct error *error);

/* Takes back all, and reads the state again. False: insert->now is not `before`, or there was no answer. */
bool insert_end(struct insert *insert, struct error *error);

#endif
