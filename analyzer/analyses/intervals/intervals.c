#include "analyzer/analyses/intervals/intervals.h"

#include "analyzer/analyses/intervals/lane.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct intervals_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  const struct spec *spec;
  struct intervals_options options;
  struct source *source;
  struct match **matches; /* by interval */
  struct hash *threads;   /* by interval: from << 32 | to -> index in its list */
  struct intervals results;
  uint64_t events;    /* that were taken */
  struct error error; /* of taking */
};

static void *intervals_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct intervals_finder *finder = context;
  return interval_lane_open(finder->source, location, error);
}

static bool take_event(void *lane, const struct trace_event *event)
{
  return interval_lane_take(lane, event);
}

static void intervals_close_lane(void *context, void *lane)
{
  (void)context;
  interval_lane_close(lane);
}

static struct item_queue *queue(void *lane)
{
  return interval_lane_queue(lane);
}

static uint64_t reached(void *lane)
{
  return interval_lane_reached(lane);
}

static bool take_item(void *context, uint32_t location, void *taken)
{
  struct intervals_finder *finder = context;
  const struct lane_item *item = taken;
  const struct source_class *class = &finder->source->classes[item->class];
  struct match_point point = {.time = item->time, .number = ++finder->events, .thread = location};
  for (uint32_t i = 0; i < class->use_count; i++) {
    const struct source_use *use = &class->uses[i];
    struct match *match = finder->matches[use->interval];
    bool good = use->role == SOURCE_START ? match_start(match, &point, item->values, &finder->error)
                : use->role == SOURCE_END ? match_end(match, &point, item->values, &finder->error)
                                          : match_between(match, use->at, &point, item->values, &finder->error);
    if (!good)
      return false;
  }
  return true;
}

static bool add_threads(struct intervals_finder *finder, uint32_t interval, const struct match_point *start,
                        const struct match_point *end)
{
  struct interval_result *result = &finder->results.list[interval];
  uint64_t key = (uint64_t)start->thread << 32 | end->thread, ticks = end->time - start->time;
  uint64_t *at = hash_find(&finder->threads[interval], key);
  if (!at) {
    if (!array_make_room(result->threads, result->thread_count))
      return false;
    at = hash_add(&finder->threads[interval], key, result->thread_count);
    if (!at)
      return false;
    result->threads[result->thread_count++] = (struct interval_threads){.from = start->thread, .to = end->thread};
  }
  struct interval_threads *threads = &result->threads[*at];
  threads->count++;
  threads->total += ticks;
  threads->max = ticks > threads->max ? ticks : threads->max;
  return true;
}

static double ns_of(const struct intervals_finder *finder, double ticks)
{
  return ticks * (finder->trace->ticks_per_second ? 1e9 / (double)finder->trace->ticks_per_second : 1);
}

static struct spec_value time_value(double ns)
{
  return (struct spec_value){.type = SPEC_TIME, .real = ns};
}

static bool try_assertions(struct intervals_finder *finder, const struct spec_interval *interval,
                           const struct match_point *start, const struct match_point *end)
{
  const double first = (double)finder->trace->first_tick;
  const struct spec_value metrics[SPEC_METRICS] = {
      [SPEC_M_TIME] = time_value(ns_of(finder, (double)(end->time - start->time))),
      [SPEC_M_BEGIN] = time_value(ns_of(finder, (double)start->time - first)),
      [SPEC_M_END] = time_value(ns_of(finder, (double)end->time - first)),
      [SPEC_M_FROM] = {.type = SPEC_INTEGER, .integer = start->thread},
      [SPEC_M_TO] = {.type = SPEC_INTEGER, .integer = end->thread}};
  const struct operands operands = {.values = {[SPEC_INTERVAL] = metrics}};
  for (uint32_t i = 0; i < finder->results.assertion_count; i++) {
    struct assertion_result *result = &finder->results.assertions[i];
    if (result->assertion->of != interval)
      continue;
    if (evaluate_holds(result->assertion->condition, &operands)) {
      result->held++;
      continue;
    }
    result->violated++;
    if (result->kept == INTERVALS_SHOWN_MOST)
      continue;
    if (!array_make_room(result->violations, result->kept))
      return false;
    result->violations[result->kept++] = (struct interval_violation){
        .start = {start->time, start->number, start->thread, NULL}, .end = {end->time, end->number, end->thread, NULL}};
  }
  return true;
}

