#include "common/budget/omitted_counts.h"

#include "common/budget/recording_cost.h"
#include "common/process/codes.h"
#include "common/process/session.h"

bool omitted_counts_begin(void)
{
  if (budget_is_on()) {
    budget_renew();
    return true;
  }
  if (!budget_begin(session_budget(), (double)recording_cost_measure() / RECORDING_COST_RECORDS))
    return false;
  session_at_end(omitted_counts_end);
  return true;
}

static void tell_of_java(uint64_t place, unsigned kind, uint32_t omitted)
{
  bool note = (kind & OMITTED_NOTE) == OMITTED_NOTE;
  recorder_emit3(RAW_COUNTED, note ? RAW_JAVA_NOTE : RAW_BLOCK_BEGIN, place ? RAW_CODE_PLACE | place : 0,
                 (uint64_t)(kind & ~OMITTED_NOTE) << RAW_VALUE_BITS | omitted);
}

/* Constructs and chunks have sums of their own. */
void omitted_counts_report(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted)
{
  uint64_t word = (uint64_t)kind << RAW_VALUE_BITS | omitted;
  if (class == BUDGET_MUTEXES && kind & OMITTED_BLOCK)
    tell_of_java(place, kind, omitted);
  else if (class == BUDGET_MUTEXES && (kind & OMITTED_WAKE) == OMITTED_WAKE)
    return;
  else if (class == BUDGET_MUTEXES && kind & OMITTED_PTHREAD)
    recorder_emit3(RAW_COUNTED, RAW_PTHREAD_WAIT, codes_of((uintptr_t)place),
                   (uint64_t)(kind & ~OMITTED_PTHREAD) << RAW_VALUE_BITS | omitted);
  else if (class == BUDGET_MUTEXES)
    recorder_emit3(RAW_COUNTED, RAW_MUTEX_ACQUIRE, codes_of((uintptr_t)place), word);
  else if (class == BUDGET_TASKS)
    recorder_emit3(RAW_COUNTED, RAW_TASK_CREATE, codes_of((uintptr_t)place), word);
  else if (class == BUDGET_USER) /* of names without a row of their own there is no kind: place is 0 */
    recorder_emit3(RAW_COUNTED, place == 0 ? RAW_USER_ENTER : kind, place, word);
}

void omitted_counts_end(void)
{
  budget_end_all(omitted_counts_report);
}
