/* Parallel regions: what they lose by themselves, and with their tasks. */
#include "analyzer/findings/builder.h"
#include "analyzer/trace/cpu_limit.h"
#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_WORK_US 100.0 /* of a thread in one execution: with less of it, starting a region counts ... */
#define SMALL_CALLS   10    /* ... if there are so many executions */
#define SMALL_TASK_US 20.0  /* the cost of making and handing out a task has this order of magnitude, or less */

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
  char took[UNITS_SIZE], work[UNITS_SIZE];
  return builder_add(builder, &finding,
                     "%s: each of its %" PRIu64
                     " executions takes %s on average for %s of work a thread, %s. Merge them into fewer, longer ones, "
                     "or let one thread execute them (clause if).",
                     builder_region_name(builder, region), construct->calls,
                     builder_duration(builder, (double)construct->elapsed / calls, took),
                     builder_duration(builder, fine_total_ticks(construct->busy_mean) / calls, work), BUILDER_WON);
}

struct task_work {
  double ticks;     /* of one task */
  bool at_most;     /* the ticks are a bound */
  bool has_omitted; /* not all tasks are recorded: they came too often */
};

/*
 * The mean work of the region's tasks: the mean of all tasks of the trace. If the region made less than half of them,
 * they are not typical of its own. Then all work in the region, by any thread, is a bound, if it is more.
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
    /* Calls that are not recorded are estimated, and counted among the calls. */
    struct estimate more = states_sums_more(builder->of->sums, i);
    work.has_omitted |= more.omitted > 0;
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
  char each[UNITS_SIZE], cost[UNITS_SIZE];
  if (microseconds(builder, work.ticks) < SMALL_TASK_US && (work.ticks < lost || work.has_omitted)) {
    finding.kind = FINDING_SMALL_TASKS;
    return builder_add(builder, &finding,
                       "%s: its %" PRIu64 " tasks do %s%s of work each, and its threads lose %s for each of them, %s; "
                       "make fewer, larger tasks.",
                       name, own->tasks, work.at_most ? "at most " : "", builder_duration(builder, work.ticks, each),
                       builder_duration(builder, lost, cost), BUILDER_WON);
  }
  double parallel = construct->elapsed ? (double)construct->busy / (double)construct->elapsed : 0;
  if (2 * own->dependent >= own->tasks) {
    finding.kind = FINDING_CHAIN;
    return builder_add(builder, &finding,
                       "%s: its tasks wait for each other (%" PRIu64 " of %" PRIu64
                       " have dependences), and %.1f of its %" PRIu32
                       " threads work on average, %s. Use fewer dependences, or execute more such chains side by side.",
                       name, own->dependent, own->tasks, parallel, construct->threads, BUILDER_WON);
  }
  return builder_add(builder, &finding,
                     "%s: %.1f of its %" PRIu32 " threads work on average, because too few of its %" PRIu64
                     " tasks are ready at a time, %s. Make more tasks, or tasks that wait less for each other.",
                     name, parallel, construct->threads, own->tasks, BUILDER_WON);
}

static bool add_waiting(struct builder *builder, uint32_t region, const struct own *own)
{
  struct finding finding = {FINDING_WAITING, region, TRACE_NONE, own->starved, .text = NULL};
  char mean[UNITS_SIZE];
  return builder_add(builder, &finding,
                     "%s: its threads wait %s on average for each other although none of them works longer in total, "
                     "%s. Remove barriers, or spread the work between them more evenly.",
                     builder_region_name(builder, region), builder_duration(builder, own->starved, mean), BUILDER_WON);
}

static bool add_late(struct builder *builder, uint32_t region, const struct own *own)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_LATE, region, TRACE_NONE, own->late, .text = NULL};
  char took[UNITS_SIZE], late[UNITS_SIZE];
  return builder_add(builder, &finding, "%s: %s of its %s pass from the fork until its last thread begins, %s.",
                     builder_region_name(builder, region), builder_duration(builder, (double)construct->late, late),
                     builder_duration(builder, (double)construct->elapsed, took), BUILDER_WON);
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
  char late[UNITS_SIZE];
  if (crowd->late <= 0)
    return true;
  return builder_add(
      builder, &finding,
      "%s: its team has %" PRIu32 " threads, but the process may use %" PRIu64
      " processor%s. %s pass from forks until the last thread gets one and begins, %s; try %" PRIu64 " thread%s.",
      builder_region_name(builder, crowd->region), crowd->threads, crowd->processors, crowd->processors == 1 ? "" : "s",
      builder_duration(builder, crowd->late, late), BUILDER_WON, crowd->processors, crowd->processors == 1 ? "" : "s");
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

/* Work that is spread unevenly, and what the runtime takes: regions by themselves and the constructs in them. */

#define UNEVEN_PERCENT 5.0 /* imbalance percentage from which a loop's schedule is to blame */
#define FEW_CHUNKS     8   /* a thread and call: fewer cannot even out much */

#define CONSTRUCTS_ADVICE_SIZE 256

