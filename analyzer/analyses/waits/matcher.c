#include "analyzer/analyses/waits/matcher.h"

#include "analyzer/trace/definitions.h"

#include <stdlib.h>

/* Parts of a second: longer before its unmount, a virtual thread has not looked yet whether it was unparked. */
enum { EARLY = 100 };

static const struct waker matcher_nobody = {0, TRACE_NONE, TRACE_NONE};

static uint32_t matcher_process_of(const struct matcher *matcher, uint32_t location)
{
  uint32_t process = matcher->trace->locations[location].process;
  return process == TRACE_NONE ? matcher->trace->process_count : process;
}

/* The process is not the last thing that the key is made of, because numbers of objects are small. */
static uint64_t object_key(const struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  uint64_t key = hash_mix(step->number + ((uint64_t)step->domain << 56));
  return trace_key_in_process(matcher->trace, location, step->class_name ? hash_text(key, step->class_name) : key);
}

static struct path_part part(uint32_t location, uint32_t construct, uint32_t state)
{
  return (struct path_part){location, construct, state};
}

/* A thread continues its waker's path from the moment at which it was woken. */
static void hop(struct matcher *matcher, uint32_t to, struct waker by, uint64_t time)
{
  bool taken;
  uint32_t process = matcher_process_of(matcher, to);
  if (by.location == TRACE_NONE || by.location == to || matcher_process_of(matcher, by.location) != process)
    return;
  struct path_part did = matcher->threads[to].did;
  if (!paths_continue(matcher->paths, by.location, by.time, part(to, did.construct, did.state), time, &taken))
    matcher->failed = true;
  matcher->hops[process] += taken;
  matcher->lost[process] += !taken;
}

/* A listener hears that a thread no longer waits. */
static void tell(struct matcher *matcher, uint32_t to, uint64_t since, uint64_t time, struct wake wake)
{
  struct waits_woken woken = {.location = to,
                              .since = since,
                              .time = time,
                              .how = wake.how,
                              .from = wake.by.location,
                              .from_time = wake.by.time};
  if (matcher->listener)
    matcher->failed |= !matcher->listener->woken(matcher->listener->context, &woken);
}

static struct wake by_thread(struct waker by)
{
  return (struct wake){by.location == TRACE_NONE ? WAKE_UNKNOWN : WAKE_BY_THREAD, by, matcher_nobody};
}

static bool take_found_edge(void *context, const struct edge *edge)
{
  struct matcher *matcher = context;
  struct waker by = {edge->from_time, edge->from, edge->region};
  if (edge->kind == EDGE_FORK) {
    hop(matcher, edge->to, by, edge->time);
    tell(matcher, edge->to, 0, edge->time, by_thread(by)); /* it was idle */
  } else if (!matcher->edge_found || edge->from_time > matcher->edge.from_time) {
    matcher->edge = *edge;
    matcher->edge_found = true;
  }
  return true;
}

bool matcher_init(struct matcher *matcher, const struct trace *trace)
{
  unsigned kinds = EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_LOCK) | EDGE_BIT(EDGE_TASK) | EDGE_BIT(EDGE_JOIN);
  *matcher = (struct matcher){
      .trace = trace, .unmounted.size = sizeof(struct unmounted_wait), .early.size = sizeof(struct waker)};
  matcher->threads = calloc((size_t)trace->location_count + 1, sizeof *matcher->threads);
  matcher->hops = calloc((size_t)trace->process_count + 1, sizeof *matcher->hops);
  matcher->lost = calloc((size_t)trace->process_count + 1, sizeof *matcher->lost);
  matcher->paths = paths_create(trace);
  matcher->edges = edges_create(trace, kinds, take_found_edge, matcher);
  if (!matcher->threads || !matcher->hops || !matcher->lost || !matcher->paths || !matcher->edges ||
      !children_init(&matcher->children, trace))
    return false;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    struct matched_thread *thread = &matcher->threads[i];
    thread->permit = thread->interrupt = thread->start = matcher_nobody;
    thread->did = part(i, TRACE_NONE, STATE_RUN);
  }
  return thread_ids_of_java(&matcher->java_threads, trace) && thread_ids_of_kernel(&matcher->kernel_threads, trace);
}

