#include "analyzer/report/report_profile.h"

#include "analyzer/command/print/units.h"
#include "analyzer/findings/prints.h"
#include "analyzer/live/profile/states.h"
#include "analyzer/live/profile_tables.h"
#include "analyzer/report/report_documents.h"
#include "analyzer/table.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

typedef bool profile_work(const struct analysis_run *run, const void *own, struct error *error);

static bool profile_info(const struct analysis_run *run, const void *own, struct error *error)
{
  return command_info.look->work_on_profile(run, own, error);
}

static bool profile_why(const struct analysis_run *run, const void *own, struct error *error)
{
  void *usual = calloc(1, command_why.look->options_size);
  (void)own;
  bool good = usual ? command_why.look->work_on_profile(run, usual, error) : error_set(error, "out of memory");
  free(usual);
  return good;
}

/* `heddle states --by region` */
static bool profile_constructs(const struct analysis_run *run, const void *own, struct error *error)
{
  struct profiled profile;
  struct states_sums sums = {.threads = NULL};
  (void)own;
  bool good = profiled_read(run->trace, run->pool, &profile, error);
  if (good && !(profiled_states(run->trace, &profile, &sums) && states_put(run, &sums, true)))
    good = error_set(error, "out of memory");
  states_sums_free(&sums);
  profiled_free(&profile);
  return good;
}

/* A document and its source. */
struct report_profile_part {
  struct trace *trace;
  struct pool *pool;
  profile_work *work;
  bool names_only;
  struct error *error;
};

static bool put_profile_part(struct print *print, const void *context)
{
  const struct report_profile_part *part = context;
  struct analysis_run run = {.command = "report",
                             .trace = part->trace,
                             .pool = part->pool,
                             .print = print,
                             .format = PRINT_JSON,
                             .names_only = part->names_only};
  return part->work(&run, NULL, part->error);
}

/* The row with most waiting: at the last barrier of a region, or for a lock. NULL: no row has 1 % of the time. */
static const struct profile_row *worst(const struct profiled *sum, enum profile_kind kind, wide_total whole)
{
  const struct profile_row *most = NULL;
  for (size_t i = 0; i < sum->count; i++) {
    const struct profile_row *row = &sum->rows[i];
    if (row->kind == kind && row->region != TRACE_NONE && row->waiting > (most ? most->waiting : whole / 100))
      most = row;
  }
  return most;
}

/* What all threads waited is no time of the run, so the finding has no ticks of its own. */
static bool add_worst(struct bundle_run *run, const struct trace *trace, const struct profile_row *row,
                      wide_total whole)
{
  char time[UNITS_SIZE], percent[UNITS_SIZE];
  if (!row)
    return true;
  bool lock = row->kind == PROFILE_ACQUIRE;
  struct bundle_finding finding = {.kind = lock ? "lock" : "imbalance",
                                   .page = lock ? "locks" : "imbalance",
                                   .region = row->region,
                                   .lane = TRACE_NONE};
  bool made = asprintf(&finding.text, "%s: threads waited %s %s (%s of all threads' time).",
                       trace->regions[row->region].name, lock ? "for the lock" : "at the ends of the region",
                       units_duration(row->waiting, trace->ticks_per_second, time),
                       units_percent(print_percentage(row->waiting, whole), percent)) >= 0;
  return made && bundle_finding(run, &finding);
}

/* Findings that follow from sums alone, the larger one first. */
static bool add_profile_findings(struct bundle_run *run, const struct trace *trace, const struct profiled *sum,
                                 wide_total whole)
{
  const struct profile_row *barrier = worst(sum, PROFILE_MEMBER, whole), *lock = worst(sum, PROFILE_ACQUIRE, whole);
  bool lock_first = lock && (!barrier || lock->waiting > barrier->waiting);
  if (barrier || lock)
    return add_worst(run, trace, lock_first ? lock : barrier, whole) &&
           add_worst(run, trace, lock_first ? barrier : lock, whole);
  struct bundle_finding nothing = {
      .kind = "nothing",
      .text = strdup("Threads waited for less than 1 % of their time at the end of any region, or for any lock."),
      .page = "states",
      .region = TRACE_NONE,
      .lane = TRACE_NONE};
  return nothing.text && bundle_finding(run, &nothing);
}

static bool find_in_profile(struct bundle_run *run, struct trace *trace, struct pool *pool, struct error *error)
{
  struct profiled profile, sum = {.rows = NULL};
  bool good = profiled_read(trace, pool, &profile, error);
  if (good && !(profiled_sum(&profile, &sum) && add_profile_findings(run, trace, &sum, profiled_time(&profile))))
    good = error_set(error, "%s: out of memory", trace->anchor);
  profiled_free(&sum);
  profiled_free(&profile);
  return good;
}

bool report_profile_add(struct bundle_run *run, struct trace *trace, struct pool *pool, bool names_only,
                        struct error *error)
{
  static const struct {
    const char *name;
    profile_work *work;
  } documents[] = {{"info", profile_info},
                   {"states", profiled_states_work},
                   {"constructs", profile_constructs},
                   {"profile", profiled_rows_work},
                   {"why", profile_why},
                   {"imbalance", profiled_imbalance_work},
                   {"locks", profiled_locks_work}};
  for (size_t i = 0; i < COUNT_OF(documents); i++) {
    struct report_profile_part part = {trace, pool, documents[i].work, names_only, error};
    error_set(error, "%s: out of memory", trace->anchor);
    char *text = report_json(trace->ticks_per_second, put_profile_part, &part, NULL);
    if (!text || !bundle_document(run, documents[i].name, text))
      return false;
  }
  return find_in_profile(run, trace, pool, error) &&
         (bundle_note(run, "This is a profile: sums, no events. The timeline, who waited for whom, chunks of loops, "
                           "models and predictions need events: record without --profile.") ||
          error_set(error, "%s: out of memory", trace->anchor));
}
