#include "analyzer/analyses/calls/calls.h"

#include "common/raw/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const uint32_t key[KEY_NUMBERS])
{
  uint64_t hash = 0;
  for (unsigned i = 0; i < KEY_NUMBERS; i++)
    hash = hash_mix(hash ^ ((uint64_t)key[i] + 1));
  return hash;
}

/* Different keys may have one hash: then the next hash is tried. */
static struct key_sum *key_sums_find(struct key_sums *sums, const struct key_sum *wanted)
{
  for (uint64_t hash = hash_of(wanted->key);; hash = hash_mix(hash + 1)) {
    const uint64_t *at = hash_find(&sums->by_key, hash);
    if (at && memcmp(sums->items.items[*at].key, wanted->key, sizeof wanted->key) == 0)
      return &sums->items.items[*at];
    if (at)
      continue;
    struct key_sum fresh = {0};
    memcpy(fresh.key, wanted->key, sizeof fresh.key);
    if (!vector_push(&sums->items, fresh))
      return NULL;
    if (hash_add(&sums->by_key, hash, sums->items.count - 1))
      return &sums->items.items[sums->items.count - 1];
    sums->items.count--;
    return NULL;
  }
}

bool key_sums_add(struct key_sums *sums, const struct key_sum *more)
{
  struct key_sum *sum = key_sums_find(sums, more);
  for (unsigned i = 0; sum && i < KEY_VALUES; i++)
    sum->values[i] += more->values[i];
  return sum != NULL;
}

bool key_sums_merge(struct key_sums *into, const struct key_sums *from)
{
  for (size_t i = 0; i < from->items.count; i++)
    if (!key_sums_add(into, &from->items.items[i]))
      return false;
  return true;
}

static int key_sums_compare(const void *of_a, const void *of_b)
{
  const struct key_sum *a = of_a, *b = of_b;
  for (unsigned i = 0; i < KEY_NUMBERS; i++)
    if (a->key[i] != b->key[i])
      return a->key[i] < b->key[i] ? -1 : 1;
  return 0;
}

void key_sums_sort(struct key_sums *sums)
{
  hash_free(&sums->by_key);
  if (sums->items.count > 0)
    qsort(sums->items.items, sums->items.count, sizeof *sums->items.items, key_sums_compare);
}

void key_sums_free(struct key_sums *sums)
{
  vector_free(&sums->items);
  hash_free(&sums->by_key);
}

/* A worker's sums: keys of cells are context, location, construct, state, trigger; keys of times are location,
 * construct, state. */
struct part {
  struct key_sums cells, times;
};

struct calls_analysis {
  const struct trace *trace;
  const struct samples *samples;
  unsigned workers;
  struct part *parts; /* by worker */
};

struct calls_lane {
  struct calls_analysis *analysis;
  uint32_t location;
  struct part *part;             /* the worker's */
  struct samples_stream *stream; /* NULL: none is looked at */
  bool out_of_memory;
};

static bool begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  struct calls_analysis *analysis = context;
  struct calls_lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location->number;
  return samples_stream_of(analysis->trace, analysis->samples, location->number, &lane->stream, error);
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  samples_stream_close(((struct calls_lane *)opened)->stream);
}

static void brought_by(void *opened, unsigned worker)
{
  struct calls_lane *lane = opened;
  lane->part = &lane->analysis->parts[worker];
}

static void add_sample(struct calls_lane *lane, const struct samples_event *event, uint32_t state, uint32_t construct)
{
  if (!trace_time_is_inside(lane->analysis->trace, event->time))
    return;
  struct key_sum sum = {{event->context, lane->location, construct, state, event->trigger}, {event->weight}};
  lane->out_of_memory |= !key_sums_add(&lane->part->cells, &sum);
}

/* Those before a time. Samples and intervals are both in order of time. */
static void add_until(struct calls_lane *lane, uint64_t until, uint32_t state, uint32_t construct)
{
  const struct samples_event *event;
  while (!lane->out_of_memory && (event = samples_stream_peek(lane->stream)) != NULL && event->time < until) {
    add_sample(lane, event, state, construct);
    samples_stream_take(lane->stream);
  }
}

static bool is_on_processor(enum state state)
{
  return state != STATE_READY && state != STATE_OFF && state != STATE_UNMEASURED;
}

static void take_interval(void *opened, const struct state_interval *interval)
{
  struct calls_lane *lane = opened;
  if (!lane->stream)
    return;
  add_until(lane, interval->start, CALLS_OUTSIDE, TRACE_NONE);
  add_until(lane, interval->end, interval->state, interval->construct);
  uint64_t ticks = interval->end - interval->start;
  struct key_sum time = {{lane->location, interval->construct, interval->state},
                         {ticks, is_on_processor(interval->state) ? ticks - interval->off : 0}};
  lane->out_of_memory |= !key_sums_add(&lane->part->times, &time);
}

static bool end_lane(void *opened)
{
  struct calls_lane *lane = opened;
  if (!lane->stream)
    return true;
  add_until(lane, UINT64_MAX, CALLS_OUTSIDE, TRACE_NONE);
  return !samples_stream_failed(lane->stream) && !lane->out_of_memory;
}

static bool calls_begin(void *state, const struct analysis_input *input)
{
  struct calls_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->samples = input->options;
  analysis->workers = pool_workers(input->pool);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  return analysis->parts != NULL;
}

