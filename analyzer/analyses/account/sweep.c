#include "analyzer/analyses/account/sweep.h"

#include "analyzer/analyses/account/sweep_state.h"

#include <stdlib.h>
#include <string.h>

/* Actions. */

static struct swept_member *member_of(struct sweep *sweep, uint32_t team, uint32_t location)
{
  uint32_t rank = team == TRACE_NONE ? TRACE_NONE : trace_team_rank(&sweep->trace->teams[team], location);
  return rank == TRACE_NONE || !sweep->teams[team].members ? NULL : &sweep->teams[team].members[rank];
}

/* The last one arrives: all waits of the meeting are resolved, and the next interval begins. */
static void meet(struct sweep *sweep, uint32_t location, const struct open_wait *own)
{
  const struct trace_team *of = &sweep->trace->teams[own->team];
  struct swept_team *team = &sweep->teams[own->team];
  uint32_t instance = own->instance, meeting = own->meeting;
  struct swept_member *last = member_of(sweep, own->team, location);
  for (uint32_t rank = 0; last && rank < of->size; rank++) {
    uint32_t other = of->members[rank];
    struct swept_thread *thread = &sweep->threads[other];
    for (size_t i = thread->waits.count; other != location && i-- > 0;) {
      struct open_wait *wait = &thread->waits.items[i];
      if (wait->waits != FOR_MEETING || wait->team != own->team || wait->instance != instance ||
          wait->meeting != meeting || wait->released)
        continue;
      sweep_resolve_meeting(sweep, other, wait, &team->members[rank].since, location, &last->since);
      break;
    }
  }
  for (uint32_t rank = 0; rank < of->size; rank++)
    if (team->members[rank].instance == instance)
      sweep_take_past(sweep, of->members[rank], &team->members[rank].since);
}

/* NULL: unknown, or no memory. */
static struct swept_object *object_by(struct sweep *sweep, uint64_t key)
{
  const uint64_t *known = key ? hash_find(&sweep->objects, key) : NULL;
  struct swept_object fresh = {0};
  if (known || key == 0)
    return known ? &sweep->object_list.items[*known] : NULL;
  if (hash_add(&sweep->objects, key, sweep->object_list.count) && vector_push(&sweep->object_list, fresh))
    return &sweep->object_list.items[sweep->object_list.count - 1];
  sweep->failed = true;
  return NULL;
}

/* A thread goes on that nobody met. */
static void leave_object(struct sweep *sweep, uint32_t location, const struct open_wait *wait)
{
  struct swept_object *of = wait->waits == FOR_OBJECT_MEETING ? object_by(sweep, wait->object) : NULL;
  for (size_t i = 0; of && i < of->waiting.count; i++)
    if (of->waiting.items[i] == location)
      of->waiting.items[i--] = of->waiting.items[--of->waiting.count];
}

static void meet_at_object(struct sweep *sweep, uint32_t location, uint64_t object)
{
  struct swept_thread *last = &sweep->threads[location];
  const struct past *last_since = last->met_at == object ? &last->met : NULL;
  struct swept_object *of = object_by(sweep, object);
  for (size_t i = 0; of && i < of->waiting.count; i++) {
    uint32_t other = of->waiting.items[i];
    struct swept_thread *thread = &sweep->threads[other];
    struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
    if (other == location || !wait || wait->waits != FOR_OBJECT_MEETING || wait->object != object || wait->released)
      continue;
    sweep_resolve_meeting(sweep, other, wait, thread->met_at == object ? &thread->met : NULL, location, last_since);
    thread->met_at = 0; /* taken below */
  }
  for (size_t i = 0; of && i < of->waiting.count; i++) {
    uint32_t other = of->waiting.items[i];
    struct swept_thread *thread = &sweep->threads[other];
    const struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
    if (!wait || wait->waits != FOR_OBJECT_MEETING || wait->object != object)
      continue;
    sweep_take_past(sweep, other, &thread->met);
    thread->met_at = object;
  }
  if (of)
    of->waiting.count = 0;
}

