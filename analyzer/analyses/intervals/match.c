#include "analyzer/analyses/intervals/match.h"

#include "analyzer/analyses/intervals/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An event that can begin an interval; its values stand behind the nodes, and with LAST the values of the best end. */
struct start {
  struct start *previous, *next; /* in order of time; of free ones only `next` */
  struct match_point point;
  bool taken;                /* backward: an interval has it */
  uint64_t ends;             /* NTH: ends that were found, or the number of the bucket's that is the right one */
  struct match_point best;   /* LAST: the last end that was found; number 0: none */
  struct index_node nodes[]; /* the first node is for the ends, then nodes for events between */
};

struct match {
  const struct plan_interval *plan;
  struct match_options options;
  struct match_counts counts;
  uint64_t limit; /* ticks */
  uint64_t open;
  struct start *first, *last, *free;
  struct index ends;
  struct index *between;
  index_nodes nodes; /* of the search that is on */
};

static bool match_fail_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

uint64_t match_limit(const struct spec_interval *interval, uint64_t ticks_per_second)
{
  double ticks = interval->limit * ((ticks_per_second ? (double)ticks_per_second : 1e9) / 1e9);
  return interval->limit <= 0 || ticks >= 0x1p63 ? UINT64_MAX : (uint64_t)ticks;
}

struct match *match_create(const struct plan_interval *plan, const struct match_options *options)
{
  struct match *match = calloc(1, sizeof *match);
  if (!match || !(match->between = calloc(plan->between_count + 1, sizeof *match->between))) {
    free(match);
    return NULL;
  }
  match->plan = plan;
  match->options = *options;
  match->limit = match_limit(plan->interval, options->ticks_per_second);
  index_open(&match->ends, &plan->ends);
  for (uint32_t i = 0; i < plan->between_count; i++)
    index_open(&match->between[i], &plan->between[i]);
  return match;
}

static void free_starts(struct start *start)
{
  for (struct start *next; start; start = next) {
    next = start->next;
    free(start);
  }
}

void match_free(struct match *match)
{
  if (!match)
    return;
  free_starts(match->first);
  free_starts(match->free);
  index_close(&match->ends);
  for (uint32_t i = 0; i < match->plan->between_count; i++)
    index_close(&match->between[i]);
  free(match->between);
  vector_free(&match->nodes);
  free(match);
}

static struct spec_value *values_of(const struct match *match, struct start *start)
{
  return (struct spec_value *)&start->nodes[1 + match->plan->between_count];
}

static bool keeps_ends(const struct match *match)
{
  return !match->plan->interval->from_end && match->plan->interval->choice == SPEC_LAST;
}

static struct start *new_start(struct match *match)
{
  struct start *start = match->free;
  if (start)
    match->free = start->next;
  else
    start = malloc(sizeof *start + (1 + match->plan->between_count) * sizeof *start->nodes +
                   (1 + keeps_ends(match)) * match->options.slots * sizeof(struct spec_value));
  return start;
}

static void retire(struct match *match, struct start *start)
{
  index_remove(&match->ends, &start->nodes[0]);
  for (uint32_t i = 0; i < match->plan->between_count; i++)
    index_remove(&match->between[i], &start->nodes[1 + i]);
  *(start->previous ? &start->previous->next : &match->first) = start->next;
  *(start->next ? &start->next->previous : &match->last) = start->previous;
  start->next = match->free;
  match->free = start;
  match->open--;
}

static bool emit(struct match *match, const struct start *start, const struct match_point *end)
{
  match->counts.intervals++;
  return match->options.sink(match->options.context, match->plan->interval, &start->point, end);
}

/* Ends fit to all starts of a bucket alike. */
static bool is_plain(const struct match *match)
{
  return match->plan->ends.order == SPEC_OP_EQ && match->plan->ends.rest.count == 0;
}