void matcher_free(struct matcher *matcher)
{
  edges_destroy(matcher->edges);
  paths_destroy(matcher->paths);
  objects_free(&matcher->objects);
  children_free(&matcher->children);
  slots_free(&matcher->unmounted);
  slots_free(&matcher->early);
  wait_sums_free(&matcher->sums);
  hash_free(&matcher->java_threads);
  hash_free(&matcher->kernel_threads);
  hash_free(&matcher->posix_threads);
  hash_free(&matcher->creators);
  hash_free(&matcher->released_in);
  free(matcher->threads);
  free(matcher->hops);
  free(matcher->lost);
}

/* A thread of the process that a location belongs to. */
static uint32_t thread_by(const struct hash *ids, const struct matcher *matcher, uint32_t location, uint64_t id)
{
  return thread_ids_find(ids, matcher->trace->locations[location].process, id);
}

static uint32_t java_thread(const struct matcher *matcher, uint32_t location, uint64_t id)
{
  return thread_by(&matcher->java_threads, matcher, location, id);
}

/* How long the waker waited itself while the thread waited for it, and for what mostly. */
static void find_meanwhile(const struct matcher *matcher, struct ended_wait *wait)
{
  const struct matched_thread *waker = &matcher->threads[wait->wake.by.location];
  uint64_t most = 0;
  for (unsigned i = 0; i < WAITS_KEPT && i < waker->wait_count; i++) {
    const struct recent_wait *recent = &waker->waits[i];
    uint64_t from = recent->begin > wait->step->since ? recent->begin : wait->step->since;
    uint64_t to = recent->end < wait->wake.by.time ? recent->end : wait->wake.by.time;
    if (to <= from)
      continue;
    wait->meanwhile += to - from;
    if (to - from > most) {
      most = to - from;
      wait->meanwhile_region = recent->region;
    }
  }
}

static void finish_wait(struct matcher *matcher, uint32_t location, const struct waker_step *step, struct wake wake)
{
  struct matched_thread *thread = &matcher->threads[location];
  struct ended_wait wait = {step, wake, 0, TRACE_NONE};
  if (wake.by.location != TRACE_NONE && wake.how <= WAKE_INTERRUPTED) {
    find_meanwhile(matcher, &wait);
    if (wake.by.time > step->since)
      hop(matcher, location, wake.by, step->time);
  }
  tell(matcher, location, step->since, step->time, wake);
  if (step->match == MATCH_IDLE)
    return;
  thread->waits[thread->wait_count++ % WAITS_KEPT] = (struct recent_wait){step->since, step->time, step->region};
  if (thread->wait_count == 2 * WAITS_KEPT)
    thread->wait_count = WAITS_KEPT;
  matcher->failed |= !wait_sums_add(&matcher->sums, &wait);
}

/* JVMs do not report releases: the owner has released the monitor at the latest when the wait ends. */
static struct wake end_at_monitor(const struct matcher *matcher, uint32_t location, const struct waker_step *step,
                                  struct waited_object *object)
{
  struct waker last = object->last[0];
  uint32_t owner = java_thread(matcher, location, step->owner);
  object->last[0] = (struct waker){step->time, location, step->region};
  if (last.location != TRACE_NONE && last.time >= step->begin)
    return by_thread((struct waker){step->time, last.location, last.region});
  return by_thread((struct waker){step->time, owner, owner == TRACE_NONE ? TRACE_NONE : step->owner_place});
}

static struct wake end_at_object(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct waited_object *object = objects_find(&matcher->objects, object_key(matcher, location, step));
  struct wake wake = by_thread(matcher_nobody);
  if (!object)
    return wake;
  if (step->match == MATCH_ARRIVAL)
    wake = object_leave(object, matcher->threads[location].instance, location);
  else if (step->match == MATCH_OWNER)
    wake = end_at_monitor(matcher, location, step, object);
  else if (step->match == MATCH_RELEASE)
    wake = by_thread(object->last[0].time >= step->begin ? object->last[0] : matcher_nobody);
  else if (step->flags)
    object_give_up(object);
  else
    wake = object_take_signal(object, step->begin);
  objects_wait_ends(&matcher->objects, object);
  return wake;
}

