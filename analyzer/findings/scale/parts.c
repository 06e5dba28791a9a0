#include "analyzer/findings/findings.h"
#include "analyzer/findings/scale/scale.h"
#include "analyzer/trace/definitions.h"

/* The parallel region around a construct that does not lie in another one; TRACE_NONE: none. */
static uint32_t outermost(const struct analysis_results *results, uint32_t region)
{
  const struct imbalance *imbalance = results->imbalance;
  uint32_t parallel = region;
  for (unsigned depth = 0; depth < 64 && parallel != TRACE_NONE; depth++) {
    uint32_t around = imbalance->constructs[parallel].calls ? imbalance->constructs[parallel].parallel
                                                            : results->account->within[parallel];
    if (around == TRACE_NONE || around == parallel)
      break;
    parallel = around;
  }
  bool is_parallel = parallel != TRACE_NONE && results->trace->regions[parallel].role == OTF2_REGION_ROLE_PARALLEL;
  return is_parallel ? parallel : TRACE_NONE;
}

/* The region of that name, a new one if it is new. NULL: out of memory. */
static struct scale_region *region_of(struct scale_run *run, const char *name)
{
  for (size_t i = 0; i < run->regions.count; i++)
    if (strcmp(run->regions.items[i].name, name) == 0)
      return &run->regions.items[i];
  struct scale_region region = {.name = strdup(name)};
  if (region.name && vector_push(&run->regions, region))
    return &run->regions.items[run->regions.count - 1];
  free(region.name);
  return NULL;
}

bool scale_take_regions(struct scale_run *run, const struct analysis_results *results)
{
  const struct trace *trace = results->trace;
  const struct account *account = results->account;
  double second = (double)trace->ticks_per_second;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    const struct imbalance_construct *construct = &results->imbalance->constructs[i];
    if (trace->regions[i].role != OTF2_REGION_ROLE_PARALLEL || construct->calls == 0 || outermost(results, i) != i)
      continue;
    struct scale_region *region = region_of(run, trace->regions[i].name);
    if (!region)
      return false;
    region->wall +=
        imbalance_side_by_side(construct, results->imbalance->locations) * (double)construct->elapsed / second;
  }
  for (size_t i = 0; i < account->cause_count; i++) {
    uint32_t parallel = outermost(results, account->causes[i].place);
    if (parallel == TRACE_NONE)
      continue;
    struct scale_region *region = region_of(run, trace->regions[parallel].name);
    if (!region)
      return false;
    region->seconds[account->causes[i].kind] += (double)account->causes[i].ticks / second;
  }
  return true;
}

static bool add_part(struct scale_run *run, const struct trace *trace, struct scale_part part)
{
  const struct trace_region *region = &trace->regions[part.region];
  part.name = strdup(region->name);
  part.file = strdup(region->file);
  part.line = region->line;
  if (part.name && part.file && vector_push(&run->parts, part))
    return true;
  free(part.name);
  free(part.file);
  return false;
}

static bool add_regions(struct scale_run *run, const struct analysis_results *results)
{
  const struct trace *trace = results->trace;
  double second = (double)trace->ticks_per_second;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    const struct imbalance_construct *construct = &results->imbalance->constructs[i];
    if (trace->regions[i].role != OTF2_REGION_ROLE_PARALLEL || construct->calls == 0 || outermost(results, i) != i)
      continue;
    double runtime = fine_total_ticks(construct->parts.late) + fine_total_ticks(construct->parts.overhead);
    double side = imbalance_side_by_side(construct, results->imbalance->locations);
    struct scale_part part = {.form = SCALE_REGION,
                              .region = i,
                              .parallel = i,
                              .wall = side * (double)construct->elapsed / second,
                              .work = side * (double)construct->busy / second,
                              .runtime = side * runtime / second};
    if (!add_part(run, trace, part))
      return false;
  }
  return true;
}

/* The candidate that stands for the recorded schedule. A team of one does not show the chunks of others. */
static const struct schedule_candidate *recorded_candidate(const struct schedule_team *team,
                                                           const struct schedule_loop *loop)
{
  struct plan plan = loop->recorded;
  const struct schedule_candidate *found = NULL;
  if (plan.kind == PLAN_UNKNOWN)
    plan = (struct plan){PLAN_STATIC, 0};
  if (plan.kind != PLAN_STATIC && plan.chunk == 0)
    plan.chunk = 1;
  for (uint32_t i = 0; i < team->count; i++)
    if (plan_same(&team->candidates[i].plan, &plan))
      found = &team->candidates[i];
  return found;
}

