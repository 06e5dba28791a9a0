#include "analyzer/analyses/states/survey.h"
#include "analyzer/exchange/export/feed.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/paraver_labels.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * Records are lines: a state `1:cpu:application:task:thread:begin:end:state`, an event
 * `2:cpu:application:task:thread:time:type:value[:type:value]`, in the order of their (first) time. All numbers begin
 * at 1. There is one application, and a task is a process. No trace names the processor of a thread, so each thread has
 * a processor of its own.
 */
enum { PREFIX_ROOM = 48 };

struct paraver {
  const struct trace *trace;
  struct sink prv, pcf, row;
  struct edges *edges; /* for the numbers of tasks */
  struct clock clock;
  uint64_t end;       /* ns; as the first line says */
  size_t end_at;      /* its offset in the file */
  uint64_t last_tick; /* known so far */
  uint8_t *rules;
  struct prv_event *events;      /* a region */
  uint32_t *order;               /* locations by process: thread i of all is order[i] */
  uint32_t *threads;             /* of each task */
  uint32_t *forks;               /* by location: forks that are not joined */
  const char **tasks;            /* their names */
  char (*prefixes)[PREFIX_ROOM]; /* a location: `cpu:1:task:thread:` */
  uint32_t task_count, thread_count;
  bool used[PRV_TYPES];
  uint8_t *attributes; /* PRV_HAS_... of each attribute in the trace */
  bool no_memory;
};

/* Numbers the tasks and threads within the restriction; other processes are none. */
static bool number_threads(struct paraver *paraver)
{
  const struct trace *trace = paraver->trace;
  size_t processes = (size_t)trace->process_count + 1, locations = trace->location_count;
  uint32_t *sizes = calloc(processes + 1, sizeof *sizes); /* threads of each process, then where they begin in order */
  uint32_t *task_of = calloc(processes, sizeof *task_of); /* number of each process, from 1 */
  uint32_t *count = calloc(processes, sizeof *count);     /* of threads that are numbered */
  bool good = sizes && task_of && count;
  for (uint32_t i = 0; good && i < locations; i++) {
    sizes[process_of(trace, i) + 1] += !trace->locations[i].excluded;
    paraver->thread_count += !trace->locations[i].excluded;
  }
  for (uint32_t i = 0; good && i < processes; i++) {
    if (sizes[i + 1] > 0) {
      paraver->threads[paraver->task_count] = sizes[i + 1];
      paraver->tasks[paraver->task_count++] = process_name(trace, i);
      task_of[i] = paraver->task_count;
    }
    sizes[i + 1] += sizes[i];
  }
  for (uint32_t i = 0; good && i < locations; i++) {
    if (trace->locations[i].excluded)
      continue;
    uint32_t process = process_of(trace, i), number = count[process]++, cpu = sizes[process] + number;
    paraver->order[cpu] = i;
    snprintf(paraver->prefixes[i], PREFIX_ROOM, "%u:1:%u:%u:", cpu + 1, task_of[process], number + 1);
  }
  free(sizes);
  free(task_of);
  free(count);
  return good;
}

/*
 * The first line has the end of the run, as the archive says. It is corrected at the end if later events come; in a
 * pipe that is impossible, so the last event must be found first.
 */
static bool find_last(struct paraver *paraver, struct error *error)
{
  const struct trace *trace = paraver->trace;
  struct census census = {0};
  uint64_t end = trace->length <= UINT64_MAX - trace->first_tick ? trace->first_tick + trace->length : UINT64_MAX;
  paraver->last_tick = trace_time_to(trace, end);
  if (sink_is_file(&paraver->prv))
    return true;
  struct pool *pool = pool_create(0);
  if (!pool)
    return error_set(error, "%s: out of memory", trace->anchor);
  bool good = analysis_find(&census_analysis, trace, pool, NULL, &census, error);
  if (good && census.first <= census.last && census.last > paraver->last_tick)
    paraver->last_tick = census.last;
  analysis_free(&census_analysis, &census);
  pool_destroy(pool);
  return good;
}

