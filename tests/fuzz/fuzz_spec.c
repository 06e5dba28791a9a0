/*
 * libFuzzer target: any bytes as a specification of events and intervals. A mistake has a place; a specification
 * without mistakes has a plan, and its intervals take a stream of events within memory and time.
 */
#include "analyzer/analyses/intervals/match.h"
#include "analyzer/analyses/intervals/plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS = 60, INTERVALS_MOST = 4, SLOTS_MOST = 64 };

static void require(bool condition)
{
  if (!condition)
    abort();
}

static bool take(void *context, const struct spec_interval *interval, const struct match_point *start,
                 const struct match_point *end)
{
  uint64_t *count = context;
  require(interval && start->number < end->number && start->time <= end->time);
  ++*count;
  return true;
}

static bool is_of(const struct spec_end *end, uint64_t number, uint32_t count)
{
  return end->event->index == number % count;
}

/* Each event of the specification in turn, with values of all types. */
static void match_some(const struct spec *spec, const struct plan_interval *plan)
{
  static const char *const texts[] = {"", "a", "b"};
  struct error error;
  uint64_t found = 0;
  struct match_options options = {.slots = spec->slot_count, .work = 10000, .sink = take, .context = &found};
  struct match *match = match_create(plan, &options);
  struct spec_value values[SLOTS_MOST];
  bool good = match;
  for (uint64_t i = 0; good && i < EVENTS; i++) {
    struct match_point point = {.time = i / 3, .number = i + 1, .thread = (uint32_t)(i % 2)};
    uint64_t which = i * 2654435761u >> 7;
    uint32_t at = 0;
    for (uint32_t s = 0; s < spec->slot_count; s++) {
      values[s] = (struct spec_value){.type = SPEC_INTEGER, .integer = (int64_t)(i % 5)};
      if ((i + s) % 4 == 1)
        values[s] = (struct spec_value){.type = SPEC_REAL, .real = (double)i / 2};
      else if ((i + s) % 4 == 2)
        values[s] = (struct spec_value){.type = SPEC_TEXT, .text = texts[i % 3]};
      else if ((i + s) % 11 == 3)
        values[s] = (struct spec_value){.type = SPEC_ANY};
    }
    if (is_of(plan->interval->end, which, spec->event_count))
      good = match_end(match, &point, values, &error);
    for (const struct spec_between *b = plan->interval->between; good && b; b = b->next, at++)
      if (is_of(&b->end, which, spec->event_count))
        good = match_between(match, at, &point, values, &error);
    if (good && is_of(plan->interval->start, which, spec->event_count))
      good = match_start(match, &point, values, &error);
  }
  if (good)
    require(match_finish(match, &error) && match_counts(match)->intervals == found);
  match_free(match);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {.message = ""};
  struct spec *spec = spec_parse("f", (const char *)data, size, &error);
  if (!spec || !spec_check(spec, &error)) {
    require(strncmp(error.message, "f:", 2) == 0 && error.message[2] != ' ');
    spec_free(spec);
    return 0;
  }
  struct match_plan *plan = plan_create(spec);
  require(plan && plan->count == spec->interval_count);
  for (uint32_t i = 0; i < plan->count && i < INTERVALS_MOST && spec->slot_count <= SLOTS_MOST; i++)
    match_some(spec, &plan->intervals[i]);
  plan_free(plan);
  spec_free(spec);
  return 0;
}
