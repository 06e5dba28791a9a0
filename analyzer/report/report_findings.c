#include "analyzer/report/report_findings.h"

#include "analyzer/analyses/omitted/omitted_show.h"
#include "analyzer/command/sentences.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKED_MOST = 100 }; /* the page has so many findings; a note counts the others */

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
static const char *page_of(const struct finding *finding)
{
  bool is_of_run =
      finding->kind == FINDING_MEASUREMENT || finding->kind == FINDING_SERIAL || finding->region == TRACE_NONE;
  return finding->kind == FINDING_LOCK || finding->account == ACCOUNT_SYNCHRONIZATION ? "locks"
         : is_of_run                                                                  ? "why"
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
  struct bundle_finding added = {.kind = finding->account < ACCOUNT_KINDS ? account_kind_name(finding->account)
                                                                          : finding_kind_name(finding->kind),
                                 .text = strdup(text),
                                 .ticks = (uint64_t)(finding->ticks + 0.5),
                                 .page = page_of(finding),
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

/* The account's first sentence, and then the findings. */
static bool add_ranked(const struct finder *finder)
{
  const struct findings *findings = &finder->facts->all.findings;
  const struct finding *most = findings->count > 0 ? &findings->list[0] : NULL;
  bool is_first =
      most && (most->account == ACCOUNT_KINDS || (most->is_first && most->account == findings->first_kind) ||
               findings->first_kind == ACCOUNT_FOREVER || findings->first_kind == ACCOUNT_MEASUREMENT);
  bool good = is_first ? add_finding(finder, most, findings->first) : report_findings_add_nothing(finder);
  /* A subject says more of the first place. */
  bool more = is_first && most->is_first && most->kind != FINDING_PLACE;
  for (size_t i = is_first && !more; good && i < findings->count && i < RANKED_MOST; i++)
    good = !findings->list[i].text || add_finding(finder, &findings->list[i], findings->list[i].text);
  if (good && findings->count > RANKED_MOST)
    good = bundle_note(finder->run, "%zu smaller findings are not on the page.", findings->count - RANKED_MOST);
  return good;
}

/* States of a thread in the order of the sentence, which has all that occur: it adds up to the bar below it. */
static const struct {
  enum state first, last;
  const char *words;
} state_shares[] = {{STATE_RUN, STATE_RUN, "the program's own work"},
                    {STATE_SYNCH_FIRST, STATE_SYNCH_LAST, "synchronization"},
                    {STATE_OVERHEAD, STATE_OVERHEAD, "the runtime's overhead"},
                    {STATE_IDLE, STATE_IDLE, "idle"},
                    {STATE_BLOCKED_FIRST, STATE_BLOCKED_LAST, "blocked"},
                    {STATE_SPIN, STATE_SPIN, "spinning"},
                    {STATE_GC, STATE_GC, REGION_GC},
                    {STATE_INIT, STATE_INIT, "starting"},
                    {STATE_READY, STATE_READY, "waiting for a processor"},
                    {STATE_OFF, STATE_OFF, REGION_OFF_PROCESSOR},
                    {STATE_TRACEFLUSH, STATE_TRACEFLUSH, "measurement"}};

static bool is_in_share(size_t share, enum state state)
{
  if (state_shares[share].first == STATE_SYNCH_FIRST)
    return state_is_synch(state);
  return state >= state_shares[share].first && state <= state_shares[share].last;
}

static void write_shares(FILE *file, const struct trace *trace, const wide_total ticks[STATES])
{
  wide_total all = states_measured(ticks);
  double whole = all ? (double)all / 100 : 1;
  fprintf(file, "The %s of all threads:", ticks[STATE_UNMEASURED] > 0 ? "measured time" : "time");
  const char *separator = "";
  for (size_t i = 0; i < COUNT_OF(state_shares); i++) {
    wide_total sum = 0;
    for (unsigned state = 0; state < STATES; state++)
      sum += is_in_share(i, (enum state)state) ? ticks[state] : 0;
    if (sum == 0 && i > 0)
      continue;
    fprintf(file, "%s %.1f %% %s%s", separator, (double)sum / whole, state_shares[i].words,
            i == 0 && !states_know_processors(trace) ? " (and waits that are not measured)" : "");
    separator = ",";
  }
  fputc('.', file);
}

/* A sentence about the time of all threads by state. */
static bool add_states(const struct finder *finder)
{
  wide_total ticks[STATES] = {0};
  const struct report_facts *facts = finder->facts;
  struct bundle_finding finding = {.kind = "states", .page = "states", .region = TRACE_NONE, .lane = TRACE_NONE};
  size_t size;
  FILE *file = open_memstream(&finding.text, &size);
  if (!file)
    return false;
  for (uint32_t i = 0; i < facts->trace->location_count; i++)
    for (unsigned state = 0; state < STATES; state++)
      ticks[state] += facts->all.results.sums->threads[i].ticks[state];
  write_shares(file, facts->trace, ticks);
  char *sinks = sinks_not_measured_sentence(facts->trace);
  fprintf(file, "%s%s", sinks ? " " : "", sinks ? sinks : "");
  free(sinks);
  return fclose(file) == 0 && bundle_finding(finder->run, &finding);
}

bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct error *error)
{
  struct finder finder = {run, facts};
  return (add_ranked(&finder) && add_states(&finder)) || error_set(error, "out of memory");
}

/* The losses that the archive counts. */
static bool note_losses(struct bundle_run *run, const struct trace *trace)
{
  static const struct {
    const char *property, *text;
  } losses[] = {
      {ARCHIVE_EVENTS_LOST, "Events that were lost for want of room"},
      {ARCHIVE_EVENTS_SKIPPED,
       "Events that were not recorded, because they came while the recorder recorded another one"},
      {ARCHIVE_THREADS_LOST, "Threads that were not recorded"},
      {ARCHIVE_INSTANCES_SKIPPED, "Instances of constructs that were summed instead of recorded (--budget)"},
      {ARCHIVE_CHUNKS_SUMMED, "Chunks of loops that were summed instead of recorded"},
      {ARCHIVE_CHUNKS_DERIVED, "Chunks of loops that follow from the schedule, without times of their own"},
      {ARCHIVE_ENDS_CORRECTED, "Ends of barriers that were corrected, because the runtime reports them late"},
      {ARCHIVE_ENDS_FORCED, "Constructs that had not ended at the end of the recording, and end there"},
      {ARCHIVE_ENDS_UNMATCHED, "Ends without a begin, which are ignored"},
  };
  for (size_t i = 0; i < COUNT_OF(losses); i++) {
    const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, losses[i].property);
    uint64_t number = value ? strtoull(value, NULL, 10) : 0;
    if (number > 0 && !bundle_note(run, "%s: %" PRIu64 ".", losses[i].text, number))
      return false;
  }
  const char *reason = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_LOST_REASON);
  return !reason || !*reason || bundle_note(run, "Lost because: %s", reason);
}

