#include "analyzer/report/report_notes.h"

#include "analyzer/analyses/unrecorded/thinned_show.h"
#include "analyzer/command/restricted_sentence.h"
#include "analyzer/command/started_sentence.h"
#include "analyzer/command/stolen_sentence.h"
#include "analyzer/command/unmeasured_sentence.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdlib.h>

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
static bool note_unmeasured(struct bundle_run *run, const struct report_facts *facts)
{
  wide_total unmeasured = 0, all = 0;
  for (uint32_t i = 0; i < facts->trace->location_count; i++) {
    const struct states_thread *thread = &facts->all.results.sums->threads[i];
    unmeasured += thread->ticks[STATE_UNMEASURED];
    all += thread->last - thread->first;
  }
  char *stolen = stolen_sentence(facts->trace);
  if (stolen && !note_sentence(run, stolen))
    return false;
  char *started = started_sentence(facts->trace);
  if (started && !note_sentence(run, started))
    return false;
  return unmeasured == 0 || note_sentence(run, unmeasured_sentence(facts->trace, unmeasured, all));
}

static bool note_thinned(struct bundle_run *run, const struct report_facts *facts)
{
  char *text;
  if (!thinned_sentence(facts->trace, facts->all.results.skipped, false, "The timeline, arrows and waits", &text))
    return false;
  return !text || note_sentence(run, text);
}

static bool note_timeline(struct bundle_run *run)
{
  const struct timeline *timeline = run->timeline;
  uint64_t arrows = 0, chunks = 0;
  bool deeper = false;
  for (unsigned i = 0; i < ARROW_KINDS; i++)
    arrows += timeline->teamwork.arrows.kinds[i].left_out;
  for (uint32_t i = 0; i < timeline->teamwork.regions; i++)
    chunks += timeline->teamwork.chunks[i].left_out;
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
              note_losses(run, facts->trace) && note_unmeasured(run, facts) && note_thinned(run, facts) &&
              note_timeline(run);
  if (good && unmatched > 0)
    good = bundle_note(run, "%" PRIu64 " begins and ends in the archive don't match and were passed over.", unmatched);
  return good || error_set(error, "out of memory");
}
