#include "analyzer/analyses/account/activity.h"

#include "analyzer/analyses/account/crews.h"
#include "analyzer/analyses/account/off_processor.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

enum { JVM_STARTS_IN = 2 }; /* parts of a second: a JVM takes no longer to start */

enum meaning {
  MEANS_WORK,
  MEANS_NOTHING, /* has the activity around it */
  MEANS_PARALLEL,
  MEANS_RUNTIME,
  MEANS_ALONE,
  MEANS_WAIT,
  MEANS_READY,
  MEANS_OFF,
  MEANS_BLOCKED,
  MEANS_OUTSIDE,
  MEANS_IDLE,
  MEANS_COLLECTION,
  MEANS_START,
  MEANS_MEASUREMENT,
  MEANS_UNKNOWN
};

struct region_meaning {
  uint8_t means;  /* enum meaning */
  uint8_t waits;  /* enum waits_for; of ACT_SIGNAL: ACT_ALL, or 0 */
  uint8_t acts;   /* enum step_kind_of_account of its Enter, or ACT_DOES */
  uint8_t domain; /* what an object's number or an amount belongs to */
};

enum { OF_JAVA = 1, OF_MUTEX, OF_CONDITION, OF_SEMAPHORE, OF_BARRIER, OF_ATOMIC, OF_FUTEX, OF_CHUNK, OF_LOOP, OF_TASK };

/* Waits and actions of POSIX threads and Java, by the region's name before its place. */
static const struct {
  const char *name;
  struct region_meaning meaning;
} thread_meanings[] = {
    {REGION_PTHREAD_MUTEX, {MEANS_WAIT, FOR_MUTEX, ACT_DOES, OF_MUTEX}},
    {REGION_PTHREAD_READ, {MEANS_WAIT, FOR_MUTEX, ACT_DOES, OF_MUTEX}},
    {REGION_PTHREAD_WRITE, {MEANS_WAIT, FOR_MUTEX, ACT_DOES, OF_MUTEX}},
    {REGION_PTHREAD_SPIN, {MEANS_WAIT, FOR_MUTEX, ACT_DOES, OF_MUTEX}},
    {REGION_PTHREAD_UNLOCK, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_MUTEX}},
    {REGION_PTHREAD_CONDITION, {MEANS_WAIT, FOR_SIGNAL, ACT_DOES, OF_CONDITION}},
    {REGION_PTHREAD_SIGNAL, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_CONDITION}},
    {REGION_PTHREAD_BROADCAST, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_CONDITION}},
    {REGION_PTHREAD_SEMAPHORE, {MEANS_WAIT, FOR_SEMAPHORE, ACT_DOES, OF_SEMAPHORE}},
    {REGION_PTHREAD_POST, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_SEMAPHORE}},
    {REGION_PTHREAD_BARRIER, {MEANS_WAIT, FOR_OBJECT_MEETING, ACT_DOES, OF_BARRIER}},
    {REGION_PTHREAD_ATOMIC, {MEANS_WAIT, FOR_ATOMIC, ACT_DOES, OF_ATOMIC}},
    {REGION_PTHREAD_NOTIFY_ONE, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_ATOMIC}},
    {REGION_PTHREAD_NOTIFY_ALL, {MEANS_NOTHING, ACT_ALL, ACT_SIGNAL, OF_ATOMIC}},
    {REGION_PTHREAD_JOIN, {MEANS_WAIT, FOR_END, ACT_DOES, 0}},
    {REGION_PTHREAD_START, {MEANS_START, 0, ACT_DOES, 0}},
    {REGION_THREAD_START, {MEANS_START, 0, ACT_DOES, 0}},
    {REGION_MONITOR_ENTER, {MEANS_WAIT, FOR_OWNER, ACT_DOES, OF_JAVA}},
    {REGION_CLASS_INIT, {MEANS_WAIT, FOR_OWNER, ACT_DOES, OF_JAVA}},
    {REGION_JAVA_LOCK, {MEANS_WAIT, FOR_PERMIT_LOCK, ACT_DOES, OF_JAVA}},
    {REGION_PARK, {MEANS_WAIT, FOR_PERMIT, ACT_DOES, 0}},
    {REGION_UNPARK, {MEANS_NOTHING, 0, ACT_UNPARK, 0}},
    {REGION_INTERRUPT, {MEANS_NOTHING, 0, ACT_UNPARK, 0}},
    {REGION_START_THREAD, {MEANS_NOTHING, 0, ACT_START, 0}},
    {REGION_OBJECT_WAIT, {MEANS_WAIT, FOR_SIGNAL, ACT_DOES, OF_JAVA}},
    {REGION_NOTIFY, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_JAVA}},
    {REGION_NOTIFY_ALL, {MEANS_NOTHING, 0, ACT_SIGNAL, OF_JAVA}},
    {REGION_JOIN, {MEANS_WAIT, FOR_END, ACT_DOES, 0}},
    {REGION_SLEEP, {MEANS_BLOCKED, 0, ACT_DOES, 0}},
    {REGION_FILE_READ, {MEANS_BLOCKED, 0, ACT_DOES, 0}},
    {REGION_FILE_WRITE, {MEANS_BLOCKED, 0, ACT_DOES, 0}},
    {REGION_SOCKET_READ, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_SOCKET_WRITE, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_ACCEPT, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_CONNECT, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_SELECT, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_LOOKUP, {MEANS_OUTSIDE, 0, ACT_DOES, 0}},
    {REGION_IDLE, {MEANS_IDLE, 0, ACT_DOES, 0}},
    {REGION_VIRTUAL_THREAD, {MEANS_NOTHING, 0, ACT_MOUNT, 0}},
    {REGION_YIELD, {MEANS_NOTHING, 0, ACT_DOES, 0}},
    {REGION_SAFEPOINT, {MEANS_RUNTIME, 0, ACT_DOES, 0}},
    {REGION_SYSTEM_GC, {MEANS_COLLECTION, 0, ACT_DOES, 0}},
    {REGION_GC, {MEANS_COLLECTION, 0, ACT_DOES, 0}},
    {REGION_ALLOCATION_STALL, {MEANS_COLLECTION, 0, ACT_DOES, 0}},
};

