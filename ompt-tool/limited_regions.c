/* The short way of regions that are left out, where the thread is in nothing else and need not read the clock. */
#include "ompt-tool/limited.h"

#include "ompt-tool/skip.h"

/* The thread is in nothing else, and may leave the clock alone. False: the region is recorded, or new. */
static inline bool begin(struct skip *skip, ompt_data_t *parallel, uint64_t place)
{
  struct budget_row *row = budget_row_known(place, BUDGET_CONSTRUCTS, LIMITED_REGION);
  if (!row || row->until <= 1)
    return false;
  row->until--;
  parallel->value = LIMITED_SKIPPED | place;
  skip->untimed_most--;
  skip->untimed++;
  skip->frames[1] =
      (struct skip_frame){.kind = SKIP_REGION, .mute = SKIP_ALL, .code = place, .skipped = true, .untimed = true};
  skip_set_depth(skip, 2);
  return true;
}

CALLBACK_REST void begin_unsure(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                                int flags, const void *code)
{
  if (!begin(skip_of_thread, parallel, code_of_construct(code) & RAW_VALUE_MASK))
    limited_region_begin(task, frame, parallel, requested, flags, code);
}

void limited_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                            int flags, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (!skip || skip->untimed_most == 0 || skip->depth > 1 || (unsigned)flags & ompt_parallel_league)
    limited_region_begin(task, frame, parallel, requested, flags, code);
  else if (!code_of_construct_is_sure(code))
    begin_unsure(task, frame, parallel, requested, flags, code);
  else if (!begin(skip, parallel, (uintptr_t)code))
    limited_region_begin(task, frame, parallel, requested, flags, code);
}

/* Whether the thread is in such a region that it has encountered, and in nothing inside of that. */
static inline bool is_in(const struct skip *skip)
{
  return skip && skip->depth == 2 && skip->frames[1].untimed && skip->frames[1].kind == SKIP_REGION;
}

void limited_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  struct skip *skip = skip_of_thread;
  if (is_in(skip) && skip_count(skip, &skip->frames[1]))
    skip->depth = 1;
  else
    limited_region_end(parallel, task, flags, code);
}

void limited_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team_size,
                           unsigned index, int flags)
{
  if (!is_in(skip_of_thread) || (unsigned)flags & ompt_task_initial)
    limited_any_implicit_task(endpoint, parallel, task, team_size, index, flags);
  else if (endpoint == ompt_scope_begin && task)
    task->value = RAW_ID_IMPLICIT;
}
