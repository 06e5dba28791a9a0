#include "analyzer/analyses/imbalance/opened.h"

struct opened_sums opened_sums_now(const struct machine_view *view)
{
  return (struct opened_sums){
      .run = machine_total(view, STATE_RUN),
      .overhead = machine_total(view, STATE_OVERHEAD),
      .at_barrier = machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER),
      .locked = machine_total(view, STATE_SYNCH_MUTEX) + machine_total(view, STATE_SYNCH_ORDERED) +
                machine_total(view, STATE_BLOCKED_MUTEX) + machine_total(view, STATE_SYNCH_PTHREAD_MUTEX) +
                machine_total(view, STATE_SYNCH_PTHREAD_RWLOCK),
      .waited = machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER) + machine_total(view, STATE_SYNCH_BARRIER) +
                machine_total(view, STATE_SYNCH_TASKWAIT) + machine_total(view, STATE_SYNCH_REDUCTION),
  };
}

struct opened *opened_push(struct opened_list *opened, const struct opened *one)
{
  if (!vector_push(&opened->list, *one))
    return NULL;
  opened->depth = one->depth;
  return opened_top(opened);
}

const struct opened *opened_pop(struct opened_list *opened)
{
  const struct opened *one = opened_top(opened);
  opened->list.count--;
  opened->depth = opened->list.count ? one[-1].depth : 0;
  return one;
}

void opened_free(struct opened_list *opened)
{
  vector_free(&opened->list);
}