/* No end can come any more. */
static bool give_up(struct match *match, struct start *start)
{
  bool good = true, has = start->taken;
  if (keeps_ends(match)) {
    const struct index_bucket *bucket = start->nodes[0].bucket;
    if (is_plain(match) && bucket && bucket->end_number > start->point.number)
      start->best = (struct match_point){.time = bucket->end_time,
                                         .number = bucket->end_number,
                                         .thread = bucket->end_thread,
                                         .values = bucket->end_values};
    has = start->best.number > 0;
    good = !has || emit(match, start, &start->best);
  }
  match->counts.unmatched_starts += !has;
  retire(match, start);
  return good;
}

/* Starts for which it is too late. */
static bool expire(struct match *match, uint64_t now)
{
  while (match->first && now - match->first->point.time > match->limit)
    if (!give_up(match, match->first))
      return false;
  return true;
}

static bool all_hold(const struct plan_terms *terms, const struct operands *operands)
{
  for (uint32_t i = 0; i < terms->count; i++)
    if (!evaluate_holds(terms->list[i], operands))
      return false;
  return true;
}

/* True if what is not in the index holds, too. */
static bool fits(struct match *match, const struct plan_join *join, struct start *start,
                 const struct spec_value *values)
{
  if (join->rest.count == 0)
    return true;
  struct operands operands = {.values = {[SPEC_START] = values_of(match, start)}};
  operands.values[join->other] = values;
  if (all_hold(&join->rest, &operands))
    return true;
  match->counts.work++;
  return false;
}

static bool is_of_other(const struct plan_join *join, const struct spec_value *values)
{
  struct operands operands = {.values = {NULL}};
  operands.values[join->other] = values;
  return all_hold(&join->of_other, &operands);
}

/* What the steps below leave behind. */
static bool within_work(const struct match *match, struct error *error)
{
  return match->counts.work <= match->options.work ||
         error_set(error,
                   "the interval %s needs more than %" PRIu64 " trials of pairs of events: add an equality or a time "
                   "(`within`), or raise --work; --explain shows the trials",
                   match->plan->interval->name, match->options.work);
}

/* The first that fits, from the oldest or the newest on. */
static bool find_one(struct match *match, const struct index_part *part, const struct spec_value *values, bool newest,
                     struct start **found)
{
  const struct plan_join *join = &match->plan->ends;
  *found = NULL;
  if (join->rest.count == 0) {
    struct index_node *node = newest ? index_newest(&match->ends, part) : index_oldest(&match->ends, part);
    *found = node ? node->start : NULL;
    return true;
  }
  if (!part->bucket)
    return true;
  if (join->order == SPEC_OP_EQ) {
    struct index_node *node = newest ? part->bucket->last : part->bucket->first;
    while (node && !fits(match, join, node->start, values))
      node = newest ? node->before : node->after;
    *found = node ? node->start : NULL;
    return true;
  }
  if (!index_collect(&match->ends, part, &match->nodes))
    return false;
  match->counts.work += match->nodes.count; /* they had to be sorted */
  for (size_t i = 0; i < match->nodes.count && !*found; i++) {
    struct start *start = match->nodes.items[newest ? match->nodes.count - 1 - i : i]->start;
    if (fits(match, join, start, values))
      *found = start;
  }
  return true;
}

static bool close_one(struct match *match, const struct index_part *part, const struct match_point *event,
                      const struct spec_value *values)
{
  struct start *start;
  if (!find_one(match, part, values, false, &start))
    return false;
  match->counts.unmatched_ends += !start;
  if (!start)
    return true;
  bool good = emit(match, start, event);
  retire(match, start);
  return good;
}

/* FIRST: the end of all that wait for it. */
static bool close_all(struct match *match, const struct index_part *part, const struct match_point *event,
                      const struct spec_value *values)
{
  bool any = false, good = index_collect(&match->ends, part, &match->nodes);
  for (size_t i = 0; good && i < match->nodes.count; i++) {
    struct start *start = match->nodes.items[i]->start;
    if (!fits(match, &match->plan->ends, start, values))
      continue;
    any = true;
    good = emit(match, start, event);
    retire(match, start);
  }
  match->counts.unmatched_ends += !any;
  return good;
}

