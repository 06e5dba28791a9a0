#include "analyzer/analyses/account/sweep_state.h"

#include <stdlib.h>

enum {
  CHAIN_US = 1000, /* threads that meet wake each other one after another; from one to the next no longer */
  HELPS_LEAST = 20 /* a thread with less than one part in so many of the last one's work only waited */
};

#define OF_CREW (1ull << 63) /* of a crew's meeting; keys of objects are smaller, or the two differ anyway */

void sweep_begin_member(struct sweep *sweep, uint32_t location)
{
  uint32_t creator = sweep->releases->creators[location], crew = sweep->releases->crews.of[location];
  if (creator == TRACE_NONE || crew == TRACE_NONE)
    return;
  struct swept_crew *of = &sweep->crews[crew];
  if (of->group.alive == 0)
    mix_clear(&of->ended);
  group_begin(&of->group);
  of->group.of_pool = sweep->releases->crews.of_pool[location];
  if (of->group.of_pool && creator != location) {
    uint32_t owner = sweep->threads[creator].pool; /* a worker may create the next one */
    bool worker = sweep->releases->crews.of_pool[creator] && owner != TRACE_NONE;
    sweep_change_pool(sweep, location, worker ? owner : creator);
  }
  sweep->failed |= !vector_push(&of->members, location);
  sweep->threads[creator].crew = crew;
  sweep_recount(sweep, creator);
}

void sweep_end_member(struct sweep *sweep, uint32_t location)
{
  uint32_t creator = sweep->releases->creators[location], crew = sweep->releases->crews.of[location];
  const struct swept_thread *thread = &sweep->threads[location];
  if (creator == TRACE_NONE || crew == TRACE_NONE)
    return;
  struct swept_crew *of = &sweep->crews[crew];
  sweep_settle(sweep, creator);
  group_end(&of->group);
  for (size_t i = 0; i < of->members.count; i++)
    if (of->members.items[i] == location)
      of->members.items[i--] = of->members.items[--of->members.count];
  for (size_t i = 0; i < thread->sums.parts.count; i++)
    mix_add(sweep->causes, &of->ended, thread->sums.parts.items[i].cause, thread->sums.parts.items[i].ticks);
  sweep_recount(sweep, creator);
}

struct swept_crew *sweep_crew_joined(const struct sweep *sweep, uint32_t location, uint32_t joined)
{
  bool known = joined != TRACE_NONE && sweep->releases->creators[joined] == location;
  uint32_t crew = known ? sweep->releases->crews.of[joined] : sweep->threads[location].crew;
  return crew == TRACE_NONE ? NULL : &sweep->crews[crew];
}

/* The innermost wait of a thread if a member of the crew ends it; NULL: it does not wait so. */
static struct open_wait *waits_for_crew(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
  bool meets = wait && wait->known && wait->record.flags & WAIT_MEETS && !wait->released &&
               (wait->waits == FOR_PERMIT || wait->waits == FOR_SIGNAL);
  return meets ? wait : NULL;
}

/* What the last one did more of since both met last; what it did during the wait if that is not known. */
static void resolve_member(struct sweep *sweep, uint32_t location, struct open_wait *wait, uint32_t last)
{
  struct swept_thread *thread = &sweep->threads[location], *other = &sweep->threads[last];
  struct mix mix = {0}, mine = {0};
  sweep_settle(sweep, location);
  sweep_settle(sweep, last);
  bool met = thread->met_at == other->met_at, before = met && thread->met_at != 0;
  uint64_t work = thread->work - (before ? thread->met_work : 0);
  uint64_t last_work = other->work - (before ? other->met_work : 0);
  struct own_work own = {ACCOUNT_IMBALANCE, NOTE_NONE, wait->region, false};
  if (work < last_work / HELPS_LEAST)
    own = (struct own_work){ACCOUNT_SERIAL, NOTE_NONE, sweep->releases->code ? TRACE_NONE : wait->region, true};
  sweep_did(sweep, last, !met ? &wait->waker : before ? &other->met : NULL, own, UINT64_MAX, &mix);
  if (met)
    sweep_did(sweep, location, before ? &thread->met : NULL, own, wait->ordinal, &mine);
  mix_subtract(sweep->causes, &mix, &mine);
  if (mix.total == 0)
    mix_add(sweep->causes, &mix, sweep_cause_of_open(sweep, wait), 1);
  sweep_resolve_as(sweep, location, wait, &mix);
  mix_free(&mix);
  mix_free(&mine);
}

static void meet_again(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  sweep_take_past(sweep, location, &thread->met);
  thread->met_at = OF_CREW | sweep->crew_meetings;
  thread->met_work = thread->work;
}

/*
 * The last one to arrive wakes a waiting thread, which may wake the next one: all of them waited for the last one. A
 * wake-up of the others begins now.
 */
void sweep_meet_crew(struct sweep *sweep, uint32_t location, const struct open_wait *first)
{
  uint32_t last = first->record.waker, crew = sweep->releases->crews.of[last];
  uint64_t number = ++sweep->crew_meetings, until = sweep->now + sweep->wake_up / WAKE_UP_US * CHAIN_US;
  struct swept_crew *of = &sweep->crews[crew];
  resolve_member(sweep, location, waits_for_crew(sweep, location), last);
  meet_again(sweep, location);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < of->members.count; i++) {
      uint32_t other = of->members.items[i];
      struct open_wait *wait = other == last ? NULL : waits_for_crew(sweep, other);
      bool chained = wait && wait->record.release <= until && sweep->releases->crews.of[wait->record.waker] == crew &&
                     (wait->record.waker == last || sweep->threads[wait->record.waker].met_at == (OF_CREW | number));
      if (!chained)
        continue;
      resolve_member(sweep, other, wait, last);
      meet_again(sweep, other);
      more = true;
    }
  }
  meet_again(sweep, last);
}

void sweep_crews_free(struct sweep *sweep)
{
  for (uint32_t i = 0; sweep->crews && i < sweep->releases->crews.count; i++) {
    vector_free(&sweep->crews[i].members);
    mix_free(&sweep->crews[i].ended);
  }
  free(sweep->crews);
}
