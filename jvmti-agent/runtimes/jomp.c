/*
 * JOMP: OpenMP for Java. Its compiler makes a subclass of BusyTask of every parallel region, and calls of static
 * methods of OMP of the other constructs. Those calls are hooked where they are made: so each knows its line. What the
 * runtime calls itself (go, doGlobalBarrier) is hooked as a method.
 *
 * What can't be seen: the end of a static loop with nowait (it is taken to end at the thread's next construct), and the
 * end of a critical construct (who waits for its monitor, and how long, is seen at the level of the JVM).
 */
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/jomp_thread.h"
#include "jvmti-agent/runtimes/loop.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/opcodes.h"

#include <stdio.h>
#include <stdlib.h>

#define OMP_CLASS "jomp/runtime/OMP"

/* "Wait ids" of what is no address. */
#define ORDERED_ID (1ull << 47 | 1)

static __thread uint64_t parallel_code __attribute__((tls_model("initial-exec")));

static void remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* doParallel is hooked twice: the call shows the place, the method the size of the team. */
static void on_parallel_call(const struct hook *hook)
{
  parallel_code = hook->site->code;
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

static void on_parallel(const struct hook *hook)
{
  struct batch batch = {0};
  unsigned size = hook->number > 0 ? (unsigned)hook->number : default_team_size();
  if (size > 1)
    sites_expect_teams();
  if (!thread_stack_ends(hook))
    jomp_parallel_begin(&batch, parallel_code, size);
  batch_end(&batch);
  parallel_code = 0;
}

static void after_parallel(const struct hook *hook)
{
  struct batch batch = {0};
  if (!thread_stack_ends(hook))
    jomp_parallel_end(&batch);
  batch_end(&batch);
}

static void on_go(const struct hook *hook)
{
  struct batch batch = {0};
  if (!thread_stack_ends(hook))
    jomp_body_begin(&batch, (unsigned)hook->number);
  batch_end(&batch);
}

static void after_go(const struct hook *hook)
{
  struct batch batch = {0};
  if (!thread_stack_ends(hook))
    jomp_body_end(&batch);
  batch_end(&batch);
}

static void after_global_barrier(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  jomp_left_global_barrier(&batch);
  batch_end(&batch);
}

static void on_barrier(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  if (region)
    jomp_barrier_begin(&batch, region, hook->site->code);
  batch_end(&batch);
}

static void on_reduction(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  if (region)
    jomp_reduction_begin(&batch, region, hook->site->code);
  batch_end(&batch);
}

static void after_wait(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  jomp_body(&batch); /* the next construct ends the wait */
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
  for (size_t i = 0; span_is(ref->owner, OMP_CLASS) && i < sizeof loops / sizeof *loops; i++)
    if (span_is(ref->name, loops[i].name))
      return loops[i].work;
  return 0;
}

/* Whether the instruction at pc calls a static method. */
static bool called_at(const struct weave_match *match, uint32_t pc, struct class_method_ref *ref)
{
  const uint8_t *instruction = match->file->bytes + match->method->code + pc;
  return *instruction == OP_INVOKESTATIC && class_method_ref(match->file, class_u2(instruction + 1), ref);
}

/*
 * initTicket may wait: a loop with tickets begins with it, and is of the kind that is asked for chunks next. A static
 * loop begins with its first chunk: setChunkStatic takes less time than a record of it.
 */
static void prepare_loop_begin(struct site *site, const struct weave_match *match)
{
  uint32_t pc = match->next, length;
  remember_place(site, match);
  while (site->work == 0 && (length = class_instruction(match->file, match->method, pc)) > 0) {
    struct class_method_ref ref;
    if (called_at(match, pc, &ref))
      site->work = loop_of(&ref);
    pc += length;
  }
}

static void prepare_loop(struct site *site, const struct weave_match *match)
{
  remember_place(site, match);
  site->work = site->row->detail;
}

static void on_loop_begin(const struct hook *hook)
{
  struct batch batch = {0};
  struct iterations whole;
  bool known = hook->site->work && loop_read(hook, &whole);
  struct region *region = jomp_body(&batch);
  if (region && known)
    jomp_loop_begin(&batch, region, hook->site->work, hook->site->code, &whole);
  batch_end(&batch);
}

static void take_chunk(struct batch *batch, const struct hook *hook, const struct iterations *whole,
                       const struct chunk *chunk)
{
  struct region *region = jomp_body(batch);
  if (!region)
    return;
  if (region->work != hook->site->work || region->chunks_done)
    jomp_loop_begin(batch, region, hook->site->work, hook->site->code, whole);
  if (hook->number)
    loop_emit_chunk(batch, hook->site->work, &region->whole, chunk);
  region->chunks_done = !hook->number || chunk->is_last;
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
  if (region)
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

/* A ticket that is compared with 0 is that of single, else it goes to the switch of sections. */
static void prepare_ticket(struct site *site, const struct weave_match *match)
{
  uint32_t cases[SITE_SECTIONS_MAX];
  remember_place(site, match);
  if (class_is_compared_with_zero(match->file, match->method, match->next))
    return;
  unsigned n = find_sections(match, cases);
  site->section_codes = n > 0 ? calloc(n, sizeof *site->section_codes) : NULL;
  for (unsigned i = 0; site->section_codes && i < n; i++)
    site->section_codes[i] = site_code_at(match, cases[i]);
  site->sections = n;
}

static void after_section_ticket(struct batch *batch, const struct hook *hook, struct region *region)
{
  const struct site *site = hook->site;
  if (region->work != WORK_SECTIONS)
    jomp_work_begin(batch, region, WORK_SECTIONS, site->code, site->sections);
  if (hook->number >= 0 && hook->number < (int64_t)site->sections)
    batch_emit(batch, RAW_SECTION, DISPATCH_SECTION, site->section_codes ? site->section_codes[hook->number] : 0);
  else
    jomp_work_end(batch, region);
}

static void after_single_ticket(struct batch *batch, const struct hook *hook, struct region *region)
{
  unsigned work = hook->number == 0 ? WORK_SINGLE_EXECUTOR : WORK_SINGLE_OTHER;
  jomp_work_begin(batch, region, work, hook->site->code, 1);
  if (hook->number != 0)
    jomp_work_end(batch, region);
}

static void after_ticket(const struct hook *hook)
{
  struct batch batch = {0};
  struct region *region = jomp_body(&batch);
  if (region && hook->site->sections > 0)
    after_section_ticket(&batch, hook, region);
  else if (region)
    after_single_ticket(&batch, hook, region);
  batch_end(&batch);
}

static void on_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  if (jomp_body(&batch))
    batch_emit3(&batch, RAW_MUTEX_ACQUIRE, MUTEX_ORDERED, ORDERED_ID, hook->site->code);
  batch_end(&batch);
}

static void after_start_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  if (jomp_body(&batch))
    batch_emit(&batch, RAW_MUTEX_ACQUIRED, MUTEX_ORDERED, ORDERED_ID);
  batch_end(&batch);
}