static void correct_end(struct paraver *paraver)
{
  uint64_t end = clock_ns(&paraver->clock, paraver->last_tick);
  if (end != paraver->end)
    sink_replace_number(&paraver->prv, paraver->end_at, paraver->end, end);
}

/* Begin of the run by the wall clock. */
static void put_date(struct paraver *paraver)
{
  uint64_t realtime = paraver->trace->realtime_ns;
  time_t seconds = realtime == UINT64_MAX ? 0 : (time_t)(realtime / 1000000000);
  struct tm tm = {.tm_mday = 1, .tm_year = 70};
  char text[64];
  localtime_r(&seconds, &tm);
  strftime(text, sizeof text, "#Paraver (%d/%m/%Y at %H:%M):", &tm);
  sink_text(&paraver->prv, text);
  paraver->end_at = strlen(text);
}

static void paraver_put_header(struct paraver *paraver)
{
  struct sink *sink = &paraver->prv;
  put_date(paraver);
  sink_number(sink, paraver->end);
  sink_text(sink, "_ns:1(");
  sink_number(sink, paraver->thread_count);
  sink_text(sink, "):1:");
  sink_number(sink, paraver->task_count);
  for (uint32_t i = 0; i < paraver->task_count; i++) {
    sink_char(sink, i == 0 ? '(' : ',');
    sink_number(sink, paraver->threads[i]);
    sink_text(sink, ":1");
  }
  sink_text(sink, "),0\n");
}

/* Writes a state, unless its length is 0: shorter than a ns. */
static void paraver_put_state(struct paraver *paraver, uint32_t location, uint64_t begin, uint64_t end, unsigned state)
{
  struct sink *sink = &paraver->prv;
  if (begin == end)
    return;
  sink_text(sink, "1:");
  sink_text(sink, paraver->prefixes[location]);
  sink_number(sink, begin);
  sink_char(sink, ':');
  sink_number(sink, end);
  sink_char(sink, ':');
  sink_number(sink, state);
  sink_char(sink, '\n');
}

static void paraver_put_event(struct paraver *paraver, uint32_t location, uint64_t ns, enum prv_type type,
                              uint64_t value)
{
  struct sink *sink = &paraver->prv;
  bool function = type == PRV_FUNCTION || type == PRV_TASK_FUNCTION || type == PRV_USER_FUNCTION;
  paraver->used[type] = true;
  sink_text(sink, "2:");
  sink_text(sink, paraver->prefixes[location]);
  sink_number(sink, ns);
  for (unsigned i = 0; i < 1u + function; i++) {
    sink_char(sink, ':');
    sink_number(sink, prv_types[type + i]);
    sink_char(sink, ':');
    sink_number(sink, value);
  }
  sink_char(sink, '\n');
}

/* Rounds to millionths; too large numbers become the largest one, NaN becomes 0. */
static int64_t millionths(double real)
{
  double number = real * 1e6;
  if (isnan(number))
    return 0;
  return number >= (double)INT64_MAX ? INT64_MAX : number <= (double)INT64_MIN ? INT64_MIN : llround(number);
}

/* An attribute of the program's event that comes next. */
static void put_value(struct paraver *paraver, uint32_t location, uint64_t ns, const struct trace_value *value)
{
  struct sink *sink = &paraver->prv;
  bool real = value->type == TRACE_REAL;
  if (value->type == TRACE_TEXT)
    return;
  paraver->attributes[value->attribute] |= real ? PRV_HAS_REALS : PRV_HAS_INTEGERS;
  sink_text(sink, "2:");
  sink_text(sink, paraver->prefixes[location]);
  sink_number(sink, ns);
  sink_char(sink, ':');
  sink_number(sink, (real ? PRV_MILLIONTHS : PRV_ATTRIBUTE) + value->attribute);
  sink_char(sink, ':');
  sink_signed(sink, real ? millionths(value->real) : value->integer);
  sink_char(sink, '\n');
}

