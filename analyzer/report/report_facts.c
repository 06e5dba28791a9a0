#include "analyzer/report/report_facts.h"

#include "analyzer/analyses/intervals/endpoint_attributes.h"

enum { WAITS_THREADS = 256 };

struct lock_sink_context {
  struct report_facts *facts;
  bool no_memory;
};

static void take_wait(void *context, const struct lock_wait *wait)
{
  struct lock_sink_context *sink = context;
  struct lock_wait *longest = &sink->facts->longest_wait;
  struct arrow arrow = {
      ARROW_LOCK, wait->holder, wait->waiter, wait->region, wait->released, wait->until, wait->until - wait->since};
  if (wait->until - wait->since > longest->until - longest->since)
    *longest = *wait;
  if (wait->holder != TRACE_NONE && wait->holder != wait->waiter && !arrows_add(&sink->facts->arrows, &arrow))
    sink->no_memory = true;
}

/* The sequences of the run's states. */
struct sequences_found {
  struct pes_stream *list[REPORT_SEQUENCES]; /* NULL: too many states */
};

static bool begin_sequences(void *state, const struct analysis_input *input)
{
  static const struct pes_trace_options options[REPORT_SEQUENCES] = {
      [REPORT_BY_COUNTS] = {.vector = PES_COUNTS}, [REPORT_BY_ROLES] = {.vector = PES_ROLES}};
  struct error error;
  struct pes_collector **collector = state;
  *collector = pes_collector_create(input->trace, options, REPORT_SEQUENCES, REPORT_STATES_MOST, &error);
  return *collector != NULL;
}

static void adapt_to_sequences(const void *state, struct subscriber *lanes)
{
  *lanes = *pes_collector_subscriber(*(struct pes_collector *const *)state);
}

static bool end_sequences(void *state, void *result, struct error *error)
{
  struct pes_collector **collector = state, *ended = *collector;
  *collector = NULL;
  return pes_collector_finish(ended, ((struct sequences_found *)result)->list, error);
}

static void explain_sequences(const void *state, struct error *error)
{
  pes_collector_explain(*(struct pes_collector *const *)state, error);
}

static void drop_sequences(void *state)
{
  pes_collector_cancel(*(struct pes_collector **)state, NULL);
}

static void free_sequences(void *result)
{
  struct sequences_found *found = result;
  for (unsigned i = 0; i < REPORT_SEQUENCES; i++)
    pes_close(found->list[i]);
  *found = (struct sequences_found){0};
}

static const struct analysis sequences_analysis = {.name = "sequences",
                                                   .state_size = sizeof(struct pes_collector *),
                                                   .result_size = sizeof(struct sequences_found),
                                                   .begin = begin_sequences,
                                                   .adapt = adapt_to_sequences,
                                                   .end = end_sequences,
                                                   .explain = explain_sequences,
                                                   .drop = drop_sequences,
                                                   .free = free_sequences};

static bool prepare_intervals(struct report_facts *facts, struct intervals_options *options, struct error *error)
{
  const struct specified *specified = facts->specified;
  if (!ends_want(specified->spec, facts->trace, error))
    return false;
  if (!intervals_kept_begin(&facts->kept, specified->spec, REPORT_INTERVALS_MOST))
    return error_set(error, "out of memory");
  *options = (struct intervals_options){.spec = specified->spec,
                                        .plan = specified->plan,
                                        .work = SPEC_WORK_DEFAULT,
                                        .sink = intervals_kept_put,
                                        .context = &facts->kept};
  return true;
}

/* Finds everything in one pass. */
static bool find_facts(struct report_facts *facts, struct error *error)
{
  static const struct point_selection of_user = {.origin = POINTS_OF_USER};
  static const struct points_options points = {&of_user, REPORT_POINTS_MOST};
  static const size_t readings_most = REPORT_READINGS_MOST;
  struct lock_sink_context sink = {.facts = facts};
  struct sequences_found sequences = {0};
  struct intervals_options intervals;
  const struct imbalance_options imbalance = {.waits = facts->waits, .course = true};
  const struct locks_options locks = {take_wait, &sink};
  enum { OWN = 8, INTERVALS = 1 };
  struct analysis_task also[OWN + REPORT_CALLS_TASKS + INTERVALS] = {
      {&census_analysis, NULL, &facts->census},    {&teamwork_analysis, NULL, &facts->teamwork},
      {&sequences_analysis, NULL, &sequences},     {&waits_analysis, NULL, &facts->found},
      {&tasks_analysis, NULL, &facts->tasks},      {&windows_analysis, NULL, &facts->windows},
      {&points_analysis, &points, &facts->points}, {&metric_readings_analysis, &readings_most, &facts->readings}};
  unsigned count = OWN + report_calls_tasks(&facts->calls, &also[OWN]);
  if (facts->specified && facts->specified->spec) {
    if (!prepare_intervals(facts, &intervals, error))
      return false;
    also[count++] = (struct analysis_task){&intervals_analysis, &intervals, &facts->intervals};
  }
  const struct run_analyses_options options = {
      .own = {{&imbalance_analysis, &imbalance}, {&locks_analysis, &locks}}, .also = also, .also_count = count};
  bool good = run_analyses(facts->trace, facts->pool, &options, &facts->all, error);
  for (unsigned i = 0; i < REPORT_SEQUENCES; i++)
    facts->sequences[i] = sequences.list[i];
  return good && (!sink.no_memory || error_set(error, "%s: out of memory", facts->trace->anchor));
}

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct error *error)
{
  facts->trace = trace;
  facts->pool = pool;
  facts->waits = trace->location_count <= WAITS_THREADS;
  return progress_step(progress, "analyses") && report_calls_open(&facts->calls, trace, error) &&
         find_facts(facts, error);
}

void report_facts_free(struct report_facts *facts)
{
  run_analyses_free(&facts->all);
  analysis_free(&census_analysis, &facts->census);
  arrows_free(&facts->arrows);
  analysis_free(&teamwork_analysis, &facts->teamwork);
  analysis_free(&waits_analysis, &facts->found);
  analysis_free(&tasks_analysis, &facts->tasks);
  analysis_free(&windows_analysis, &facts->windows);
  report_calls_close(&facts->calls);
  analysis_free(&points_analysis, &facts->points);
  analysis_free(&metric_readings_analysis, &facts->readings);
  analysis_free(&intervals_analysis, &facts->intervals);
  intervals_kept_free(&facts->kept);
  for (unsigned i = 0; i < REPORT_SEQUENCES; i++)
    pes_close(facts->sequences[i]);
}