static void on_stop_ordered(const struct hook *hook)
{
  struct batch batch = {0};
  (void)hook;
  if (jomp_body(&batch))
    batch_emit(&batch, RAW_MUTEX_RELEASED, MUTEX_ORDERED, ORDERED_ID);
  batch_end(&batch);
}

/* A critical construct is a synchronized block on what this returns: the monitor gets the name of the construct. */
static void after_lock_by_name(const struct hook *hook)
{
  if (!agent.options.jvm || !hook->first || !hook->second)
    return;
  const char *modified = (*hook->jni)->GetStringUTFChars(hook->jni, hook->second, NULL);
  if (!modified)
    return;
  char name[512];
  snprintf(name, sizeof name, "%s", modified);
  (*hook->jni)->ReleaseStringUTFChars(hook->jni, hook->second, modified);
  name_to_utf8(name);
  object_name(agent.jvmti, hook->jni, hook->first, name);
}

/*
 * Hooks of regions are always called, so that it is known which region a thread is in. All others may be left out: they
 * leave nothing behind but an open construct, and the next one ends that.
 */
#define CALL(name, of_hooks) .target = {WEAVE_CALLS, OMP_CLASS, name, .hooks = (of_hooks) | HOOK_SWITCHED}
#define REDUCTION(name)      {CALL(name, HOOK_BOTH), .prepare = remember_place, .enter = on_reduction, .exit = after_wait}
#define LOOP(name, work)                                                                                               \
  {.target = {WEAVE_CALLS, OMP_CLASS, name, .hooks = HOOK_EXIT | HOOK_VALUES | HOOK_SWITCHED, .fields = loop_fields,   \
              .fields_of = "jomp/runtime/LoopData"},                                                                   \
   .prepare = prepare_loop,                                                                                            \
   .exit = after_loop,                                                                                                 \
   .detail = work}