/* An interval was found. */
static bool take_interval(void *context, const struct spec_interval *interval, const struct match_point *start,
                          const struct match_point *end)
{
  struct intervals_finder *finder = context;
  return lengths_add(&finder->results.list[interval->index].lengths, end->time - start->time) &&
         add_threads(finder, interval->index, start, end) && try_assertions(finder, interval, start, end) &&
         (!finder->options.sink || finder->options.sink(finder->options.context, interval, start, end));
}

static bool make_matches(struct intervals_finder *finder, const struct match_plan *plan)
{
  const struct match_options options = {.slots = finder->spec->slot_count,
                                        .ticks_per_second = finder->trace->ticks_per_second,
                                        .work = finder->options.work,
                                        .sink = take_interval,
                                        .context = finder};
  for (uint32_t i = 0; i < plan->count; i++) {
    finder->results.list[i].interval = plan->intervals[i].interval;
    finder->matches[i] = match_create(&plan->intervals[i], &options);
    if (!finder->matches[i])
      return false;
  }
  finder->results.count = plan->count;
  return true;
}

static bool make_assertions(struct intervals_finder *finder)
{
  struct intervals *results = &finder->results;
  for (const struct spec_assertion *assertion = finder->spec->assertions; assertion; assertion = assertion->next)
    results->assertion_count++;
  results->assertions = calloc(results->assertion_count + 1, sizeof *results->assertions);
  if (!results->assertions)
    return false;
  uint32_t i = 0;
  for (const struct spec_assertion *assertion = finder->spec->assertions; assertion; assertion = assertion->next)
    results->assertions[i++].assertion = assertion;
  return true;
}

static bool is_used(const struct spec *spec, const struct spec_event *event)
{
  for (const struct spec_interval *interval = spec->intervals; interval; interval = interval->next)
    if (interval->left.event == event || interval->right.event == event)
      return true;
  return false;
}

static bool find_missing(struct intervals_finder *finder)
{
  struct intervals *results = &finder->results;
  results->missing = (const struct spec_event **)calloc(finder->spec->event_count + 1, sizeof *results->missing);
  if (!results->missing)
    return false;
  for (const struct spec_event *event = finder->spec->events; event; event = event->next)
    if (!finder->source->found[event->index] && is_used(finder->spec, event))
      results->missing[results->missing_count++] = event;
  return true;
}

struct intervals_finder *intervals_begin(const struct trace *trace, const struct spec *spec,
                                         const struct match_plan *plan, const struct intervals_options *options,
                                         struct error *error)
{
  struct intervals_finder *finder = calloc(1, sizeof *finder);
  bool good = finder;
  if (good) {
    finder->trace = trace;
    finder->spec = spec;
    finder->options = *options;
    finder->source = source_create(trace, spec, plan);
    finder->matches = (struct match **)calloc(plan->count + 1, sizeof *finder->matches);
    finder->threads = calloc(plan->count + 1, sizeof *finder->threads);
    finder->results.list = calloc(plan->count + 1, sizeof *finder->results.list);
    good = finder->source && finder->matches && finder->threads && finder->results.list && make_matches(finder, plan) &&
           make_assertions(finder) && find_missing(finder);
  }
  if (!good) {
    error_set(error, "%s: out of memory", trace->anchor);
    intervals_drop(finder);
    return NULL;
  }
  finder->subscriber = (struct subscriber){.context = finder,
                                           .stateless = true,
                                           .open = intervals_open_lane,
                                           .event = take_event,
                                           .close = intervals_close_lane,
                                           .queue = queue,
                                           .reached = reached,
                                           .take = take_item};
  return finder;
}

const struct subscriber *intervals_subscriber(const struct intervals_finder *finder)
{
  return &finder->subscriber;
}

void intervals_why(const struct intervals_finder *finder, struct error *error)
{
  if (finder && finder->error.message[0])
    *error = finder->error;
}

