#include "analyzer/locks/unseen_locks.h"

bool unseen_locks_take(struct unseen_locks *unseen, const struct lock_event *event)
{
  bool good = true;
  for (int i = 0; good && i < LOCK_FIGURES; i++) {
    struct unseen *figure = &unseen->figures[i];
    if (event->kind == LOCK_UNSEEN)
      good = unseen_skip(figure, event->region, event->weight);
    else if (event->kind == LOCK_ENTERED)
      good = unseen_enter(figure, event->region);
    else
      unseen_leave(figure);
  }
  return good;
}

bool unseen_locks_add(struct unseen_locks *unseen, enum lock_figure figure, uint32_t region, struct sample sample,
                      uint64_t instances, bool late)
{
  return sample.domain == TRACE_NONE ||
         unseen_add(&unseen->figures[figure], (uint64_t)region << 32 | sample.domain, sample.value * instances, late);
}

void unseen_locks_free(struct unseen_locks *unseen)
{
  for (int i = 0; i < LOCK_FIGURES; i++)
    unseen_free(&unseen->figures[i]);
}