static struct region_meaning thread_meaning(const struct trace_region *region, unsigned rule)
{
  const char *at = strstr(region->name, NAME_AT);
  size_t size = at ? (size_t)(at - region->name) : strlen(region->name);
  for (size_t i = 0; i < COUNT_OF(thread_meanings); i++)
    if (strlen(thread_meanings[i].name) == size && strncmp(region->name, thread_meanings[i].name, size) == 0)
      return thread_meanings[i].meaning;
  return (struct region_meaning){rule == RULE_INHERIT ? MEANS_WORK : MEANS_NOTHING, 0, ACT_DOES, 0};
}

/* Constructs of Heddle's archives have a part that waits; constructs of other tools wait as a whole. */
static struct region_meaning of_wait(const struct trace_region *region, bool parts, enum waits_for waits)
{
  bool is_part = strstr(region->name, " wait") != NULL;
  return (struct region_meaning){!parts || is_part ? MEANS_WAIT : MEANS_RUNTIME, (uint8_t)waits, ACT_DOES, 0};
}

static struct region_meaning meaning_of(const struct trace_region *region, unsigned rule, bool parts)
{
  struct region_meaning plain = {MEANS_WORK, 0, ACT_DOES, 0};
  switch (rule) {
  case RULE_PARALLEL:
    plain.means = MEANS_PARALLEL;
    return plain;
  case RULE_CHUNK:
    plain.domain = OF_CHUNK;
    __attribute__((fallthrough));
  case RULE_PROFILE_ROW:
  case RULE_STATE_SPIN:
    plain.means = MEANS_NOTHING;
    return plain;
  case RULE_SINGLE_SBLOCK:
  case RULE_MASTER:
    plain.means = MEANS_ALONE;
    return plain;
  case RULE_BARRIER:
  case RULE_IMPLICIT_BARRIER:
    return of_wait(region, parts, FOR_MEETING);
  case RULE_REDUCTION:
  case RULE_JAVA_REDUCTION:
    return of_wait(region, true, FOR_MEETING);
  case RULE_TASK_WAIT:
    return of_wait(region, parts, FOR_TASKS);
  case RULE_ORDERED:
    if (strstr(region->name, "depend(source)")) {
      plain.means = MEANS_RUNTIME;
      return plain;
    }
    __attribute__((fallthrough));
  case RULE_CRITICAL:
  case RULE_ATOMIC:
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return (struct region_meaning){MEANS_WAIT, FOR_LOCK, ACT_DOES, 0};
  case RULE_WRAPPER:
  case RULE_TASK_CREATE:
  case RULE_FLUSH:
    plain.means = MEANS_RUNTIME;
    return plain;
  case RULE_TRACEFLUSH:
  case RULE_BUFFER_FLUSH:
    plain.means = MEANS_MEASUREMENT;
    return plain;
  case RULE_MEASUREMENT_OFF:
  case RULE_OMITTED:
    plain.means = MEANS_UNKNOWN;
    return plain;
  case RULE_STATE_READY:
    plain.means = MEANS_READY;
    return plain;
  case RULE_STATE_OFF:
    plain.means = MEANS_OFF;
    plain.domain =
        strcmp(region->name, REGION_OFF_PROCESSOR) == 0 || strstr(region->name, NAME_TRIGGER_FUTEX) ? OF_FUTEX : 0;
    return plain;
  case RULE_STATE_IDLE:
    plain.means = MEANS_IDLE;
    return plain;
  default:
    return region->paradigm == OTF2_PARADIGM_PTHREAD ? thread_meaning(region, rule) : plain;
  }
}

struct region_meaning *region_meanings(const struct trace *trace)
{
  struct region_meaning *meanings = calloc((size_t)trace->region_count + 1, sizeof *meanings);
  uint8_t *rules = machine_rules(trace);
  bool parts = false;
  for (uint32_t i = 0; rules && i < trace->region_count; i++)
    parts |= (rules[i] == RULE_BARRIER || rules[i] == RULE_IMPLICIT_BARRIER || rules[i] == RULE_TASK_WAIT) &&
             strstr(trace->regions[i].name, " wait") != NULL;
  for (uint32_t i = 0; meanings && rules && i < trace->region_count; i++) {
    uint8_t role = trace->regions[i].role;
    meanings[i] = meaning_of(&trace->regions[i], rules[i], parts);
    if (role == OTF2_REGION_ROLE_TASK || role == OTF2_REGION_ROLE_TASK_UNTIED)
      meanings[i].domain = OF_TASK;
    else if (trace_region_says(&trace->regions[i], FACT_SCHEDULE, VALUE_SCHEDULE_DYNAMIC) ||
             trace_region_says(&trace->regions[i], FACT_SCHEDULE, VALUE_SCHEDULE_GUIDED))
      meanings[i].domain = OF_LOOP; /* threads fetch its chunks */
  }
  if (!rules) {
    free(meanings);
    meanings = NULL;
  }
  free(rules);
  return meanings;
}

struct open_region {
  uint32_t region;
  uint8_t means;
  bool waiting;     /* its wait has not ended */
  uint64_t ordinal; /* of the wait */
  uint64_t lock;    /* number of its object, as in a step */
  const char *lock_class;
  uint64_t chunks, made; /* in it: chunks of loops, tasks */
};

