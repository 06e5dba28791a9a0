#include "analyzer/analyses/states/states_counters.h"

#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>

/* Rows of all threads for one construct, or of all constructs for one thread, in one state. */
struct states_counters_group {
  uint32_t number; /* of the thread or construct; TRACE_NONE: no construct */
  enum state state;
  struct counter_sum *sums; /* by counter */
  bool *scaled;             /* likewise: some of the count is scaled up */
};

struct states_counters_groups {
  VECTOR(struct states_counters_group) list; /* in the order of their first rows */
  struct hash of;
};

static void free_groups(struct states_counters_groups *groups)
{
  for (size_t i = 0; i < groups->list.count; i++) {
    free(groups->list.items[i].sums);
    free(groups->list.items[i].scaled);
  }
  vector_free(&groups->list);
  hash_free(&groups->of);
}

/* NULL: no memory. */
static struct states_counters_group *group_of(struct states_counters_groups *groups, uint32_t number, enum state state,
                                              unsigned counters)
{
  uint64_t key = (uint64_t)number << 8 | (uint64_t)state;
  const uint64_t *known = hash_find(&groups->of, key);
  if (known)
    return &groups->list.items[*known];
  struct states_counters_group new = {number, state, calloc(counters + 1u, sizeof *new.sums),
                                      calloc(counters + 1u, sizeof *new.scaled)};
  if (new.sums &&new.scaled && hash_add(&groups->of, key, groups->list.count) && vector_push(&groups->list, new))
    return &groups->list.items[groups->list.count - 1];
  free(new.sums);
  free(new.scaled);
  return NULL;
}

static bool make_groups(const struct trace *trace, const struct counters *counters, bool by_region,
                        struct states_counters_groups *groups)
{
  for (size_t i = 0; i < counters->rows.count; i++) {
    const struct counters_row *row = &counters->rows.items[i];
    struct states_counters_group *group =
        group_of(groups, by_region ? row->construct : row->location, row->state, counters->count);
    if (!group)
      return false;
    for (unsigned k = 0; k < counters->count; k++) {
      const struct counter_sum *sum = counters_sum(counters, row, k);
      counter_sum_add(&group->sums[k], sum);
      group->scaled[k] |=
          sum->count > 0 && counters_are_scaled(trace, row->location, trace->metrics[counters->metrics[k]]);
    }
  }
  return true;
}

/* The group with the most time first; groups of one thread or construct stay together. */
struct order {
  size_t group;
  wide_total whole; /* of the thread or construct */
  wide_total ticks;
  uint32_t number;
};

static int states_counters_compare(const void *a, const void *b)
{
  const struct order *left = a, *right = b;
  if (left->whole != right->whole)
    return left->whole < right->whole ? 1 : -1;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  if (left->ticks != right->ticks)
    return left->ticks < right->ticks ? 1 : -1;
  return (left->group > right->group) - (left->group < right->group);
}

static wide_total longest(const struct states_counters_group *group, unsigned counters)
{
  wide_total most = 0;
  for (unsigned k = 0; k < counters; k++)
    most = group->sums[k].ticks > most ? group->sums[k].ticks : most;
  return most;
}

/* Constructs by their time, threads by their number. NULL: no memory. */
static struct order *sort(const struct states_counters_groups *groups, unsigned counters, bool by_region)
{
  struct order *order = calloc(groups->list.count + 1, sizeof *order);
  struct hash first = {0}; /* number -> index of its first group, which has `whole` */
  for (size_t i = 0; order && i < groups->list.count; i++) {
    const struct states_counters_group *group = &groups->list.items[i];
    order[i] = (struct order){i, 0, longest(group, counters), group->number};
    uint64_t *known = by_region ? hash_find(&first, group->number) : NULL;
    size_t at = known ? *known : i;
    order[at].whole += by_region ? order[i].ticks : 0;
    if (by_region && !known && !hash_add(&first, group->number, i)) {
      hash_free(&first);
      free(order);
      return NULL;
    }
  }
  for (size_t i = 0; order && by_region && i < groups->list.count; i++)
    order[i].whole = order[*hash_find(&first, groups->list.items[i].number)].whole;
  hash_free(&first);
  if (order)
    qsort(order, groups->list.count, sizeof *order, states_counters_compare);
  return order;
}

struct table {
  const struct analysis_run *run;
  const struct counters *counters;
  int instructions, cycles; /* counters; -1: none */
  bool by_region;
};

static struct print_cell ratio(double count, double of)
{
  return of > 0 ? print_real(count / of) : print_none();
}