/* The values of the last end so far, for the time when the bucket's starts are dropped. False: out of memory. */
static bool keep_end(const struct match *match, struct index_bucket *bucket, const struct spec_value *values)
{
  size_t size = match->options.slots * sizeof *values;
  if (size && !bucket->end_values && !(bucket->end_values = malloc(size)))
    return false;
  if (size)
    memcpy(bucket->end_values, values, size);
  return true;
}

/* LAST and NTH, where all starts of the bucket are alike. */
static bool count_bucket(struct match *match, struct index_bucket *bucket, const struct match_point *event)
{
  bool good = true;
  match->counts.unmatched_ends += !bucket;
  if (!bucket)
    return true;
  bucket->ends++;
  bucket->end_time = event->time;
  bucket->end_number = event->number;
  bucket->end_thread = event->thread;
  if (match->plan->interval->choice == SPEC_LAST)
    return keep_end(match, bucket, event->values);
  for (bool more = true; good && more;) {
    struct start *start = bucket->first->start;
    bool alone = bucket->count == 1; /* the bucket goes with its last start */
    if (start->ends != bucket->ends)
      break;
    more = !alone;
    good = emit(match, start, event);
    retire(match, start);
  }
  return good;
}

/* LAST and NTH, start by start. */
static bool count_each(struct match *match, const struct index_part *part, const struct match_point *event,
                       const struct spec_value *values)
{
  const struct spec_interval *interval = match->plan->interval;
  bool any = false, good = index_collect(&match->ends, part, &match->nodes);
  match->counts.work += match->nodes.count;
  for (size_t i = 0; good && i < match->nodes.count; i++) {
    struct start *start = match->nodes.items[i]->start;
    if (!fits(match, &match->plan->ends, start, values))
      continue;
    any = true;
    if (keeps_ends(match)) {
      struct spec_value *kept = values_of(match, start) + match->options.slots;
      if (match->options.slots)
        memcpy(kept, values, match->options.slots * sizeof *values);
      start->best = *event;
      start->best.values = kept;
    }
    if (interval->choice == SPEC_NTH && ++start->ends == interval->nth) {
      good = emit(match, start, event);
      retire(match, start);
    }
  }
  match->counts.unmatched_ends += !any;
  return good;
}

/* NTH backward. */
static bool find_nth(struct match *match, const struct index_part *part, const struct spec_value *values,
                     struct start **found)
{
  uint64_t left = match->plan->interval->nth;
  *found = NULL;
  if (!part->bucket)
    return true;
  if (match->plan->ends.order == SPEC_OP_EQ) {
    for (struct index_node *node = part->bucket->last; node && !*found; node = node->before) {
      match->counts.work++;
      if (fits(match, &match->plan->ends, node->start, values) && --left == 0)
        *found = node->start;
    }
    return true;
  }
  if (!index_collect(&match->ends, part, &match->nodes))
    return false;
  match->counts.work += match->nodes.count;
  for (size_t i = match->nodes.count; i-- > 0 && !*found;)
    if (fits(match, &match->plan->ends, match->nodes.items[i]->start, values) && --left == 0)
      *found = match->nodes.items[i]->start;
  return true;
}

static bool search_back(struct match *match, const struct index_part *part, const struct match_point *event,
                        const struct spec_value *values)
{
  const struct spec_interval *interval = match->plan->interval;
  struct start *start;
  bool good = interval->choice == SPEC_NTH ? find_nth(match, part, values, &start)
                                           : find_one(match, part, values, interval->choice == SPEC_FIRST, &start);
  if (!good)
    return false;
  match->counts.unmatched_ends += !start;
  if (!start)
    return true;
  start->taken = true;
  good = emit(match, start, event);
  if (interval->consume)
    retire(match, start);
  return good;
}