struct activity_lane {
  const struct trace *trace;
  uint32_t number;
  const struct region_meaning *meanings;
  bool thread, worker, of_pool, begun, ended; /* of_pool: of one of the JDK's */
  uint64_t mounted;                           /* key of the virtual thread that runs on it; 0: none */
  VECTOR(struct open_region) open;
  VECTOR(uint32_t) teams;
  unsigned regions;   /* open parallel regions */
  uint64_t waits;     /* so far */
  uint64_t lock_wait; /* the last wait for a lock: ordinal, and when it ended without an acquisition */
  uint64_t lock_wait_end;
  uint64_t last;
  uint64_t began; /* before the first event; 0: not known */
  bool paused;    /* its measurement is off, */
  bool loses;     /* ... as there was no room for its events: what it did is unknown */
  bool unseen;    /* a JVM's own thread, and the kernel has said nothing of it: if a tool attached, it hardly runs */
  bool starts;    /* a JVM's initial thread, before its first event at a source line */
  uint64_t starts_until;  /* ticks: it has started by then; 0: not known yet */
  size_t omitted;         /* depth of a stretch of omitted instances, while the time is theirs; 0: none */
  uint64_t omitted_until; /* ticks */
  uint32_t omitted_place; /* their construct; TRACE_NONE: unknown */
  uint32_t task;          /* the region of the last task; TRACE_NONE: none */
  uint64_t stands_for;    /* tasks, of the last one that began */
  struct activity now;
  struct code_reader code;
  struct hash locks; /* place of the work + 1 << 32 | region of a lock -> acquisitions */
  bool reads;        /* the trace has readings in place of the kernel's switches */
  struct off_processor off;
  struct item_queue queue;
  bool failed;
};

/* When the process of an initial thread began. A JVM's start is no work of the program. */
static uint64_t began_of(const struct trace *trace, uint32_t location)
{
  const char *began = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_BEGAN);
  return began && !trace_is_of_java(trace) ? strtoull(began, NULL, 10) : 0;
}

static bool is_initial_of_jvm(const struct trace *trace, uint32_t location)
{
  const char *id = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_JAVA_ID);
  return id && strcmp(id, "1") == 0;
}

/* A line of the program, and not of the JDK. */
static bool is_in_program(const struct trace_region *region)
{
  const char *of = region->function;
  return region->line != 0 && strncmp(of, "java.", 5) != 0 && strncmp(of, "jdk.", 4) != 0 &&
         strncmp(of, "sun.", 4) != 0;
}

static bool begin_activity_lane(void *context, void *into, const struct pass_location *location, struct error *error)
{
  const struct activity_pass *pass = context;
  const struct trace_location *of = &pass->trace->locations[location->number];
  struct activity_lane *lane = into;
  *lane = (struct activity_lane){
      .trace = pass->trace,
      .number = location->number,
      .meanings = pass->meanings,
      .thread = trace_is_thread(pass->trace, location->number) && of->type != TRACE_THREAD_VIRTUAL,
      .worker = of->type == TRACE_THREAD_WORKER,
      .of_pool = thread_is_of_pool(pass->trace, location->number),
      .lock_wait_end = UINT64_MAX,
      .omitted_place = TRACE_NONE,
      .task = TRACE_NONE,
      .stands_for = 1,
      .began = began_of(pass->trace, location->number),
      .reads = readings_exist(pass->trace),
      .loses = trace_property(pass->trace, TRACE_OF_LOCATION, location->number, LOCATION_EVENTS_LOST) != NULL,
      .unseen = of->type == TRACE_THREAD_JVM,
      .starts = is_initial_of_jvm(pass->trace, location->number),
      .queue = {.size = sizeof(struct account_step), .time_at = offsetof(struct account_step, time)}};
  return !lane->thread || code_reader_open(&lane->code, pass->trace, pass->code, location->number, error);
}

static void close_activity_lane(void *context, void *of)
{
  struct activity_lane *lane = of;
  (void)context;
  vector_free(&lane->open);
  vector_free(&lane->teams);
  item_queue_free(&lane->queue);
  off_processor_free(&lane->off);
  hash_free(&lane->locks);
  code_reader_close(&lane->code);
}

static bool wants_activity(const void *of)
{
  return ((const struct activity_lane *)of)->thread;
}

static uint32_t alone_in(const struct activity_lane *lane)
{
  for (size_t i = lane->open.count; i-- > 0;)
    if (lane->open.items[i].means == MEANS_ALONE)
      return lane->open.items[i].region;
  return TRACE_NONE;
}

/* Written member by member, and never as a whole: what follows reads it at once. */
static inline void set_activity(struct activity *into, enum does does, enum on_processor kernel, uint32_t place)
{
  into->does = (uint8_t)does;
  into->kernel = (uint8_t)kernel;
  into->of_jvm = into->in_task = false;
  into->place = place;
  into->ran = TRACE_NONE;
}

static bool is_in_task(const struct activity_lane *lane, size_t at)
{
  bool in_task = false;
  for (size_t i = 0; i < at && !in_task; i++)
    in_task = lane->open.items[i].region != TRACE_NONE &&
              lane->trace->regions[lane->open.items[i].region].role == OTF2_REGION_ROLE_TASK;
  return in_task;
}

/* The kernel's region, which is innermost, if there is one. */
static enum on_processor kernel_at(const struct activity_lane *lane)
{
  unsigned means = lane->open.count ? lane->open.items[lane->open.count - 1].means : MEANS_WORK;
  return means == MEANS_READY ? ON_READY : means == MEANS_OFF ? ON_OFF : ON_PROCESSOR;
}

