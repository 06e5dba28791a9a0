#include "analyzer/report/report_findings.h"

#include "analyzer/command/untimed_sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKED_MOST = 7 }; /* the page shows so many findings, and the states */

struct finder {
  struct bundle_run *run;
  const struct report_facts *facts;
};

/* The part of the timeline that shows a region best: its longest execution. */
static void report_findings_place(const struct finder *finder, struct bundle_finding *finding, uint32_t region)
{
  const struct longest *longest = &finder->run->timeline->longest[region];
  finding->region = region;
  if (longest->end == longest->begin)
    return;
  finding->lane = longest->location;
  finding->begin = longest->begin;
  finding->end = longest->end;
}

/* The page with the details of a finding. */
static const char *page_of(enum finding_kind kind)
{
  return kind == FINDING_LOCK                                    ? "locks"
         : kind == FINDING_MEASUREMENT || kind == FINDING_SERIAL ? "overview"
                                                                 : "imbalance";
}

/* The longest wait of all locks shows the lock best, if it is a wait for the lock with the highest cost. */
static void place_lock(const struct finder *finder, struct bundle_finding *added, uint32_t region)
{
  const struct lock_wait *longest = &finder->facts->longest_wait;
  uint64_t start = finder->run->timeline->start;
  added->region = region;
  if (longest->until == longest->since)
    return;
  added->lane = longest->waiter;
  added->begin = longest->since - start;
  added->end = longest->until - start;
}

/* The first finding has the sentence that the commands print first. */
static bool add_finding(const struct finder *finder, const struct finding *finding, const char *text)
{
  struct bundle_finding added = {.kind = finding_kind_name(finding->kind),
                                 .text = strdup(text),
                                 .ticks = (uint64_t)(finding->ticks + 0.5),
                                 .page = page_of(finding->kind),
                                 .region = TRACE_NONE,
                                 .lane = TRACE_NONE};
  if (finding->kind == FINDING_LOCK && finding->region != TRACE_NONE &&
      finding->region == finder->facts->longest_wait.region)
    place_lock(finder, &added, finding->region);
  else if (finding->region != TRACE_NONE)
    report_findings_place(finder, &added, finding->region);
  return added.text && bundle_finding(finder->run, &added);
}

static bool report_findings_add_nothing(const struct finder *finder)
{
  struct bundle_finding added = {.kind = "nothing",
                                 .text = strdup(finder->facts->all.findings.first),
                                 .page = "states",
                                 .region = TRACE_NONE,
                                 .lane = TRACE_NONE};
  return added.text && bundle_finding(finder->run, &added);
}

static bool add_ranked(const struct finder *finder)
{
  const struct findings *findings = &finder->facts->all.findings;
  bool good = findings->count > 0 || report_findings_add_nothing(finder);
  for (size_t i = 0; good && i < findings->count && i < RANKED_MOST; i++)
    good = add_finding(finder, &findings->list[i], i == 0 ? findings->first : findings->list[i].text);
  return good;
}

/* Where the archive tells of context switches, what it says beside the other states. Else the program's own work has
 * unrecorded waits. */
static bool off_text(const struct trace *trace, const wide_total ticks[STATES], double whole, char text[96])
{
  if (!states_know_processors(trace))
    return false;
  snprintf(text, 96, ", %.1f %% waiting for a processor, %.1f %% blocked in the kernel",
           (double)ticks[STATE_READY] / whole, (double)ticks[STATE_OFF] / whole);
  return true;
}

/* A sentence about the time of all threads by state. */
static bool add_states(const struct finder *finder)
{
  wide_total ticks[STATES] = {0}, synch = 0;
  const struct report_facts *facts = finder->facts;
  for (uint32_t i = 0; i < facts->trace->location_count; i++)
    for (unsigned state = 0; state < STATES; state++)
      ticks[state] += facts->all.results.sums->threads[i].ticks[state];
  for (unsigned state = 0; state < STATES; state++)
    synch += state_is_synch((enum state)state) ? ticks[state] : 0;
  wide_total all = states_measured(ticks);
  struct bundle_finding finding = {
      .kind = "states", .page = "states", .region = TRACE_NONE, .lane = TRACE_NONE, .ticks = 0};
  double whole = all ? (double)all / 100 : 1;
  char *untimed = untimed_sentence(facts->trace), off[96] = "";
  bool known = off_text(facts->trace, ticks, whole, off);
  bool good = asprintf(&finding.text,
                       "The %s of all threads: %.1f %% the program's own work%s, %.1f %% synchronization, "
                       "%.1f %% the runtime's overhead, %.1f %% idle, %.1f %% blocked%s.%s%s",
                       ticks[STATE_UNMEASURED] > 0 ? "measured time" : "time", (double)ticks[STATE_RUN] / whole,
                       known ? "" : " (and unrecorded waits)", (double)synch / whole,
                       (double)ticks[STATE_OVERHEAD] / whole, (double)ticks[STATE_IDLE] / whole,
                       (double)(ticks[STATE_BLOCKED_MUTEX] + ticks[STATE_BLOCKED_CONDVAR]) / whole, off,
                       untimed ? " " : "", untimed ? untimed : "") >= 0;
  free(untimed);
  return good && bundle_finding(finder->run, &finding);
}

bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct error *error)
{
  struct finder finder = {run, facts};
  return (add_ranked(&finder) && add_states(&finder)) || error_set(error, "out of memory");
}