/* Before and after an open wait moves in memory. */
static void let_waker_go(struct sweep *sweep, struct open_wait *wait)
{
  wait->waker_moves = wait->waker.taken;
  sweep_unwatch(sweep, &wait->waker);
}

static void watch_waker(struct sweep *sweep, struct open_wait *wait)
{
  wait->waker_moves = false;
  sweep_watch_again(sweep, &wait->waker);
}

static void begin_swept_wait(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait wait = {.ordinal = step->ordinal,
                           .start = step->time,
                           .waits = step->waits,
                           .region = step->region,
                           .team = step->team,
                           .object = step->number,
                           .lock = step->lock,
                           .lock_class = step->lock_class};
  wait.known = release_reader_take(thread->records, step->ordinal, &wait.record);
  if (!wait.known)
    wait.record = (struct wait_record){.ordinal = step->ordinal, .waker = TRACE_NONE, .release = UINT64_MAX};
  if (step->region != TRACE_NONE && thread->regions.count > 0)
    sweep->grain->within[step->region] = thread->regions.items[thread->regions.count - 1];
  struct swept_member *member = step->waits == FOR_MEETING ? member_of(sweep, step->team, location) : NULL;
  if (member) {
    wait.instance = member->instance;
    wait.meeting = member->arrivals++;
    if (step->region != TRACE_NONE)
      grain_add_arrival(sweep->grain, step->region, location, thread->work - thread->worked_at,
                        trace_team_rank(&sweep->trace->teams[step->team], location) == 0);
    thread->worked_at = thread->work;
  } else if (step->waits == FOR_MEETING) {
    wait.team = TRACE_NONE;
  }
  /* Snapshots of the waker are watched by address: waits that are open move with this one. */
  bool moves = thread->waits.count == thread->waits.room;
  for (size_t i = 0; moves && i < thread->waits.count; i++)
    let_waker_go(sweep, &thread->waits.items[i]);
  sweep->failed |= !vector_push(&thread->waits, wait);
  for (size_t i = 0; moves && i < thread->waits.count; i++)
    if (thread->waits.items[i].waker_moves)
      watch_waker(sweep, &thread->waits.items[i]);
  if (sweep->failed)
    return;
  struct open_wait *open = &thread->waits.items[thread->waits.count - 1];
  bool meets = wait.waits == FOR_MEETING || wait.waits == FOR_OBJECT_MEETING;
  struct swept_object *object = wait.waits == FOR_OBJECT_MEETING ? object_by(sweep, wait.object) : NULL;
  sweep->failed |= object && !vector_push(&object->waiting, location);
  if (wait.waits == FOR_LOCK && wait.known && wait.record.detail) {
    open->object = wait.record.detail;
    open->lock = (uint64_t)(uint32_t)wait.record.detail + 1;
    struct swept_lock *lock = sweep_lock_by(sweep, open->object, true);
    if (lock) {
      lock->waiting++;
      if (lock->since.taken)
        sweep_close_hold(sweep, lock, true);
      else if (lock->holder != TRACE_NONE)
        sweep_take_past(sweep, lock->holder, &lock->since);
      sweep_copy_mix(sweep, &open->held, &lock->held);
    }
  } else if (!meets && wait.known && wait.record.waker != TRACE_NONE && wait.record.waker != location) {
    sweep_take_past(sweep, wait.record.waker, &open->waker);
  }
  if (wait.known && wait.record.waker == location && meets) {
    if (wait.waits == FOR_MEETING && wait.team != TRACE_NONE)
      meet(sweep, location, open);
    else if (wait.waits == FOR_OBJECT_MEETING)
      meet_at_object(sweep, location, wait.object);
  }
  if (wait.known && wait.record.release < wait.record.end &&
      (!meets || wait.record.detail || wait.record.waker == location))
    sweep_add_release(sweep, wait.record.release, location, wait.ordinal);
}

