#include "analyzer/analyses/intervals/interval_contents.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

/* A group of intervals begins, or ends, on a thread: one more is open, or one less. */
struct step {
  uint64_t time;
  uint32_t group;
  int32_t by;
};

struct group_sum {
  uint32_t group;
  uint32_t state; /* likewise INSIDE_SAMPLES */
  uint32_t construct;
  wide_total amount; /* ticks or samples */
};

struct looker;

/* A location. `open` has the intervals of each group that are open now. */
struct lane {
  VECTOR(struct step) steps;
  size_t next; /* step */
  uint64_t *open;
  uint32_t *active; /* groups with open ones */
  uint32_t active_count;
  struct hash at; /* group, state and construct -> sum */
  VECTOR(struct group_sum) sums;
  struct samples_stream *stream; /* NULL: no samples */
  const struct looker *looker;
  bool failed; /* the samples cannot be read */
  bool no_memory;
};

struct looker {
  const struct trace *trace;
  const struct samples *samples; /* NULL: there are none */
  struct lane *lanes;            /* by location */
  uint32_t groups;
};

/* Intervals of a kind, intervals that begin or end on a thread, and the slow ones of them. */
static uint32_t group_of(uint32_t kind, enum inside_thread thread, bool slow)
{
  return (kind * INSIDE_THREADS + thread) * 2 + slow;
}

static int by_length(const void *a, const void *b)
{
  const struct interval_taken *x = a, *y = b;
  uint64_t long_x = x->end - x->begin, long_y = y->end - y->begin;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (long_x != long_y)
    return long_x > long_y ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void add_to_group(struct inside_group *group, uint64_t ticks)
{
  group->count++;
  group->total += ticks;
  group->shortest = ticks; /* the longest comes first */
}

static void mark_slow(struct intervals_taken *taken, struct inside_slow slow, struct inside *inside)
{
  struct interval_taken *list = taken->list.items;
  if (taken->list.count > 1)
    qsort(list, taken->list.count, sizeof *list, by_length);
  for (size_t first = 0, end; first < taken->list.count; first = end) {
    for (end = first; end < taken->list.count && list[end].kind == list[first].kind; end++)
      ;
    uint64_t most = slow.longest ? slow.longest : (uint64_t)ceil(slow.part * (double)(end - first));
    for (size_t i = first; i < end; i++) {
      struct inside_kind *kind = &inside->kinds[list[i].kind];
      list[i].slow = i - first < most;
      add_to_group(list[i].slow ? &kind->slow : &kind->others, list[i].end - list[i].begin);
    }
  }
}

static bool add_steps(struct looker *looker, const struct interval_taken *one, uint32_t location,
                      enum inside_thread thread)
{
  struct step begin = {.time = one->begin, .group = group_of(one->kind, thread, one->slow), .by = 1};
  struct step end = {.time = one->end, .group = begin.group, .by = -1};
  struct lane *lane = &looker->lanes[location];
  return vector_push(&lane->steps, begin) && vector_push(&lane->steps, end);
}

static int by_time(const void *a, const void *b)
{
  const struct step *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return y->by - x->by; /* one that takes no time begins before it ends */
}

static bool make_lanes(struct looker *looker, const struct intervals_taken *taken)
{
  looker->lanes = calloc(looker->trace->location_count + 1, sizeof *looker->lanes);
  bool good = looker->lanes;
  for (size_t i = 0; good && i < taken->list.count; i++) {
    const struct interval_taken *one = &taken->list.items[i];
    good = one->from == one->to
               ? add_steps(looker, one, one->from, INSIDE_SAME)
               : add_steps(looker, one, one->from, INSIDE_FROM) && add_steps(looker, one, one->to, INSIDE_TO);
  }
  for (uint32_t i = 0; good && i < looker->trace->location_count; i++) {
    struct lane *lane = &looker->lanes[i];
    if (lane->steps.count == 0)
      continue;
    qsort(lane->steps.items, lane->steps.count, sizeof *lane->steps.items, by_time);
    lane->open = calloc(looker->groups, sizeof *lane->open);
    lane->active = calloc(looker->groups, sizeof *lane->active);
    good = lane->open && lane->active;
  }
  return good;
}

static void *inside_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct looker *looker = context;
  struct lane *lane = &looker->lanes[location->number];
  lane->looker = looker;
  bool good = !looker->samples || lane->steps.count == 0 ||
              samples_stream_of(looker->trace, looker->samples, location->number, &lane->stream, error);
  return good ? lane : NULL;
}