/* `part` is used up. False: no memory. */
static bool make_calls(struct part *part, struct calls *calls)
{
  key_sums_sort(&part->cells);
  key_sums_sort(&part->times);
  calls->cells = calloc(part->cells.items.count + 1, sizeof *calls->cells);
  calls->times = calloc(part->times.items.count + 1, sizeof *calls->times);
  if (!calls->cells || !calls->times)
    return false;
  for (size_t i = 0; i < part->cells.items.count; i++) {
    const struct key_sum *sum = &part->cells.items.items[i];
    calls->cells[calls->cell_count++] = (struct calls_cell){.context = sum->key[0],
                                                            .location = sum->key[1],
                                                            .construct = sum->key[2],
                                                            .state = sum->key[3],
                                                            .trigger = sum->key[4],
                                                            .samples = (uint64_t)sum->values[0]};
  }
  for (size_t i = 0; i < part->times.items.count; i++) {
    const struct key_sum *sum = &part->times.items.items[i];
    calls->times[calls->time_count++] = (struct calls_time){.location = sum->key[0],
                                                            .construct = sum->key[1],
                                                            .state = sum->key[2],
                                                            .ticks = (uint64_t)sum->values[0],
                                                            .processor = (uint64_t)sum->values[1]};
  }
  return true;
}

static bool calls_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct calls_analysis *analysis = state;
  bool good = true;
  for (unsigned i = 1; good && i < analysis->workers; i++)
    good = key_sums_merge(&analysis->parts[0].cells, &analysis->parts[i].cells) &&
           key_sums_merge(&analysis->parts[0].times, &analysis->parts[i].times);
  return good && make_calls(&analysis->parts[0], result);
}

static void free_part(struct part *part)
{
  key_sums_free(&part->cells);
  key_sums_free(&part->times);
}

static void calls_drop(void *state)
{
  struct calls_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    free_part(&analysis->parts[i]);
  free(analysis->parts);
}

static void calls_free(void *result)
{
  struct calls *calls = result;
  free(calls->cells);
  free(calls->times);
  *calls = (struct calls){0};
}

/* False: no memory. */
static bool add_calls(struct part *part, const struct calls *calls)
{
  bool good = true;
  for (size_t i = 0; good && i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    good = key_sums_add(&part->cells,
                        &(struct key_sum){{cell->context, cell->location, cell->construct, cell->state, cell->trigger},
                                          {cell->samples}});
  }
  for (size_t i = 0; good && i < calls->time_count; i++) {
    const struct calls_time *time = &calls->times[i];
    good = key_sums_add(&part->times, &(struct key_sum){{time->location, time->construct, time->state},
                                                        {time->ticks, time->processor}});
  }
  return good;
}

static bool calls_merge(void *to, void *other)
{
  struct calls *into = to;
  const struct calls *from = other;
  struct part part = {0};
  struct calls both = {0};
  bool good = add_calls(&part, into) && add_calls(&part, from) && make_calls(&part, &both);
  free_part(&part);
  if (!good) {
    calls_free(&both);
    return false;
  }
  calls_free(into);
  *into = both;
  return true;
}

const struct analysis calls_analysis = {.name = "sampled calls",
                                        .state_size = sizeof(struct calls_analysis),
                                        .result_size = sizeof(struct calls),
                                        .begin = calls_begin,
                                        .lanes = {.lane_size = sizeof(struct calls_lane),
                                                  .begin = begin_lane,
                                                  .brought_by = brought_by,
                                                  .interval = take_interval,
                                                  .end = end_lane,
                                                  .close = close_lane},
                                        .end = calls_end,
                                        .drop = calls_drop,
                                        .merge = calls_merge,
                                        .free = calls_free};

uint64_t calls_samples(const struct calls *calls, uint32_t trigger)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < calls->cell_count; i++)
    if (trigger == TRACE_NONE || calls->cells[i].trigger == trigger)
      sum += calls->cells[i].samples;
  return sum;
}

static uint64_t number_of(const struct trace *trace, const char *name)
{
  const char *text = trace_property(trace, TRACE_OF_ARCHIVE, 0, name);
  return text ? strtoull(text, NULL, 10) : 0;
}

uint64_t calls_lost_find(const struct trace *trace, struct calls_lost lost[CALLS_REASONS])
{
  static const struct {
    const char *property, *key, *reason;
  } reasons[CALLS_REASONS] = {
      {ARCHIVE_SAMPLES_LEFT_OUT, "threads_not_recorded", "of threads that were not recorded"},
      {ARCHIVE_SAMPLES_LOST, "not_taken", "that were due, but could not be taken (heddle info has the reasons)"},
      {ARCHIVE_SWITCHES_LOST, "kernel_buffers_full",
       "samples and context switches that did not fit into the kernel's buffers"},
  };
  uint64_t sum = 0;
  for (unsigned i = 0; i < CALLS_REASONS; i++) {
    lost[i] = (struct calls_lost){reasons[i].key, reasons[i].reason, number_of(trace, reasons[i].property)};
    sum += lost[i].count;
  }
  return sum;
}

uint64_t calls_taken(const struct trace *trace)
{
  return number_of(trace, ARCHIVE_SAMPLES);
}

/* So many standard deviations are more than chance. The check covers many threads and constructs. With the usual 2, one
 * in 40 of them would have time in the kernel although it has none. */
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
