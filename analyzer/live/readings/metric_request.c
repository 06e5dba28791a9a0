#include "analyzer/live/readings/metric_request.h"

#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/live_control.h"

#include <string.h>

const char *live_metric_name(enum live_metric metric)
{
  static const char *const names[LIVE_METRICS] = {
      [LIVE_SELF] = "self time", [LIVE_EXECUTIONS] = "executions", [LIVE_WAITING] = "waiting",
      [LIVE_RUN] = "RUN",        [LIVE_SYNCH] = "SYNCH",           [LIVE_IDLE] = "IDLE"};
  return names[metric];
}

uint64_t live_executions(const struct profile_row *row, bool one_thread)
{
  return row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_ACQUIRE ? row->executions
         : row->kind == PROFILE_MEMBER && one_thread                    ? row->joined
                                                                        : 0;
}

static bool is_of(enum live_metric metric, enum state state)
{
  return metric == LIVE_RUN    ? state == STATE_RUN
         : metric == LIVE_IDLE ? state == STATE_IDLE
                               : state_is_wait(state) && state != STATE_IDLE;
}

wide_total live_time_in(enum live_metric metric, const struct states_thread *thread)
{
  wide_total sum = 0;
  for (unsigned state = 0; state < STATES; state++)
    sum += is_of(metric, (enum state)state) ? thread->ticks[state] : 0;
  return sum;
}

#define OF_JAVA (LIVE_NEED_MONITORS | LIVE_NEED_PARKS)
/* Chunks of static loops follow from the loop and the thread's number in its team. */
#define CHUNKS (LIVE_NEED_REGIONS | LIVE_NEED_WORKS | LIVE_NEED_CHUNKS)

/* Groups that give the enclosing construct, except for waits. */
#define AROUND (LIVE_NEED_REGIONS | LIVE_NEED_WORKS | LIVE_NEED_TASKS | LIVE_NEED_USER)