static void inside_close_lane(void *context, void *opened)
{
  (void)context;
  struct lane *lane = opened;
  if (lane && lane->stream)
    samples_stream_close(lane->stream);
  if (lane)
    lane->stream = NULL;
}

static bool wants_events(const void *opened)
{
  const struct lane *lane = opened;
  return lane->steps.count > 0;
}

static void step(struct lane *lane)
{
  const struct step *step = &lane->steps.items[lane->next++];
  uint64_t before = lane->open[step->group];
  lane->open[step->group] += (uint64_t)(int64_t)step->by;
  if (before == 0) {
    lane->active[lane->active_count++] = step->group;
  } else if (lane->open[step->group] == 0) {
    uint32_t at = 0;
    while (lane->active[at] != step->group)
      at++;
    lane->active[at] = lane->active[--lane->active_count];
  }
}

static uint64_t key_of(uint32_t group, uint32_t state, uint32_t construct)
{
  return ((uint64_t)group * (INSIDE_SAMPLES + 1) + state) << 32 | construct;
}

/* For all that are open. */
static bool inside_add(struct lane *lane, uint32_t state, uint32_t construct, uint64_t amount)
{
  for (uint32_t i = 0; amount > 0 && i < lane->active_count; i++) {
    uint32_t group = lane->active[i];
    uint64_t key = key_of(group, state, construct), *at;
    if (!(at = hash_find(&lane->at, key))) {
      struct group_sum sum = {.group = group, .state = state, .construct = construct};
      at = hash_add(&lane->at, key, lane->sums.count);
      if (!at || !vector_push(&lane->sums, sum))
        return false;
    }
    lane->sums.items[*at].amount += (wide_total)amount * lane->open[group];
  }
  return true;
}

/* The samples of a time in which the same intervals are open. Samples of events, such as page faults, measure no
 * time. */
static bool add_samples(const struct looker *looker, struct lane *lane, uint64_t from, uint64_t to)
{
  const struct samples_event *event;
  bool good = true;
  while (good && lane->stream && (event = samples_stream_peek(lane->stream)) && event->time < to) {
    bool timed = event->trigger < looker->samples->trigger_count && looker->samples->triggers[event->trigger].timed;
    if (event->time >= from && timed)
      good = inside_add(lane, INSIDE_SAMPLES, looker->samples->contexts[event->context].function, event->weight);
    samples_stream_take(lane->stream);
  }
  lane->failed = lane->stream && samples_stream_failed(lane->stream);
  return good;
}

static void take_state(void *opened, const struct state_interval *interval)
{
  struct lane *lane = opened;
  const struct looker *looker = lane->looker;
  uint64_t from = interval->start;
  while (from < interval->end && !lane->no_memory && !lane->failed) {
    while (lane->next < lane->steps.count && lane->steps.items[lane->next].time <= from)
      step(lane);
    uint64_t to = interval->end;
    if (lane->next < lane->steps.count && lane->steps.items[lane->next].time < to)
      to = lane->steps.items[lane->next].time;
    lane->no_memory =
        !inside_add(lane, interval->state, interval->construct, to - from) || !add_samples(looker, lane, from, to);
    from = to;
  }
}

/* The stream has filled in the error. */
static bool samples_were_read(const struct looker *looker)
{
  bool good = true;
  for (uint32_t i = 0; good && i < looker->trace->location_count; i++)
    good = !looker->lanes[i].failed;
  return good;
}

static uint64_t row_key(const struct group_sum *sum)
{
  return key_of(sum->group / 2, sum->state, sum->construct);
}