/* The trace has the time of a chunk's dispatch, but not its duration. */
static void put_chunk(struct paraver *paraver, uint32_t location, uint64_t ns)
{
  paraver_put_event(paraver, location, ns, PRV_DISPATCHER, 1);
  paraver_put_event(paraver, location, ns, PRV_DISPATCHER, 0);
}

static void take_region(struct paraver *paraver, uint32_t location, const struct item *item, uint64_t ns)
{
  const struct prv_event *event = &paraver->events[item->index];
  bool enter = item->kind == ITEM_ENTER;
  if (item->rule == RULE_ORDERED_SBLOCK)
    paraver_put_event(paraver, location, ns, PRV_ORDERED, enter ? PRV_LOCKED : PRV_UNLOCK);
  else if (item->rule == RULE_CHUNK && enter && item->part && paraver->events[item->outer].dispatched)
    put_chunk(paraver, location, ns);
  else if (event->type != PRV_TYPES && !item->part && (enter || event->type != PRV_NAMED_LOCK))
    paraver_put_event(paraver, location, ns, event->type, enter ? event->value : 0);
}

/* Constructs with a lock of their own are left after its release; lock routines have returned. */
static void take_lock(struct paraver *paraver, uint32_t location, const struct item *item, uint64_t ns)
{
  bool acquired = item->step.kind == STEP_ACQUIRE;
  unsigned rule = !acquired                         ? item->rule
                  : item->step.region == TRACE_NONE ? RULE_INHERIT
                                                    : paraver->rules[item->step.region];
  if (rule == RULE_ORDERED || rule == RULE_ORDERED_SBLOCK)
    return;
  bool unnamed = rule == RULE_CRITICAL || rule == RULE_ATOMIC;
  enum prv_type type = unnamed ? PRV_UNNAMED_LOCK : PRV_NAMED_LOCK;
  paraver_put_event(paraver, location, ns, type, acquired ? PRV_LOCKED : PRV_UNLOCK);
  if (!acquired && !unnamed)
    paraver_put_event(paraver, location, ns, type, PRV_UNLOCKED);
}

static bool ignore_edge(void *context, const struct edge *edge)
{
  (void)context;
  (void)edge;
  return true;
}

/* A join without a fork is passed over. */
static bool count_fork(struct paraver *paraver, uint32_t location, unsigned kind)
{
  uint32_t *open = &paraver->forks[location];
  if (kind == STEP_JOIN && *open == 0)
    return false;
  *open += kind == STEP_FORK ? 1 : UINT32_MAX;
  return true;
}

/* Regions that a thread has begun before the restriction. */
static void paraver_begin_thread(struct paraver *paraver, uint32_t location, uint64_t ns)
{
  uint64_t task = edges_task(paraver->edges, location);
  for (uint32_t i = 0; i < paraver->forks[location]; i++)
    paraver_put_event(paraver, location, ns, PRV_PARALLEL, PRV_REGION_OPEN);
  if (task > 0)
    paraver_put_event(paraver, location, ns, PRV_TASK, task);
}

static void end_thread(struct paraver *paraver, uint32_t location, const struct item *item, uint64_t ns)
{
  for (uint32_t i = 0; i < paraver->forks[location]; i++)
    paraver_put_event(paraver, location, ns, PRV_PARALLEL, 0);
  if (item->time > paraver->last_tick)
    paraver->last_tick = item->time;
}

static bool take_step(struct paraver *paraver, uint32_t location, const struct item *item, uint64_t ns)
{
  bool of_task = item->step.kind >= STEP_TASK_CREATE;
  if (of_task && !edges_take(paraver->edges, location, item->time, &item->step))
    return false;
  switch ((enum edge_step_kind)item->step.kind) {
  case STEP_FORK:
  case STEP_JOIN:
    if (count_fork(paraver, location, item->step.kind))
      paraver_put_event(paraver, location, ns, PRV_PARALLEL, item->step.kind == STEP_FORK ? PRV_REGION_OPEN : 0);
    return true;
  case STEP_ACQUIRE:
  case STEP_RELEASE:
    take_lock(paraver, location, item, ns);
    return true;
  case STEP_TASK_SWITCH:
    paraver_put_event(paraver, location, ns, PRV_TASK, edges_task(paraver->edges, location));
    return true;
  default:
    return true;
  }
}

