/* Parallel regions: what they lose by themselves, and with their tasks. */
#include "analyzer/findings/builder.h"

#include <inttypes.h>
#include <stdlib.h>

#define SMALL_WORK_US 100.0 /* of a thread in one execution: with less of it, starting a region counts ... */
#define SMALL_CALLS   10    /* ... if there are so many executions */
#define SMALL_TASK_US 20.0  /* of this order, or less, is the cost of making and handing out a task */

/* A region without the constructs in it. Ticks of the run. */
struct own {
  double uneven, overhead, late, starved;
  double makers; /* uneven of the singles in it that make tasks */
  uint64_t tasks, dependent;
};

static double positive(double ticks)
{
  return ticks > 0 ? ticks : 0;
}

/* Members that fork nested teams wait in these: the mean member as long as one of the nested teams loses. */
static void subtract_nested(struct own *own, const struct imbalance_construct *nested, double factor)
{
  const struct imbalance_parts *parts = &nested->parts;
  own->starved -=
      factor * (fine_total_ticks(parts->uneven) + fine_total_ticks(parts->late) + fine_total_ticks(parts->starved));
  own->overhead -= factor * fine_total_ticks(parts->overhead);
}

static struct own own_of(const struct builder *builder, uint32_t region)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  const struct trace *trace = builder->of->trace;
  const struct imbalance_construct *construct = &imbalance->constructs[region];
  const struct imbalance_parts *parts = &construct->parts;
  struct own own = {.uneven = fine_total_ticks(parts->uneven),
                    .overhead = fine_total_ticks(parts->overhead),
                    .late = fine_total_ticks(parts->late),
                    .starved = fine_total_ticks(parts->starved),
                    .tasks = (uint64_t)construct->tasks,
                    .dependent = (uint64_t)construct->dependent};
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *inner = &imbalance->constructs[i];
    if (inner->calls == 0 || inner->parallel != region || i == region)
      continue;
    if (trace->regions[i].role == OTF2_REGION_ROLE_PARALLEL) {
      subtract_nested(&own, inner, imbalance_side_by_side(inner, trace->location_count));
      continue;
    }
    own.starved -= processors_uneven(builder, i, inner->threads);
    own.uneven -= fine_total_ticks(inner->parts.uneven);
    own.overhead -= fine_total_ticks(inner->parts.overhead);
    if (trace->regions[i].role == OTF2_REGION_ROLE_SINGLE && inner->tasks > 0)
      own.makers += fine_total_ticks(inner->parts.uneven);
  }
  double factor = imbalance_side_by_side(construct, trace->location_count);
  own.uneven = factor * positive(own.uneven);
  own.overhead = factor * positive(own.overhead);
  own.late *= factor;
  own.starved = factor * positive(own.starved - processors_uneven(builder, region, construct->threads));
  own.makers *= factor;
  return own;
}

static double microseconds(const struct builder *builder, double ticks)
{
  return 1e6 * ticks / (double)builder->of->trace->ticks_per_second;
}

static bool is_small(const struct builder *builder, const struct imbalance_construct *construct, const struct own *own)
{
  double calls = (double)construct->calls, work = fine_total_ticks(construct->busy_mean) / calls;
  return construct->partial == 0 && construct->calls >= SMALL_CALLS && microseconds(builder, work) < SMALL_WORK_US &&
         own->late + own->overhead + own->starved > fine_total_ticks(construct->busy_mean);
}

static bool add_small(struct builder *builder, uint32_t region, const struct own *own)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  double calls = (double)construct->calls;
  struct finding finding = {FINDING_SMALL_REGION, region, TRACE_NONE, own->late + own->overhead + own->starved,
                            .text = NULL};
  char took[UNITS_SIZE], work[UNITS_SIZE], won[WON_SIZE];
  return builder_add(builder, &finding,
                     "%s: each of its %" PRIu64 " executions takes %s on average for %s of work a thread, %s; merge "
                     "them into fewer, longer ones, or let one thread execute them (clause if).",
                     builder_region_name(builder, region), construct->calls,
                     builder_duration(builder, (double)construct->elapsed / calls, took),
                     builder_duration(builder, fine_total_ticks(construct->busy_mean) / calls, work),
                     builder_won(builder, finding.ticks, won));
}