/* With regions open that are no note and not the kernel's; `at` is the innermost one. */
static inline void look_in_region(const struct activity_lane *lane, size_t at, enum on_processor kernel,
                                  struct activity *now)
{
  const struct open_region *in = &lane->open.items[at];
  uint32_t place = in->region, alone;
  enum does does;
  if (in->means == MEANS_MEASUREMENT) {
    set_activity(now, kernel == ON_READY ? DOES_READY : DOES_MEASUREMENT, ON_PROCESSOR, TRACE_NONE);
    return;
  }
  if (in->means == MEANS_WAIT && in->waiting) {
    set_activity(now, DOES_WAIT, kernel, place);
    return;
  }
  bool omitted = in->means == MEANS_UNKNOWN && lane->omitted == at + 1;
  bool off = kernel == ON_READY || (kernel == ON_OFF && !omitted); /* or the region says why */
  switch (in->means) {
  case MEANS_IDLE:
    does = DOES_IDLE;
    place = TRACE_NONE;
    break;
  case MEANS_BLOCKED:
    does = DOES_BLOCKED;
    break;
  case MEANS_OUTSIDE:
    does = DOES_OUTSIDE;
    break;
  case MEANS_START:
    does = DOES_START;
    break;
  case MEANS_COLLECTION:
    does = DOES_COLLECTION;
    place = trace_region_begins(&lane->trace->regions[in->region], REGION_SYSTEM_GC) ? place : TRACE_NONE;
    break;
  default:
    if (off) {
      does = kernel == ON_READY ? DOES_READY : DOES_BLOCKED;
      place = in->means == MEANS_UNKNOWN ? TRACE_NONE : place;
    } else if (omitted) { /* without a processor, too: waits in these instances are not recorded */
      does = DOES_OMITTED;
      place = lane->omitted_place;
    } else if (in->means == MEANS_UNKNOWN) {
      does = DOES_UNKNOWN;
      place = TRACE_NONE;
    } else if (in->means == MEANS_RUNTIME || (in->means == MEANS_PARALLEL && lane->teams.count < lane->regions)) {
      does = DOES_RUNTIME;
    } else {
      alone = alone_in(lane);
      does = alone != TRACE_NONE ? DOES_ALONE : DOES_WORK;
      place = alone != TRACE_NONE ? alone : place;
    }
  }
  set_activity(now, does, ON_PROCESSOR, place);
  if (in->means == MEANS_BLOCKED)
    now->in_task = is_in_task(lane, at);
}

static inline void look_at_regions(struct activity_lane *lane, struct activity *now)
{
  enum on_processor kernel = kernel_at(lane);
  lane->unseen = lane->unseen && kernel == ON_PROCESSOR;
  size_t count = lane->open.count - (kernel != ON_PROCESSOR);
  while (count > 0 && lane->open.items[count - 1].means == MEANS_NOTHING)
    count--;
  if (lane->paused)
    set_activity(now, lane->loses ? DOES_UNKNOWN : DOES_NOTHING, ON_PROCESSOR, TRACE_NONE);
  else if (count > 0)
    look_in_region(lane, count - 1, kernel, now);
  else if (lane->worker && lane->teams.count == 0)
    set_activity(now, DOES_IDLE, ON_PROCESSOR, TRACE_NONE);
  else if (lane->of_pool && lane->task != TRACE_NONE && kernel == ON_PROCESSOR) /* it fetches the next task */
    set_activity(now, DOES_RUNTIME, ON_PROCESSOR, lane->task);
  else
    set_activity(now,
                 kernel == ON_READY ? DOES_READY
                 : kernel == ON_OFF ? DOES_BLOCKED
                 : lane->unseen     ? DOES_NOTHING
                                    : DOES_WORK,
                 ON_PROCESSOR, TRACE_NONE);
}

/* True if it is blocked, perhaps as it was when looked at, and no region around says what for. */
static bool is_blocked(const struct activity_lane *lane, const struct activity *now)
{
  size_t count = lane->open.count;
  if (now->does != DOES_BLOCKED || kernel_at(lane) != ON_OFF ||
      (count >= 2 && lane->open.items[count - 2].means == MEANS_BLOCKED))
    return false;
  const struct trace_region *off = &lane->trace->regions[lane->open.items[count - 1].region];
  bool futex = lane->meanings[lane->open.items[count - 1].region].domain == OF_FUTEX;
  return futex == lane->code.waited.futex || strcmp(off->name, REGION_OFF_PROCESSOR) == 0;
}

/* What samples know of it. */
static inline void add_code(const struct activity_lane *lane, struct activity *now)
{
  bool runs = now->does == DOES_WORK || now->does == DOES_ALONE, blocked = !runs && is_blocked(lane, now);
  uint32_t ran = runs ? lane->code.ran.context : blocked ? lane->code.waited.context : TRACE_NONE;
  bool library = ran != TRACE_NONE && blocked && lane->code.waited.futex && code_is_of_library(lane->code.code, ran);
  if (ran == TRACE_NONE || (blocked && lane->code.waited.futex && !library))
    return;
  now->ran = ran;
  if (runs && (code_spins(lane->code.code, ran) || code_is_at_lock_of_library(lane->code.code, ran)))
    now->does = DOES_SPIN;
  else if (runs && code_is_of_mpi(lane->code.code, ran))
    now->does = DOES_UNKNOWN;
  else if (library)
    now->does = DOES_LIBRARY;
}

