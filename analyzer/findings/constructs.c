/* Work that is spread unevenly, and what the runtime takes: regions by themselves and the constructs in them. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/counted.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  char busy[UNITS_SIZE], most[UNITS_SIZE], won[WON_SIZE], advice[CONSTRUCTS_ADVICE_SIZE], crowd[CONSTRUCTS_ADVICE_SIZE];
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
      builder_won(builder, ticks, won), slowest, counted, advice, crowd);
  free(slowest);
  return good;
}

static bool add_overhead(struct builder *builder, uint32_t region, double ticks)
{
  const struct trace_region *place = &builder->of->trace->regions[region];
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  struct finding finding = {FINDING_OVERHEAD, region, TRACE_NONE, ticks, .text = NULL};
  char busy[UNITS_SIZE], spent[UNITS_SIZE], won[WON_SIZE], advice[CONSTRUCTS_ADVICE_SIZE] = "";
  if (place->role == OTF2_REGION_ROLE_LOOP && !advise_simulated(builder_loop(builder, region), advice) &&
      imbalance_schedule(place) == SCHEDULE_DYNAMIC && chunks_of(construct) >= FEW_CHUNKS)
    snprintf(advice, sizeof advice, "; its chunks are small: try a larger chunk size or schedule(static)");
  return builder_add(builder, &finding, "%s: its threads are busy %s on average and spend %s in the runtime, %s%s.",
                     builder_region_name(builder, region),
                     builder_duration(builder, fine_total_ticks(construct->busy_mean), busy),
                     builder_duration(builder, fine_total_ticks(construct->overhead), spent),
                     builder_won(builder, ticks, won), advice);
}

static bool add_schedule(struct builder *builder, const struct schedule_loop *loop, double ticks)
{
  struct finding finding = {FINDING_SCHEDULE, loop->region, TRACE_NONE, ticks, .text = NULL};
  const struct schedule_team *team = &loop->teams[0];
  char best[PLAN_TEXT], won[WON_SIZE];
  return builder_add(builder, &finding, "%s: %s would take %.0f %% less of its time, %s.",
                     builder_region_name(builder, loop->region), plan_text(&team->candidates[team->best].plan, best),
                     team->gain, builder_won(builder, ticks, won));
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
