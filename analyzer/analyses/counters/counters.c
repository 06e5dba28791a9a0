#include "analyzer/analyses/counters/counters.h"

#include "base/statistics.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(const struct stretch *stretch)
{
  return 1 + stretch->count;
}

/* The piece with a key; it is new if there was none. NULL: no memory. The hash does not have the first ones. */
static struct stretch_piece *piece_of(struct stretch *stretch, uint64_t key)
{
  size_t count = stretch->pieces.count, few = count < STRETCH_FEW ? count : STRETCH_FEW;
  for (size_t i = 0; i < few; i++)
    if (stretch->pieces.items[i].key == key)
      return &stretch->pieces.items[i];
  const uint64_t *known = count > STRETCH_FEW ? hash_find(&stretch->pieces_of, key) : NULL;
  if (known)
    return &stretch->pieces.items[*known];
  if ((count >= STRETCH_FEW && !hash_add(&stretch->pieces_of, key, count)) ||
      !vector_push(&stretch->pieces, ((struct stretch_piece){.key = key})))
    return NULL;
  return &stretch->pieces.items[count];
}

/* In READY and OFF a thread has no processor, so nothing is counted. */
static void add_piece(struct stretch *stretch, const struct state_interval *interval, uint64_t ticks)
{
  uint64_t key = stretch_key(interval->construct, interval->state), length = interval->end - interval->start;
  bool waits = interval->state == STATE_READY || interval->state == STATE_OFF;
  uint64_t off = waits ? ticks : (uint64_t)((wide_total)ticks * interval->off / length);
  struct stretch_piece *piece = piece_of(stretch, key);
  if (!piece) {
    stretch->failed = true;
    return;
  }
  piece->ticks += ticks;
  piece->weight += off < ticks ? ticks - off : 0;
}

static void give(struct stretch *stretch, const struct stretch_share *share)
{
  stretch->failed |= !stretch->take(stretch->context, share);
}

/* Gives each piece its part of one counter's difference. The parts of whole numbers add up to it. */
static void share_out(struct stretch *stretch, unsigned counter, uint64_t difference, bool by_weight, wide_total all)
{
  wide_total before = 0;
  uint64_t given = 0;
  for (size_t i = 0; i < stretch->pieces.count; i++) {
    const struct stretch_piece *piece = &stretch->pieces.items[i];
    uint64_t part = by_weight ? piece->weight : piece->ticks;
    before += part;
    uint64_t up_to = (uint64_t)(difference * before / all);
    struct stretch_share share = {.key = piece->key, .counter = counter, .count = up_to - given, .ticks = piece->ticks};
    share.alone = part == all || part == 0;
    share.others = difference - share.count;
    given = up_to;
    give(stretch, &share);
  }
}

static void forget_pieces(struct stretch *stretch)
{
  if (stretch->pieces.count > 0) {
    stretch->newest = stretch->pieces.items[stretch->pieces.count - 1].key;
    stretch->has_newest = true;
  }
  if (stretch->pieces.count > STRETCH_FEW)
    hash_free(&stretch->pieces_of);
  stretch->pieces.count = 0;
}

/* A reading whose intervals have all come. If there are none, the next reading has its counts. */
static void settle(struct stretch *stretch, uint64_t time, const uint64_t *values)
{
  wide_total weight = 0, ticks = 0;
  for (size_t i = 0; i < stretch->pieces.count; i++) {
    weight += stretch->pieces.items[i].weight;
    ticks += stretch->pieces.items[i].ticks;
  }
  if (stretch->any && ticks == 0)
    return;
  for (unsigned i = 0; stretch->any && i < stretch->count; i++) {
    uint64_t last = stretch->values.items[i];
    share_out(stretch, i, values[i] > last ? values[i] - last : 0, weight > 0, weight > 0 ? weight : ticks);
  }
  if (!vector_resize(&stretch->values, stretch->count)) {
    stretch->failed = true;
    return;
  }
  memcpy(stretch->values.items, values, stretch->count * sizeof *values);
  stretch->any = true;
  stretch->settled = time;
  forget_pieces(stretch);
}

/* Time before the first reading is not counted. */
static void take_time(struct stretch *stretch, const struct state_interval *interval, uint64_t from, uint64_t to)
{
  if (stretch->any && from < to)
    add_piece(stretch, interval, to - from);
}

