#include "jvmti-agent/blocks.h"

#include "common/budget/keep.h"

#define LIST 6u /* pairs of words: room for all records of one */

uint64_t blocks_long;
void (*block_in_omitted)(bool begins);

static struct budget_row *blocks_row_of(unsigned kind, uint64_t code)
{
  return budget_row(code & (RAW_CODE_PLACE - 1), BUDGET_MUTEXES, OMITTED_BLOCK | kind, BLOCKS_RECORDS);
}

bool block_is_held(enum raw_block kind, uint64_t code)
{
  struct budget_row *row = blocks_row_of(kind, code);
  if (!row)
    return false;
  if (row->block > 1 || row->gap > 1)
    return true;
  (void)budget_take(row); /* its weight is 1 */
  return false;
}

/* code: the place, if it is known only now. */
static uint32_t weigh(unsigned kind, uint64_t lasted, uint64_t code)
{
  struct budget_row *row = blocks_row_of(kind, thread_self.held.code);
  if (!thread_self.whole && lasted <= blocks_long && !keep_has_java(code & (RAW_CODE_PLACE - 1)))
    return row ? budget_take(row) : 1;
  if (row)
    budget_count(row, 1, 0);
  return 1;
}

void block_end_held(unsigned detail, uint64_t code, uint64_t object)
{
  uint64_t begin = thread_self.held.begin, now = clock_ticks();
  thread_self.held.begin = 0;
  uint32_t weight = weigh(detail & RAW_BLOCK_KIND, now - begin, code);
  struct recorder *self = weight > 0 ? recorder_enter_list(LIST) : NULL;
  if (!self)
    return;
  if (begin < self->window->anchor_ticks) /* the chunk begins behind it */
    begin = now = clock_ticks();
  if (weight > 1)
    recorder_put_at(self, 2, raw_head(RAW_WEIGHT, RAW_BLOCK_BEGIN, weight), 0, begin);
  recorder_put_at(self, 3, raw_head(RAW_BLOCK_BEGIN, detail & RAW_BLOCK_KIND, thread_self.held.code),
                  thread_self.held.object, begin);
  if (thread_self.held.owner)
    recorder_put_at(self, 3, raw_head(RAW_BLOCK_OWNER, 0, thread_self.held.owner_code), thread_self.held.owner, begin);
  if (thread_self.held.pinned)
    recorder_put_at(self, 2, raw_head(RAW_BLOCK_PINNED, 0, thread_self.held.pinned), 0, begin);
  recorder_put_at(self, 3, raw_head(RAW_BLOCK_END, detail, code), object, now);
  recorder_read_if_due(self, now);
  recorder_leave(self);
}