static void end_swept_wait(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait *wait = sweep_wait_by(sweep, location, step->ordinal);
  if (!wait)
    return;
  if (!wait->released) {
    leave_object(sweep, location, wait);
    sweep_resolve(sweep, location, wait);
  }
  wait = sweep_wait_by(sweep, location, step->ordinal);
  sweep_unwatch(sweep, &wait->waker);
  past_free(&wait->waker);
  mix_free(&wait->held);
  mix_free(&wait->mix);
  size_t at = (size_t)(wait - thread->waits.items);
  for (size_t i = at + 1; i < thread->waits.count; i++) {
    let_waker_go(sweep, &thread->waits.items[i]);
    thread->waits.items[i - 1] = thread->waits.items[i];
    if (thread->waits.items[i - 1].waker_moves)
      watch_waker(sweep, &thread->waits.items[i - 1]);
  }
  thread->waits.count--;
}

static void fork_team(struct sweep *sweep, uint32_t number, uint32_t region, uint32_t by)
{
  struct swept_team *team = &sweep->teams[number];
  const struct trace_team *of = &sweep->trace->teams[number];
  team->instance++;
  team->begun = team->in = 0;
  team->region = region;
  if (region != TRACE_NONE)
    sweep->grain->regions[region].executions++;
  for (uint32_t rank = 0; rank < of->size; rank++) {
    uint32_t location = of->members[rank];
    struct swept_thread *thread = &sweep->threads[location];
    sweep_take_past(sweep, location, &team->members[rank].since);
    if (location != by)
      sweep_change_pool(sweep, location, by);
    if (thread->late || thread->stopped || (thread->now.does != DOES_IDLE && thread->now.does != DOES_NOTHING))
      continue;
    thread->late = true;
    thread->late_region = region;
    thread->late_woken = sweep_woken_before(sweep, number);
    sweep_look_idle(sweep, location);
    sweep_look_again(sweep, location, LATE, sweep->wake_up);
    sweep_recount(sweep, location);
  }
}

/* A short time between two executions of a region, on the thread that forks. */
static void add_gap(struct sweep *sweep, uint32_t location, uint32_t region)
{
  const struct swept_thread *thread = &sweep->threads[location];
  if (thread->left != region || sweep->now - thread->left_at > sweep->wake_up / WAKE_UP_US * GAP_US)
    return;
  struct grain_region *of = &sweep->grain->regions[region];
  of->gap_place = thread->work_place;
  of->gap_work += thread->worked - thread->left_worked;
  of->gap_lost += thread->alone - thread->left_alone;
}

static void begin_swept_team(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  sweep->failed |= !vector_push(&thread->regions, step->region) || !vector_push(&thread->works, thread->work);
  if (step->team == TRACE_NONE || sweep->failed)
    return;
  struct swept_team *team = &sweep->teams[step->team];
  if (!team->members)
    team->members = calloc((size_t)sweep->trace->teams[step->team].size + 1, sizeof *team->members);
  sweep->failed |= !team->members;
  struct swept_member *member = member_of(sweep, step->team, location);
  if (!member)
    return;
  if (team->begun == 0 || member->instance == team->instance)
    fork_team(sweep, step->team, step->region, sweep->trace->teams[step->team].members[0]);
  if (step->region != TRACE_NONE)
    add_gap(sweep, location, step->region);
  member->instance = team->instance;
  member->arrivals = 0;
  if (team->region == TRACE_NONE && step->region != TRACE_NONE) {
    team->region = step->region;
    sweep->grain->regions[step->region].executions++;
  }
  if (step->region == TRACE_NONE) /* workers join the team before they enter the region */
    thread->regions.items[thread->regions.count - 1] = team->region;
  team->begun++;
  team->in++;
}