/* The thread that a join waits for. The kernel's ids are reused, numbers are not. */
static uint32_t joined_thread(const struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  if (step->domain != DOMAIN_POSIX)
    return java_thread(matcher, location, step->number);
  uint32_t numbered = thread_by(&matcher->posix_threads, matcher, location, step->thread);
  return numbered != TRACE_NONE ? numbered : thread_by(&matcher->kernel_threads, matcher, location, step->number);
}

/* If the joined thread is unknown, the thread that ended last counts; others could have been waited for. */
static struct wake end_with_thread(const struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  uint32_t joined = joined_thread(matcher, location, step);
  struct wake wake = by_thread(matcher_nobody);
  if (joined != TRACE_NONE) {
    /* Its last event may come later, when the kernel takes its processor. */
    uint64_t stopped = matcher->threads[joined].stopped;
    return by_thread((struct waker){stopped != 0 ? stopped : step->time, joined, TRACE_NONE});
  }
  for (unsigned i = 0; i < ENDS_KEPT && i < matcher->end_count; i++) {
    struct waker by = matcher->ends[(matcher->end_count - 1 - i) % ENDS_KEPT];
    if (by.time < step->begin || matcher_process_of(matcher, by.location) != matcher_process_of(matcher, location))
      continue;
    if (wake.by.location == TRACE_NONE)
      wake = by_thread(by);
    else if (wake.also.location == TRACE_NONE)
      wake = (struct wake){WAKE_AMBIGUOUS, wake.by, by};
  }
  return wake;
}

static struct wake end_with_tasks(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct waker last = children_last(&matcher->children, location);
  if (last.location == TRACE_NONE || last.time < step->begin)
    return by_thread(matcher_nobody);
  return last.location == location ? (struct wake){WAKE_ITSELF, matcher_nobody, matcher_nobody} : by_thread(last);
}

static struct wake end_of_wait(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct matched_thread *thread = &matcher->threads[location];
  struct wake wake = {WAKE_UNKNOWN, matcher_nobody, matcher_nobody};
  switch (step->match) {
  case MATCH_QUEUE:
  case MATCH_RELEASE:
  case MATCH_ARRIVAL:
  case MATCH_OWNER:
    return end_at_object(matcher, location, step);
  case MATCH_PERMIT:
  case MATCH_IDLE:
    wake = by_thread(thread->permit);
    if (!step->flags)
      thread->permit = matcher_nobody;
    return wake;
  case MATCH_END:
    return end_with_thread(matcher, location, step);
  case MATCH_CLOCK:
    wake.how = WAKE_TIMED_OUT;
    return wake;
  case MATCH_IO:
    wake.how = WAKE_BY_IO;
    return wake;
  case MATCH_TASKS:
    return end_with_tasks(matcher, location, step);
  default:
    return wake;
  }
}

static void take_unmounted(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct unmounted_wait wait = {*step, matcher_nobody};
  matcher->failed |=
      !slots_put(&matcher->unmounted, trace_key_in_process(matcher->trace, location, step->thread), &wait);
  tell(matcher, location, step->since, step->time, (struct wake){WAKE_CUT, matcher_nobody, matcher_nobody});
}

/* The carrier did not wait: a virtual thread's wait is summed, and no path follows it. */
static void sum_unmounted(struct matcher *matcher, const struct waker_step *step, struct wake wake)
{
  struct ended_wait wait = {step, wake, 0, TRACE_NONE};
  if (wake.by.location != TRACE_NONE)
    find_meanwhile(matcher, &wait);
  if (step->match != MATCH_IDLE)
    matcher->failed |= !wait_sums_add(&matcher->sums, &wait);
}

/*
 * A virtual thread that waited goes on, on this carrier. Its wait begins as it is unmounted, a moment after it looked
 * whether it was unparked. If no unpark came meanwhile, an unpark came in that moment. An older unpark let an earlier
 * park return at once, which is not recorded.
 */
