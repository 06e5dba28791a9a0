#include "analyzer/live/readings/asked.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"

#include <string.h>

#define OF_JAVA (LIVE_NEED_MONITORS | LIVE_NEED_PARKS)
/* Those of static loops follow from the loop, and from the thread's number in its team. */
#define CHUNKS (LIVE_NEED_REGIONS | LIVE_NEED_WORKS | LIVE_NEED_CHUNKS)

/* What tells in which construct something was, but for waits. */
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
                     "%s has no such focus: lock= is for locks and Java's waits, event= and value= for events, "
                     "state= for times of constructs; that of samples is function=, thread= and start=",
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
