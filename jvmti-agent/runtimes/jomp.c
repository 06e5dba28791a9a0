/*
 * JOMP: OpenMP for Java. Its compiler makes a subclass of BusyTask of every parallel region, and calls of static
 * methods of OMP of the other constructs. Those calls are hooked where they are made: so each knows its line. What the
 * runtime calls itself (go, doGlobalBarrier) is hooked as a method.
 *
 * What can't be seen: the end of a static loop with nowait (it is taken to end at the thread's next construct).
 */
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/jomp_budget.h"
#include "jvmti-agent/runtimes/jomp_critical.h"
#include "jvmti-agent/runtimes/jomp_thread.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/class_file.h"

#include <stdlib.h>

#define OMP_CLASS "jomp/runtime/OMP"

/* "Wait ids" of what is no address. */
#define ORDERED_ID (1ull << 47 | 1)

static __thread const struct site *parallel_site __attribute__((tls_model("initial-exec")));

static void jomp_remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/*
 * doParallel is hooked twice: the call shows the place, the method the size of the team. Where the thread has a table
 * woven code notes the place there, without this call.
 */
static void on_parallel_call(const struct hook *hook)
{
  parallel_site = hook->site;
  jomp_budget_of_thread(hook->jni);
}

static const struct site *take_parallel_site(void)
{
  const struct site *site = parallel_site;
  parallel_site = NULL;
  if (!jomp_budget_self || jomp_budget_self->guard.call == 0)
    return site;
  site = sites_get((int32_t)jomp_budget_self->guard.call - 1);
  jomp_budget_self->guard.call = 0;
  return site;
}

/* For a runtime that can't be asked for the size of teams: its setting at the start. */
static unsigned default_team_size(void)
{
  char *text;
  unsigned long size = 0;
  if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, "jomp.threads", &text) == JVMTI_ERROR_NONE) {
    size = strtoul(text, NULL, 10);
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)text);
  }
  return size > 0 && size <= UINT16_MAX ? (unsigned)size : 1;
}

/* Returns the place of a call without a hook: its code began before its class was woven. */
#define ABOVE_HOOK 3 /* the hook, its twin, doParallel, the caller */

static uint64_t code_of_parallel(const struct hook *hook, const struct site *site)
{
  return site ? site->code : place_of_caller(agent.jvmti, hook->jni, ABOVE_HOOK);
}

static void on_parallel(const struct hook *hook)
{
  struct batch batch = {0};
  const struct site *site = take_parallel_site();
  unsigned size = hook->number > 0 ? (unsigned)hook->number : default_team_size();
  if (size > 1)
    sites_expect_teams();
  if (jomp_budget_is_quiet()) {
    jomp_budget_self->guard.quiet++;
    jomp_budget_omit_inside(site);
    return;
  }
  if (!thread_stack_ends(hook))
    jomp_parallel_begin(&batch, site, code_of_parallel(hook, site), size);
  batch_end(&batch);
}

static void after_parallel(const struct hook *hook)
{
  struct batch batch = {0};
  if (jomp_budget_is_quiet())
    jomp_budget_self->guard.quiet--;
  else if (!thread_stack_ends(hook))
    jomp_parallel_end(&batch);
  batch_end(&batch);
}

static void on_go(const struct hook *hook)
{
  struct batch batch = {0};
  if (!jomp_budget_is_quiet() && !thread_stack_ends(hook))
    jomp_body_begin(&batch, (unsigned)hook->number, hook->jni);
  batch_end(&batch);
}

static void after_go(const struct hook *hook)
{
  struct batch batch = {0};
  if (jomp_budget_is_quiet()) {
    if (jomp_budget_self->guard.member && jomp_budget_self->guard.quiet == 1)
      jomp_budget_self->guard.quiet = jomp_budget_self->guard.member = 0;
  } else if (!thread_stack_ends(hook)) {
    jomp_body_end(&batch);
  }
  batch_end(&batch);
}

static void after_global_barrier(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  jomp_left_global_barrier(&batch);
  batch_end(&batch);
}

/* An omitted construct has ended, or has nothing more for the thread. */
static void omit_next_barrier(void)
{
  jomp_budget_interrupt();
  jomp_budget_self->guard.after = 1;
}

/* True if the thread's call belongs to an omitted construct. */
static bool is_omitted(void)
{
  return jomp_budget_self &&
         (jomp_budget_self->guard.after || jomp_budget_self->guard.loop_omitted || jomp_budget_self->guard.quiet);
}

static void on_barrier(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  if (region && is_omitted())
    omit_next_barrier();
  else if (region)
    jomp_barrier_begin(&batch, region, hook->site->code);
  batch_end(&batch);
}

static void on_reduction(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  jomp_budget_interrupt();
  if (region)
    jomp_reduction_begin(&batch, region, hook->site->code);
  batch_end(&batch);
}