/* What a JVM's initial thread does before the program begins is the JVM's. True: it is not what it was. */
static bool look(struct activity_lane *lane)
{
  struct activity now;
  look_at_regions(lane, &now);
  add_code(lane, &now);
  if (lane->starts && now.does == DOES_WORK) {
    now.does = DOES_RUNTIME;
    now.of_jvm = true;
  }
  bool differs = now.does != lane->now.does || now.kernel != lane->now.kernel || now.place != lane->now.place ||
                 now.of_jvm != lane->now.of_jvm || now.ran != lane->now.ran;
  if (differs || now.in_task != lane->now.in_task) {
    lane->now.does = now.does;
    lane->now.kernel = now.kernel;
    lane->now.of_jvm = now.of_jvm;
    lane->now.in_task = now.in_task;
    lane->now.place = now.place;
    lane->now.ran = now.ran;
  }
  return differs;
}

static void put_step(struct activity_lane *lane, const struct account_step *step)
{
  struct account_step *place = item_queue_add(&lane->queue);
  lane->failed |= !place;
  if (!place)
    return;
  *place = *step;
  place->now = lane->now;
}

static void put(struct activity_lane *lane, struct account_step step)
{
  look(lane);
  put_step(lane, &step);
}

static void put_activity(struct activity_lane *lane, uint64_t time)
{
  if (look(lane))
    put_step(lane, &(struct account_step){.kind = ACT_DOES, .time = time});
}

/* The code that ran between two events. */
static void follow_code(struct activity_lane *lane, uint64_t at, uint64_t until)
{
  if (lane->code.next >= until)
    return;
  while (code_reader_next(&lane->code, until, &at))
    put_activity(lane, at);
  lane->failed |= code_reader_failed(&lane->code);
}

/*
 * A stretch of omitted instances begins with all their time. Between them the thread does what is around the stretch.
 */
static void end_omitted(struct activity_lane *lane)
{
  lane->open.items[lane->omitted - 1].means = MEANS_NOTHING;
  lane->omitted = 0;
  put_activity(lane, lane->omitted_until);
}

static void count_stretch(struct activity_lane *lane, uint64_t ticks)
{
  const struct activity *now = &lane->now;
  if (ticks == 0)
    return;
  if (now->does == DOES_WORK || now->does == DOES_ALONE)
    lane->failed |= !off_processor_ran(&lane->off, now->place, ticks);
  else if (now->does != DOES_READY && now->does != DOES_OMITTED)
    off_processor_waited(&lane->off, now->does == DOES_RUNTIME || now->does == DOES_MEASUREMENT ? 0 : ticks);
}

static void read_processor(struct activity_lane *lane, const struct trace_event *event)
{
  if (!lane->reads || !off_processor_read(&lane->off, lane->trace, event))
    return;
  for (size_t i = 0; i < lane->off.places.count; i++) {
    const struct off_place *of = &lane->off.places.items[i];
    if (of->off > 0)
      put(lane,
          (struct account_step){
              .kind = ACT_OFF, .time = event->time, .region = of->place, .number = of->off, .ordinal = of->ready});
  }
  off_processor_forget(&lane->off);
}

static void begin(struct activity_lane *lane, uint64_t time)
{
  if (lane->starts && lane->begun && time > lane->starts_until) {
    follow_code(lane, lane->last, lane->starts_until);
    lane->last = lane->starts_until;
    lane->starts = false;
    put_activity(lane, lane->starts_until);
  }
  if (lane->omitted && time > lane->omitted_until) {
    follow_code(lane, lane->last, lane->omitted_until);
    lane->last = lane->omitted_until;
    end_omitted(lane);
  }
  if (lane->begun) {
    if (lane->reads)
      count_stretch(lane, time - lane->last);
    follow_code(lane, lane->last, time);
    lane->last = time;
    return;
  }
  lane->starts_until = time + lane->trace->ticks_per_second / JVM_STARTS_IN;
  lane->begun = true;
  lane->last = time;
  time = lane->began ? lane->began : time;
  put(lane, (struct account_step){.kind = ACT_BEGIN, .time = time});
  follow_code(lane, time, lane->last);
}

/* The number of an object + 1; 0: unknown. Java's identity hashes are never 0, other numbers begin there. */
static uint64_t object_number(const struct activity_lane *lane, const struct trace_event *event, const char *class_name)
{
  return trace_attribute(event, lane->trace->object, class_name ? 0 : UINT64_MAX) + (class_name == NULL);
}

/* The key of an object. Numbers belong to a process, and in Java to a class. */
static uint64_t object_of(const struct activity_lane *lane, const struct trace_event *event, unsigned domain)
{
  const struct trace *trace = lane->trace;
  const char *class_name = trace_attribute_text(trace, event, trace->object_class);
  uint64_t number = object_number(lane, event, class_name);
  uint64_t key = hash_mix(number + ((uint64_t)domain << 56));
  if (number == 0 && class_name == NULL)
    return 0;
  key = trace_key_in_process(trace, lane->number, class_name ? hash_text(key, class_name) : key);
  return key ? key : 1;
}

static void enter_wait(struct activity_lane *lane, const struct trace_event *event, struct region_meaning meaning)
{
  struct open_region *in = &lane->open.items[lane->open.count - 1];
  struct account_step step = {.kind = ACT_WAIT,
                              .waits = meaning.waits,
                              .time = event->time,
                              .region = event->index,
                              .team = lane->teams.count ? lane->teams.items[lane->teams.count - 1] : TRACE_NONE,
                              .ordinal = lane->waits,
                              .owner = trace_attribute(event, lane->trace->owner, 0)};
  in->waiting = true;
  in->ordinal = lane->waits++;
  if (meaning.waits == FOR_END)
    step.number = trace_attribute(event, lane->trace->thread, step.owner);
  else if (meaning.domain)
    step.number = object_of(lane, event, meaning.domain);
  if ((meaning.waits == FOR_PERMIT || meaning.waits == FOR_SIGNAL) && is_in_task(lane, lane->open.count - 1))
    step.flags = ACT_IN_TASK;
  step.lock_class = trace_attribute_text(lane->trace, event, lane->trace->object_class);
  step.lock = object_number(lane, event, step.lock_class);
  if (step.lock == 0 && step.lock_class) /* a class whose initializer is awaited has a name alone */
    step.lock = step.number;
  in->lock = step.lock;
  in->lock_class = step.lock_class;
  put(lane, step);
}