/* The simulation of a loop's schedule goes before advice from the figures. True: the simulation has an answer. */
static bool advise_simulated(const struct schedule_loop *loop, char text[CONSTRUCTS_ADVICE_SIZE])
{
  char best[PLAN_TEXT];
  const struct schedule_team *team = loop && loop->team_count > 0 ? &loop->teams[0] : NULL;
  *text = '\0';
  if (!team)
    return loop && (loop->obstacle == OBSTACLE_ORDERED || loop->obstacle == OBSTACLE_OFF);
  if (team->verdict == SCHEDULE_ADVISED)
    snprintf(text, CONSTRUCTS_ADVICE_SIZE, "; %s would take %.0f %% less of its time",
             plan_text(&team->candidates[team->best].plan, best), team->gain);
  return team->verdict == SCHEDULE_ADVISED || team->verdict == SCHEDULE_GOOD;
}

static double chunks_of(const struct imbalance_construct *construct)
{
  double team = imbalance_team(construct);
  return team > 0 ? (double)construct->chunks / ((double)construct->calls * team) : 0;
}

/* Advice for a loop whose threads work unequally long. */
static const char *advise_uneven_loop(const struct trace_region *region, const struct imbalance_construct *construct)
{
  enum imbalance_schedule schedule = imbalance_schedule(region);
  if (imbalance_percent(construct) < UNEVEN_PERCENT)
    return "";
  if (schedule == SCHEDULE_STATIC)
    return "; its schedule is static: try schedule(dynamic) or schedule(guided)";
  bool shared_out = schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
  bool coarse = construct->chunks > 0 && construct->chunks < construct->iterations && chunks_of(construct) < FEW_CHUNKS;
  return shared_out && coarse ? "; it has few chunks a thread: try a smaller chunk size" : "";
}

static void advise_uneven(const struct builder *builder, uint32_t region, char text[CONSTRUCTS_ADVICE_SIZE])
{
  const struct trace_region *place = &builder->of->trace->regions[region];
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  const char *advice = "";
  *text = '\0';
  if (place->role == OTF2_REGION_ROLE_LOOP) {
    if (advise_simulated(builder_loop(builder, region), text))
      return;
    advice = advise_uneven_loop(place, construct);
  } else if (place->role == OTF2_REGION_ROLE_SINGLE)
    advice = "; one thread works in it while the others wait: try nowait, or make its work tasks";
  else if (place->role == OTF2_REGION_ROLE_SECTIONS)
    advice = "; its sections are too few or too different: try to split them, or make them tasks";
  snprintf(text, CONSTRUCTS_ADVICE_SIZE, "%s", advice);
}

/* "; the others wait mostly for OpenMP thread 3 (64 % of the waiting)". NULL: out of memory. */
static char *slowest_text(const struct builder *builder, const struct imbalance_construct *construct)
{
  const struct trace *trace = builder->of->trace;
  char *text = NULL;
  uint64_t all = 0;
  uint32_t slowest = imbalance_slowest(construct, trace->location_count);
  for (uint32_t i = 0; construct->by_thread && i < trace->location_count; i++)
    all += construct->by_thread[i].waited_for;
  if (slowest == TRACE_NONE)
    return strdup("");
  double share = (double)construct->by_thread[slowest].waited_for / (double)all;
  int length;
  if (share >= 0.5)
    length = asprintf(&text, "; the others wait mostly for %s (%.0f %% of the waiting)",
                      trace_thread_said(trace, slowest), 100 * share);
  else
    length = asprintf(&text, "; the slowest thread changes from call to call");
  return length < 0 ? NULL : text;
}

/* Threads that share processors take turns, which looks like uneven work. */
static void crowd_text(const struct builder *builder, const struct imbalance_construct *construct,
                       char text[CONSTRUCTS_ADVICE_SIZE])
{
  uint64_t processors = builder_processors(builder, imbalance_forker(construct, builder->of->trace->location_count));
  *text = '\0';
  if (processors > 0 && construct->threads > processors)
    snprintf(text, CONSTRUCTS_ADVICE_SIZE,
             "; its %" PRIu32 " threads share %" PRIu64
             " processor%s, so part of this difference may be waits for a processor",
             construct->threads, processors, processors == 1 ? "" : "s");
}

/* ticks: without the explained ones (builder.h). */
static bool add_uneven(struct builder *builder, uint32_t region, double ticks, double explained)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_IMBALANCE, region, TRACE_NONE, ticks, .text = NULL};
  char busy[UNITS_SIZE], most[UNITS_SIZE], advice[CONSTRUCTS_ADVICE_SIZE], crowd[CONSTRUCTS_ADVICE_SIZE];
  char counted[COUNTED_SIZE], lacked[LACKED_SIZE];
  char *slowest = slowest_text(builder, construct);
  if (!slowest)
    return false;
  advise_uneven(builder, region, advice);
  crowd_text(builder, construct, crowd);
  finding.cause = counted_text(builder, region, counted);
  bool good = builder_add(
      builder, &finding, "%s: its threads are busy %s on average but the slowest %s,%s %s%s%s%s%s.",
      builder_region_name(builder, region), builder_duration(builder, fine_total_ticks(construct->busy_mean), busy),
      builder_duration(builder, (double)construct->busy_max, most), builder_lacked(builder, ticks, explained, lacked),
      BUILDER_WON, slowest, counted, advice, crowd);
  free(slowest);
  return good;
}