struct task_work {
  double ticks;    /* of one task */
  bool at_most;    /* the ticks are a bound */
  bool is_thinned; /* not all tasks are recorded: they came too often */
};

/*
 * The mean work of the region's tasks: that of all tasks of the trace. Where the region made less than half of them,
 * they say little of its own: then all work in the region, whoever did it, is a bound, if it is more.
 */
static struct task_work task_work(const struct builder *builder, uint32_t region, const struct own *own)
{
  const struct trace *trace = builder->of->trace;
  struct task_work work = {0};
  uint64_t calls = 0;
  double run = 0;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    if (trace->regions[i].role != OTF2_REGION_ROLE_TASK && trace->regions[i].role != OTF2_REGION_ROLE_TASK_UNTIED)
      continue;
    calls += builder->of->sums->constructs[i].calls;
    /* Those that are not recorded are estimated, and counted among the calls. */
    struct estimate more = states_sums_more(builder->of->sums, i);
    work.is_thinned |= more.left_out > 0;
    run += (double)builder->of->sums->constructs[i].ticks[STATE_RUN] + (double)estimate_more(&more);
  }
  work.ticks = calls ? run / (double)calls : 0;
  double bound = (double)builder->of->imbalance->constructs[region].busy / (double)own->tasks;
  if (own->tasks >= calls / 2 || bound <= work.ticks)
    return work;
  work.ticks = bound;
  work.at_most = true;
  return work;
}

static bool add_tasks(struct builder *builder, uint32_t region, const struct own *own)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_FEW_TASKS, region, TRACE_NONE, own->starved + own->uneven + own->makers,
                            .text = NULL};
  const char *name = builder_region_name(builder, region);
  struct task_work work = task_work(builder, region, own);
  double lost = finding.ticks * imbalance_team(construct) / (double)own->tasks;
  char won[WON_SIZE], each[UNITS_SIZE], cost[UNITS_SIZE];
  builder_won(builder, finding.ticks, won);
  if (microseconds(builder, work.ticks) < SMALL_TASK_US && (work.ticks < lost || work.is_thinned)) {
    finding.kind = FINDING_SMALL_TASKS;
    return builder_add(builder, &finding,
                       "%s: its %" PRIu64 " tasks do %s%s of work each, and its threads lose %s for each of them, %s; "
                       "make fewer, larger tasks.",
                       name, own->tasks, work.at_most ? "at most " : "", builder_duration(builder, work.ticks, each),
                       builder_duration(builder, lost, cost), won);
  }
  double parallel = construct->elapsed ? (double)construct->busy / (double)construct->elapsed : 0;
  if (2 * own->dependent >= own->tasks) {
    finding.kind = FINDING_CHAIN;
    return builder_add(builder, &finding,
                       "%s: its tasks wait for each other (%" PRIu64 " of %" PRIu64 " have dependences), and %.1f of "
                       "its %" PRIu32 " threads work on average, %s; use fewer dependences, or execute more such "
                       "chains side by side.",
                       name, own->dependent, own->tasks, parallel, construct->threads, won);
  }
  return builder_add(builder, &finding,
                     "%s: %.1f of its %" PRIu32 " threads work on average, because too few of its %" PRIu64
                     " tasks are "
                     "ready at a time, %s; make more tasks, or tasks that wait less for each other.",
                     name, parallel, construct->threads, own->tasks, won);
}