static void mount(struct activity_lane *lane, const struct trace_event *event)
{
  uint64_t id = trace_attribute(event, lane->trace->virtual_thread, 0);
  uint64_t key = trace_key_in_process(lane->trace, lane->number, hash_mix(id + 1));
  lane->mounted = key ? key : 1;
  put(lane, (struct account_step){.kind = ACT_MOUNT, .time = event->time, .number = lane->mounted});
}

/* The carrier lets go of its virtual thread in a wait. One for a permit or a notification has no demand of its own:
 * who they are for may never come to it. */
static void unmount(struct activity_lane *lane, const struct trace_event *event, const struct open_region *left)
{
  struct region_meaning meaning = lane->meanings[left->region];
  bool lock = meaning.means == MEANS_WAIT && (meaning.waits == FOR_OWNER || meaning.waits == FOR_PERMIT_LOCK);
  const char *closed = lane->mounted != 0 && (lock || meaning.means == MEANS_BLOCKED || meaning.means == MEANS_OUTSIDE)
                           ? trace_attribute_text(lane->trace, event, lane->trace->closed)
                           : NULL;
  if (closed && strcmp(closed, VALUE_CLOSED_UNMOUNTED) == 0)
    put(lane, (struct account_step){.kind = ACT_UNMOUNT,
                                    .waits = lock                             ? UNMOUNTED_AT_LOCK
                                             : meaning.means == MEANS_BLOCKED ? UNMOUNTED_BLOCKED
                                                                              : UNMOUNTED_OUTSIDE,
                                    .time = event->time,
                                    .region = left->region,
                                    .number = lane->mounted,
                                    .lock = left->lock,
                                    .lock_class = left->lock_class});
}

/* The open region in which the thread's work is booked now. NULL: there is none. */
static struct open_region *booked_in(struct activity_lane *lane)
{
  uint32_t place = alone_in(lane);
  for (size_t i = lane->open.count; i-- > 0;) {
    struct open_region *in = &lane->open.items[i];
    if (in->region != TRACE_NONE &&
        (place != TRACE_NONE ? in->region == place : in->means == MEANS_WORK || in->means == MEANS_PARALLEL))
      return in;
  }
  return NULL;
}

/* Acquisitions at the innermost region: one that may wait, or further ones that did not. */
static void count_locks(struct activity_lane *lane, const struct trace_event *event, struct region_meaning meaning)
{
  bool may_wait = meaning.means == MEANS_WAIT && meaning.waits == FOR_LOCK;
  uint64_t number = may_wait ? event->weight : 0;
  if (event->attributes)
    number += trace_attribute(event, lane->trace->uncontended, 0);
  if (number == 0 || event->index == TRACE_NONE)
    return;
  const struct open_region *in = booked_in(lane);
  uint64_t key = (uint64_t)(in ? in->region + 1 : 0) << 32 | event->index;
  uint64_t *known = hash_find(&lane->locks, key);
  if (known)
    *known += number;
  else if (!hash_add(&lane->locks, key, number))
    lane->failed = true;
}

/* Amounts that the Enter of the innermost region has: chunks, tasks, omitted instances. */
static void note_amounts(struct activity_lane *lane, const struct trace_event *event, struct region_meaning meaning)
{
  const struct trace *trace = lane->trace;
  uint32_t construct = event->attributes ? trace_attribute_region(trace, event, trace->omitted_construct) : TRACE_NONE;
  struct open_region *in = meaning.domain == OF_CHUNK ? booked_in(lane) : NULL;
  count_locks(lane, event, meaning);
  if (in && lane->meanings[in->region].domain == OF_LOOP)
    in->chunks += trace_attribute(event, trace->chunks, 1);
  if (meaning.domain == OF_TASK) {
    lane->task = event->index;
    lane->stands_for = event->weight;
  }
  if (meaning.means != MEANS_UNKNOWN)
    return;
  if (construct == TRACE_NONE) {
    uint64_t lasts = trace_attribute(event, trace->time, 0);
    lane->omitted = lasts > 0 && lasts <= UINT64_MAX - event->time ? lane->open.count : 0;
    lane->omitted_until = event->time + lasts;
    lane->omitted_place = lane->task;
    return;
  }
  lane->open.items[lane->open.count - 1].means = MEANS_NOTHING; /* sums of a construct, at the begin of the stretch */
  if (!trace_attribute(event, trace->inside, 0))
    lane->omitted_place = construct;
  put(lane, (struct account_step){.kind = ACT_OMITTED,
                                  .time = event->time,
                                  .region = construct,
                                  .number = trace_attribute(event, trace->instances, 0)});
  if (lane->meanings[construct].domain == OF_LOOP)
    put(lane, (struct account_step){.kind = ACT_CHUNKS,
                                    .time = event->time,
                                    .region = construct,
                                    .number = trace_attribute(event, trace->chunks, 0)});
}

/* Tasks of Java's pools have no team. */
static void begin_task(struct activity_lane *lane, uint64_t time)
{
  if (lane->teams.count == 0)
    put_activity(lane, time);
  else
    put(lane, (struct account_step){.kind = ACT_TASK_BEGIN,
                                    .time = time,
                                    .number = lane->stands_for,
                                    .team = lane->teams.items[lane->teams.count - 1]});
}