static bool note_sentence(struct bundle_run *run, char *sentence)
{
  bool good = sentence && bundle_note(run, "%s", sentence);
  free(sentence);
  return good;
}

/* Time that was not measured, or not the program's. */
static bool note_not_measured(struct bundle_run *run, const struct report_facts *facts)
{
  wide_total not_measured = 0, all = 0;
  for (uint32_t i = 0; i < facts->trace->location_count; i++) {
    const struct states_thread *thread = &facts->all.results.sums->threads[i];
    not_measured += thread->ticks[STATE_UNMEASURED];
    all += thread->last - thread->first;
  }
  char *stolen = stolen_sentence(facts->trace);
  if (stolen && !note_sentence(run, stolen))
    return false;
  char *started = started_sentence(facts->trace);
  if (started && !note_sentence(run, started))
    return false;
  return not_measured == 0 || note_sentence(run, not_measured_sentence(facts->trace, not_measured, all));
}

static bool note_omitted(struct bundle_run *run, const struct report_facts *facts)
{
  char *text;
  if (!omitted_sentence(facts->trace, facts->all.results.omitted, false, "The timeline, arrows and waits", &text))
    return false;
  return !text || note_sentence(run, text);
}

static bool note_timeline(struct bundle_run *run)
{
  const struct timeline *timeline = run->timeline;
  uint64_t arrows = 0, chunks = 0;
  bool deeper = false;
  for (unsigned i = 0; i < ARROW_KINDS; i++)
    arrows += timeline->teamwork.arrows.kinds[i].beyond_limit;
  for (uint32_t i = 0; i < timeline->teamwork.regions; i++)
    chunks += timeline->teamwork.chunks[i].beyond_limit;
  for (uint32_t i = 0; i < timeline->trace->location_count; i++)
    deeper |= timeline->locations[i].deeper;
  if (arrows > 0 && !bundle_note(run, "%" PRIu64 " shorter arrows are not shown, only the %d longest of each kind.",
                                 arrows, ARROWS_OF_KIND))
    return false;
  if (chunks > 0 && !bundle_note(run, "%" PRIu64 " chunks are not in the chunk maps.", chunks))
    return false;
  return !deeper || bundle_note(run, "Constructs nested more than %d deep are not in the timeline.", LANE_DEPTHS);
}

bool report_notes_add(struct bundle_run *run, const struct report_facts *facts, struct error *error)
{
  uint64_t unmatched = 0;
  for (uint32_t i = 0; i < facts->trace->location_count; i++)
    unmatched += facts->all.results.sums->threads[i].unmatched;
  bool good = (!trace_is_restricted(facts->trace) || note_sentence(run, restricted_sentence(facts->trace))) &&
              note_losses(run, facts->trace) && note_not_measured(run, facts) && note_omitted(run, facts) &&
              note_timeline(run);
  if (good && unmatched > 0)
    good = bundle_note(run, "%" PRIu64 " begins and ends in the archive don't match and were passed over.", unmatched);
  return good || error_set(error, "out of memory");
}