void stretch_interval(struct stretch *stretch, const struct state_interval *interval)
{
  size_t words = words_of(stretch), done = 0;
  uint64_t at = interval->start > stretch->settled ? interval->start : stretch->settled;
  for (; done < stretch->waiting.count && stretch->waiting.items[done] <= interval->end; done += words) {
    uint64_t time = stretch->waiting.items[done];
    if (time > at) {
      take_time(stretch, interval, at, time);
      at = time;
    }
    settle(stretch, time, &stretch->waiting.items[done + 1]);
  }
  if (done > 0) {
    stretch->waiting.count -= done;
    memmove(stretch->waiting.items, stretch->waiting.items + done, stretch->waiting.count * sizeof(uint64_t));
  }
  take_time(stretch, interval, at, interval->end);
  stretch->reached = interval->end;
}

void stretch_reading(struct stretch *stretch, uint64_t time, const uint64_t *values)
{
  size_t words = words_of(stretch);
  if (!vector_resize(&stretch->latest, stretch->count)) {
    stretch->failed = true;
    return;
  }
  memcpy(stretch->latest.items, values, stretch->count * sizeof *values);
  if (stretch->waiting.count == 0 && (stretch->reached >= time || !stretch->any)) {
    settle(stretch, time, values);
    return;
  }
  if (stretch->waiting.count == STRETCH_WAITING * words)
    stretch->waiting.count -= words;
  if (!vector_make_room(&stretch->waiting, stretch->waiting.count + words)) {
    stretch->failed = true;
    return;
  }
  stretch->waiting.items[stretch->waiting.count] = time;
  memcpy(stretch->waiting.items + stretch->waiting.count + 1, values, stretch->count * sizeof *values);
  stretch->waiting.count += words;
}

/* What is left has no time: what was counted last gets it, so that no count is lost. */
bool stretch_end(struct stretch *stretch)
{
  if (!stretch->any || stretch->failed)
    return !stretch->failed;
  if (stretch->waiting.count > 0)
    settle(stretch, stretch->reached, stretch->latest.items);
  for (unsigned i = 0; stretch->has_newest && i < stretch->count; i++) {
    uint64_t before = stretch->values.items[i], last = stretch->latest.items[i];
    struct stretch_share share = {.key = stretch->newest, .counter = i, .alone = true};
    share.count = last > before ? last - before : 0;
    if (share.count > 0)
      give(stretch, &share);
  }
  return !stretch->failed;
}

void stretch_free(struct stretch *stretch)
{
  vector_free(&stretch->values);
  vector_free(&stretch->latest);
  vector_free(&stretch->pieces);
  vector_free(&stretch->waiting);
  hash_free(&stretch->pieces_of);
}

struct counters_analysis {
  const struct trace *trace;
  unsigned workers, count;
  uint32_t *metrics;      /* by counter */
  uint32_t *counter_of;   /* by metric; TRACE_NONE: none */
  struct counters *parts; /* a worker */
};

struct lane {
  struct counters_analysis *analysis;
  const struct pass_location *location;
  unsigned worker;
  bool thread;
  VECTOR(struct stretch *) stretches; /* by class; few */
  struct stretch *current;            /* that gives shares */
  struct hash row_of;                 /* stretch_key() -> index */
  VECTOR(struct counters_row) rows;
  VECTOR(struct counter_sum) sums;
};

bool counters_exist(const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->metric_count; i++)
    if (trace->metric_counts[i])
      return true;
  return false;
}

void counter_sum_add(struct counter_sum *into, const struct counter_sum *from)
{
  into->count += from->count;
  into->ticks += from->ticks;
  into->shared_ticks += from->shared_ticks;
  into->shared += from->shared;
  into->others += from->others;
}

/* The sums of a thread's row; NULL: no memory. */
static struct counter_sum *row_sums(struct lane *lane, uint64_t key)
{
  unsigned count = lane->analysis->count;
  const uint64_t *known = hash_find(&lane->row_of, key);
  if (known)
    return &lane->sums.items[lane->rows.items[*known].first];
  size_t first = lane->sums.count;
  struct counters_row row = {lane->location->number, (uint32_t)(key >> 8), (enum state)(key & 0xff), first};
  if (!vector_resize(&lane->sums, first + count) || !hash_add(&lane->row_of, key, lane->rows.count) ||
      !vector_push(&lane->rows, row))
    return NULL;
  return &lane->sums.items[first];
}