/* Members that never began are late no longer. */
static void join_team(struct sweep *sweep, uint32_t number)
{
  const struct trace_team *of = &sweep->trace->teams[number];
  for (uint32_t rank = 0; rank < of->size; rank++) {
    struct swept_thread *thread = &sweep->threads[of->members[rank]];
    if (!thread->late || sweep->teams[number].members[rank].instance == sweep->teams[number].instance)
      continue;
    sweep_settle(sweep, of->members[rank]);
    thread->late = false;
    sweep_recount(sweep, of->members[rank]);
    sweep_look_idle(sweep, of->members[rank]);
  }
  sweep->teams[number].begun = 0;
}

static void end_swept_team(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  if (thread->regions.count > 0) {
    uint32_t region = thread->regions.items[--thread->regions.count];
    uint64_t work = thread->work - thread->works.items[--thread->works.count];
    if (region != TRACE_NONE)
      grain_add_work(sweep->grain, region, location, work);
  }
  if (step->region != TRACE_NONE) {
    thread->left = step->region;
    thread->left_at = step->time;
    thread->left_worked = thread->worked;
    thread->left_alone = thread->alone;
  }
  struct swept_member *member = member_of(sweep, step->team, location);
  if (!member || member->instance != sweep->teams[step->team].instance)
    return;
  struct swept_team *team = &sweep->teams[step->team];
  team->in -= team->in > 0;
  if (team->in == 0)
    join_team(sweep, step->team);
}

static void stop_swept_thread(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  thread->stopped = true;
  if (thread->created_at != TRACE_NONE)
    grain_add_thread(sweep->grain, thread->created_at, thread->work);
  sweep_end_member(sweep, location);
}

static uint32_t cause_of_unmounted(struct sweep *sweep, const struct account_step *step)
{
  switch ((enum waits_unmounted)step->waits) {
  case UNMOUNTED_AT_LOCK:
    return cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, step->region);
  case UNMOUNTED_BLOCKED:
    return cause_of(sweep->causes, ACCOUNT_BLOCKED, NOTE_NONE, step->region);
  default:
    return cause_of(sweep->causes, ACCOUNT_OUTSIDE, NOTE_NONE, step->region);
  }
}

static void end_unmounted(struct sweep *sweep, const struct unmounted *wait)
{
  fine_ticks lost = wait->counts == COUNTS_WAITING ? sweep->share - wait->share_at : 0;
  *(wait->counts == COUNTS_WAITING ? &sweep->waiting : &sweep->outside) -= 1;
  causes_book(sweep->causes, wait->cause, lost, TRACE_NONE);
  if (wait->lock != 0)
    causes_name_lock(sweep->causes, wait->cause, wait->lock, wait->lock_class, (uint64_t)(lost >> FINE_SHIFT));
}

static void mount_swept(struct sweep *sweep, uint64_t key)
{
  struct unmounted wait;
  if (slots_take(&sweep->unmounted, key, &wait))
    end_unmounted(sweep, &wait);
}

static void unmount_swept(struct sweep *sweep, const struct account_step *step)
{
  mount_swept(sweep, step->number);
  struct unmounted wait = {.cause = cause_of_unmounted(sweep, step),
                           .counts = step->waits == UNMOUNTED_OUTSIDE ? COUNTS_OUTSIDE : COUNTS_WAITING,
                           .share_at = sweep->share,
                           .lock = step->waits == UNMOUNTED_AT_LOCK ? step->lock : 0,
                           .lock_class = step->lock_class};
  if (slots_put(&sweep->unmounted, step->number, &wait))
    *(wait.counts == COUNTS_WAITING ? &sweep->waiting : &sweep->outside) += 1;
  else
    sweep->failed = true;
}