static bool paraver_put_item(struct paraver *paraver, uint32_t location, const struct item *item)
{
  uint64_t ns = clock_ns(&paraver->clock, item->time);
  switch (item->kind) {
  case ITEM_BEGIN:
    paraver_begin_thread(paraver, location, ns);
    return true;
  case ITEM_END:
    end_thread(paraver, location, item, ns);
    return true;
  case ITEM_STATE:
    paraver_put_state(paraver, location, ns, clock_ns(&paraver->clock, item->end), prv_state((enum state)item->state));
    return true;
  case ITEM_ENTER:
  case ITEM_LEAVE:
    take_region(paraver, location, item, ns);
    return true;
  case ITEM_VALUE:
    put_value(paraver, location, ns, &item->value);
    return true;
  case ITEM_STEP:
    return take_step(paraver, location, item, ns);
  default:
    return true;
  }
}

/* Time before a thread's first state: before --from it is outside of the restriction, with or without a thread. */
static void put_before(struct paraver *paraver, uint32_t location, uint64_t begin)
{
  const struct trace_restriction *restriction = &paraver->trace->restriction;
  uint64_t from = restriction->from, origin = paraver->clock.origin;
  uint64_t border = !restriction->timed || from < origin ? 0 : clock_ns(&paraver->clock, from);
  paraver_put_state(paraver, location, 0, border, PRV_TRACING_DISABLED);
  paraver_put_state(paraver, location, border, clock_ns(&paraver->clock, begin), PRV_NOT_CREATED);
}

static bool paraver_begin(void *context, const struct feed *feed)
{
  struct paraver *paraver = context;
  uint64_t time;
  paraver->clock = feed_clock(feed);
  paraver->end = clock_ns(&paraver->clock, paraver->last_tick);
  paraver_put_header(paraver);
  for (uint32_t i = 0; i < paraver->thread_count; i++) {
    uint32_t location = paraver->order[i];
    if (feed_begin(feed, location, &time))
      put_before(paraver, location, time);
  }
  return true;
}

static bool paraver_take_outside(void *context, uint32_t location, const struct item *item)
{
  struct paraver *paraver = context;
  const struct edge_step *step = &item->step;
  if (step->kind == STEP_FORK || step->kind == STEP_JOIN)
    count_fork(paraver, location, step->kind);
  paraver->no_memory = step->kind >= STEP_TASK_CREATE && !edges_take(paraver->edges, location, item->time, step);
  return !paraver->no_memory;
}

static bool paraver_take(void *context, uint32_t location, const struct item *item)
{
  struct paraver *paraver = context;
  paraver->no_memory = !paraver_put_item(paraver, location, item);
  return !paraver->no_memory && !sink_failed(&paraver->prv);
}

static bool write_prv(struct paraver *paraver, struct error *error)
{
  static const struct feed_callbacks callbacks = {.kind = BY_STATE,
                                                  .ends = true,
                                                  .begin = paraver_begin,
                                                  .take = paraver_take,
                                                  .take_outside = paraver_take_outside};
  if (!find_last(paraver, error) || !feed_run(paraver->trace, &callbacks, paraver, error))
    return false;
  if (paraver->no_memory)
    return error_set(error, "%s: out of memory", paraver->trace->anchor);
  correct_end(paraver);
  return true;
}