static bool add_overhead(struct builder *builder, uint32_t region, double ticks)
{
  const struct trace_region *place = &builder->of->trace->regions[region];
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_OVERHEAD, region, TRACE_NONE, ticks, .text = NULL};
  char busy[UNITS_SIZE], spent[UNITS_SIZE], advice[CONSTRUCTS_ADVICE_SIZE] = "";
  if (place->role == OTF2_REGION_ROLE_LOOP && !advise_simulated(builder_loop(builder, region), advice) &&
      imbalance_schedule(place) == SCHEDULE_DYNAMIC && chunks_of(construct) >= FEW_CHUNKS)
    snprintf(advice, sizeof advice, "; its chunks are small: try a larger chunk size or schedule(static)");
  return builder_add(builder, &finding, "%s: its threads are busy %s on average and spend %s in the runtime, %s%s.",
                     builder_region_name(builder, region),
                     builder_duration(builder, fine_total_ticks(construct->busy_mean), busy),
                     builder_duration(builder, fine_total_ticks(construct->overhead), spent), BUILDER_WON, advice);
}

static bool add_schedule(struct builder *builder, const struct schedule_loop *loop, double ticks)
{
  struct finding finding = {FINDING_SCHEDULE, loop->region, TRACE_NONE, ticks, .text = NULL};
  const struct schedule_team *team = &loop->teams[0];
  char best[PLAN_TEXT];
  return builder_add(builder, &finding, "%s: %s would take %.0f %% less of its time, %s.",
                     builder_region_name(builder, loop->region), plan_text(&team->candidates[team->best].plan, best),
                     team->gain, BUILDER_WON);
}

/* Ticks that the simulation saves for certain; 0: none. */
static double sure_gain(const struct schedule_loop *loop)
{
  bool sure = loop && loop->team_count > 0 && loop->teams[0].verdict == SCHEDULE_ADVISED;
  return sure ? (double)loop->ticks * loop->teams[0].gain / 100 : 0;
}

static bool add_construct(struct builder *builder, uint32_t region)
{
  const struct trace *trace = builder->of->trace;
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  double factor = imbalance_side_by_side(construct, trace->location_count);
  double uneven = factor * fine_total_ticks(construct->parts.uneven);
  double overhead = factor * fine_total_ticks(construct->parts.overhead);
  double gain = factor * sure_gain(builder_loop(builder, region));
  double explained = processors_explain(builder, region);
  bool makes_tasks = trace->regions[region].role == OTF2_REGION_ROLE_SINGLE && construct->tasks > 0;
  if (makes_tasks) /* the finding of its region has the cost of its tasks */
    uneven = 0;
  if (gain > uneven + overhead)
    return add_schedule(builder, builder_loop(builder, region), gain - explained);
  return add_uneven(builder, region, uneven - explained, explained) && add_overhead(builder, region, overhead);
}

bool constructs_add(struct builder *builder)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  for (uint32_t i = 0; i < imbalance->count; i++)
    if (imbalance->constructs[i].calls > 0 && imbalance->constructs[i].threads > 1 &&
        builder->of->trace->regions[i].role != OTF2_REGION_ROLE_PARALLEL && !add_construct(builder, i))
      return false;
  return true;
}

bool region_add_uneven(struct builder *builder, uint32_t region, double uneven, double overhead)
{
  double explained = processors_explain(builder, region);
  return add_uneven(builder, region, uneven - explained, explained) && add_overhead(builder, region, overhead);
}

/*
 * Control groups, such as container groups, that have used up their processor time: all their threads stop. Each
 * processor's stops are added up, so no more than the run can be won. If they are not known, the account has the
 * figure.
 */
bool throttled_add(struct builder *builder)
{
  struct cpu_limit group;
  if (!trace_cpu_limit(builder->of->trace, &group) ||
      (group.told ? group.stopped <= 0 : !findings_account(builder->of)))
    return true;
  double ticks = group.told && group.stopped < builder->run ? group.stopped : builder->run, limit = group.processors;
  struct finding finding = {FINDING_THROTTLED, TRACE_NONE, TRACE_NONE, ticks, .text = NULL};
  char time[UNITS_SIZE] = "a time that is not known";
  unsigned long threads = limit >= 1 ? (unsigned long)limit : 1;
  if (group.told)
    builder_duration(builder, group.stopped, time);
  return builder_add(
      builder, &finding,
      "the container: it may use %g processor%s and was throttled for %s, %s; try %lu thread%s, or raise "
      "the limit.",
      limit, limit == 1 ? "" : "s", time, BUILDER_WON, threads, threads == 1 ? "" : "s");
}