static bool add_waiting(struct builder *builder, uint32_t region, const struct own *own)
{
  struct finding finding = {FINDING_WAITING, region, TRACE_NONE, own->starved, .text = NULL};
  char mean[UNITS_SIZE], won[WON_SIZE];
  return builder_add(
      builder, &finding,
      "%s: its threads wait %s on average for each other although none of them works longer in total, %s; "
      "remove barriers, or spread the work between them more evenly.",
      builder_region_name(builder, region), builder_duration(builder, own->starved, mean),
      builder_won(builder, finding.ticks, won));
}

static bool add_late(struct builder *builder, uint32_t region, const struct own *own)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_LATE, region, TRACE_NONE, own->late, .text = NULL};
  char took[UNITS_SIZE], late[UNITS_SIZE], won[WON_SIZE];
  return builder_add(builder, &finding, "%s: %s of its %s pass from the fork until its last thread begins, %s.",
                     builder_region_name(builder, region), builder_duration(builder, (double)construct->late, late),
                     builder_duration(builder, (double)construct->elapsed, took),
                     builder_won(builder, finding.ticks, won));
}

/* The regions of a process whose teams are larger than its number of processors, added up. */
struct crowd {
  double late;
  uint32_t region; /* with most of it */
  double most;
  uint32_t threads; /* the largest team */
  uint64_t processors;
};

static void crowd_add(struct crowd *crowd, uint32_t region, const struct imbalance_construct *construct,
                      uint64_t processors, double late)
{
  crowd->late += late;
  crowd->processors = processors;
  if (construct->threads > crowd->threads)
    crowd->threads = construct->threads;
  if (late > crowd->most) {
    crowd->most = late;
    crowd->region = region;
  }
}

static bool add_crowd(struct builder *builder, const struct crowd *crowd)
{
  struct finding finding = {FINDING_PROCESSORS, crowd->region, TRACE_NONE, crowd->late, .text = NULL};
  char late[UNITS_SIZE], won[WON_SIZE];
  if (crowd->late <= 0)
    return true;
  return builder_add(builder, &finding,
                     "%s: its team has %" PRIu32 " threads, but the process may use %" PRIu64 " processor%s: %s pass "
                     "from forks until the last thread gets one and begins, %s; try %" PRIu64 " thread%s.",
                     builder_region_name(builder, crowd->region), crowd->threads, crowd->processors,
                     crowd->processors == 1 ? "" : "s", builder_duration(builder, crowd->late, late),
                     builder_won(builder, crowd->late, won), crowd->processors, crowd->processors == 1 ? "" : "s");
}

static bool add_region(struct builder *builder, uint32_t region, struct crowd *crowds)
{
  const struct trace *trace = builder->of->trace;
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct own own = own_of(builder, region);
  uint32_t forker = imbalance_forker(construct, trace->location_count);
  uint64_t processors = builder_processors(builder, forker);
  bool tasks = own.tasks > 0;
  if (processors > 0 && construct->threads > processors) {
    crowd_add(&crowds[trace->locations[forker].process], region, construct, processors, own.late);
    own.late = 0;
  }
  if (!tasks && is_small(builder, construct, &own))
    return add_small(builder, region, &own) && region_add_uneven(builder, region, own.uneven, 0);
  return add_late(builder, region, &own) && region_add_uneven(builder, region, tasks ? 0 : own.uneven, own.overhead) &&
         (tasks ? add_tasks(builder, region, &own) : add_waiting(builder, region, &own));
}

bool regions_add(struct builder *builder)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  const struct trace *trace = builder->of->trace;
  struct crowd *crowds = calloc(trace->process_count + 1, sizeof *crowds);
  bool good = crowds != NULL;
  for (uint32_t i = 0; good && i < imbalance->count; i++)
    if (imbalance->constructs[i].calls > 0 && imbalance->constructs[i].threads > 1 &&
        trace->regions[i].role == OTF2_REGION_ROLE_PARALLEL)
      good = add_region(builder, i, crowds);
  for (uint32_t i = 0; good && i < trace->process_count; i++)
    good = add_crowd(builder, &crowds[i]);
  free(crowds);
  return good;
}
