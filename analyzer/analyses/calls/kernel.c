#include "analyzer/analyses/calls/kernel.h"

#include "analyzer/analyses/calls/key_sums.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many standard deviations are more than chance. Many threads and constructs are looked at: with the usual 2, one in
 * 40 of them would have time in the kernel although it has none. */
#define BEYOND_CHANCE 3.0

/* Values: ticks on a processor; samples. UNMEASURED time has no known states: neither its ticks nor its samples count.
 */
static bool kernel_add_up(const struct calls *calls, uint32_t trigger, struct key_sums *sums)
{
  bool good = true;
  for (size_t i = 0; good && i < calls->time_count; i++) {
    const struct calls_time *time = &calls->times[i];
    good = key_sums_add(sums, &(struct key_sum){{time->location, time->construct}, {time->processor, 0}});
  }
  for (size_t i = 0; good && i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    if (cell->trigger == trigger && cell->state != STATE_UNMEASURED && cell->state != CALLS_OUTSIDE)
      good = key_sums_add(sums, &(struct key_sum){{cell->location, cell->construct}, {0, cell->samples}});
  }
  return good;
}

/* Java's agent takes samples of its threads' time in the kernel, too: what they do not explain are lost ones. */
static bool is_sampled_there(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  const char *id = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_JAVA_ID);
  return id && strcmp(id, "0") != 0 && process != TRACE_NONE &&
         trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_JAVA_SAMPLED);
}

/* Periods of the timer that fall into the time are at most as uncertain as a Poisson process' events. */
static void kernel_take(struct calls_kernel *kernel, const struct key_sum *sum, double period)
{
  double expected = (double)sum->values[0] / period, missing = expected - (double)sum->values[1];
  double deviation = sqrt(expected);
  if (missing <= 1 + BEYOND_CHANCE * deviation)
    return;
  kernel->list[kernel->count++] =
      (struct calls_kernel_time){sum->key[0], sum->key[1], missing * period, deviation * period};
}

bool calls_kernel_find(const struct trace *trace, const struct samples *samples, const struct calls *calls,
                       uint32_t trigger, struct calls_kernel *kernel)
{
  *kernel = (struct calls_kernel){0};
  const struct samples_trigger *of = trigger < samples->trigger_count ? &samples->triggers[trigger] : NULL;
  if (!of || !of->timed || of->waits || of->period == 0 || trace->ticks_per_second == 0 ||
      !trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SWITCHES))
    return true;
  struct key_sums sums = {0};
  bool good = kernel_add_up(calls, trigger, &sums);
  if (good)
    key_sums_sort(&sums);
  kernel->list = calloc(sums.items.count + 1, sizeof *kernel->list);
  good = good && kernel->list;
  bool there = false; /* the thread at hand */
  for (size_t i = 0; good && i < sums.items.count; i++) {
    const struct key_sum *sum = &sums.items.items[i];
    if (i == 0 || sum->key[0] != sum[-1].key[0])
      there = is_sampled_there(trace, sum->key[0]);
    if (!there)
      kernel_take(kernel, sum, (double)of->period * (double)trace->ticks_per_second / 1e9);
  }
  key_sums_free(&sums);
  kernel->known = good;
  return good;
}

void calls_kernel_free(struct calls_kernel *kernel)
{
  free(kernel->list);
  *kernel = (struct calls_kernel){0};
}