static void make_task(struct activity_lane *lane, const struct trace_event *event)
{
  struct open_region *in = booked_in(lane);
  if (in)
    in->made += event->weight;
  if (lane->teams.count > 0)
    put(lane, (struct account_step){.kind = ACT_TASK_MADE,
                                    .flags = trace_task_depends(lane->trace, event) ? ACT_DEPENDS : 0,
                                    .time = event->time,
                                    .region = in ? in->region : TRACE_NONE,
                                    .number = event->weight,
                                    .team = lane->teams.items[lane->teams.count - 1]});
}

static void enter(struct activity_lane *lane, const struct trace_event *event)
{
  struct region_meaning meaning =
      event->index == TRACE_NONE ? (struct region_meaning){0} : lane->meanings[event->index];
  struct open_region in = {.region = event->index, .means = meaning.means};
  if (lane->starts && event->index != TRACE_NONE && is_in_program(&lane->trace->regions[event->index]))
    lane->starts = false;
  if (lane->open.count >= MACHINE_DEPTH_LIMIT || !vector_push(&lane->open, in)) {
    lane->failed = true;
    return;
  }
  lane->regions += meaning.means == MEANS_PARALLEL;
  /* Between tasks it waits for the next one. That this is a pool's wait is not recorded if it does not end. */
  if (lane->of_pool && meaning.means == MEANS_WAIT && meaning.waits == FOR_PERMIT &&
      !is_in_task(lane, lane->open.count - 1))
    meaning.means = lane->open.items[lane->open.count - 1].means = MEANS_IDLE;
  note_amounts(lane, event, meaning);
  if (meaning.acts == ACT_MOUNT)
    mount(lane, event);
  else if (meaning.means == MEANS_WAIT)
    enter_wait(lane, event, meaning);
  else if (meaning.domain == OF_TASK)
    begin_task(lane, event->time);
  else if (meaning.acts != ACT_DOES && meaning.acts != ACT_BEGIN)
    put(lane, (struct account_step){.kind = meaning.acts,
                                    .flags = meaning.acts == ACT_SIGNAL ? meaning.waits : 0,
                                    .time = event->time,
                                    .region = event->index,
                                    .number = meaning.domain ? object_of(lane, event, meaning.domain)
                                                             : trace_attribute(event, lane->trace->thread, 0)});
  else
    put_activity(lane, event->time);
}

static void end_wait(struct activity_lane *lane, const struct trace_event *event, struct open_region *in, uint64_t lock)
{
  const struct trace *trace = lane->trace;
  struct region_meaning meaning = lane->meanings[in->region];
  bool leaves = event->kind == TRACE_Leave;
  bool late = leaves && trace_attribute(event, trace->timed_out, 0);
  const char *closed = leaves ? trace_attribute_text(trace, event, trace->closed) : NULL;
  bool cut = closed && strcmp(closed, VALUE_CLOSED_UNMOUNTED) != 0;
  in->waiting = false;
  if (meaning.waits == FOR_LOCK) {
    lane->lock_wait = in->ordinal;
    lane->lock_wait_end = lock ? UINT64_MAX : event->time;
  }
  put(lane, (struct account_step){.kind = ACT_WAIT_END,
                                  .waits = meaning.waits,
                                  .flags = (uint8_t)((late ? ACT_TIMED_OUT : 0) | (cut ? ACT_CUT : 0)),
                                  .time = event->time,
                                  .region = in->region,
                                  .ordinal = in->ordinal,
                                  .number = lock,
                                  .owner = leaves ? trace_attribute(event, trace->owner, 0) : 0});
}

static void put_amounts(struct activity_lane *lane, uint64_t time, const struct open_region *left)
{
  if (left->region == TRACE_NONE) /* it is not defined */
    return;
  if (left->chunks > 0)
    put(lane, (struct account_step){.kind = ACT_CHUNKS, .time = time, .region = left->region, .number = left->chunks});
  if (left->made > 0)
    put(lane, (struct account_step){.kind = ACT_MADE, .time = time, .region = left->region, .number = left->made});
}

static void leave(struct activity_lane *lane, const struct trace_event *event)
{
  size_t at = lane->open.count;
  while (at > 0 && lane->open.items[at - 1].region != event->index)
    at--;
  if (at == 0) /* never entered */
    return;
  while (lane->open.count >= at) {
    struct open_region *in = &lane->open.items[lane->open.count - 1];
    struct open_region left = *in;
    lane->open.count--;
    lane->omitted = lane->omitted > lane->open.count ? 0 : lane->omitted;
    lane->regions -= left.means == MEANS_PARALLEL;
    put_amounts(lane, event->time, &left);
    if (left.waiting)
      end_wait(lane, event, &left, 0);
    if (left.region == event->index && left.region != TRACE_NONE)
      unmount(lane, event, &left);
    if (left.region != TRACE_NONE && lane->meanings[left.region].acts == ACT_MOUNT)
      lane->mounted = 0;
  }
  put_activity(lane, event->time);
}

/* A key of a lock in its process, never 0. */
static uint64_t lock_of(const struct activity_lane *lane, const struct trace_event *event)
{
  uint32_t process = lane->trace->locations[lane->number].process;
  return (uint64_t)(process + 1) << 32 | event->index;
}

