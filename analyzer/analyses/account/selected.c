/* The account of selected threads (--only-threads): their own time by cause, with all that is known of the others. */
#include "analyzer/analyses/account/sweep_state.h"

#include "analyzer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

struct selected_part {
  struct past begin, end; /* of what is looked at */
};

static bool is_selected(const struct trace *trace, uint32_t location)
{
  return trace_is_program_thread(trace, location) && !trace->locations[location].excluded;
}

uint32_t selected_count(const struct trace *trace)
{
  uint32_t selected = 0, others = 0;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    selected += is_selected(trace, i);
    others += trace_is_program_thread(trace, i) && trace->locations[i].excluded;
  }
  return others > 0 ? selected : 0;
}

bool selected_begin(struct sweep *sweep)
{
  if (selected_count(sweep->trace) > 0)
    sweep->selected = calloc((size_t)sweep->trace->location_count + 1, sizeof *sweep->selected);
  return sweep->selected || selected_count(sweep->trace) == 0;
}

void selected_mark(struct sweep *sweep, bool end)
{
  for (uint32_t i = 0; i < sweep->trace->location_count; i++)
    if (is_selected(sweep->trace, i))
      sweep_take_past(sweep, i, end ? &sweep->selected[i].end : &sweep->selected[i].begin);
}

static uint64_t at(const struct past *past, size_t part)
{
  return part < past->ticks.count ? past->ticks.items[part] : 0;
}

/* What the selected threads did in place of what the processors did. The rest is time in which they did not live. */
void selected_book(struct sweep *sweep)
{
  struct causes *causes = sweep->causes;
  uint64_t duration = sweep->to > sweep->from ? sweep->to - sweep->from : 0;
  fine_ticks left = ((fine_ticks)duration << FINE_SHIFT) * selected_count(sweep->trace);
  for (size_t i = 0; i < causes->list.count; i++)
    causes->list.items[i].ticks = 0;
  hash_free(&causes->blamed);
  for (uint32_t i = 0; i < sweep->trace->location_count; i++) {
    const struct selected_part *part = &sweep->selected[i];
    const struct mix *sums = &sweep->threads[i].sums;
    for (size_t k = 0; is_selected(sweep->trace, i) && k < sums->parts.count; k++) {
      uint64_t until = part->end.taken ? at(&part->end, k) : sums->parts.items[k].ticks, since = at(&part->begin, k);
      fine_ticks ticks = until > since ? (fine_ticks)(until - since) << FINE_SHIFT : 0;
      ticks = ticks < left ? ticks : left;
      causes_book(causes, sums->parts.items[k].cause, ticks, i);
      left -= ticks;
    }
  }
  for (uint32_t i = 0; i < sweep->trace->location_count; i++) {
    for (size_t k = 0; is_selected(sweep->trace, i) && k < sweep->threads[i].waits.count; k++) {
      const struct open_wait *wait = &sweep->threads[i].waits.items[k];
      fine_ticks ticks = wait->released ? 0 : (fine_ticks)wait->pending << FINE_SHIFT;
      ticks = ticks < left ? ticks : left;
      causes_book(causes, sweep_cause_of_open(sweep, wait), ticks, i);
      left -= ticks;
    }
  }
  causes_book(causes, cause_of(causes, ACCOUNT_OUTSIDE, NOTE_NONE, TRACE_NONE), left, TRACE_NONE);
}

void selected_free(struct sweep *sweep)
{
  for (uint32_t i = 0; sweep->selected && i < sweep->trace->location_count; i++) {
    past_free(&sweep->selected[i].begin);
    past_free(&sweep->selected[i].end);
  }
  free(sweep->selected);
}