static void jomp_after_wait(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  jomp_body(&batch); /* the next construct ends the wait */
  jomp_budget_interrupt();
  batch_end(&batch);
}

/* The kind of loop that a call asks for chunks of; 0: it does not. */
static unsigned loop_of(const struct class_method_ref *ref)
{
  static const struct {
    const char *name;
    unsigned work;
  } loops[] = {{"getLoopStatic", WORK_LOOP_STATIC},
               {"getLoopDynamic", WORK_LOOP_DYNAMIC},
               {"getLoopGuided", WORK_LOOP_GUIDED},
               {"getLoopRuntime", WORK_LOOP_OTHER}};
  for (size_t i = 0; span_is(ref->owner, OMP_CLASS) && i < COUNT_OF(loops); i++)
    if (span_is(ref->name, loops[i].name))
      return loops[i].work;
  return 0;
}

/* True if the instruction at pc calls a static method. */
static bool called_at(const struct weave_match *match, uint32_t pc, struct class_method_ref *ref)
{
  const uint8_t *instruction = match->file->bytes + match->method->code + pc;
  return *instruction == OP_INVOKESTATIC && class_method_ref(match->file, class_u2(instruction + 1), ref);
}

/*
 * initTicket may wait: a loop with tickets begins with it, and is of the kind that is asked for chunks next. A static
 * loop begins with its first chunk: setChunkStatic takes less time than a record of it.
 */
static struct {
  const struct class_method *method;
  const struct site *site;
} with_tickets; /* the newest loop; while classes are woven */

static void prepare_loop_begin(struct site *site, const struct weave_match *match)
{
  uint32_t pc = match->next, length;
  jomp_remember_place(site, match);
  with_tickets.method = match->method;
  with_tickets.site = site;
  while (site->work == 0 && (length = class_instruction(match->file, match->method, pc)) > 0) {
    struct class_method_ref ref;
    if (called_at(match, pc, &ref))
      site->work = site->kind = loop_of(&ref);
    pc += length;
  }
}

/* A loop with tickets is at its initTicket. */
static void prepare_loop(struct site *site, const struct weave_match *match)
{
  site->work = site->kind = site->row->detail;
  if (site->work != WORK_LOOP_STATIC && with_tickets.site && with_tickets.method == match->method)
    site->code = with_tickets.site->code;
  else
    jomp_remember_place(site, match);
}

static void on_loop_begin(const struct hook *hook)
{
  struct batch batch = {0};
  struct iterations whole;
  bool known = hook->site->work && loop_read(hook, &whole);
  struct region *region = jomp_budget_is_quiet() ? NULL : jomp_body(&batch);
  if (region && known && jomp_takes_work(&batch, region, hook->site))
    jomp_loop_begin(&batch, region, hook->site, &whole);
  else if (region && known)
    jomp_budget_self->guard.loop_omitted = 1;
  batch_end(&batch);
}

/* True if the chunk belongs to an omitted loop: what woven code checks for a thread with a table. */
static bool is_chunk_omitted(const struct hook *hook, bool over)
{
  struct jomp_budget *self = jomp_budget_self;
  if (self && self->guard.loop_omitted) {
    if (over)
      omit_next_barrier();
    return true;
  }
  uint32_t site = (uint32_t)hook->site->index + 1;
  if (self && self->guard.open == site) {
    self->guard.open = over ? 0 : site;
    return true;
  }
  if (!jomp_budget_is_quiet())
    return false;
  jomp_budget_omit_inside(hook->site);
  self->guard.open = over ? 0 : site;
  return true;
}

static void take_chunk(struct batch *batch, const struct hook *hook, const struct iterations *whole,
                       const struct chunk *chunk)
{
  bool over = !hook->number || chunk->is_last;
  struct region *region = is_chunk_omitted(hook, over) ? NULL : jomp_body(batch);
  if (!region)
    return;
  if (region->work != hook->site->work || region->chunks_done) {
    if (!jomp_takes_work(batch, region, hook->site)) {
      omit_next_barrier();
      jomp_budget_self->guard.open = over ? 0 : (uint32_t)hook->site->index + 1;
      return;
    }
    jomp_loop_begin(batch, region, hook->site, whole);
  }
  if (hook->number)
    loop_emit_chunk(batch, hook->site->work, &region->whole, chunk);
  region->chunks_done = over;
  if (!hook->number)
    jomp_work_end(batch, region);
}

/* The JVM is asked for objects' fields before the first record. */
static void after_loop(const struct hook *hook)
{
  struct batch batch = {0};
  struct iterations whole;
  struct chunk chunk;
  if (loop_read_chunk(hook, &chunk) && loop_read(hook, &whole))
    take_chunk(&batch, hook, &whole, &chunk);
  batch_end(&batch);
}