static void acquire(struct activity_lane *lane, const struct trace_event *event)
{
  uint64_t lock = lock_of(lane, event);
  for (size_t i = lane->open.count; i-- > 0;) {
    struct open_region *in = &lane->open.items[i];
    if (in->waiting && lane->meanings[in->region].waits == FOR_LOCK) {
      end_wait(lane, event, in, lock);
      break;
    }
    if (in->means != MEANS_NOTHING && in->means != MEANS_READY && in->means != MEANS_OFF)
      break;
  }
  if (lane->lock_wait_end == event->time) {
    put(lane,
        (struct account_step){.kind = ACT_WAIT_LOCK, .time = event->time, .ordinal = lane->lock_wait, .number = lock});
    lane->lock_wait_end = UINT64_MAX;
  }
  put(lane, (struct account_step){.kind = ACT_ACQUIRE, .time = event->time, .number = lock});
}

static void change_team(struct activity_lane *lane, const struct trace_event *event)
{
  bool begins = event->kind == TRACE_ThreadTeamBegin;
  uint32_t team = event->index, region = TRACE_NONE;
  for (size_t i = lane->open.count; i-- > 0 && region == TRACE_NONE;)
    region = lane->open.items[i].means == MEANS_PARALLEL ? lane->open.items[i].region : TRACE_NONE;
  if (begins) {
    lane->failed |= lane->teams.count >= MACHINE_DEPTH_LIMIT || !vector_push(&lane->teams, team);
  } else if (lane->teams.count > 0) {
    team = lane->teams.items[--lane->teams.count];
  } else {
    return;
  }
  put(lane, (struct account_step){
                .kind = begins ? ACT_TEAM_BEGIN : ACT_TEAM_END, .time = event->time, .team = team, .region = region});
}

static bool take_activity_event(void *of, const struct trace_event *event)
{
  struct activity_lane *lane = of;
  begin(lane, event->time);
  switch (event->kind) {
  case TRACE_Enter:
    enter(lane, event);
    break;
  case TRACE_Leave:
    leave(lane, event);
    break;
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    acquire(lane, event);
    break;
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    put(lane, (struct account_step){.kind = ACT_RELEASE, .time = event->time, .number = lock_of(lane, event)});
    break;
  case TRACE_ThreadTeamBegin:
  case TRACE_ThreadTeamEnd:
    change_team(lane, event);
    break;
  case TRACE_ThreadTaskComplete:
    put(lane, (struct account_step){.kind = ACT_TASK_DONE,
                                    .time = event->time,
                                    .number = lane->stands_for,
                                    .team = lane->teams.count ? lane->teams.items[lane->teams.count - 1] : TRACE_NONE});
    lane->stands_for = 1;
    break;
  case TRACE_ThreadTaskCreate:
    make_task(lane, event);
    break;
  case TRACE_ThreadCreate:
    put(lane,
        (struct account_step){.kind = ACT_CREATE,
                              .time = event->time,
                              .region = lane->open.count ? lane->open.items[lane->open.count - 1].region : TRACE_NONE,
                              .number = event->number});
    break;
  case TRACE_ThreadBegin:
    put(lane, (struct account_step){.kind = ACT_CREATED, .time = event->time, .number = event->number});
    break;
  case TRACE_ThreadWait:
    put(lane, (struct account_step){.kind = ACT_JOINS, .time = event->time, .number = event->number});
    break;
  case TRACE_Metric:
    read_processor(lane, event);
    break;
  case TRACE_MeasurementOnOff:
    lane->paused = !event->on;
    if (!lane->loses)
      put(lane, (struct account_step){.kind = ACT_MEASURED, .time = event->time, .number = event->on});
    put_activity(lane, event->time);
    break;
  default:
    break;
  }
  return !lane->failed;
}

static void put_locks(struct activity_lane *lane)
{
  for (size_t i = 0; i < lane->locks.room; i++) {
    const struct hash_entry *entry = &lane->locks.entries[i];
    if (entry->used)
      put(lane, (struct account_step){.kind = ACT_LOCKS,
                                      .time = lane->last,
                                      .region = (uint32_t)entry->key,
                                      .team = (uint32_t)(entry->key >> 32) - 1,
                                      .number = entry->value});
  }
}

static bool end_activity_lane(void *of)
{
  struct activity_lane *lane = of;
  lane->ended = true;
  if (lane->begun) {
    while (lane->open.count > 0) {
      struct open_region left = lane->open.items[--lane->open.count];
      put_amounts(lane, lane->last, &left);
      if (left.waiting)
        put(lane, (struct account_step){.kind = ACT_WAIT_END,
                                        .waits = lane->meanings[left.region].waits,
                                        .flags = ACT_CUT,
                                        .time = lane->last,
                                        .region = left.region,
                                        .ordinal = left.ordinal});
    }
    put_locks(lane);
    put(lane, (struct account_step){.kind = ACT_STOP, .time = lane->last});
  }
  return !lane->failed;
}

static struct item_queue *activity_queue(void *of)
{
  return &((struct activity_lane *)of)->queue;
}

static uint64_t activity_reached(void *of)
{
  const struct activity_lane *lane = of;
  return lane->ended || !lane->thread ? UINT64_MAX : lane->last;
}

static bool take_activity(void *context, uint32_t location, void *item)
{
  const struct activity_pass *pass = context;
  return pass->sink(pass->context, location, item);
}

void activity_subscribe(const void *state, struct subscriber *lanes)
{
  (void)state;
  *lanes = (struct subscriber){.context = lanes->context,
                               .stateless = true,
                               .before = true,
                               .after = true,
                               .others = true,
                               .lane_size = sizeof(struct activity_lane),
                               .begin = begin_activity_lane,
                               .wants_events = wants_activity,
                               .event = take_activity_event,
                               .end = end_activity_lane,
                               .close = close_activity_lane,
                               .queue = activity_queue,
                               .reached = activity_reached,
                               .take = take_activity};
}
