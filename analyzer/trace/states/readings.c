#include "analyzer/trace/states/readings.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

bool readings_exist(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_READINGS) != NULL;
}

/* A part of an interval that lies in the time of a reading. */
struct candidate {
  uint64_t length;
  const struct readings_piece *piece;
};

static bool is_work(const struct candidate *candidate)
{
  return candidate->piece->state == STATE_RUN;
}

static int compare(const void *a, const void *b)
{
  const struct candidate *left = a, *right = b;
  if (is_work(left) != is_work(right))
    return is_work(left) ? 1 : -1;
  if (left->length != right->length)
    return left->length > right->length ? -1 : 1;
  return (left->piece > right->piece) - (left->piece < right->piece);
}

static size_t find_candidates(const struct readings *readings, struct candidate *found)
{
  size_t count = 0;
  for (size_t i = 0; i < readings->pieces.count; i++) {
    const struct readings_piece *piece = &readings->pieces.items[i];
    uint64_t start = piece->start > readings->since ? piece->start : readings->since;
    uint64_t end = piece->end < readings->time ? piece->end : readings->time;
    if (start < end)
      found[count++] = (struct candidate){end - start, piece};
  }
  qsort(found, count, sizeof *found, compare);
  return count;
}

static uint64_t ticks_of(const struct readings *readings, uint64_t ns)
{
  wide_total ticks = (wide_total)ns * readings->trace->ticks_per_second / 1000000000u;
  return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

/* The part of `ready` for `off` of `all`. */
static uint64_t part_of(uint64_t ready, uint64_t off, uint64_t all)
{
  return (uint64_t)((wide_total)ready * off / all);
}

/* Later readings are of later intervals. */
static void forget(struct readings *readings)
{
  size_t kept = 0;
  for (size_t i = 0; i < readings->pieces.count; i++)
    if (readings->pieces.items[i].end > readings->time)
      readings->pieces.items[kept++] = readings->pieces.items[i];
  readings->pieces.count = kept;
}

static void share_out(struct readings *readings)
{
  struct candidate candidates[READINGS_PIECES];
  size_t count = find_candidates(readings, candidates);
  uint64_t off = ticks_of(readings, readings->off_ns), ready = ticks_of(readings, readings->ready_ns);
  for (size_t i = 0; i < count && off > 0; i++) {
    const struct readings_piece *piece = candidates[i].piece;
    struct readings_share share = {piece->state, piece->construct, piece->around, 0, 0};
    share.off = candidates[i].length < off ? candidates[i].length : off;
    share.ready = part_of(ready < off ? ready : off, share.off, off);
    off -= share.off;
    ready -= share.ready;
    readings->failed |= !readings->take(readings->context, &share);
  }
  readings->waits = false;
  forget(readings);
}

void readings_interval(struct readings *readings, const struct state_interval *interval, uint32_t around)
{
  struct readings_piece piece = {interval->start, interval->end, interval->construct, around, interval->state};
  size_t count = readings->pieces.count;
  struct readings_piece *last = count > 0 ? &readings->pieces.items[count - 1] : NULL;
  if (last && last->state == piece.state && last->construct == piece.construct && last->around == around &&
      last->end == piece.start) {
    last->end = piece.end;
  } else {
    if (count == READINGS_PIECES) {
      readings->pieces.count = READINGS_PIECES / 2;
      memmove(readings->pieces.items, &readings->pieces.items[READINGS_PIECES / 2], READINGS_PIECES / 2 * sizeof piece);
    }
    readings->failed |= !vector_push(&readings->pieces, piece);
  }
  if (readings->waits && interval->end >= readings->time)
    share_out(readings);
}

void readings_event(struct readings *readings, const struct trace_event *event)
{
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE || event->value_count < 3)
    return;
  const struct trace_metric_class *class = &readings->trace->metric_classes[event->index];
  if (class->count < 3 || class->metrics[0] == TRACE_NONE ||
      strcmp(readings->trace->metrics[class->metrics[0]], NAME_METRIC_OFF) != 0)
    return;
  for (unsigned i = 0; i < 3; i++)
    if (event->types[i] != OTF2_TYPE_UINT64)
      return;
  if (readings->waits)
    share_out(readings);
  uint64_t since = event->values[2].unsigned_int;
  readings->waits = true;
  readings->time = event->time;
  readings->since = since < event->time ? event->time - since : 0;
  readings->off_ns = event->values[0].unsigned_int;
  readings->ready_ns = event->values[1].unsigned_int;
}

bool readings_end(struct readings *readings)
{
  if (readings->waits)
    share_out(readings);
  return !readings->failed;
}

void readings_free(struct readings *readings)
{
  vector_free(&readings->pieces);
}