static void on_reset_ticket(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  struct region *region = jomp_body(&batch);
  if (region && is_omitted())
    omit_next_barrier();
  else if (region)
    jomp_work_end(&batch, region);
  batch_end(&batch);
}

/* The switch that a ticket goes to, directly or some instructions later: see class_switch. */
static unsigned find_sections(const struct weave_match *match, uint32_t *cases)
{
  uint32_t pc = match->next, length;
  unsigned n = 0;
  while (n == 0 && (length = class_instruction(match->file, match->method, pc)) > 0) {
    struct class_method_ref ref;
    if (called_at(match, pc, &ref) && span_is(ref.owner, OMP_CLASS))
      break; /* another construct's */
    n = class_switch(match->file, match->method, pc, cases, SITE_SECTIONS_MAX);
    pc += length;
  }
  return n;
}

/* A ticket that is compared with 0 belongs to single, else it goes to the switch of sections. */
static void prepare_ticket(struct site *site, const struct weave_match *match)
{
  uint32_t cases[SITE_SECTIONS_MAX];
  jomp_remember_place(site, match);
  site->kind = WORK_SINGLE_EXECUTOR;
  if (class_is_compared_with_zero(match->file, match->method, match->next))
    return;
  unsigned n = find_sections(match, cases);
  site->section_codes = n > 0 ? calloc(n, sizeof *site->section_codes) : NULL;
  for (unsigned i = 0; site->section_codes && i < n; i++)
    site->section_codes[i] = site_code_at(match, cases[i]);
  site->sections = n;
  site->kind = n > 0 ? WORK_SECTIONS : WORK_SINGLE_EXECUTOR;
}

/* True if a ticket belongs to a section; otherwise there are no more. */
static bool is_section(const struct hook *hook)
{
  return hook->number >= 0 && hook->number < (int64_t)hook->site->sections;
}

static void omit_sections(const struct hook *hook)
{
  uint32_t site = (uint32_t)hook->site->index + 1;
  omit_next_barrier();
  jomp_budget_self->sections = is_section(hook) ? site : 0;
}

static void after_section_ticket(struct batch *batch, const struct hook *hook, struct region *region)
{
  const struct site *site = hook->site;
  if (jomp_budget_self && jomp_budget_self->sections == (uint32_t)site->index + 1) {
    omit_sections(hook);
    return;
  }
  if (region->work != WORK_SECTIONS) {
    if (!jomp_takes_work(batch, region, site)) {
      omit_sections(hook);
      return;
    }
    jomp_work_begin(batch, region, WORK_SECTIONS, site, site->sections);
  }
  if (is_section(hook))
    batch_emit(batch, RAW_SECTION, DISPATCH_SECTION, site->section_codes ? site->section_codes[hook->number] : 0);
  else
    jomp_work_end(batch, region);
}

static void after_single_ticket(struct batch *batch, const struct hook *hook, struct region *region)
{
  unsigned work = hook->number == 0 ? WORK_SINGLE_EXECUTOR : WORK_SINGLE_OTHER;
  if (!jomp_takes_work(batch, region, hook->site)) {
    omit_next_barrier();
    return;
  }
  jomp_work_begin(batch, region, work, hook->site, 1);
  if (hook->number != 0)
    jomp_work_end(batch, region);
}

static void after_ticket(const struct hook *hook)
{
  struct batch batch = {0};
  bool quiet = jomp_budget_is_quiet();
  if (quiet && (hook->site->sections == 0 || !is_section(hook)))
    jomp_budget_omit_inside(hook->site);
  struct region *region = quiet ? NULL : jomp_body(&batch);
  if (region && hook->site->sections > 0)
    after_section_ticket(&batch, hook, region);
  else if (region)
    after_single_ticket(&batch, hook, region);
  batch_end(&batch);
}

static void on_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  if (region && !is_omitted()) {
    batch_emit3(&batch, RAW_MUTEX_ACQUIRE, MUTEX_ORDERED, ORDERED_ID, hook->site->code);
    if (jomp_is_alone(region))
      batch_emit(&batch, RAW_MUTEX_ACQUIRED, MUTEX_ORDERED, ORDERED_ID);
  }
  batch_end(&batch);
}

static void after_start_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  struct region *region = jomp_body(&batch);
  if (region && !jomp_is_alone(region) && !is_omitted())
    batch_emit(&batch, RAW_MUTEX_ACQUIRED, MUTEX_ORDERED, ORDERED_ID);
  batch_end(&batch);
}

static void on_stop_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  if (jomp_body(&batch) && !is_omitted())
    batch_emit(&batch, RAW_MUTEX_RELEASED, MUTEX_ORDERED, ORDERED_ID);
  batch_end(&batch);
}

