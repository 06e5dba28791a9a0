#include "analyzer/live/asked.h"

#include "analyzer/live/metric.h"
#include "analyzer/trace/region.h"
#include "base/count_of.h"
#include "common/live_control.h"

#include <fnmatch.h>
#include <string.h>

/* Of which rows a metric is. */
enum rows { REGIONS, WORKS, BARRIERS, LOCK_WAITS, LOCK_HOLDS, TASKS, JAVA_WAITS, USERS, ANY, THREADS };

/* What of these. */
enum value { EXECUTIONS, CONTENDED, INCLUSIVE, SELF };

static const struct {
  enum rows rows;
  enum value value;
  enum live_metric time; /* of THREADS */
} kinds[] = {
    {REGIONS, .value = EXECUTIONS},
    {REGIONS, .value = INCLUSIVE},
    {WORKS, .value = EXECUTIONS},
    {WORKS, .value = INCLUSIVE},
    {BARRIERS, .value = EXECUTIONS},
    {BARRIERS, .value = INCLUSIVE},
    {LOCK_HOLDS, .value = EXECUTIONS},
    {LOCK_WAITS, .value = CONTENDED},
    {LOCK_WAITS, .value = INCLUSIVE},
    {LOCK_HOLDS, .value = INCLUSIVE},
    {TASKS, .value = EXECUTIONS},
    {TASKS, .value = INCLUSIVE},
    {JAVA_WAITS, .value = EXECUTIONS},
    {JAVA_WAITS, .value = INCLUSIVE},
    {USERS, .value = EXECUTIONS},
    {USERS, .value = INCLUSIVE},
    {ANY, .value = SELF},
    {THREADS, .time = LIVE_RUN},
    {THREADS, .time = LIVE_SYNCH},
    {THREADS, .time = LIVE_IDLE},
};

#define OF_JAVA (LIVE_NEED_MONITORS | LIVE_NEED_PARKS)

const struct live_asked_metric live_asked_metrics[] = {
    {"parallel-regions", "parallel regions executed", false, LIVE_NEED_REGIONS},
    {"region-time", "time in parallel regions, on the threads that began them", true, LIVE_NEED_REGIONS},
    {"loops", "loops, sections, single and masked constructs executed, on each thread", false, LIVE_NEED_WORKS},
    {"loop-time", "time in these", true, LIVE_NEED_WORKS},
    {"barriers", "barriers, taskwaits and taskgroups executed, on each thread", false, LIVE_NEED_SYNC},
    {"barrier-time", "time in these", true, LIVE_NEED_SYNC},
    {"locks", "locks, critical and ordered sections acquired and released", false, LIVE_NEED_LOCKS},
    {"contended-locks", "acquisitions that waited for more than some microseconds", false, LIVE_NEED_LOCKS},
    {"lock-waiting", "time from requests to acquisitions", true, LIVE_NEED_LOCKS},
    {"lock-held", "time from acquisitions to releases", true, LIVE_NEED_LOCKS},
    {"tasks", "explicit tasks executed", false, LIVE_NEED_TASKS},
    {"task-time", "time in these", true, LIVE_NEED_TASKS},
    {"java-waits", "waits of Java for monitors, and parks, sleeps and joins", false, OF_JAVA},
    {"java-waiting", "time in these", true, OF_JAVA},
    {"user", "regions of the program's own (heddle.h) executed", false, LIVE_NEED_USER},
    {"user-time", "time in these", true, LIVE_NEED_USER},
    {"self-time", "time in constructs without constructs inside", true, LIVE_NEED_ALL},
    {"run-time", "time of threads in RUN", true, LIVE_NEED_ALL},
    {"synch-time", "time of threads in SYNCH and BLOCKED", true, LIVE_NEED_ALL},
    {"idle-time", "time of threads in IDLE", true, LIVE_NEED_ALL},
};
const size_t live_asked_metric_count = COUNT_OF(live_asked_metrics);

_Static_assert(COUNT_OF(kinds) == COUNT_OF(live_asked_metrics), "each metric has its rows");

static bool take_metric(const char *name, size_t size, struct live_asked *asked)
{
  for (size_t i = 0; i < live_asked_metric_count; i++)
    if (strlen(live_asked_metrics[i].name) == size && strncmp(live_asked_metrics[i].name, name, size) == 0)
      asked->metric = &live_asked_metrics[i];
  return asked->metric;
}