const struct live_asked_metric live_asked_metrics[] = {
    {"parallel-regions", "parallel regions executed", LIVE_NUMBER, LIVE_NEED_REGIONS, LIVE_OF_REGIONS, LIVE_HOW_MANY},
    {"region-time", "time in parallel regions, on the threads that began them", LIVE_TICKS, LIVE_NEED_REGIONS,
     LIVE_OF_REGIONS, LIVE_HOW_LONG},
    {"loops", "loops, sections, single and masked constructs executed, on each thread", LIVE_NUMBER, LIVE_NEED_WORKS,
     LIVE_OF_WORKS, LIVE_HOW_MANY},
    {"loop-time", "time in these", LIVE_TICKS, LIVE_NEED_WORKS, LIVE_OF_WORKS, LIVE_HOW_LONG},
    {"chunks", "chunks of loops executed, on each thread", LIVE_NUMBER, CHUNKS, LIVE_OF_CHUNKS, LIVE_HOW_MANY},
    {"iterations", "iterations of these", LIVE_NUMBER, CHUNKS, LIVE_OF_CHUNKS, LIVE_HOW_ITERATED},
    {"barriers", "barriers, taskwaits and taskgroups executed, on each thread", LIVE_NUMBER, LIVE_NEED_SYNC,
     LIVE_OF_BARRIERS, LIVE_HOW_MANY},
    {"barrier-time", "time in these", LIVE_TICKS, LIVE_NEED_SYNC, LIVE_OF_BARRIERS, LIVE_HOW_LONG},
    {"locks", "locks, critical and ordered sections acquired and released", LIVE_NUMBER, LIVE_NEED_LOCK_COUNTS,
     LIVE_OF_LOCKS, LIVE_HOW_MANY},
    {"contended-locks", "acquisitions that waited for more than some microseconds", LIVE_NUMBER, LIVE_NEED_LOCKS,
     LIVE_OF_LOCKS, LIVE_HOW_CONTENDED},
    {"lock-waiting", "time from requests to acquisitions", LIVE_TICKS, LIVE_NEED_LOCKS, LIVE_OF_LOCKS, LIVE_HOW_LONG},
    {"lock-held", "time from acquisitions to releases", LIVE_TICKS, LIVE_NEED_LOCKS, LIVE_OF_LOCKS, LIVE_HOW_HELD},
    {"tasks-made", "explicit tasks made", LIVE_NUMBER, LIVE_NEED_TASKS, LIVE_OF_TASKS_MADE, LIVE_HOW_MANY},
    {"tasks", "explicit tasks executed", LIVE_NUMBER, LIVE_NEED_TASKS, LIVE_OF_TASKS, LIVE_HOW_MANY},
    {"task-time", "time in these", LIVE_TICKS, LIVE_NEED_TASKS, LIVE_OF_TASKS, LIVE_HOW_LONG},
    {"java-waits", "waits of Java for monitors, and parks, sleeps and joins", LIVE_NUMBER, OF_JAVA, LIVE_OF_JAVA,
     LIVE_HOW_MANY},
    {"java-waiting", "time in these", LIVE_TICKS, OF_JAVA, LIVE_OF_JAVA, LIVE_HOW_LONG},
    {"gc", "pauses of Java for garbage collection", LIVE_NUMBER, LIVE_NEED_GC, LIVE_OF_GC, LIVE_HOW_MANY},
    {"gc-time", "time in these", LIVE_TICKS, LIVE_NEED_GC, LIVE_OF_GC, LIVE_HOW_LONG},
    {"user", "regions of the program's own (heddle.h) executed", LIVE_NUMBER, LIVE_NEED_USER, LIVE_OF_USERS,
     LIVE_HOW_MANY},
    {"user-time", "time in these", LIVE_TICKS, LIVE_NEED_USER, LIVE_OF_USERS, LIVE_HOW_LONG},
    {"events", "events of the program's own (heddle.h)", LIVE_NUMBER, LIVE_NEED_USER, LIVE_OF_EVENTS, LIVE_HOW_MANY},
    {"event-values", "values of these events that are known", LIVE_NUMBER, LIVE_NEED_USER, LIVE_OF_VALUES,
     LIVE_HOW_MANY},
    {"event-sum", "sum of these values", LIVE_SUM, LIVE_NEED_USER, LIVE_OF_VALUES, LIVE_HOW_VALUED},
    {"event-last", "the last of these values, of one of the threads that had one", LIVE_LAST, LIVE_NEED_USER,
     LIVE_OF_VALUES, LIVE_HOW_VALUED},
    {"self-time", "time in constructs without constructs inside", LIVE_TICKS, LIVE_NEED_ALL, LIVE_OF_ANY,
     LIVE_HOW_LONG},
    {"run-time", "time of threads in RUN", LIVE_TICKS, LIVE_NEED_ALL, LIVE_OF_THREADS, LIVE_HOW_RUN},
    {"synch-time", "time of threads in SYNCH and BLOCKED", LIVE_TICKS, LIVE_NEED_ALL, LIVE_OF_THREADS, LIVE_HOW_SYNCH},
    {"idle-time", "time of threads in IDLE", LIVE_TICKS, LIVE_NEED_ALL, LIVE_OF_THREADS, LIVE_HOW_IDLE},
    {"allocated", "bytes that Java threads allocated", LIVE_NUMBER, LIVE_NEED_ALLOCATED, LIVE_OF_ALLOCATED,
     LIVE_HOW_MANY},
    {"samples", "samples of the code that ran, by function", LIVE_NUMBER, LIVE_NEED_SAMPLES, LIVE_OF_SAMPLES,
     LIVE_HOW_MANY},
    {"updates", "how often threads added up what they had recorded", LIVE_NUMBER, 0, LIVE_OF_MEASURING, LIVE_HOW_MANY},
    {"measuring-time", "time that measuring kept threads", LIVE_TICKS, 0, LIVE_OF_MEASURING, LIVE_HOW_LONG},
};
const size_t live_asked_metric_count = COUNT_OF(live_asked_metrics);