static void take_mounted(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  uint64_t thread = trace_key_in_process(matcher->trace, location, step->thread);
  struct unmounted_wait wait;
  struct waker early = matcher_nobody;
  slots_take(&matcher->early, thread, &early);
  if (!slots_take(&matcher->unmounted, thread, &wait))
    return;
  wait.step.waited += step->time - wait.step.time;
  wait.step.time = step->time;
  wait.step.flags = 0;
  bool by_permit = wait.step.match == MATCH_PERMIT || wait.step.match == MATCH_IDLE;
  bool late = wait.step.begin - early.time > matcher->trace->ticks_per_second / EARLY;
  struct waker by = wait.permit.location == TRACE_NONE && !late ? early : wait.permit;
  sum_unmounted(matcher, &wait.step, by_permit ? by_thread(by) : end_of_wait(matcher, location, &wait.step));
}

void matcher_cut(struct matcher *matcher, uint64_t time)
{
  const struct hash *waits = &matcher->unmounted.by_key;
  for (size_t i = 0; i < waits->room; i++) {
    if (!waits->entries[i].used)
      continue;
    struct unmounted_wait *wait = slots_find(&matcher->unmounted, waits->entries[i].key);
    wait->step.waited += time > wait->step.time ? time - wait->step.time : 0;
    wait->step.time = time;
    sum_unmounted(matcher, &wait->step, (struct wake){WAKE_CUT, matcher_nobody, matcher_nobody});
  }
}

static void take_wait_end(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct matched_thread *thread = &matcher->threads[location];
  if (step->flags & WAIT_UNMOUNTED) {
    take_unmounted(matcher, location, step);
    return;
  }
  struct wake wake = end_of_wait(matcher, location, step);
  if (step->flags & WAIT_CUT)
    wake = (struct wake){WAKE_CUT, matcher_nobody, matcher_nobody};
  else if (step->flags & WAIT_INTERRUPTED)
    wake = (struct wake){WAKE_INTERRUPTED, thread->interrupt, matcher_nobody};
  else if (step->flags & WAIT_TIMED_OUT)
    wake = (struct wake){WAKE_TIMED_OUT, matcher_nobody, matcher_nobody};
  if (step->flags & WAIT_INTERRUPTED)
    thread->interrupt = matcher_nobody;
  finish_wait(matcher, location, step, wake);
}

static void take_wait(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  if (step->match < MATCH_QUEUE || step->match > MATCH_OWNER)
    return;
  uint64_t key = object_key(matcher, location, step);
  bool again = step->flags & WAIT_AGAIN;
  struct waited_object *object = again ? objects_find(&matcher->objects, key) : objects_wait(&matcher->objects, key);
  matcher->failed |= !object && !again;
  if (!object || step->match != MATCH_ARRIVAL)
    return;
  struct matched_thread *thread = &matcher->threads[location];
  if (!again || (thread->instance == object->instance && !object->left))
    thread->instance = object_arrive(object, (struct waker){step->time, location, step->region});
  matcher->failed |= !paths_keep(matcher->paths, location);
}

static void take_signal(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct waker by = {step->time, location, step->region};
  bool to_thread = step->signal >= SIGNAL_THREAD;
  uint32_t to = to_thread ? java_thread(matcher, location, step->number) : TRACE_NONE;
  uint64_t thread_key = trace_key_in_process(matcher->trace, location, step->number);
  struct unmounted_wait *waits = to_thread ? slots_find(&matcher->unmounted, thread_key) : NULL;
  matcher->failed |= !paths_keep(matcher->paths, location);
  if (step->signal < SIGNAL_THREAD) {
    struct waited_object *object = objects_find(&matcher->objects, object_key(matcher, location, step));
    if (object && step->signal == SIGNAL_RELEASE)
      object->last[0] = by;
    else if (object)
      object_signal(object, by, step->signal == SIGNAL_ALL);
  } else if (waits) {
    if (step->signal == SIGNAL_THREAD && waits->permit.location == TRACE_NONE)
      waits->permit = by;
  } else if (to == TRACE_NONE) {
    matcher->failed |= step->signal == SIGNAL_THREAD && !slots_put(&matcher->early, thread_key, &by);
  } else {
    struct matched_thread *thread = &matcher->threads[to];
    struct waker *slot = step->signal == SIGNAL_THREAD      ? &thread->permit
                         : step->signal == SIGNAL_INTERRUPT ? &thread->interrupt
                                                            : &thread->start;
    if (slot->location == TRACE_NONE || step->signal != SIGNAL_THREAD)
      *slot = by;
  }
}

