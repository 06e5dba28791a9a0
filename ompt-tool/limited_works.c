/* The short way of a work-sharing construct that is left out again and again, by the only thread of a team. */
#include "ompt-tool/limited.h"

#include "ompt-tool/skip.h"

/*
 * The construct that the thread left last begins again, and neither that time nor this one needs the clock: its frame
 * is taken up again. False: it is another one, or is to be recorded. A handler of a signal may take the frame away, as
 * long as it is over.
 */
static inline bool begin(struct skip *skip, ompt_work_t type, uint64_t place)
{
  uint32_t depth = skip->depth;
  struct skip_frame *frame = skip_top(skip);
  unsigned kind = limited_kind(type);
  if (frame->kind != SKIP_AFTER || !frame->over || !frame->untimed || frame->code != place || frame->detail != kind ||
      !frame[-1].alone || skip->untimed_most == 0)
    return false;
  struct budget_row *row = budget_row_known(place, BUDGET_CONSTRUCTS, kind);
  if (!row || row->until <= 1)
    return false;
  frame->over = false;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (*(volatile uint32_t *)&skip->depth != depth)
    return false;
  row->until--;
  skip->untimed_most--;
  skip->untimed++;
  frame->kind = SKIP_WORK;
  return true;
}

/* It ends, as the construct in which the thread is. */
static inline bool end(struct skip *skip)
{
  struct skip_frame *frame = skip_top(skip);
  if (frame->kind != SKIP_WORK || !frame->untimed || frame->detail & RAW_SKIPPED_INSIDE || skip->lent ||
      skip->counted || skip->too_deep > 0 || !skip_count(skip, frame))
    return false;
  frame->kind = SKIP_AFTER;
  frame->over = true;
  return true;
}

CALLBACK_REST void begin_unsure(ompt_work_t type, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                                const void *code)
{
  if (!begin(skip_of_thread, type, code_of_construct(code) & RAW_VALUE_MASK))
    limited_any_work(type, ompt_scope_begin, parallel, task, count, code);
}

void limited_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                  uint64_t count, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (!skip || endpoint == ompt_scope_beginend)
    limited_any_work(type, endpoint, parallel, task, count, code);
  else if (endpoint == ompt_scope_end) {
    if (!end(skip))
      limited_any_work(type, endpoint, parallel, task, count, code);
  } else if (skip_top(skip)->kind != SKIP_AFTER)
    limited_any_work(type, endpoint, parallel, task, count, code);
  else if (!code_of_construct_is_sure(code))
    begin_unsure(type, parallel, task, count, code);
  else if (!begin(skip, type, (uintptr_t)code))
    limited_any_work(type, endpoint, parallel, task, count, code);
}
