/* Java: threads that wait for what another one does. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/sentences.h"

#include <stdio.h>
#include <stdlib.h>

#define AWAITED_ALONE_PART 0.1 /* of the wait: who works less before it does not share the work */

/* For archives that only have readings of the time without a processor: this time is part of the time of work.
 * Ticks. */
struct awaited_lack {
  double off, ready;
  double awaited; /* by others, while it worked */
  double blocked; /* part of `off`, while others waited */
};

/* What the findings of pools have said already, ticks: it is not said twice. */
struct said {
  double uneven, starved;
};

struct view {
  struct builder *builder;
  struct awaited_lack *lacks; /* by location */
  uint32_t *pools;            /* by location; TRACE_NONE: it is in none */
  struct said *said;          /* by pool */
};

static const char *thread_name(const struct builder *builder, uint32_t location)
{
  return trace_thread_said(builder->of->trace, location);
}

static double least(double a, double b)
{
  return a < b ? a : b;
}

static double take_off(double *said, double ticks)
{
  double taken = least(*said, ticks);
  *said -= taken;
  return ticks - taken;
}

/* The ticks that a thread was awaited, without the ticks in a finding of its pool. */
static double unsaid(const struct view *view, uint32_t location, bool worked, double ticks)
{
  if (view->pools[location] == TRACE_NONE)
    return ticks;
  struct said *said = &view->said[view->pools[location]];
  return take_off(&said->uneven, worked ? ticks : take_off(&said->starved, ticks));
}

static bool add_slept(const struct view *view, const struct awaited_place *place)
{
  struct builder *builder = view->builder;
  double ticks = unsaid(view, place->location, false, place->won);
  struct finding finding = {FINDING_SLEEP, place->region, place->location, ticks, .text = NULL};
  char time[UNITS_SIZE];
  return builder_add(builder, &finding, "%s: %s waits here for time to pass, and others wait for it, %s in total, %s.",
                     builder_region_name(builder, place->region), thread_name(builder, place->location),
                     builder_duration(builder, (double)place->waited, time), BUILDER_WON);
}

static bool add_blocked(const struct view *view, uint32_t location, double all)
{
  struct builder *builder = view->builder;
  double ticks = unsaid(view, location, false, all);
  struct finding finding = {FINDING_OFF, TRACE_NONE, location, ticks, .text = NULL};
  return builder_add(builder, &finding, "%s: it is blocked in the kernel (input, output) while others wait for it, %s.",
                     thread_name(builder, location), BUILDER_WON);
}

/* What the awaited threads worked, as a part of what others waited for them. */
static double working_part(const struct awaited_place *place, struct awaited_lack *lacks)
{
  double all = 0, lacked = 0;
  for (size_t i = 0; i < place->thread_count; i++) {
    struct awaited_lack *lack = &lacks[place->threads[i].location];
    double ticks = (double)place->threads[i].ticks, part = ticks / lack->awaited;
    double off = least(ticks, part * lack->off);
    lack->blocked += off;
    lacked += off + least(ticks - off, part * lack->ready);
    all += ticks;
  }
  return all > 0 ? 1 - lacked / all : 0;
}

static bool add_worked(const struct view *view, const struct awaited_place *place)
{
  struct builder *builder = view->builder;
  /* Who joins threads does not share their work, but some of them may have ended before. */
  bool alone = !place->join && (place->idle || (double)place->worked < AWAITED_ALONE_PART * (double)place->waited);
  const char *where = builder_region_name(builder, place->region), *name = thread_name(builder, place->location);
  struct finding finding = {alone ? FINDING_ALONE : FINDING_SLOWER, place->region, place->location,
                            unsaid(view, place->location, true, place->won * working_part(place, view->lacks)),
                            .text = NULL};
  char time[UNITS_SIZE];
  if (finding.ticks <= 0)
    return true;
  builder_duration(builder, (double)place->waited, time);
  return alone ? builder_add(builder, &finding,
                             "%s: threads without work wait here while another one works, mostly %s, %s in total, %s; "
                             "let them share its work.",
                             where, name, time, BUILDER_WON)
               : builder_add(builder, &finding,
                             "%s: threads wait here for one with more work, mostly %s, %s in total, %s; spread the "
                             "work evenly.",
                             where, name, time, BUILDER_WON);
}

static bool is_of_work(const struct awaited_place *place)
{
  return place->did == AWAITED_WORKED && place->region != TRACE_NONE && place->won > 0;
}

/* By location. NULL: no memory. */
static struct awaited_lack *awaited_find_lacks(const struct builder *builder)
{
  const struct processors *processors = builder->of->processors;
  const struct awaited *awaited = builder->of->awaited;
  struct awaited_lack *lacks = calloc((size_t)builder->of->trace->location_count + 1, sizeof *lacks);
  for (size_t i = 0; lacks && processors->read && i < processors->rows.count; i++) {
    const struct processors_row *row = &processors->rows.items[i];
    *(row->ready ? &lacks[row->location].ready : &lacks[row->location].off) += (double)row->ticks;
  }
  for (size_t i = 0; lacks && i < awaited->count; i++)
    for (size_t j = 0; is_of_work(&awaited->places[i]) && j < awaited->places[i].thread_count; j++)
      lacks[awaited->places[i].threads[j].location].awaited += (double)awaited->places[i].threads[j].ticks;
  return lacks;
}

