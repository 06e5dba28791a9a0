#include "analyzer/analyses/calls/blame.h"

#include <stdlib.h>

bool calls_find_with_blame(const struct trace *trace, const struct samples *samples, uint32_t trigger,
                           struct pool *pool, struct calls *calls, struct calls_blame *blame, struct error *error)
{
  *calls = (struct calls){0};
  *blame = (struct calls_blame){0};
  struct calls_adder *adder = calls_begin(trace, samples, pool, error);
  struct calls_blamer *blamer = adder ? calls_blame_begin(trace, samples, trigger, error) : NULL;
  bool good = blamer != NULL;
  if (good) {
    const struct subscriber *subscribers[] = {calls_subscriber(adder), calls_blame_subscriber(blamer)};
    good = pass_in_order(trace, pool, subscribers, 2, error);
  }
  if (!good) {
    calls_drop(adder);
    calls_blame_drop(blamer);
    return false;
  }
  if (calls_end(adder, calls))
    return calls_blame_end(blamer, calls, blame, error);
  calls_blame_drop(blamer);
  return false;
}

void calls_blame_free(struct calls_blame *blame)
{
  free(blame->cells);
  *blame = (struct calls_blame){0};
}

void calls_blame_weigh(const struct trace *trace, const struct calls_blame *blame,
                       const struct calls_selection *selection, const struct calls_tree *tree, wide_total *weights)
{
  for (size_t i = 0; i < blame->cell_count; i++) {
    const struct calls_blame_cell *cell = &blame->cells[i];
    if ((selection->location != CALLS_ANY && selection->location != cell->location) ||
        (selection->construct != CALLS_ANY && selection->construct != cell->construct) ||
        (selection->process != CALLS_ANY && selection->process != trace->locations[cell->location].process))
      continue;
    weights[cell->context == TRACE_NONE ? 0 : tree->node_of[cell->context]] += cell->ticks;
  }
}

static const struct {
  const char *key, *reason;
} blame_sums_reasons[UNBLAMED_REASONS] = {
    [UNBLAMED_UNKNOWN_WAKER] = {"unknown_waker", "it is unknown who ended the wait"},
    [UNBLAMED_AMBIGUOUS] = {"ambiguous", "two threads could have ended the wait"},
    [UNBLAMED_TIMED_OUT] = {"timed_out", "the wait timed out"},
    [UNBLAMED_ITSELF] = {"itself", "the thread was the last one to arrive"},
    [UNBLAMED_NOT_ENDED] = {"not_ended", "the wait had not ended at the end of the recording"},
    [UNBLAMED_WAKING] = {"waking", "the wait was over, but the thread had not gone on yet"},
    [UNBLAMED_NO_PROCESSOR] = {"no_processor", "the other thread had no processor"},
    [UNBLAMED_UNMEASURED] = {"unmeasured", "the other thread was not measured"},
    [UNBLAMED_NOT_KNOWN] = {"not_known", "it is unknown what the other thread did"},
};

const char *calls_unblamed_reason(enum calls_unblamed reason)
{
  return blame_sums_reasons[reason].reason;
}

const char *calls_unblamed_key(enum calls_unblamed reason)
{
  return blame_sums_reasons[reason].key;
}