/* The sums of all lanes, slow ones beside the others. */
static bool add_up(const struct looker *looker, struct inside *inside)
{
  struct hash rows = {0};
  bool good = true;
  for (uint32_t i = 0; good && i < looker->trace->location_count; i++) {
    const struct lane *lane = &looker->lanes[i];
    good = !lane->no_memory;
    for (size_t k = 0; good && k < lane->sums.count; k++) {
      const struct group_sum *sum = &lane->sums.items[k];
      uint64_t *at = hash_find(&rows, row_key(sum));
      if (!at) {
        good =
            array_make_room(inside->rows, inside->row_count) && (at = hash_add(&rows, row_key(sum), inside->row_count));
        if (!good)
          break;
        inside->rows[inside->row_count++] =
            (struct inside_row){.kind = sum->group / 2 / INSIDE_THREADS,
                                .thread = (enum inside_thread)(sum->group / 2 % INSIDE_THREADS),
                                .state = sum->state,
                                .construct = sum->construct};
      }
      struct inside_row *row = &inside->rows[*at];
      *(sum->group % 2 ? &row->slow : &row->others) += sum->amount;
    }
  }
  hash_free(&rows);
  return good;
}

static double mean_of(wide_total amount, const struct inside_group *group)
{
  return group->count ? (double)amount / (double)group->count : 0;
}

double inside_more(const struct inside *inside, const struct inside_row *row)
{
  const struct inside_kind *kind = &inside->kinds[row->kind];
  return mean_of(row->slow, &kind->slow) - mean_of(row->others, &kind->others);
}

static int by_difference(const void *a, const void *b, void *context)
{
  const struct inside_row *x = a, *y = b;
  double more_x = fabs(inside_more(context, x)), more_y = fabs(inside_more(context, y));
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if ((x->state == INSIDE_SAMPLES) != (y->state == INSIDE_SAMPLES))
    return x->state == INSIDE_SAMPLES ? 1 : -1;
  if (more_x != more_y)
    return more_x > more_y ? -1 : 1;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  return x->state != y->state ? (x->state > y->state) - (x->state < y->state)
                              : (x->construct > y->construct) - (x->construct < y->construct);
}

static void free_lanes(struct looker *looker)
{
  for (uint32_t i = 0; looker->lanes && i < looker->trace->location_count; i++) {
    struct lane *lane = &looker->lanes[i];
    vector_free(&lane->steps);
    vector_free(&lane->sums);
    hash_free(&lane->at);
    free(lane->open);
    free(lane->active);
  }
  free(looker->lanes);
}

bool inside_find(const struct trace *trace, struct pool *pool, struct intervals_taken *taken, uint32_t kinds,
                 struct inside_slow slow, const struct samples *samples, struct inside *inside, struct error *error)
{
  *inside = (struct inside){.kinds = calloc(kinds + 1, sizeof *inside->kinds), .kind_count = kinds};
  if (!inside->kinds)
    return error_set(error, "out of memory");
  mark_slow(taken, slow, inside);
  struct looker looker = {.trace = trace, .samples = samples, .groups = group_of(kinds, INSIDE_SAME, false) + 1};
  const struct subscriber subscriber = {.context = &looker,
                                        .open = inside_open_lane,
                                        .wants_events = wants_events,
                                        .interval = take_state,
                                        .close = inside_close_lane};
  const struct subscriber *subscribers[] = {&subscriber};
  bool good = (make_lanes(&looker, taken) || error_set(error, "out of memory")) &&
              pass_locations(trace, pool, subscribers, 1, error) && samples_were_read(&looker) &&
              (add_up(&looker, inside) || error_set(error, "out of memory"));
  free_lanes(&looker);
  if (good && inside->row_count > 1)
    qsort_r(inside->rows, inside->row_count, sizeof *inside->rows, by_difference, inside);
  return good;
}

void inside_free(struct inside *inside)
{
  free(inside->kinds);
  free(inside->rows);
  *inside = (struct inside){0};
}