#define KEY(key) (1u << FOCUS_##key)

/* By which keys a metric can be chosen. */
static unsigned keys_of(enum live_asked_of of)
{
  unsigned threads = KEY(THREAD) | KEY(START), places = threads | KEY(MEMBER) | KEY(CONSTRUCT) | KEY(FUNCTION);
  switch (of) {
  case LIVE_OF_THREADS:
  case LIVE_OF_GC:
  case LIVE_OF_ALLOCATED:
  case LIVE_OF_MEASURING:
    return threads;
  case LIVE_OF_SAMPLES:
    return threads | KEY(FUNCTION);
  case LIVE_OF_TASKS_MADE:
  case LIVE_OF_CHUNKS:
    return places;
  case LIVE_OF_EVENTS:
    return places | KEY(EVENT);
  case LIVE_OF_VALUES:
    return places | KEY(EVENT) | KEY(VALUE);
  case LIVE_OF_LOCKS:
  case LIVE_OF_JAVA:
    return places | KEY(STATE) | KEY(LOCK);
  default:
    return places | KEY(STATE);
  }
}

static bool asked_take_metric(const char *name, size_t size, struct live_asked *asked)
{
  for (size_t i = 0; i < live_asked_metric_count; i++)
    if (strlen(live_asked_metrics[i].name) == size && strncmp(live_asked_metrics[i].name, name, size) == 0)
      asked->metric = &live_asked_metrics[i];
  return asked->metric;
}

static bool take_focus(const char *focus, struct live_asked *asked, struct error *error)
{
  const char *keys = profile_focus_begin(focus);
  asked->place = focus;
  asked->place_size = !keys ? strlen(focus) : keys > focus ? (size_t)(keys - focus) - 1 : 0;
  return !keys || (asked->focus = profile_focus_of(keys, error)) != NULL;
}

static bool is_sum_of_rows(enum live_asked_of of)
{
  return of < LIVE_OF_TASKS_MADE;
}

/* Finds out what the focus needs. False: the metric has no such focus. */
static bool agree(struct live_asked *asked, struct error *error)
{
  enum live_asked_of of = asked->metric->of;
  unsigned keys = asked->focus ? profile_focus_keys(asked->focus) : 0, inside = keys & (KEY(CONSTRUCT) | KEY(FUNCTION));
  if (!live_asked_takes_place(asked->metric) && (asked->place_size > 0 || (keys & ~keys_of(of))))
    return error_set(error, "%s is a metric of threads: its focus is thread=GLOB or start=GLOB", asked->metric->name);
  if (keys & ~keys_of(of))
    return error_set(error,
                     "%s has no such focus. lock= is for locks and Java's waits, event= and value= for events, state= "
                     "for times of constructs, and function=, thread= and start= for samples",
                     asked->metric->name);
  asked->by_object = (of == LIVE_OF_LOCKS || of == LIVE_OF_JAVA) && (keys & KEY(LOCK) || inside);
  if (asked->by_object && keys & KEY(STATE))
    return error_set(error, "a lock has no state: state= is without lock=, construct= and function= here");
  bool around = asked->by_object || (!is_sum_of_rows(of) && of != LIVE_OF_SAMPLES);
  asked->by_member = (keys & KEY(MEMBER)) != 0;
  asked->needs |= around && (inside || asked->place_size > 0) ? AROUND : 0;
  asked->needs |= asked->by_member ? LIVE_NEED_REGIONS : 0;
  return true;
}

bool live_asked_take(const char *text, struct live_asked *asked, struct error *error)
{
  const char *at = strchr(text, '@');
  *asked = (struct live_asked){.text = text};
  if (!asked_take_metric(text, at ? (size_t)(at - text) : strlen(text), asked))
    return error_set(error, "there is no such metric: `heddle live --list-pairs` has them");
  asked->needs = asked->metric->needs;
  if (at && at[1] == '\0')
    return error_set(error, "no focus follows the @");
  if ((!at || take_focus(at + 1, asked, error)) && agree(asked, error))
    return true;
  live_asked_free(asked);
  return false;
}