static bool sweep_take(void *context, uint32_t location, const struct account_step *step)
{
  struct sweep *sweep = context;
  struct swept_thread *thread = &sweep->threads[location];
  sweep_release_due(sweep, step->time);
  sweep_advance(sweep, step->time);
  sweep_settle(sweep, location);
  sweep_uncount(sweep, location);
  if (step->kind == ACT_WAIT_END)
    end_swept_wait(sweep, location, step);
  if (step->kind == ACT_TEAM_BEGIN)
    thread->late = false;
  thread->now = step->kind == ACT_STOP ? (struct activity){.does = DOES_NOTHING, .place = TRACE_NONE} : step->now;
  switch (step->kind) {
  case ACT_BEGIN:
    sweep_begin_member(sweep, location);
    break;
  case ACT_WAIT:
    begin_swept_wait(sweep, location, step);
    break;
  case ACT_ACQUIRE:
    sweep_acquire(sweep, location, step->number);
    break;
  case ACT_RELEASE:
    sweep_release(sweep, step->number);
    break;
  case ACT_TEAM_BEGIN:
    begin_swept_team(sweep, location, step);
    break;
  case ACT_TEAM_END:
    end_swept_team(sweep, location, step);
    break;
  case ACT_TASK_MADE:
  case ACT_TASK_BEGIN:
    sweep_count_tasks(sweep, step);
    break;
  case ACT_TASK_DONE:
    sweep_count_tasks(sweep, step);
    sweep->grain->tasks += step->time >= sweep->from && step->time < sweep->to ? step->number : 0;
    break;
  case ACT_CHUNKS:
  case ACT_MADE:
  case ACT_OMITTED:
    grain_count(sweep->grain, step->region, step->kind, step->number);
    break;
  case ACT_LOCKS:
    grain_count_locks(sweep->grain, step->team, step->region, step->number);
    break;
  case ACT_OFF:
    if (step->time >= sweep->from && step->time < sweep->to)
      grain_add_off(sweep->grain, step->region, location, step->number, step->ordinal);
    break;
  case ACT_MEASURED:
    for (uint32_t i = 0; i < sweep->trace->location_count && sweep->paused != (step->number == 0); i++)
      sweep_settle(sweep, i);
    sweep->paused = step->number == 0;
    break;
  case ACT_UNMOUNT:
    unmount_swept(sweep, step);
    break;
  case ACT_MOUNT:
    mount_swept(sweep, step->number);
    break;
  case ACT_STOP:
    stop_swept_thread(sweep, location);
    break;
  default:
    break;
  }
  if (thread->now.does == DOES_WAIT && thread->waits.count > 0)
    sweep_settle_task_wait(sweep, &thread->waits.items[thread->waits.count - 1], false);
  sweep_uncount(sweep, location);
  sweep_count(sweep, location);
  sweep_look_idle(sweep, location);
  return !sweep->failed && !sweep->causes->failed && !sweep->grain->failed;
}

static void sweep_free(struct sweep *sweep)
{
  for (uint32_t i = 0; sweep->threads && i < sweep->trace->location_count; i++) {
    struct swept_thread *thread = &sweep->threads[i];
    for (size_t k = 0; k < thread->waits.count; k++) {
      past_free(&thread->waits.items[k].waker);
      mix_free(&thread->waits.items[k].held);
      mix_free(&thread->waits.items[k].mix);
    }
    vector_free(&thread->waits);
    vector_free(&thread->watchers);
    vector_free(&thread->regions);
    vector_free(&thread->works);
    mix_free(&thread->sums);
    past_free(&thread->met);
    release_reader_close(thread->records);
  }
  for (uint32_t i = 0; sweep->teams && i < sweep->trace->team_count; i++) {
    for (uint32_t k = 0; sweep->teams[i].members && k < sweep->trace->teams[i].size; k++)
      past_free(&sweep->teams[i].members[k].since);
    free(sweep->teams[i].members);
  }
  for (size_t i = 0; i < sweep->lock_list.count; i++) {
    past_free(&sweep->lock_list.items[i]->since);
    mix_free(&sweep->lock_list.items[i]->held);
    free(sweep->lock_list.items[i]);
  }
  sweep_crews_free(sweep);
  selected_free(sweep);
  free(sweep->threads);
  free(sweep->teams);
  slots_free(&sweep->unmounted);
  vector_free(&sweep->lock_list);
  vector_free(&sweep->heap);
  hash_free(&sweep->locks);
  for (size_t i = 0; i < sweep->object_list.count; i++)
    vector_free(&sweep->object_list.items[i].waiting);
  vector_free(&sweep->object_list);
  hash_free(&sweep->objects);
}