static bool paraver_write_all(struct paraver *paraver, struct error *error)
{
  const struct trace *trace = paraver->trace;
  return write_prv(paraver, error) &&
         ((prv_write_pcf(&paraver->pcf, trace, paraver->rules, paraver->used, paraver->attributes) &&
           prv_write_row(&paraver->row, trace, paraver->order, paraver->thread_count, paraver->tasks,
                         paraver->task_count)) ||
          error_set(error, "%s: out of memory", trace->anchor));
}

/* Opens the files, writes them, and renames them when all are complete. */
static bool write_files(struct paraver *paraver, char *const paths[3], struct error *error)
{
  struct sink *const sinks[3] = {&paraver->pcf, &paraver->row, &paraver->prv};
  bool good = true;
  int open = 0;
  while (good && open < 3)
    if ((good = sink_open(sinks[open], paths[open], error)))
      open++;
  good = good && paraver_write_all(paraver, error);
  for (int i = 0; good && i < open; i++)
    if (!sink_finish(sinks[i]))
      good = sink_fail(sinks[i], error);
  for (int i = 0; i < open; i++) {
    bool closed = sink_close(sinks[i], good, error);
    for (int j = 0; good && !closed && j < i; j++)
      unlink(paths[j]);
    good = good && closed;
  }
  return good;
}

/* x.prv, x and their like: x.pcf, x.row, x.prv. */
static bool name_files(const char *path, char *paths[3])
{
  static const char *const suffixes[3] = {".pcf", ".row", ".prv"};
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".prv") == 0)
    length -= 4;
  for (int i = 0; i < 3; i++)
    if (asprintf(&paths[i], "%.*s%s", (int)length, path, suffixes[i]) < 0)
      paths[i] = NULL;
  return paths[0] && paths[1] && paths[2];
}

static bool paraver_prepare(struct paraver *paraver)
{
  const struct trace *trace = paraver->trace;
  size_t locations = (size_t)trace->location_count + 1, processes = (size_t)trace->process_count + 1;
  paraver->edges = edges_create(trace, EDGE_BIT(EDGE_TASK), ignore_edge, NULL);
  paraver->rules = machine_rules(trace);
  paraver->events = calloc((size_t)trace->region_count + 1, sizeof *paraver->events);
  paraver->attributes = calloc((size_t)trace->attribute_count + 1, 1);
  paraver->order = calloc(locations, sizeof *paraver->order);
  paraver->forks = calloc(locations, sizeof *paraver->forks);
  paraver->threads = calloc(processes, sizeof *paraver->threads);
  paraver->tasks = calloc(processes, sizeof *paraver->tasks);
  paraver->prefixes = calloc(locations, sizeof *paraver->prefixes);
  if (!paraver->edges || !paraver->rules || !paraver->events || !paraver->attributes || !paraver->order ||
      !paraver->forks || !paraver->threads || !paraver->tasks || !paraver->prefixes)
    return false;
  for (uint32_t i = 0; i < trace->region_count; i++)
    paraver->events[i] = prv_event_of(&trace->regions[i], paraver->rules[i], i + 1);
  return number_threads(paraver);
}

static void destroy(struct paraver *paraver)
{
  edges_destroy(paraver->edges);
  free(paraver->rules);
  free(paraver->events);
  free(paraver->attributes);
  free(paraver->order);
  free(paraver->threads);
  free(paraver->forks);
  free(paraver->tasks);
  free(paraver->prefixes);
  free(paraver);
}

bool export_paraver(const struct trace *trace, const char *path, struct error *error)
{
  if (trace->location_count == 0)
    return error_set(error, "%s: the archive has no threads, and Paraver needs at least one", trace->anchor);
  struct paraver *paraver = calloc(1, sizeof *paraver);
  if (!paraver)
    return error_set(error, "%s: out of memory", trace->anchor);
  paraver->trace = trace;
  char *paths[3] = {NULL, NULL, NULL};
  bool good =
      (paraver_prepare(paraver) && name_files(path, paths)) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && write_files(paraver, paths, error);
  for (int i = 0; i < 3; i++)
    free(paths[i]);
  destroy(paraver);
  return good;
}
