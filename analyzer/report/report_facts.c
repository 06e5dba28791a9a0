#include "analyzer/report/report_facts.h"

#include "analyzer/analyses/intervals/ends.h"

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

static struct pes_collector *begin_sequences(const struct trace *trace, struct error *error)
{
  static const struct pes_trace_options options[REPORT_SEQUENCES] = {
      [REPORT_BY_COUNTS] = {.vector = PES_COUNTS}, [REPORT_BY_ROLES] = {.vector = PES_ROLES}};
  return pes_collector_create(trace, options, REPORT_SEQUENCES, REPORT_STATES_MOST, error);
}

/* The subscribers of the report alone, beside those of facts.h. */
struct report_facts_takers {
  struct census_taker *census;
  struct teamwork_finder *teamwork;
  struct pes_collector *sequences;
  struct wakers *wakers;
  struct points_keeper *points;
  struct intervals_finder *intervals; /* NULL: there is no specification */
};

static bool report_facts_pass(const struct report_facts_takers *takers, struct report_facts *facts,
                              struct lock_sink_context *sink, struct error *error)
{
  const struct subscriber *also[FACTS_ALSO_MOST] = {
      census_subscriber(takers->census), teamwork_subscriber(takers->teamwork),
      pes_collector_subscriber(takers->sequences), wakers_subscriber(takers->wakers),
      points_keeper_subscriber(takers->points)};
  enum { OWN = 5 };
  unsigned count = OWN + report_calls_subscribers(&facts->calls, &also[OWN]);
  if (takers->intervals)
    also[count++] = intervals_subscriber(takers->intervals);
  struct facts_options options = {
      .imbalance = {.waits = facts->waits}, .sink = take_wait, .sink_context = sink, .also = also, .also_count = count};
  return facts_find(facts->trace, facts->pool, &options, &facts->all, error);
}

static bool begin_intervals(struct report_facts *facts, struct intervals_finder **finder, struct error *error)
{
  const struct specified *specified = facts->specified;
  if (!specified || !specified->spec)
    return true;
  if (!ends_want(specified->spec, facts->trace, error))
    return false;
  if (!intervals_kept_begin(&facts->kept, specified->spec, REPORT_INTERVALS_MOST))
    return error_set(error, "out of memory");
  struct intervals_options options = {.work = SPEC_WORK_DEFAULT, .sink = intervals_kept_put, .context = &facts->kept};
  *finder = intervals_begin(facts->trace, specified->spec, specified->plan, &options, error);
  return *finder != NULL;
}

/* Finds everything in one pass. */
static bool find_facts(struct report_facts *facts, struct error *error)
{
  struct lock_sink_context sink = {.facts = facts};
  struct report_facts_takers takers = {0};
  static const struct point_selection of_user = {.origin = POINTS_OF_USER};
  if (!(takers.census = census_begin(facts->trace, facts->pool, error)) ||
      !(takers.teamwork = teamwork_begin(facts->trace, &facts->teamwork, error)) ||
      !(takers.sequences = begin_sequences(facts->trace, error)) ||
      !(takers.wakers = wakers_begin(facts->trace, error)) ||
      !(takers.points = points_keep(facts->trace, &of_user, REPORT_POINTS_MOST, &facts->points, error)) ||
      !begin_intervals(facts, &takers.intervals, error) ||
      !report_calls_begin(&facts->calls, facts->trace, facts->pool, error) ||
      !report_facts_pass(&takers, facts, &sink, error)) {
    intervals_why(takers.intervals, error);
    intervals_drop(takers.intervals);
    census_drop(takers.census);
    teamwork_drop(takers.teamwork);
    pes_collector_cancel(takers.sequences, error);
    wakers_drop(takers.wakers);
    points_kept_drop(takers.points);
    return false;
  }
  census_end(takers.census, &facts->census);
  teamwork_end(takers.teamwork);
  bool good = wakers_end(takers.wakers, &facts->wakes, &facts->paths, error);
  good &= report_calls_end(&facts->calls);
  if (takers.intervals)
    good &= intervals_end(takers.intervals, &facts->intervals, error);
  if (!points_kept_end(takers.points))
    good = error_set(error, "%s: out of memory", facts->trace->anchor);
  return pes_collector_finish(takers.sequences, facts->sequences, error) && good &&
         (!sink.no_memory || error_set(error, "%s: out of memory", facts->trace->anchor));
}

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct error *error)
{
  facts->trace = trace;
  facts->pool = pool;
  facts->waits = trace->location_count <= WAITS_THREADS;
  return progress_step(progress, "analyses") && find_facts(facts, error);
}

void report_facts_free(struct report_facts *facts)
{
  facts_free(&facts->all);
  census_free(&facts->census);
  arrows_free(&facts->arrows);
  teamwork_free(&facts->teamwork);
  waits_free(&facts->wakes);
  critical_paths_free(&facts->paths);
  report_calls_free(&facts->calls);
  points_kept_free(&facts->points);
  intervals_free(&facts->intervals);
  intervals_kept_free(&facts->kept);
  for (unsigned i = 0; i < REPORT_SEQUENCES; i++)
    pes_close(facts->sequences[i]);
}
