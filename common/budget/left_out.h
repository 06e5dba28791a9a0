/* The records that tell of instances which were left out. */
#ifndef HEDDLE_COMMON_BUDGET_LEFT_OUT_H
#define HEDDLE_COMMON_BUDGET_LEFT_OUT_H

#include "common/budget/budget.h"
#include "common/recorder/recorder.h"

/* Kinds of BUDGET_MUTEXES beside those of OMPT: LEFT_OUT_PTHREAD | enum raw_pthread, LEFT_OUT_WAKE | enum
 * raw_pthread_wake, which nobody is told of; and in Java, where places are those of the process file, LEFT_OUT_BLOCK |
 * enum raw_block and LEFT_OUT_NOTE | enum raw_note. */
#define LEFT_OUT_PTHREAD 0x40u
#define LEFT_OUT_WAKE    0x60u
#define LEFT_OUT_BLOCK   0x80u
#define LEFT_OUT_NOTE    0xc0u

/* The next record of a kind stands for so many instances. */
static inline void left_out_emit_weight(unsigned kind, uint32_t weight)
{
  if (weight > 1)
    recorder_emit(RAW_WEIGHT, kind, weight);
}

/* Begins the budget of the settings, unless it has begun, and tells at the end of the process. False: there is none.
 * After session_open. */
bool left_out_begin(void);

/* A budget_tell: instances of a row that were left out since the last one that is recorded. */
void left_out_tell(uint64_t place, enum budget_class class, unsigned kind, uint32_t left_out);

/* The process ends: all threads' are told. Once. */
void left_out_end(void);

#endif