static void states_counters_put_row(const struct table *table, const struct states_counters_group *group,
                                    unsigned counter)
{
  const struct trace *trace = table->run->trace;
  const struct counter_sum *sum = &group->sums[counter];
  double count = (double)sum->count, seconds = (double)sum->ticks / (double)trace->ticks_per_second;
  bool instructions = (int)counter == table->instructions;
  struct print_cell cells[10], *cell = cells;
  if (table->by_region) {
    *cell++ =
        print_string(group->number == TRACE_NONE ? "(outside any construct)" : trace->regions[group->number].name);
  } else {
    *cell++ = print_number(group->number);
    *cell++ = print_string(trace->locations[group->number].name);
  }
  *cell++ = print_string(state_name(group->state));
  *cell++ = print_string(trace->metrics[table->counters->metrics[counter]]);
  *cell++ = group->scaled[counter] ? print_estimate(print_number(sum->count), INFINITY) : print_number(sum->count);
  *cell++ = print_number(sum->ticks);
  *cell++ = ratio(count, seconds);
  *cell++ = instructions && table->cycles >= 0 ? ratio(count, (double)group->sums[table->cycles].count) : print_none();
  *cell++ = !instructions && table->instructions >= 0
                ? ratio(1000 * count, (double)group->sums[table->instructions].count)
                : print_none();
  *cell++ = print_share(sum->shared_ticks, sum->ticks);
  print_row(table->run->print, cells);
}

static bool any_scaled(const struct states_counters_groups *groups, unsigned counters)
{
  bool any = false;
  for (size_t i = 0; i < groups->list.count; i++)
    for (unsigned k = 0; k < counters; k++)
      any |= groups->list.items[i].scaled[k];
  return any;
}

static bool states_counters_put_table(const struct table *table, const struct states_counters_groups *groups)
{
  struct print_column columns[10], *column = columns;
  bool text = table->run->format == PRINT_TEXT; /* which is kept short */
  struct order *order = sort(groups, table->counters->count, table->by_region);
  if (!order)
    return false;
  if (table->by_region) {
    *column++ = (struct print_column){"construct", "Construct", PRINT_STRING, false};
  } else {
    *column++ = (struct print_column){"thread", "No.", PRINT_NUMBER, false};
    *column++ = (struct print_column){"thread_name", "Thread", PRINT_STRING, false};
  }
  *column++ = (struct print_column){"state", "State", PRINT_STRING, false};
  *column++ = (struct print_column){"counter", "Counter", PRINT_STRING, false};
  *column++ = (struct print_column){"count", "Count", PRINT_COUNT, false};
  *column++ = (struct print_column){"time", "Time", PRINT_DURATION, false};
  *column++ = (struct print_column){"per_second", "per second", PRINT_REAL, false};
  *column++ = (struct print_column){"per_cycle", "per cycle", PRINT_REAL, true};
  *column++ = (struct print_column){"per_1000_instructions", "per 1000 instructions", PRINT_REAL, true};
  *column++ = (struct print_column){"shared", "Shared", PRINT_SHARE, true};
  if (any_scaled(groups, table->counters->count))
    print_may_estimate(table->run->print);
  print_table(table->run->print, "counters", "Counted", columns, (size_t)(column - columns), false);
  for (size_t i = 0; i < groups->list.count; i++)
    for (unsigned k = 0; k < table->counters->count; k++) {
      const struct states_counters_group *group = &groups->list.items[order[i].group];
      if (group->sums[k].count > 0 || (!text && group->sums[k].ticks > 0))
        states_counters_put_row(table, group, k);
    }
  print_table_end(table->run->print);
  free(order);
  return true;
}

static bool states_counters_put_all(const struct table *table)
{
  struct states_counters_groups groups = {0};
  bool good = make_groups(table->run->trace, table->counters, table->by_region, &groups) &&
              states_counters_put_table(table, &groups);
  free_groups(&groups);
  if (good)
    print_sentence(table->run->print, "counted",
                   "What was counted between two readings belongs to the state of this time. Shared: the time of "
                   "readings with several states between them, which share the count in proportion to their times.");
  return good;
}

bool states_counters_put(const struct analysis_run *run, bool by_region, struct error *error)
{
  struct counters counters;
  if (!counters_exist(run->trace))
    return error_set(error, "%s: has no counters: record them with `heddle record --counters`", run->trace->anchor);
  bool good = analysis_find(&counters_analysis, run->trace, run->pool, NULL, &counters, error);
  struct table table = {.run = run, .counters = &counters, .by_region = by_region};
  table.instructions = counters_instructions(run->trace, &counters);
  table.cycles = counters_cycles(run->trace, &counters);
  if (good && !states_counters_put_all(&table))
    good = error_set(error, "out of memory");
  analysis_free(&counters_analysis, &counters);
  return good;
}