/*
 * Hooks of regions are always called, so that the thread's region is known. All others may be omitted: they
 * leave nothing behind but an open construct, and the next one ends that.
 */
#define JOMP_CALL(name, of_hooks, of_guard)                                                                            \
  .target = {WEAVE_CALLS, OMP_CLASS, name, .hooks = of_hooks, .guard = of_guard}
#define REDUCTION(name)                                                                                                \
  {JOMP_CALL(name, HOOK_BOTH, GUARD_QUIET), .prepare = jomp_remember_place, .enter = on_reduction,                     \
   .exit = jomp_after_wait}
#define LOOP(name, work)                                                                                               \
  {.target = {WEAVE_CALLS, OMP_CLASS, name, .hooks = HOOK_EXIT | HOOK_VALUES, .guard = GUARD_LOOP,                     \
              .fields = loop_fields, .fields_of = "jomp/runtime/LoopData"},                                            \
   .prepare = prepare_loop,                                                                                            \
   .exit = after_loop,                                                                                                 \
   .detail = work}

static const struct row jomp_rows[] = {
    {.target = {WEAVE_CALLS, OMP_CLASS, "doParallel", .hooks = HOOK_ENTER, .guard = GUARD_CALL},
     .prepare = jomp_remember_place,
     .enter = on_parallel_call},
    {.target = {WEAVE_METHOD, OMP_CLASS, "doParallel", .query = "getMaxThreads", .hooks = HOOK_BOTH,
                .guard = GUARD_REGION},
     .enter = on_parallel,
     .exit = after_parallel,
     .thrown = after_parallel},
    {.target = {WEAVE_INHERITED, "jomp/runtime/BusyTask", "go", "(I)V", .hooks = HOOK_BOTH | HOOK_VALUES,
                .guard = GUARD_BODY},
     .enter = on_go,
     .exit = after_go,
     .thrown = after_go},
    {.target = {WEAVE_METHOD, OMP_CLASS, "doGlobalBarrier", .hooks = HOOK_EXIT, .guard = GUARD_SWITCH},
     .exit = after_global_barrier,
     .for_teams = true},
    {JOMP_CALL("doBarrier", HOOK_BOTH, GUARD_BARRIER), .prepare = jomp_remember_place, .enter = on_barrier,
     .exit = jomp_after_wait},
    REDUCTION("doPlusReduce"),
    REDUCTION("doMultReduce"),
    REDUCTION("doAndReduce"),
    REDUCTION("doOrReduce"),
    REDUCTION("doBitAndReduce"),
    REDUCTION("doBitOrReduce"),
    REDUCTION("doBitXorReduce"),
    {JOMP_CALL("initTicket", HOOK_ENTER | HOOK_VALUES, GUARD_QUIET), .prepare = prepare_loop_begin,
     .enter = on_loop_begin},
    LOOP("getLoopStatic", WORK_LOOP_STATIC),
    LOOP("getLoopDynamic", WORK_LOOP_DYNAMIC),
    LOOP("getLoopGuided", WORK_LOOP_GUIDED),
    LOOP("getLoopRuntime", WORK_LOOP_OTHER),
    {JOMP_CALL("resetTicket", HOOK_ENTER, GUARD_QUIET), .enter = on_reset_ticket},
    {JOMP_CALL("getTicket", HOOK_EXIT | HOOK_VALUES, GUARD_SWITCH), .prepare = prepare_ticket, .exit = after_ticket},
    {JOMP_CALL("startOrdered", HOOK_BOTH, GUARD_QUIET), .prepare = jomp_remember_place, .enter = on_ordered,
     .exit = after_start_ordered},
    {JOMP_CALL("stopOrdered", HOOK_ENTER, GUARD_QUIET), .enter = on_stop_ordered},
    {JOMP_CALL("getLockByName", HOOK_EXIT | HOOK_VALUES | HOOK_LOCK, GUARD_LOCK), .prepare = jomp_prepare_critical,
     .exit = jomp_asks_for_critical, .locked = jomp_has_critical, .unlocked = jomp_leaves_critical,
     .needs = LIVE_NEED_LOCKS},
};

static const char *const jomp_marks[] = {"jomp/runtime/", NULL};

#define NEEDS (LIVE_NEED_REGIONS | LIVE_NEED_WORKS | LIVE_NEED_CHUNKS | LIVE_NEED_SYNC | LIVE_NEED_LOCKS)

const struct runtime runtime_jomp = {.needs = NEEDS,
                                     .package = "jomp/runtime/",
                                     .marks = jomp_marks,
                                     .worker = "Ljomp/runtime/BusyThread;",
                                     .waits = jomp_waits_for_monitor,
                                     .thread_end = jomp_thread_end,
                                     .rows = jomp_rows,
                                     .count = COUNT_OF(jomp_rows)};