static const struct row rows[] = {
    {.target = {WEAVE_CALLS, OMP_CLASS, "doParallel", .hooks = HOOK_ENTER},
     .prepare = remember_place,
     .enter = on_parallel_call},
    {.target = {WEAVE_METHOD, OMP_CLASS, "doParallel", .query = "getMaxThreads", .hooks = HOOK_BOTH},
     .enter = on_parallel,
     .exit = after_parallel,
     .thrown = after_parallel},
    {.target = {WEAVE_INHERITED, "jomp/runtime/BusyTask", "go", "(I)V", .hooks = HOOK_BOTH | HOOK_VALUES},
     .enter = on_go,
     .exit = after_go,
     .thrown = after_go},
    {.target = {WEAVE_METHOD, OMP_CLASS, "doGlobalBarrier", .hooks = HOOK_EXIT | HOOK_SWITCHED},
     .exit = after_global_barrier,
     .for_teams = true},
    {CALL("doBarrier", HOOK_BOTH), .prepare = remember_place, .enter = on_barrier, .exit = after_wait},
    REDUCTION("doPlusReduce"),
    REDUCTION("doMultReduce"),
    REDUCTION("doAndReduce"),
    REDUCTION("doOrReduce"),
    REDUCTION("doBitAndReduce"),
    REDUCTION("doBitOrReduce"),
    REDUCTION("doBitXorReduce"),
    {CALL("initTicket", HOOK_ENTER | HOOK_VALUES), .prepare = prepare_loop_begin, .enter = on_loop_begin},
    LOOP("getLoopStatic", WORK_LOOP_STATIC),
    LOOP("getLoopDynamic", WORK_LOOP_DYNAMIC),
    LOOP("getLoopGuided", WORK_LOOP_GUIDED),
    LOOP("getLoopRuntime", WORK_LOOP_OTHER),
    {CALL("resetTicket", HOOK_ENTER), .enter = on_reset_ticket},
    {CALL("getTicket", HOOK_EXIT | HOOK_VALUES), .prepare = prepare_ticket, .exit = after_ticket},
    {CALL("startOrdered", HOOK_BOTH), .prepare = remember_place, .enter = on_ordered, .exit = after_start_ordered},
    {CALL("stopOrdered", HOOK_ENTER), .enter = on_stop_ordered},
    {CALL("getLockByName", HOOK_EXIT | HOOK_VALUES), .exit = after_lock_by_name},
};

static const char *const marks[] = {"jomp/runtime/", NULL};

const struct runtime runtime_jomp = {.package = "jomp/runtime/",
                                     .marks = marks,
                                     .worker = "Ljomp/runtime/BusyThread;",
                                     .thread_end = jomp_thread_end,
                                     .rows = rows,
                                     .count = sizeof rows / sizeof *rows};