/* A figure of an interval, for assertions. */
static struct spec_value figure_of(const void *context, const struct spec_expr *expr)
{
  const struct intervals_finder *finder = context;
  const struct interval_result *result = &finder->results.list[expr->slot];
  const struct lengths *lengths = &result->lengths;
  struct spec_value none = {.type = SPEC_ANY}, count = {.type = SPEC_INTEGER};
  switch ((enum spec_figure)expr->figure) {
  case SPEC_F_COUNT:
    count.integer = (int64_t)lengths->count;
    return count;
  case SPEC_F_UNMATCHED_STARTS:
    count.integer = (int64_t)result->counts.unmatched_starts;
    return count;
  case SPEC_F_UNMATCHED_ENDS:
    count.integer = (int64_t)result->counts.unmatched_ends;
    return count;
  case SPEC_F_TOTAL:
    return time_value(ns_of(finder, (double)lengths->total));
  case SPEC_F_MEAN:
    return lengths->count ? time_value(ns_of(finder, lengths_mean(lengths))) : none;
  case SPEC_F_DEVIATION:
    return lengths->count ? time_value(ns_of(finder, lengths_deviation(lengths))) : none;
  case SPEC_F_MIN:
    return lengths->count ? time_value(ns_of(finder, (double)lengths->min)) : none;
  default:
    return lengths->count ? time_value(ns_of(finder, (double)lengths->max)) : none;
  }
}

static int by_total(const void *a, const void *b)
{
  const struct interval_threads *x = a, *y = b;
  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

bool intervals_end(struct intervals_finder *finder, struct intervals *intervals, struct error *error)
{
  struct intervals *results = &finder->results;
  bool good = true;
  for (uint32_t i = 0; good && i < results->count; i++) {
    struct interval_result *result = &results->list[i];
    good = match_finish(finder->matches[i], error);
    result->counts = *match_counts(finder->matches[i]);
    if (result->thread_count > 1)
      qsort(result->threads, result->thread_count, sizeof *result->threads, by_total);
  }
  const struct operands operands = {.figure = figure_of, .context = finder};
  for (uint32_t i = 0; good && i < results->assertion_count; i++) {
    struct assertion_result *result = &results->assertions[i];
    bool once = !result->assertion->of, holds = once && evaluate_holds(result->assertion->condition, &operands);
    result->held += once && holds;
    result->violated += once && !holds;
  }
  *intervals = (struct intervals){0};
  if (good) {
    *intervals = *results;
    *results = (struct intervals){0};
  }
  intervals_drop(finder);
  return good;
}

void intervals_drop(struct intervals_finder *finder)
{
  if (!finder)
    return;
  for (uint32_t i = 0; finder->matches && finder->threads && finder->spec && i < finder->spec->interval_count; i++) {
    match_free(finder->matches[i]);
    hash_free(&finder->threads[i]);
  }
  source_free(finder->source);
  free((void *)finder->matches);
  free(finder->threads);
  intervals_free(&finder->results);
  free(finder);
}

void intervals_free(struct intervals *intervals)
{
  for (uint32_t i = 0; intervals->list && i < intervals->count; i++) {
    lengths_free(&intervals->list[i].lengths);
    free(intervals->list[i].threads);
  }
  for (uint32_t i = 0; intervals->assertions && i < intervals->assertion_count; i++)
    free(intervals->assertions[i].violations);
  free(intervals->list);
  free(intervals->assertions);
  free((void *)intervals->missing);
  *intervals = (struct intervals){0};
}

uint32_t intervals_broken(const struct intervals *intervals)
{
  uint32_t broken = 0;
  for (uint32_t i = 0; i < intervals->assertion_count; i++)
    broken += intervals->assertions[i].violated > 0;
  return broken;
}

bool intervals_find(const struct trace *trace, struct pool *pool, const struct spec *spec,
                    const struct match_plan *plan, const struct intervals_options *options, struct intervals *intervals,
                    struct error *error)
{
  *intervals = (struct intervals){0};
  struct intervals_finder *finder = intervals_begin(trace, spec, plan, options, error);
  if (!finder)
    return false;
  const struct subscriber *subscribers[] = {&finder->subscriber};
  if (pass_in_order(trace, pool, subscribers, 1, error))
    return intervals_end(finder, intervals, error);
  intervals_why(finder, error);
  intervals_drop(finder);
  return false;
}