static uint64_t lock_key(const struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  return (uint64_t)matcher_process_of(matcher, location) << 32 | step->edge.index;
}

static void take_lock(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  uint64_t key = lock_key(matcher, location, step);
  uint64_t *construct = hash_find(&matcher->released_in, key);
  if (step->edge.kind == STEP_ACQUIRE && matcher->edge_found) {
    struct waker by = {matcher->edge.from_time, matcher->edge.from,
                       construct && *construct ? (uint32_t)(*construct - 1) : TRACE_NONE};
    finish_wait(matcher, location, step, by_thread(by));
  }
  if (step->edge.kind != STEP_RELEASE)
    return;
  uint64_t value = step->construct == TRACE_NONE ? 0 : (uint64_t)step->construct + 1;
  if (construct)
    *construct = value;
  else
    matcher->failed |= !hash_add(&matcher->released_in, key, value);
}

/* A thread that waits begins a task: it was created, or became ready, while the thread waited. */
static void take_task(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  bool depends;
  uint32_t team = step->edge.index;
  struct waker ready = matcher_nobody;
  if (matcher->edge_found)
    ready = (struct waker){matcher->edge.from_time, matcher->edge.from, TRACE_NONE};
  matcher->failed |= !children_take(&matcher->children, location, step, &depends);
  if (step->edge.kind != STEP_TASK_SWITCH || step->begin == UINT64_MAX)
    return;
  if (depends && team != TRACE_NONE && matcher->edge_found && matcher->children.of_team[team].location != TRACE_NONE &&
      matcher->children.of_team[team].time > ready.time)
    ready = matcher->children.of_team[team];
  if (ready.time > step->since) {
    hop(matcher, location, ready, step->time);
    tell(matcher, location, step->since, step->time, by_thread(ready));
  }
}

static void matcher_take_edge(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  unsigned kind = step->edge.kind;
  struct matched_thread *thread = &matcher->threads[location];
  matcher->edge_found = false;
  if (kind != STEP_ACQUIRE)
    matcher->failed |= !paths_keep(matcher->paths, location);
  matcher->failed |= !edges_take(matcher->edges, location, step->time, &step->edge);
  if (kind == STEP_ACQUIRE || kind == STEP_RELEASE)
    take_lock(matcher, location, step);
  else if (kind >= STEP_TASK_CREATE)
    take_task(matcher, location, step);
  else if (kind == STEP_TEAM_END)
    thread->left_team = step->time;
  else if (kind == STEP_JOIN && matcher->edge_found && matcher->edge.from_time > thread->left_team) {
    struct waker by = {matcher->edge.from_time, matcher->edge.from, TRACE_NONE};
    hop(matcher, location, by, step->time);
    tell(matcher, location, thread->left_team, step->time, by_thread(by));
  }
}

static bool is_busy(unsigned state)
{
  return state != STATE_UNMEASURED && !state_is_wait((enum state)state);
}

static void take_did(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct matched_thread *thread = &matcher->threads[location];
  thread->did = part(location, step->construct, step->state);
  if (is_busy(step->state))
    thread->busy_until = step->time;
  struct state_interval did = {
      .state = (enum state)step->state, .construct = step->construct, .start = thread->did_until, .end = step->time};
  if (matcher->listener && did.end > did.start)
    matcher->failed |= !matcher->listener->did(matcher->listener->context, location, &did);
  thread->did_until = step->time;
  matcher->failed |= !paths_extend(matcher->paths, thread->did, step->time);
}

/* A thread that another one creates continues its path. */
static void take_created(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  uint64_t process = matcher->trace->locations[location].process;
  uint32_t creator = thread_by(&matcher->creators, matcher, location, step->thread);
  matcher->failed |= !thread_ids_set(&matcher->posix_threads, process, step->thread, location);
  hop(matcher, location, (struct waker){step->time, creator, TRACE_NONE}, step->time);
}

