/* Records of omitted instances. */
#ifndef HEDDLE_COMMON_BUDGET_OMITTED_COUNTS_H
#define HEDDLE_COMMON_BUDGET_OMITTED_COUNTS_H

#include "common/budget/budget.h"
#include "common/recorder/recorder.h"

/* BUDGET_MUTEXES has more kinds than OMPT's: OMITTED_PTHREAD | enum raw_pthread, and OMITTED_WAKE | enum
 * raw_pthread_wake, which is not reported. Java adds OMITTED_BLOCK | enum raw_block and OMITTED_NOTE | enum raw_note,
 * whose places are in the process file. */
#define OMITTED_PTHREAD 0x40u
#define OMITTED_WAKE    0x60u
#define OMITTED_BLOCK   0x80u
#define OMITTED_NOTE    0xc0u

/* The next record of a kind stands for so many instances. */
static inline void omitted_emit_weight(unsigned kind, uint32_t weight)
{
  if (weight > 1)
    recorder_emit(RAW_WEIGHT, kind, weight);
}

/* Begins the budget of the settings, unless it has begun, and reports at the end of the process. False: there is none.
 * After session_open. */
bool omitted_counts_begin(void);

/* A budget_report: instances of a row omitted since the last recorded one. */
void omitted_counts_report(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted);

/* The process ends: reports all threads' rows. Once. */
void omitted_counts_end(void);

#endif