static bool take_end(struct match *match, const struct match_point *event, const struct spec_value *values)
{
  const struct spec_interval *interval = match->plan->interval;
  struct index_part part = index_find(&match->ends, values);
  if (interval->from_end)
    return search_back(match, &part, event, values);
  if (interval->choice == SPEC_FIRST)
    return interval->consume ? close_one(match, &part, event, values) : close_all(match, &part, event, values);
  return is_plain(match) ? count_bucket(match, part.bucket, event) : count_each(match, &part, event, values);
}

bool match_end(struct match *match, const struct match_point *event, const struct spec_value *values,
               struct error *error)
{
  struct match_point end = *event;
  end.values = values;
  error->message[0] = 0;
  bool good = expire(match, event->time) && (!is_of_other(&match->plan->ends, values) || take_end(match, &end, values));
  if (!good && !error->message[0])
    match_fail_memory(error);
  return good && within_work(match, error);
}

bool match_between(struct match *match, uint32_t at, const struct match_point *event, const struct spec_value *values,
                   struct error *error)
{
  const struct plan_join *join = &match->plan->between[at];
  error->message[0] = 0;
  bool good = expire(match, event->time);
  if (good && is_of_other(join, values)) {
    struct index_part part = index_find(&match->between[at], values);
    good = index_collect(&match->between[at], &part, &match->nodes);
    for (size_t i = 0; good && i < match->nodes.count; i++) {
      struct start *start = match->nodes.items[i]->start;
      if (fits(match, join, start, values))
        good = give_up(match, start);
    }
  }
  if (!good && !error->message[0])
    match_fail_memory(error);
  return good && within_work(match, error);
}

/* Into all indices. A start that can have no end, for want of a value, is not kept. */
static bool match_add(struct match *match, struct start *start)
{
  bool added, other = true, good;
  start->nodes[0] = (struct index_node){.number = start->point.number, .start = start};
  good = index_add(&match->ends, &start->nodes[0], values_of(match, start), &added);
  for (uint32_t i = 0; i < match->plan->between_count; i++) {
    start->nodes[1 + i] = (struct index_node){.number = start->point.number, .start = start};
    const struct plan_join *join = &match->plan->between[i];
    struct operands operands = {.values = {[SPEC_START] = values_of(match, start)}};
    if (good && added && all_hold(&join->of_start, &operands))
      good = index_add(&match->between[i], &start->nodes[1 + i], values_of(match, start), &other);
  }
  start->previous = match->last;
  start->next = NULL;
  *(match->last ? &match->last->next : &match->first) = start;
  match->last = start;
  if (++match->open > match->counts.open_most)
    match->counts.open_most = match->open;
  if (good && !added)
    return give_up(match, start);
  struct index_bucket *bucket = start->nodes[0].bucket;
  if (bucket && is_plain(match) && match->plan->interval->choice == SPEC_NTH)
    start->ends = bucket->ends + match->plan->interval->nth;
  if (bucket && match->plan->newest_only && bucket->count > 1)
    good = good && give_up(match, bucket->first->start);
  return good;
}

bool match_start(struct match *match, const struct match_point *event, const struct spec_value *values,
                 struct error *error)
{
  error->message[0] = 0;
  struct operands operands = {.values = {[SPEC_START] = values}};
  if (!expire(match, event->time))
    return error->message[0] ? false : match_fail_memory(error);
  if (!all_hold(&match->plan->ends.of_start, &operands))
    return true;
  struct start *start = new_start(match);
  if (!start)
    return match_fail_memory(error);
  *start = (struct start){.point = *event};
  start->point.values = values_of(match, start);
  if (match->options.slots)
    memcpy(values_of(match, start), values, match->options.slots * sizeof *values);
  return match_add(match, start) || (error->message[0] ? false : match_fail_memory(error));
}

bool match_finish(struct match *match, struct error *error)
{
  error->message[0] = 0;
  while (match->first)
    if (!give_up(match, match->first))
      return error->message[0] ? false : match_fail_memory(error);
  return true;
}

const struct match_counts *match_counts(const struct match *match)
{
  return &match->counts;
}