static void take_stop(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  matcher->failed |= !paths_keep(matcher->paths, location);
  matcher->threads[location].stopped = step->time;
  if (matcher->listener)
    matcher->failed |= !matcher->listener->stops(matcher->listener->context, location, step->time);
  matcher->ends[matcher->end_count++ % ENDS_KEPT] = (struct waker){step->time, location, TRACE_NONE};
}

bool matcher_take(struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  struct matched_thread *thread = &matcher->threads[location];
  if (step->kind != WAKER_DID && step->state < STATES)
    paths_turn(matcher->paths, part(location, step->construct, step->state));
  switch (step->kind) {
  case WAKER_BEGIN:
    matcher->failed |= !thread_ids_begin(&matcher->kernel_threads, matcher->trace, location);
    matcher->failed |= !paths_begin(matcher->paths, location, step->time);
    thread->did = part(location, TRACE_NONE, STATE_INIT);
    thread->did_until = step->time;
    if (matcher->listener)
      matcher->failed |= !matcher->listener->begins(matcher->listener->context, location, step->time);
    hop(matcher, location, thread->start, step->time);
    break;
  case WAKER_DID:
    take_did(matcher, location, step);
    break;
  case WAKER_EDGE:
    matcher_take_edge(matcher, location, step);
    break;
  case WAKER_WAIT:
    take_wait(matcher, location, step);
    break;
  case WAKER_WAIT_END:
    take_wait_end(matcher, location, step);
    break;
  case WAKER_SIGNAL:
    take_signal(matcher, location, step);
    break;
  case WAKER_CREATE:
    matcher->failed |=
        !paths_keep(matcher->paths, location) ||
        !thread_ids_set(&matcher->creators, matcher->trace->locations[location].process, step->thread, location);
    break;
  case WAKER_MOUNTED:
    take_mounted(matcher, location, step);
    break;
  case WAKER_CREATED:
    take_created(matcher, location, step);
    break;
  default:
    take_stop(matcher, location, step);
    break;
  }
  return !matcher->failed;
}

enum { STEPS_MAX = 4096, ROUNDS_MAX = 64 }; /* beyond: in the order in which they come, of absurd archives */

/* A thread begins as others' waits end: by what another thread did. */
static bool ends_wait(const struct waker_step *step)
{
  return step->kind == WAKER_WAIT_END || step->kind == WAKER_CREATED ||
         (step->kind == WAKER_EDGE && step->edge.kind == STEP_ACQUIRE);
}

/* In each round a location goes on to its next end of a wait; in the next round it begins with this end. */
static bool run_round(struct tick *tick, struct matcher *matcher, unsigned round)
{
  size_t left = 0;
  bool good = true;
  matcher->rounds++;
  for (size_t i = 0; good && i < tick->steps.count; i++) {
    struct tick_step *at = &tick->steps.items[i];
    bool waits = ends_wait(&at->step) && round < ROUNDS_MAX;
    struct matched_thread *thread = &matcher->threads[at->location];
    bool first = thread->met != matcher->rounds;
    bool begins = first && round > 0;
    if (first)
      thread->blocked = false;
    thread->met = matcher->rounds;
    if (!thread->blocked && (!waits || begins)) {
      good = matcher_take(matcher, at->location, &at->step);
      continue;
    }
    thread->blocked = true;
    tick->steps.items[left++] = *at;
  }
  tick->steps.count = good ? left : 0;
  return good;
}

bool tick_finish(struct tick *tick, struct matcher *matcher)
{
  bool good = true;
  if (tick->steps.count == 1) {
    good = matcher_take(matcher, tick->steps.items[0].location, &tick->steps.items[0].step);
    tick->steps.count = 0;
    return good;
  }
  for (unsigned i = 0; good && tick->steps.count > 0; i++)
    good = run_round(tick, matcher, i);
  return good;
}

bool tick_take(struct tick *tick, struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  bool other = tick->steps.count > 0 && tick->steps.items[0].step.time != step->time;
  if ((other || tick->steps.count >= STEPS_MAX) && !tick_finish(tick, matcher))
    return false;
  struct tick_step now = {.step = *step, .location = location};
  return vector_push(&tick->steps, now);
}

void tick_free(struct tick *tick)
{
  vector_free(&tick->steps);
}