/* The counter of a member of the current class; TRACE_NONE: it is none. */
static uint32_t counter_of(const struct counters_analysis *analysis, uint32_t class, unsigned member)
{
  uint32_t metric = analysis->trace->metric_classes[class].metrics[member];
  return metric == TRACE_NONE ? TRACE_NONE : analysis->counter_of[metric];
}

static bool take_share(void *opened, const struct stretch_share *share)
{
  struct lane *lane = opened;
  uint32_t counter = counter_of(lane->analysis, lane->current->class, share->counter);
  if (counter == TRACE_NONE)
    return true;
  struct counter_sum *sums = row_sums(lane, share->key);
  if (!sums)
    return false;
  struct counter_sum sum = {.count = share->count, .ticks = share->ticks};
  if (!share->alone) {
    sum.shared_ticks = share->ticks;
    sum.shared = share->count;
    sum.others = share->others;
  }
  counter_sum_add(&sums[counter], &sum);
  return true;
}

static bool begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct counters_analysis *analysis = context;
  struct lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location;
  lane->thread = trace_is_thread(analysis->trace, location->number);
  return true;
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  struct lane *lane = opened;
  for (size_t i = 0; i < lane->stretches.count; i++) {
    stretch_free(lane->stretches.items[i]);
    free(lane->stretches.items[i]);
  }
  vector_free(&lane->stretches);
  vector_free(&lane->rows);
  vector_free(&lane->sums);
  hash_free(&lane->row_of);
}

static void brought_by(void *opened, unsigned worker)
{
  ((struct lane *)opened)->worker = worker;
}

static void take_interval(void *opened, const struct state_interval *interval)
{
  struct lane *lane = opened;
  for (size_t i = 0; i < lane->stretches.count; i++) {
    lane->current = lane->stretches.items[i];
    stretch_interval(lane->current, interval);
  }
}

/* The readings of a class; they begin with the first one. NULL: no memory. */
static struct stretch *stretch_of(struct lane *lane, uint32_t class)
{
  for (size_t i = 0; i < lane->stretches.count; i++)
    if (lane->stretches.items[i]->class == class)
      return lane->stretches.items[i];
  struct stretch *stretch = malloc(sizeof *stretch);
  if (!stretch)
    return NULL;
  *stretch = (struct stretch){
      .take = take_share, .context = lane, .class = class, .count = lane->analysis->trace->metric_classes[class].count};
  if (vector_push(&lane->stretches, stretch))
    return stretch;
  free(stretch);
  return NULL;
}

/* True if a class has counters, and the event a whole number for each of its members. */
static bool is_reading(const struct counters_analysis *analysis, const struct trace_event *event)
{
  const struct trace *trace = analysis->trace;
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE ||
      event->value_count != trace->metric_classes[event->index].count)
    return false;
  bool any = false;
  for (unsigned i = 0; i < event->value_count; i++)
    any |= counter_of(analysis, event->index, i) != TRACE_NONE && event->types[i] != OTF2_TYPE_DOUBLE;
  return any;
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct lane *lane = opened;
  uint64_t values[UINT8_MAX];
  if (!lane->thread || !is_reading(lane->analysis, event))
    return true;
  for (unsigned i = 0; i < event->value_count; i++) {
    bool negative = event->types[i] == OTF2_TYPE_INT64 && event->values[i].signed_int < 0;
    values[i] = event->types[i] == OTF2_TYPE_DOUBLE || negative ? 0 : event->values[i].unsigned_int;
  }
  lane->current = stretch_of(lane, event->index);
  if (!lane->current)
    return false;
  stretch_reading(lane->current, event->time, values);
  return true;
}

/* Adds rows to a list whose rows are others. False: no memory. */
static bool append(struct counters *into, const struct counters_row *rows, size_t row_count,
                   const struct counter_sum *sums, unsigned count)
{
  for (size_t i = 0; i < row_count; i++) {
    struct counters_row row = rows[i];
    size_t first = into->sums.count;
    if (!vector_resize(&into->sums, first + count))
      return false;
    for (unsigned k = 0; k < count; k++)
      into->sums.items[first + k] = sums[row.first + k];
    row.first = first;
    if (!vector_push(&into->rows, row))
      return false;
  }
  return true;
}