void live_asked_free(struct live_asked *asked)
{
  profile_focus_free(asked->focus);
  asked->focus = NULL;
}

bool live_asked_takes_place(const struct live_asked_metric *metric)
{
  return (keys_of(metric->of) & KEY(FUNCTION)) != 0;
}

static enum live_asked_of of_region(const struct trace_region *region)
{
  if (region->paradigm == OTF2_PARADIGM_USER)
    return LIVE_OF_USERS;
  if (region->paradigm == OTF2_PARADIGM_PTHREAD)
    return LIVE_OF_JAVA;
  switch (region->role) {
  case OTF2_REGION_ROLE_PARALLEL:
    return LIVE_OF_REGIONS;
  case OTF2_REGION_ROLE_TASK:
    return LIVE_OF_TASKS;
  case OTF2_REGION_ROLE_BARRIER:
  case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
  case OTF2_REGION_ROLE_TASK_WAIT:
    return LIVE_OF_BARRIERS;
  case OTF2_REGION_ROLE_LOOP:
  case OTF2_REGION_ROLE_SECTIONS:
  case OTF2_REGION_ROLE_SECTION:
  case OTF2_REGION_ROLE_SINGLE:
  case OTF2_REGION_ROLE_SINGLE_SBLOCK:
  case OTF2_REGION_ROLE_WORKSHARE:
  case OTF2_REGION_ROLE_MASTER:
    return LIVE_OF_WORKS;
  default:
    return LIVE_OF_ANY;
  }
}

static bool is_of_row(const struct live_asked_metric *metric, const struct trace *trace, const struct profile_row *row)
{
  if (row->region == TRACE_NONE)
    return false;
  if (metric->of == LIVE_OF_LOCKS)
    return row->kind ==
           (metric->what == LIVE_HOW_MANY || metric->what == LIVE_HOW_HELD ? PROFILE_HOLD : PROFILE_ACQUIRE);
  if (metric->of == LIVE_OF_ANY)
    return row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_MEMBER || row->kind == PROFILE_ACQUIRE;
  return row->kind == PROFILE_CONSTRUCT && of_region(&trace->regions[row->region]) == metric->of;
}

static wide_total row_value(const struct live_asked_metric *metric, const struct profile_row *row)
{
  if (metric->of == LIVE_OF_ANY)
    return row->self;
  return metric->what == LIVE_HOW_MANY        ? row->executions
         : metric->what == LIVE_HOW_CONTENDED ? row->contended
                                              : row->inclusive;
}

static bool is_of_metric(const struct live_asked_metric *metric, enum profile_metric_kind kind)
{
  switch (metric->of) {
  case LIVE_OF_LOCKS:
    return kind == PROFILE_LOCK;
  case LIVE_OF_JAVA:
    return kind == PROFILE_WAIT;
  case LIVE_OF_TASKS_MADE:
    return kind == PROFILE_TASKS;
  case LIVE_OF_CHUNKS:
    return kind == PROFILE_CHUNKS;
  case LIVE_OF_EVENTS:
    return kind == PROFILE_EVENT;
  case LIVE_OF_VALUES:
    return kind == PROFILE_VALUE;
  case LIVE_OF_GC:
    return kind == PROFILE_GC;
  case LIVE_OF_ALLOCATED:
    return kind == PROFILE_ALLOCATED;
  case LIVE_OF_SAMPLES:
    return kind == PROFILE_SAMPLES;
  default:
    return kind == PROFILE_COST;
  }
}

