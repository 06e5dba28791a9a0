#include "analyzer/commands/report_facts.h"

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

/* Who takes part in the pass. */
struct finders {
  struct census_taker *census;
  struct skipped_taker *skipped;
  struct overhead_counter *overhead;
  struct states_adder *sums;
  struct imbalance_finder *imbalance;
  struct locks_finder *locks;
  struct schedules_finder *schedules;
  struct teamwork_finder *teamwork;
  struct pes_taker *sequences;
};

static struct pes_taker *begin_sequences(const struct trace *trace, struct trace_error *error)
{
  static const struct pes_trace_options options[REPORT_SEQUENCES] = {
      [REPORT_BY_COUNTS] = {.vector = PES_COUNTS}, [REPORT_BY_ROLES] = {.vector = PES_ROLES}};
  return pes_taker_begin(trace, options, REPORT_SEQUENCES, REPORT_STATES_MOST, error);
}

static bool begin(struct finders *finders, struct report_facts *facts, struct lock_sink_context *sink,
                  struct trace_error *error)
{
  const struct trace *trace = facts->trace;
  return (finders->census = census_begin(trace, facts->pool, error)) &&
         (finders->skipped = skipped_begin(trace, facts->pool, error)) &&
         (finders->overhead = overhead_begin(trace, error)) &&
         (finders->sums = states_sums_begin(trace, facts->pool, error)) &&
         (finders->imbalance = imbalance_begin(trace, facts->waits, &facts->imbalance, error)) &&
         (finders->locks = locks_begin(trace, take_wait, sink, error)) &&
         (finders->schedules = schedules_begin(trace, error)) &&
         (finders->teamwork = teamwork_begin(trace, &facts->teamwork, error)) &&
         (finders->sequences = begin_sequences(trace, error));
}

static void drop(const struct finders *finders, struct trace_error *error)
{
  census_drop(finders->census);
  skipped_drop(finders->skipped);
  overhead_drop(finders->overhead);
  states_sums_drop(finders->sums);
  imbalance_drop(finders->imbalance);
  locks_drop(finders->locks);
  schedules_drop(finders->schedules);
  teamwork_drop(finders->teamwork);
  pes_taker_drop(finders->sequences, error);
}

static bool end(const struct finders *finders, struct report_facts *facts, struct trace_error *error)
{
  census_end(finders->census, &facts->census);
  skipped_end(finders->skipped, &facts->skipped);
  overhead_end(finders->overhead, &facts->overhead);
  states_sums_end(finders->sums, &facts->sums);
  teamwork_end(finders->teamwork);
  bool good = imbalance_end(finders->imbalance, error);
  good &= locks_end(finders->locks, &facts->locks, error);
  good &= schedules_end(finders->schedules, facts->pool, NULL, 0, &facts->schedules, error);
  good &= pes_taker_end(finders->sequences, facts->sequences, error);
  return good;
}

/* All in one pass. */
static bool find(struct report_facts *facts, struct trace_error *error)
{
  struct lock_sink_context sink = {.facts = facts};
  struct finders finders = {0};
  bool good = begin(&finders, facts, &sink, error);
  if (good) {
    const struct subscriber *subscribers[] = {
        census_subscriber(finders.census),       skipped_subscriber(finders.skipped),
        overhead_subscriber(finders.overhead),   states_sums_subscriber(finders.sums),
        imbalance_subscriber(finders.imbalance), locks_subscriber(finders.locks),
        schedules_subscriber(finders.schedules), teamwork_subscriber(finders.teamwork),
        pes_taker_subscriber(finders.sequences)};
    good = pass_in_order(facts->trace, facts->pool, subscribers, sizeof subscribers / sizeof *subscribers, error);
  }
  if (!good) {
    drop(&finders, error);
    return false;
  }
  return end(&finders, facts, error) &&
         (!sink.no_memory || trace_fail(error, "%s: out of memory", facts->trace->anchor));
}

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct trace_error *error)
{
  *facts = (struct report_facts){.trace = trace, .pool = pool, .waits = trace->location_count <= WAITS_THREADS};
  return progress_step(progress, "analyses") && find(facts, error);
}

void report_facts_free(struct report_facts *facts)
{
  census_free(&facts->census);
  skipped_free(&facts->skipped);
  states_sums_free(&facts->sums);
  imbalance_free(&facts->imbalance);
  locks_free(&facts->locks);
  arrows_free(&facts->arrows);
  schedules_free(&facts->schedules);
  teamwork_free(&facts->teamwork);
  for (unsigned i = 0; i < REPORT_SEQUENCES; i++)
    pes_close(facts->sequences[i]);
}
