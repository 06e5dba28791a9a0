/*
 * What was counted for the thread: Metric events of its process' class. As readings of time (timeline_readings.c) they
 * wait for events that come late. Of counts that add up the newest ones may stand for those before, so a list that is
 * full loses no count.
 */
#include "otf2-convert/timeline/timeline_records.h"

void hold_counters(struct timeline *t, const uint64_t *record, uint64_t time)
{
  struct held_counters *list = t->counters;
  unsigned count = raw_detail_of(record[0]) < t->counter_count ? raw_detail_of(record[0]) : t->counter_count;
  if (count == 0)
    return;
  if (list == NULL && (list = t->counters = calloc(HELD_MAX, sizeof *list)) == NULL) {
    t->out_of_memory = true;
    return;
  }
  if (t->counters_held == HELD_MAX)
    t->counters_held--;
  struct held_counters *held = &list[t->counters_held++];
  held->time = time;
  held->undecided = t->attention & ~(unsigned)(ATTEND_GC | ATTEND_RESUMED);
  for (unsigned i = 0; i < t->counter_count; i++) {
    held->value[i] = i < count ? record[2 + i * RAW_EXTRA] : 0;
    if (i < count && record[3 + i * RAW_EXTRA] != 0)
      t->location->facts.counters_scaled |= 1u << i;
  }
}

void show_counters(struct timeline *t, uint64_t time, bool last)
{
  unsigned shown = 0;
  for (; shown < t->counters_held; shown++) {
    struct held_counters *held = &t->counters[shown];
    held->undecided &= t->attention;
    if (!last && (held->undecided != 0 || time <= held->time))
      break;
    sink_counters(&t->sink, held->time, t->location->process->counter_class, t->counter_count, held->value);
    t->counts.counters++;
  }
  t->counters_held -= shown;
  if (shown > 0)
    memmove(t->counters, t->counters + shown, t->counters_held * sizeof *t->counters);
}