/* Takes the steps that the first pass kept, or finds them again. */
static bool sweep_steps(struct sweep *sweep, struct kept_steps *steps, struct pool *pool)
{
  const struct releases *releases = sweep->releases;
  struct activity_pass pass = {sweep->trace, releases->meanings, releases->code, sweep_take, sweep};
  struct subscriber subscriber = {.context = &pass};
  const struct subscriber *list = &subscriber;
  if (kept_steps_whole(steps))
    return kept_steps_replay(steps, sweep_take, sweep, sweep->error);
  activity_subscribe(NULL, &subscriber);
  return pass_in_order(sweep->trace, pool, &list, 1, sweep->error);
}

bool sweep_book(const struct releases *releases, struct kept_steps *steps, uint32_t processors, bool one_thread,
                struct pool *pool, struct causes *causes, struct grain *grain, struct error *error)
{
  const struct trace *trace = releases->trace;
  uint64_t us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  bool timed = trace->restriction.timed;
  struct sweep sweep = {.releases = releases,
                        .trace = trace,
                        .causes = causes,
                        .grain = grain,
                        .error = error,
                        .processors = processors,
                        .one_thread = one_thread,
                        .unmounted = {.size = sizeof(struct unmounted)},
                        .wake_up = WAKE_UP_US * us,
                        .from = timed && trace->restriction.from > releases->begin ? trace->restriction.from
                                                                                   : releases->begin,
                        .to = timed && trace->restriction.to < releases->end ? trace->restriction.to : releases->end,
                        .now = releases->begin};
  sweep.threads = calloc((size_t)trace->location_count + 1, sizeof *sweep.threads);
  sweep.teams = calloc((size_t)trace->team_count + 1, sizeof *sweep.teams);
  sweep.crews = calloc((size_t)releases->crews.count + 1, sizeof *sweep.crews);
  bool good = sweep.threads && sweep.teams && sweep.crews && selected_begin(&sweep);
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    sweep.threads[i].since = sweep.now;
    sweep.threads[i].created_at = sweep.threads[i].left = sweep.threads[i].pool = TRACE_NONE;
    sweep.threads[i].worked_in = TRACE_NONE;
    sweep.threads[i].crew = TRACE_NONE;
    good = (sweep.threads[i].records = release_reader_open(releases, i)) != NULL;
  }
  good = good || error_set(error, "%s: out of memory", trace->anchor);
  good = good && sweep_steps(&sweep, steps, pool);
  if (good) {
    sweep_release_due(&sweep, releases->end);
    sweep_advance(&sweep, releases->end);
    for (uint32_t i = 0; i < trace->location_count; i++)
      sweep_settle(&sweep, i);
    for (size_t i = 0; i < sweep.unmounted.by_key.room; i++)
      if (sweep.unmounted.by_key.entries[i].used)
        end_unmounted(&sweep,
                      (const struct unmounted *)slots_find(&sweep.unmounted, sweep.unmounted.by_key.entries[i].key));
    if (sweep.selected)
      selected_book(&sweep);
    good = (!sweep.failed && !causes->failed && !grain->failed) || error_set(error, "%s: out of memory", trace->anchor);
  } else if (sweep.failed || causes->failed || grain->failed) {
    error_set(error, "%s: out of memory", trace->anchor);
  }
  sweep_free(&sweep);
  return good;
}