static void take_focus(const char *focus, struct live_asked *asked)
{
  static const char thread[] = "thread=";
  const char *at = strncmp(focus, thread, strlen(thread)) == 0 ? focus : strstr(focus, ",thread=");
  asked->place = focus;
  asked->place_size = at ? (size_t)(at - focus) : strlen(focus);
  if (at)
    asked->thread = strchr(at, '=') + 1;
}

bool live_asked_takes_place(const struct live_asked_metric *metric)
{
  return kinds[metric - live_asked_metrics].rows != THREADS;
}

bool live_asked_take(const char *text, struct live_asked *asked, struct error *error)
{
  const char *at = strchr(text, '@');
  *asked = (struct live_asked){.text = text};
  if (!take_metric(text, at ? (size_t)(at - text) : strlen(text), asked))
    return error_set(error, "there is no such metric: `heddle live --list-pairs` has them");
  if (at && at[1] == '\0')
    return error_set(error, "no focus follows the @");
  if (at)
    take_focus(at + 1, asked);
  return live_asked_takes_place(asked->metric) || asked->place_size == 0 ||
         error_set(error, "%s is a metric of threads: its focus is thread=GLOB", asked->metric->name);
}

static enum rows rows_of(const struct trace_region *region)
{
  if (region->paradigm == OTF2_PARADIGM_USER)
    return USERS;
  if (region->paradigm == OTF2_PARADIGM_PTHREAD)
    return JAVA_WAITS;
  switch (region->role) {
  case OTF2_REGION_ROLE_PARALLEL:
    return REGIONS;
  case OTF2_REGION_ROLE_TASK:
    return TASKS;
  case OTF2_REGION_ROLE_BARRIER:
  case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
  case OTF2_REGION_ROLE_TASK_WAIT:
    return BARRIERS;
  case OTF2_REGION_ROLE_LOOP:
  case OTF2_REGION_ROLE_SECTIONS:
  case OTF2_REGION_ROLE_SECTION:
  case OTF2_REGION_ROLE_SINGLE:
  case OTF2_REGION_ROLE_SINGLE_SBLOCK:
  case OTF2_REGION_ROLE_WORKSHARE:
  case OTF2_REGION_ROLE_MASTER:
    return WORKS;
  default:
    return ANY;
  }
}

static bool is_of_rows(enum rows rows, const struct live_reading *reading, const struct profile_row *row)
{
  if (rows == LOCK_WAITS)
    return row->kind == PROFILE_ACQUIRE;
  if (rows == LOCK_HOLDS)
    return row->kind == PROFILE_HOLD;
  if (rows == ANY)
    return row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_MEMBER || row->kind == PROFILE_ACQUIRE;
  return row->kind == PROFILE_CONSTRUCT && rows_of(&reading->trace->regions[row->region]) == rows;
}

static wide_total of_row(enum value value, const struct profile_row *row)
{
  return value == EXECUTIONS  ? row->executions
         : value == CONTENDED ? row->contended
         : value == INCLUSIVE ? row->inclusive
                              : row->self;
}

static bool is_thread(const struct live_asked *asked, const struct live_reading *reading, uint32_t location)
{
  return !asked->thread || fnmatch(asked->thread, reading->trace->locations[location].name, 0) == 0;
}

wide_total live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                            const struct states_sums *sums)
{
  enum rows rows = kinds[asked->metric - live_asked_metrics].rows;
  enum value value = kinds[asked->metric - live_asked_metrics].value;
  wide_total sum = 0;
  for (uint32_t i = 0; rows == THREADS && i < reading->location_count; i++)
    if (is_thread(asked, reading, i))
      sum += live_time_in(kinds[asked->metric - live_asked_metrics].time, &sums->threads[i]);
  for (size_t i = 0; rows != THREADS && i < reading->profile.count; i++) {
    const struct profile_row *row = &reading->profile.rows[i];
    if (row->region != TRACE_NONE && is_of_rows(rows, reading, row) && is_thread(asked, reading, row->location) &&
        (asked->place_size == 0 ||
         trace_region_is_at(&reading->trace->regions[row->region], asked->place, asked->place_size)))
      sum += of_row(value, row);
  }
  return sum;
}
