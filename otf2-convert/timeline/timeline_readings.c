/*
 * What threads read themselves of their time without a processor. A reading goes behind the event at whose time it was
 * made, so that the construct which ends there has it. Events of that time may come late, and be written at an earlier
 * time: readings wait for them, and are added up meanwhile.
 */
#include "otf2-convert/timeline/timeline_records.h"

static uint64_t sum_of(uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void hold_reading(struct timeline *t, const uint64_t *record, uint64_t time)
{
  struct held_reading *held = &t->reading;
  uint64_t passed = raw_value_of(record[0]) < record[1] ? raw_value_of(record[0]) : record[1];
  uint64_t since = process_time_before(t->location->process, record[1] - passed, time);
  if (!held->waits)
    *held = (struct held_reading){.waits = true, .since = since};
  if (since < held->since)
    held->since = since;
  held->time = time;
  held->undecided |= t->attention & ~(unsigned)(ATTEND_GC | ATTEND_RESUMED);
  held->off = sum_of(held->off, record[2]);
  held->ready = sum_of(held->ready, record[3] < record[2] ? record[3] : record[2]);
}

void show_reading(struct timeline *t, uint64_t time, bool last)
{
  struct held_reading *held = &t->reading;
  held->undecided &= t->attention;
  if (!last && (held->undecided != 0 || time <= held->time))
    return;
  uint64_t since = held->since < held->time ? held->time - held->since : 0;
  sink_metrics(&t->sink, held->time, (uint64_t[]){held->off, held->ready, since});
  t->counts.readings++;
  held->waits = false;
}
