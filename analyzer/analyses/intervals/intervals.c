#include "analyzer/analyses/intervals/intervals.h"

#include "analyzer/analyses/intervals/source.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct intervals_analysis {
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

static bool intervals_begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  const struct intervals_analysis *analysis = context;
  interval_lane_begin(lane, analysis->source, location, error);
  return true;
}

static bool take_item(void *context, uint32_t location, void *taken)
{
  struct intervals_analysis *analysis = context;
  const struct lane_item *item = taken;
  const struct source_class *class = &analysis->source->classes[item->class];
  struct match_point point = {.time = item->time, .number = ++analysis->events, .thread = location};
  for (uint32_t i = 0; i < class->use_count; i++) {
    const struct source_use *use = &class->uses[i];
    struct match *match = analysis->matches[use->interval];
    bool good = use->role == SOURCE_START ? match_start(match, &point, item->values, &analysis->error)
                : use->role == SOURCE_END ? match_end(match, &point, item->values, &analysis->error)
                                          : match_between(match, use->at, &point, item->values, &analysis->error);
    if (!good)
      return false;
  }
  return true;
}

static bool add_threads(struct intervals_analysis *analysis, uint32_t interval, const struct match_point *start,
                        const struct match_point *end)
{
  struct interval_result *result = &analysis->results.list[interval];
  uint64_t key = (uint64_t)start->thread << 32 | end->thread, ticks = end->time - start->time;
  uint64_t *at = hash_find(&analysis->threads[interval], key);
  if (!at) {
    if (!array_make_room(result->threads, result->thread_count))
      return false;
    at = hash_add(&analysis->threads[interval], key, result->thread_count);
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

static double ns_of(const struct intervals_analysis *analysis, double ticks)
{
  return ticks * (analysis->trace->ticks_per_second ? 1e9 / (double)analysis->trace->ticks_per_second : 1);
}

static struct spec_value time_value(double ns)
{
  return (struct spec_value){.type = SPEC_TIME, .real = ns};
}

static bool try_assertions(struct intervals_analysis *analysis, const struct spec_interval *interval,
                           const struct match_point *start, const struct match_point *end)
{
  const double first = (double)analysis->trace->first_tick;
  const struct spec_value metrics[SPEC_METRICS] = {
      [SPEC_M_TIME] = time_value(ns_of(analysis, (double)(end->time - start->time))),
      [SPEC_M_BEGIN] = time_value(ns_of(analysis, (double)start->time - first)),
      [SPEC_M_END] = time_value(ns_of(analysis, (double)end->time - first)),
      [SPEC_M_FROM] = {.type = SPEC_INTEGER, .integer = start->thread},
      [SPEC_M_TO] = {.type = SPEC_INTEGER, .integer = end->thread}};
  const struct operands operands = {.values = {[SPEC_INTERVAL] = metrics}};
  for (uint32_t i = 0; i < analysis->results.assertion_count; i++) {
    struct assertion_result *result = &analysis->results.assertions[i];
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
  struct intervals_analysis *analysis = context;
  return lengths_add(&analysis->results.list[interval->index].lengths, end->time - start->time) &&
         add_threads(analysis, interval->index, start, end) && try_assertions(analysis, interval, start, end) &&
         (!analysis->options.sink || analysis->options.sink(analysis->options.context, interval, start, end));
}

static bool make_matches(struct intervals_analysis *analysis, const struct match_plan *plan)
{
  const struct match_options options = {.slots = analysis->spec->slot_count,
                                        .ticks_per_second = analysis->trace->ticks_per_second,
                                        .work = analysis->options.work,
                                        .sink = take_interval,
                                        .context = analysis};
  for (uint32_t i = 0; i < plan->count; i++) {
    analysis->results.list[i].interval = plan->intervals[i].interval;
    analysis->matches[i] = match_create(&plan->intervals[i], &options);
    if (!analysis->matches[i])
      return false;
  }
  analysis->results.count = plan->count;
  return true;
}

static bool make_assertions(struct intervals_analysis *analysis)
{
  struct intervals *results = &analysis->results;
  for (const struct spec_assertion *assertion = analysis->spec->assertions; assertion; assertion = assertion->next)
    results->assertion_count++;
  results->assertions = calloc(results->assertion_count + 1, sizeof *results->assertions);
  if (!results->assertions)
    return false;
  uint32_t i = 0;
  for (const struct spec_assertion *assertion = analysis->spec->assertions; assertion; assertion = assertion->next)
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

static bool find_missing(struct intervals_analysis *analysis)
{
  struct intervals *results = &analysis->results;
  results->missing = (const struct spec_event **)calloc(analysis->spec->event_count + 1, sizeof *results->missing);
  if (!results->missing)
    return false;
  for (const struct spec_event *event = analysis->spec->events; event; event = event->next)
    if (!analysis->source->found[event->index] && is_used(analysis->spec, event))
      results->missing[results->missing_count++] = event;
  return true;
}

static bool intervals_begin(void *state, const struct analysis_input *input)
{
  struct intervals_analysis *analysis = state;
  const struct intervals_options *options = input->options;
  const struct match_plan *plan = options->plan;
  analysis->trace = input->trace;
  analysis->spec = options->spec;
  analysis->options = *options;
  analysis->source = source_create(input->trace, options->spec, plan);
  analysis->matches = (struct match **)calloc(plan->count + 1, sizeof *analysis->matches);
  analysis->threads = calloc(plan->count + 1, sizeof *analysis->threads);
  analysis->results.list = calloc(plan->count + 1, sizeof *analysis->results.list);
  return analysis->source && analysis->matches && analysis->threads && analysis->results.list &&
         make_matches(analysis, plan) && make_assertions(analysis) && find_missing(analysis);
}

static void intervals_explain(const void *state, struct error *error)
{
  const struct intervals_analysis *analysis = state;
  if (analysis->error.message[0])
    *error = analysis->error;
}

/* A figure of an interval, for assertions. */
static struct spec_value figure_of(const void *context, const struct spec_expr *expr)
{
  const struct intervals_analysis *analysis = context;
  const struct interval_result *result = &analysis->results.list[expr->slot];
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
    return time_value(ns_of(analysis, (double)lengths->total));
  case SPEC_F_MEAN:
    return lengths->count ? time_value(ns_of(analysis, lengths_mean(lengths))) : none;
  case SPEC_F_DEVIATION:
    return lengths->count ? time_value(ns_of(analysis, lengths_deviation(lengths))) : none;
  case SPEC_F_MIN:
    return lengths->count ? time_value(ns_of(analysis, (double)lengths->min)) : none;
  default:
    return lengths->count ? time_value(ns_of(analysis, (double)lengths->max)) : none;
  }
}

static int by_total(const void *a, const void *b)
{
  const struct interval_threads *x = a, *y = b;
  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static bool intervals_end(void *state, void *found, struct error *error)
{
  struct intervals_analysis *analysis = state;
  struct intervals *results = &analysis->results;
  bool good = true;
  for (uint32_t i = 0; good && i < results->count; i++) {
    struct interval_result *result = &results->list[i];
    good = match_finish(analysis->matches[i], error);
    result->counts = *match_counts(analysis->matches[i]);
    if (result->thread_count > 1)
      qsort(result->threads, result->thread_count, sizeof *result->threads, by_total);
  }
  const struct operands operands = {.figure = figure_of, .context = analysis};
  for (uint32_t i = 0; good && i < results->assertion_count; i++) {
    struct assertion_result *result = &results->assertions[i];
    bool once = !result->assertion->of, holds = once && evaluate_holds(result->assertion->condition, &operands);
    result->held += once && holds;
    result->violated += once && !holds;
  }
  if (good) {
    *(struct intervals *)found = *results;
    *results = (struct intervals){0};
  }
  return good;
}

static void intervals_free(void *result)
{
  struct intervals *intervals = result;
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

static void intervals_drop(void *state)
{
  struct intervals_analysis *analysis = state;
  for (uint32_t i = 0; analysis->matches && analysis->threads && analysis->spec && i < analysis->spec->interval_count;
       i++) {
    match_free(analysis->matches[i]);
    hash_free(&analysis->threads[i]);
  }
  source_free(analysis->source);
  free((void *)analysis->matches);
  free(analysis->threads);
  intervals_free(&analysis->results);
}

const struct analysis intervals_analysis = {.name = "intervals",
                                            .state_size = sizeof(struct intervals_analysis),
                                            .result_size = sizeof(struct intervals),
                                            .begin = intervals_begin,
                                            .lanes = {.stateless = true,
                                                      .lane_size = sizeof(struct interval_lane),
                                                      .begin = intervals_begin_lane,
                                                      .event = interval_lane_event,
                                                      .close = interval_lane_close,
                                                      .queue = interval_lane_queue,
                                                      .reached = interval_lane_reached,
                                                      .take = take_item},
                                            .end = intervals_end,
                                            .explain = intervals_explain,
                                            .drop = intervals_drop,
                                            .free = intervals_free};

uint32_t intervals_broken(const struct intervals *intervals)
{
  uint32_t broken = 0;
  for (uint32_t i = 0; i < intervals->assertion_count; i++)
    broken += intervals->assertions[i].violated > 0;
  return broken;
}