static bool keep_rows(void *opened)
{
  struct lane *lane = opened;
  struct counters_analysis *analysis = lane->analysis;
  bool good = true;
  for (size_t i = 0; good && i < lane->stretches.count; i++) {
    lane->current = lane->stretches.items[i];
    good = stretch_end(lane->current);
  }
  return good &&
         append(&analysis->parts[lane->worker], lane->rows.items, lane->rows.count, lane->sums.items, analysis->count);
}

static bool number_counters(struct counters_analysis *analysis)
{
  const struct trace *trace = analysis->trace;
  analysis->metrics = calloc((size_t)trace->metric_count + 1, sizeof *analysis->metrics);
  analysis->counter_of = calloc((size_t)trace->metric_count + 1, sizeof *analysis->counter_of);
  for (uint32_t i = 0; analysis->metrics && analysis->counter_of && i < trace->metric_count; i++) {
    analysis->counter_of[i] = trace->metric_counts[i] ? analysis->count : TRACE_NONE;
    if (trace->metric_counts[i])
      analysis->metrics[analysis->count++] = i;
  }
  return analysis->metrics && analysis->counter_of;
}

static bool begin(void *state, const struct analysis_input *input)
{
  struct counters_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->workers = pool_workers(input->pool);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  return analysis->parts && number_counters(analysis);
}

static void adapt(const void *state, struct subscriber *lanes)
{
  if (counters_exist(((const struct counters_analysis *)state)->trace))
    return;
  lanes->event = NULL;
  lanes->interval = NULL;
}

static int compare_rows(const void *a, const void *b)
{
  const struct counters_row *left = a, *right = b;
  if (left->location != right->location)
    return left->location < right->location ? -1 : 1;
  if (left->construct != right->construct)
    return left->construct < right->construct ? -1 : 1;
  return (left->state > right->state) - (left->state < right->state);
}

static bool end(void *state, void *result, struct error *error)
{
  (void)error;
  struct counters_analysis *analysis = state;
  struct counters *counters = result;
  bool good = true;
  *counters = (struct counters){.count = analysis->count, .metrics = analysis->metrics};
  analysis->metrics = NULL;
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good = append(counters, analysis->parts[i].rows.items, analysis->parts[i].rows.count, analysis->parts[i].sums.items,
                  analysis->count);
  if (counters->rows.count > 0)
    qsort(counters->rows.items, counters->rows.count, sizeof *counters->rows.items, compare_rows);
  return good;
}

static void free_counters(void *result)
{
  struct counters *counters = result;
  free(counters->metrics);
  vector_free(&counters->rows);
  vector_free(&counters->sums);
  *counters = (struct counters){.count = 0};
}

static void drop(void *state)
{
  struct counters_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    free_counters(&analysis->parts[i]);
  free(analysis->parts);
  free(analysis->metrics);
  free(analysis->counter_of);
}

const struct analysis counters_analysis = {.name = "counters",
                                           .state_size = sizeof(struct counters_analysis),
                                           .result_size = sizeof(struct counters),
                                           .begin = begin,
                                           .lanes = {.lane_size = sizeof(struct lane),
                                                     .begin = begin_lane,
                                                     .brought_by = brought_by,
                                                     .event = take_event,
                                                     .interval = take_interval,
                                                     .end = keep_rows,
                                                     .close = close_lane},
                                           .adapt = adapt,
                                           .end = end,
                                           .drop = drop,
                                           .free = free_counters};

/* A name as ours, perhaps with `:u` and such behind it, or PAPI's. */
static int find_counter(const struct trace *trace, const struct counters *counters, const char *ours, const char *papi)
{
  size_t length = strlen(ours);
  for (unsigned i = 0; i < counters->count; i++) {
    const char *name = trace->metrics[counters->metrics[i]];
    bool is = strncmp(name, ours, length) == 0 && (name[length] == '\0' || name[length] == ':');
    if (is || strcmp(name, papi) == 0)
      return (int)i;
  }
  return -1;
}

int counters_instructions(const struct trace *trace, const struct counters *counters)
{
  return find_counter(trace, counters, "instructions", "PAPI_TOT_INS");
}

int counters_cycles(const struct trace *trace, const struct counters *counters)
{
  return find_counter(trace, counters, "cycles", "PAPI_TOT_CYC");
}

bool counters_are_scaled(const struct trace *trace, uint32_t location, const char *counter)
{
  const char *names = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_COUNTERS_SCALED);
  size_t length = strlen(counter);
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, counter, length) == 0 && (at[length] == ',' || at[length] == '\0'))
      return true;
  return false;
}
