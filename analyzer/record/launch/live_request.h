/* Requests to a running process that has a control file (common/raw/live_control.h), and its answers. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_REQUEST_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_REQUEST_H

#include "analyzer/record/launch/live_process.h"

#include <stddef.h>
#include <stdint.h>

struct live_control;

/* The control file of a process, mapped. Several may be open at once, also in several processes. */
struct live_requests {
  struct live_control *control;
  long pid;
  int fd;       /* of the file: holds the lock of the slot */
  int slot;     /* of live_requests_observe(); -1: none */
  bool sampled; /* samples of its native code are taken beside it, whether somebody needs them or not */
};

/* False: error says why; there is nothing to close. */
bool live_requests_open(struct live_requests *requests, const struct live_process *process, struct error *error);
void live_requests_close(struct live_requests *requests);

/* Whether tracing can be switched (HEDDLE_LIVE), and the process' state when it began: bits LIVE_MEASURES, .... */
bool live_requests_can_trace(const struct live_requests *requests);
uint32_t live_requests_begun(const struct live_requests *requests);

/* Asks for operations (LIVE_TRACE_ON, ...; 0: an answer alone), and waits for the answer: *state is what is on now.
 * False: the process has ended or has not answered within some seconds, and the error says so. */
bool live_requests_ask(struct live_requests *requests, uint32_t operations, uint32_t *state, struct error *error);

/* Whether the process has all of these groups that not every process has. It may find out late that it has not. False:
 * the error says so. */
bool live_requests_offer(const struct live_requests *requests, uint32_t needs, struct error *error);

/* Has the process measure these groups (LIVE_NEED_...), in place of those that this asked for before, until the
 * requests are closed or this process ends; 0: none. Waits until it does. False: as above, or there are too many
 * observers. */
bool live_requests_observe(struct live_requests *requests, uint32_t needs, struct error *error);

/* Chooses the threads that LIVE_TRACE_CHOSEN traces, by number: those below LIVE_THREADS. */
void live_requests_choose(struct live_requests *requests, const uint64_t *numbers, size_t count);

/* Chooses the constructs that LIVE_TRACE_CODES traces, by their codes: at most LIVE_CODES. */
void live_requests_choose_codes(struct live_requests *requests, const uint64_t *codes, size_t count);

/* What was on when the process last answered, whoever asked: bits LIVE_MEASURES, ... */
uint32_t live_requests_state(const struct live_requests *requests);

/* What the process measures now: LIVE_NEED_... */
uint32_t live_requests_measured(const struct live_requests *requests);

#endif
