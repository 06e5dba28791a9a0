/*
 * The file `control` of a process directory: what observers ask of a running program, and what it answers. A program
 * with HEDDLE_LIVE or HEDDLE_PAUSED has one; it is mapped there and in each observer.
 *
 * An observer takes `answer` and `request`, and exchanges `request` (compare and swap) for a request with the next
 * number and its operations. If the request before is not answered yet, it adds its own operations to those that don't
 * contradict them, so that none is lost. Then it wakes who waits for `request` (futex), and waits for `answer` to have
 * that number or a later one. An observer may end at any moment.
 *
 * The program reads `magic` and all else only to write it, but for `request`: what it has not there is ignored.
 */
#ifndef HEDDLE_COMMON_LIVE_CONTROL_H
#define HEDDLE_COMMON_LIVE_CONTROL_H

#include <stdint.h>

#define LIVE_CONTROL_FILE    "control"
#define LIVE_CONTROL_SIZE    4096u
#define LIVE_CONTROL_MAGIC   0x3145564944444548ull
#define LIVE_CONTROL_VERSION 1u

struct live_control {
  uint64_t magic; /* LIVE_CONTROL_MAGIC, once all else is there */
  uint32_t version;
  uint32_t live;    /* 1: HEDDLE_LIVE, so that tracing can be switched */
  uint32_t begun;   /* the state at the begin */
  uint32_t request; /* number << LIVE_NUMBER_AT | operations; observers write it */
  uint32_t answer;  /* number of the newest request that was acted upon << LIVE_NUMBER_AT | state */
  uint32_t reserved;
  uint64_t requests;  /* acted upon so far */
  uint64_t stretches; /* of tracing that have begun */
};

#define LIVE_NUMBER_AT 8

/* Operations, bits; none: an answer is asked for. */
#define LIVE_MEASURE_ON  0x01u
#define LIVE_MEASURE_OFF 0x02u
#define LIVE_TRACE_ON    0x04u
#define LIVE_TRACE_OFF   0x08u

/* State, bits. */
#define LIVE_MEASURES 0x01u
#define LIVE_TRACES   0x02u /* events are written */
#define LIVE_ENDED    0x04u /* nothing is recorded any more */

#endif