/* False: no memory. */
static bool find_said(struct view *view)
{
  const struct tasks *tasks = view->builder->of->tasks;
  uint32_t count = view->builder->of->trace->location_count;
  view->pools = malloc(((size_t)count + 1) * sizeof *view->pools);
  view->said = calloc(tasks->pool_count + 1, sizeof *view->said);
  double *uneven = pools_uneven(view->builder);
  bool good = view->pools && view->said && uneven;
  for (uint32_t i = 0; good && i < count; i++)
    view->pools[i] = TRACE_NONE;
  for (size_t i = 0; good && i < tasks->member_count; i++)
    view->pools[tasks->members[i].location] = tasks->members[i].pool;
  for (size_t i = 0; good && i < tasks->pool_count; i++)
    view->said[i] = (struct said){uneven[i], pool_starved(&tasks->pools[i])};
  free(uneven);
  return good;
}

static bool add_place(const struct view *view, const struct awaited_place *place)
{
  if (place->did == AWAITED_BLOCKED && place->won > 0)
    return add_blocked(view, place->location, place->won);
  if (place->did == AWAITED_SLEPT && place->won > 0 && place->region != TRACE_NONE)
    return add_slept(view, place);
  return !is_of_work(place) || add_worked(view, place);
}

bool awaited_add(struct builder *builder)
{
  const struct awaited *awaited = builder->of->awaited;
  if (!awaited || awaited->count == 0)
    return true;
  struct view view = {builder, awaited_find_lacks(builder), NULL, NULL};
  bool good = view.lacks && find_said(&view);
  for (size_t i = 0; good && i < awaited->count; i++)
    good = add_place(&view, &awaited->places[i]);
  for (uint32_t i = 0; good && i < builder->of->trace->location_count; i++)
    good = view.lacks[i].blocked <= 0 || add_blocked(&view, i, view.lacks[i].blocked);
  free(view.lacks);
  free(view.pools);
  free(view.said);
  return good;
}

/* Garbage collection: all threads stop. */

bool collection_add(struct builder *builder)
{
  const struct states_sums *sums = builder->of->sums;
  double most = 0;
  uint32_t location = TRACE_NONE;
  for (uint32_t i = 0; i < builder->of->trace->location_count; i++) {
    double stopped = (double)sums->threads[i].ticks[STATE_GC];
    if (stopped <= most)
      continue;
    most = stopped;
    location = i;
  }
  struct finding finding = {FINDING_COLLECTION, TRACE_NONE, location, most, .text = NULL};
  char time[UNITS_SIZE];
  return location == TRACE_NONE ||
         builder_add(builder, &finding,
                     "garbage collection: it stopped %s for %s, %s; allocate less, or give the JVM more memory (-Xmx).",
                     trace_thread_said(builder->of->trace, location), builder_duration(builder, most, time),
                     BUILDER_WON);
}

/* Java's pools: shares of their workers, and tasks that wait for a worker. */

/* Ticks without a processor in tasks, by location: findings of the tasks have them. NULL: no memory. */
static double *pools_find_lacks(const struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  const struct processors *processors = builder->of->processors;
  double *lacks = calloc((size_t)trace->location_count + 1, sizeof *lacks);
  for (size_t i = 0; lacks && processors->known && i < processors->rows.count; i++) {
    const struct processors_row *row = &processors->rows.items[i];
    if (row->construct != TRACE_NONE && trace->regions[row->construct].role == OTF2_REGION_ROLE_TASK)
      lacks[row->location] += (double)row->ticks;
  }
  return lacks;
}

double *pools_uneven(const struct builder *builder)
{
  const struct tasks *tasks = builder->of->tasks;
  double *lacks = pools_find_lacks(builder), *uneven = calloc(tasks->pool_count + 1, sizeof *uneven);
  for (size_t i = 0, end; lacks && uneven && i < tasks->member_count; i = end) {
    uint32_t pool = tasks->members[i].pool;
    double most = 0, all = 0;
    for (end = i; end < tasks->member_count && tasks->members[end].pool == pool; end++) {
      double on = (double)tasks->members[end].run - lacks[tasks->members[end].location];
      all += on > 0 ? on : 0;
      most = on > most ? on : most;
    }
    double full = pool_uneven(&tasks->pools[pool]), part = most - all / (double)(end - i);
    uneven[pool] = part < full ? part : full;
  }
  if (!lacks) {
    free(uneven);
    uneven = NULL;
  }
  free(lacks);
  return uneven;
}

/* Takes the text. lacked: ticks that are not in `ticks`. */
static bool add(struct builder *builder, enum finding_kind kind, const struct task_pool *pool, double ticks,
                double lacked, char *text)
{
  char without[LACKED_SIZE];
  struct finding finding = {kind, TRACE_NONE, pool->longest, ticks, .text = NULL};
  bool good =
      !text || ticks <= 0 ||
      builder_add(builder, &finding, "%s,%s %s.", text, builder_lacked(builder, ticks, lacked, without), BUILDER_WON);
  free(text);
  return good;
}

bool pools_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  const struct tasks *tasks = builder->of->tasks;
  double *uneven = pools_uneven(builder);
  bool good = uneven != NULL;
  for (size_t i = 0; good && i < tasks->pool_count; i++) {
    const struct task_pool *pool = &tasks->pools[i];
    good = add(builder, FINDING_POOL_UNEVEN, pool, uneven[i], pool_uneven(pool) - uneven[i],
               pool_uneven_sentence(trace, pool)) &&
           add(builder, FINDING_POOL_SMALL, pool, pool_starved(pool), 0, pool_starved_sentence(trace, pool));
  }
  free(uneven);
  return good;
}