/* A loop whose chunks are known for all teams. Others are divided evenly, as the rest of their region. */
static bool fill_loop(struct scale_part *part, const struct schedule_loop *loop, const struct scale_runs *runs,
                      double second)
{
  if (loop->obstacle != OBSTACLE_NONE || loop->team_count != runs->team_count + 1)
    return false;
  for (uint32_t i = 0; i < loop->team_count; i++) {
    const struct schedule_candidate *candidate = recorded_candidate(&loop->teams[i], loop);
    if (!candidate)
      return false;
    if (i == 0)
      part->before = candidate->ticks / second;
    else
      part->teams[i - 1] = candidate->ticks / second, part->least[i - 1] = candidate->least / second;
  }
  return true;
}

static bool add_loops(struct scale_run *run, const struct scale_runs *runs, const struct analysis_results *results)
{
  double second = (double)results->trace->ticks_per_second;
  for (uint32_t i = 0; i < results->schedules->count; i++) {
    const struct schedule_loop *loop = &results->schedules->loops[i];
    struct scale_part part = {.form = SCALE_LOOP,
                              .region = loop->region,
                              .parallel = outermost(results, loop->region),
                              .wall = (double)loop->ticks / second,
                              .work = (double)results->imbalance->constructs[loop->region].busy / second};
    if (part.parallel == TRACE_NONE || !fill_loop(&part, loop, runs, second))
      continue;
    if (!add_part(run, results->trace, part))
      return false;
  }
  return true;
}

static bool is_of_one_thread(OTF2_RegionRole role)
{
  return role == OTF2_REGION_ROLE_SINGLE || role == OTF2_REGION_ROLE_SINGLE_SBLOCK || role == OTF2_REGION_ROLE_MASTER;
}

static bool add_alone(struct scale_run *run, const struct analysis_results *results)
{
  const struct account *account = results->account;
  double second = (double)results->trace->ticks_per_second;
  for (size_t i = 0; i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    if (cause->kind != ACCOUNT_WORK || cause->place == TRACE_NONE ||
        !is_of_one_thread(results->trace->regions[cause->place].role))
      continue;
    double time = (double)cause->ticks / second;
    struct scale_part part = {.form = SCALE_ALONE,
                              .region = cause->place,
                              .parallel = outermost(results, cause->place),
                              .wall = time,
                              .work = time};
    if (part.parallel != TRACE_NONE && !add_part(run, results->trace, part))
      return false;
  }
  return true;
}

/* Each lock at the place where it is held longest. */
static bool add_locks(struct scale_run *run, const struct analysis_results *results)
{
  const struct locks *locks = results->locks;
  double second = (double)results->trace->ticks_per_second;
  for (size_t i = 0; i < locks->count; i++) {
    const struct lock_sums *sums = &locks->list[i].sums;
    uint64_t most = 0;
    struct scale_part part = {.form = SCALE_LOCK, .region = TRACE_NONE};
    for (size_t k = 0; k < locks->places.count; k++) {
      const struct lock_party *place = &locks->places.list[k];
      if (place->lock == i && place->who != TRACE_NONE && place->sums.held >= most)
        most = place->sums.held, part.region = place->who;
    }
    part.parallel = outermost(results, part.region);
    part.work = part.wall = ((double)sums->held + estimate_more(&sums->more[LOCK_HELD])) / second;
    part.calls = (double)sums->acquisitions + estimate_more(&sums->more[LOCK_ACQUISITIONS]);
    if (part.parallel != TRACE_NONE && part.calls > 0 && !add_part(run, results->trace, part))
      return false;
  }
  return true;
}

bool scale_take_parts(struct scale_run *run, const struct scale_runs *runs, const struct analysis_results *results)
{
  run->usable = results->account->usable;
  if (results->tasks->made > 0)
    run->span = (double)results->tasks->span / (double)results->trace->ticks_per_second;
  return add_regions(run, results) && add_loops(run, runs, results) && add_alone(run, results) &&
         add_locks(run, results);
}
