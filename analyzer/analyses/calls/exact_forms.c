/* Exact calls in place of samples: which of both is shown, and the form of samples. */
#include "analyzer/analyses/calls/exact.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

const struct samples_trigger calls_exact_triggers[EXACT_TRIGGERS] = {
    [EXACT_TIME] = {.name = "time", .timed = true, .period = 1},
    [EXACT_BLOCKED_TIME] = {.name = "blocked", .timed = true, .period = 1},
    [EXACT_NUMBER] = {.name = "calls", .timed = false, .period = 1},
};

/* Rounded; sums of damaged archives may be too large. */
static uint64_t ns_of(const struct trace *trace, wide_total ticks)
{
  enum { NS = 1000000000 };
  uint64_t second = trace->ticks_per_second > 0 ? trace->ticks_per_second : NS;
  wide_total ns = ticks / second * NS + (ticks % second * NS + second / 2) / second;
  return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

bool calls_exact_as_sums(const struct trace *trace, const struct calls_exact *exact, struct calls *calls)
{
  *calls = (struct calls){.cells = calloc(exact->cell_count * EXACT_TRIGGERS + 1, sizeof *calls->cells)};
  for (size_t i = 0; calls->cells && i < exact->cell_count; i++) {
    const struct calls_exact_cell *of = &exact->cells[i];
    const struct calls_exact_sums *sums = &of->sums;
    const uint64_t numbers[EXACT_TRIGGERS] = {
        [EXACT_TIME] = ns_of(trace, sums->self + sums->blocked),
        [EXACT_BLOCKED_TIME] = ns_of(trace, sums->blocked),
        [EXACT_NUMBER] = sums->calls < UINT64_MAX ? (uint64_t)sums->calls : UINT64_MAX,
    };
    for (uint32_t k = 0; k < EXACT_TRIGGERS; k++)
      if (numbers[k] > 0)
        calls->cells[calls->cell_count++] = (struct calls_cell){.context = of->context,
                                                                .location = of->location,
                                                                .construct = TRACE_NONE,
                                                                .state = CALLS_OUTSIDE,
                                                                .trigger = k,
                                                                .samples = numbers[k]};
  }
  return calls->cells;
}

bool calls_has_samples(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES) != NULL;
}

bool calls_use_choose(const struct trace *trace, enum calls_use wanted, bool *exact, struct error *error)
{
  bool calls = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CALLS) != NULL, samples = calls_has_samples(trace);
  *exact = wanted == CALLS_USE_EXACT || (wanted == CALLS_USE_ANY && calls);
  if (!calls && !samples)
    return error_set(error,
                     "%s: was recorded without samples and without exact calls: record with `heddle record --sample` "
                     "or `heddle record --calls`",
                     trace->anchor);
  if (*exact && !calls)
    return error_set(error, "%s: has samples and no exact calls: record with `heddle record --calls`", trace->anchor);
  if (!*exact && !samples)
    return error_set(error, "%s: has exact calls and no samples: record with `heddle record --sample`", trace->anchor);
  return true;
}

bool calls_exact_refuse(const struct trace *trace, const char *option, struct error *error)
{
  return error_set(error, "%s: exact calls are sums of the run by function and thread, %s is for samples: %s",
                   trace->anchor, option,
                   calls_has_samples(trace) ? "add --use samples" : "record with `heddle record --sample`");
}