static struct live_amount metric_value(const struct live_asked_metric *asked, const struct profile_metric *metric)
{
  switch (asked->what) {
  case LIVE_HOW_MANY:
    return (struct live_amount){.total = metric->count};
  case LIVE_HOW_CONTENDED:
    return (struct live_amount){.total = metric->contended};
  case LIVE_HOW_HELD:
    return (struct live_amount){.total = metric->held};
  case LIVE_HOW_ITERATED:
    return (struct live_amount){.total = (uint64_t)metric->sum};
  case LIVE_HOW_VALUED: {
    bool last = asked->unit == LIVE_LAST;
    return (struct live_amount){.known = metric->count > 0,
                                .is_real = metric->is_real,
                                .whole = last ? metric->last : metric->sum,
                                .real = last ? metric->real_last : metric->real_sum};
  }
  default:
    return (struct live_amount){.total = metric->ticks};
  }
}

void live_amount_add(enum live_asked_unit unit, struct live_amount *sum, const struct live_amount *more)
{
  sum->total += more->total;
  if (!more->known)
    return;
  if (!sum->known || unit == LIVE_LAST) {
    *sum = *more;
  } else if (sum->is_real || more->is_real) {
    sum->real = (sum->is_real ? sum->real : (double)sum->whole) + (more->is_real ? more->real : (double)more->whole);
    sum->is_real = true;
  } else {
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)more->whole);
  }
}

static bool is_thread(const struct live_asked *asked, const struct live_reading *reading, uint32_t location)
{
  return !asked->focus ||
         profile_focus_has_thread(asked->focus, reading->trace, location, reading->threads[location].start);
}

static bool is_at(const struct live_asked *asked, const struct trace *trace, uint32_t region)
{
  return region != TRACE_NONE && trace_region_is_at(&trace->regions[region], asked->place, asked->place_size);
}

static bool is_named(const struct live_asked *asked, const char *name)
{
  return strlen(name) == asked->place_size && strncmp(name, asked->place, asked->place_size) == 0;
}

static bool has_row(const struct live_asked *asked, const struct trace *trace, const struct profiled *profile,
                    const struct profile_row *row)
{
  return (asked->place_size == 0 || is_at(asked, trace, row->region)) &&
         (!asked->focus || profile_focus_has_row(asked->focus, trace, profile, row));
}

static bool has_metric(const struct live_asked *asked, const struct trace *trace, const struct profile_metric *metric)
{
  bool here = asked->place_size == 0 || is_at(asked, trace, metric->region) || is_at(asked, trace, metric->around) ||
              is_named(asked, metric->object);
  return here && (!asked->focus || profile_focus_has_metric(asked->focus, trace, metric));
}

static wide_total of_threads(const struct live_asked *asked, const struct live_reading *reading,
                             const struct states_sums *sums)
{
  enum live_metric time = asked->metric->what == LIVE_HOW_RUN     ? LIVE_RUN
                          : asked->metric->what == LIVE_HOW_SYNCH ? LIVE_SYNCH
                                                                  : LIVE_IDLE;
  wide_total sum = 0;
  for (uint32_t i = 0; i < reading->location_count; i++)
    if (is_thread(asked, reading, i))
      sum += live_time_in(time, &sums->threads[i]);
  return sum;
}

struct live_amount live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                                    const struct states_sums *sums)
{
  const struct live_asked_metric *metric = asked->metric;
  const struct profiled *profile = asked->by_member ? &reading->apart : &reading->profile;
  struct live_amount sum = {.total = 0};
  if (metric->of == LIVE_OF_THREADS)
    return (struct live_amount){.total = of_threads(asked, reading, sums)};
  bool of_metrics = metric->of > LIVE_OF_THREADS || asked->by_object;
  for (size_t i = 0; !of_metrics && i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (is_of_row(metric, reading->trace, row) && is_thread(asked, reading, row->location) &&
        has_row(asked, reading->trace, profile, row))
      sum.total += row_value(metric, row);
  }
  for (size_t i = 0; of_metrics && i < profile->metric_count; i++) {
    const struct profile_metric *one = &profile->metrics[i];
    if (!is_of_metric(metric, one->kind) || !is_thread(asked, reading, one->location) ||
        !has_metric(asked, reading->trace, one))
      continue;
    struct live_amount more = metric_value(metric, one);
    live_amount_add(metric->unit, &sum, &more);
  }
  return sum;
}
