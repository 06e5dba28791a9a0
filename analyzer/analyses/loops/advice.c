#include "analyzer/analyses/loops/advice.h"

#include "base/count_of.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The bounds. A thread of a static schedule has known iterations. The cost of a piece that one thread has alone is
 * certain. A shared piece may cost the thread nearly all of the piece's time, or nearly nothing. Under self-scheduling
 * a chunk begins when a thread is free. Until then all threads were busy with the iterations before the chunk. The
 * chunk therefore begins at the latest when these, spread over the threads, have ended.
 */

static double simulate_larger(double a, double b)
{
  return a > b ? a : b;
}

/* When the threads arrive, on average. */
static double mean_arrival(const struct simulate_team *team)
{
  double sum = 0;
  for (uint32_t i = 0; i < team->threads; i++)
    sum += team->arrivals[i];
  return sum / team->threads;
}

double simulate_ideal(double cost, const struct simulate_team *team)
{
  double ideal = mean_arrival(team) + cost / team->threads;
  for (uint32_t i = 0; i < team->threads; i++)
    ideal = simulate_larger(ideal, team->arrivals[i]);
  return ideal;
}

/* Walks through a profile, forwards: cheaper than searching. */
struct walk {
  const struct profile *profile;
  size_t piece;
};

static struct profile_cost walk_to(struct walk *walk, uint64_t at)
{
  const struct profile *profile = walk->profile;
  while (walk->piece < profile->count && profile->begins[walk->piece + 1] <= at)
    walk->piece++;
  double before = profile->costs[walk->piece];
  if (walk->piece == profile->count || profile->begins[walk->piece] == at)
    return (struct profile_cost){before, before, before};
  double all = (double)(profile->begins[walk->piece + 1] - profile->begins[walk->piece]);
  double cost = profile->costs[walk->piece + 1] - before;
  return (struct profile_cost){before + cost * (double)(at - profile->begins[walk->piece]) / all, before,
                               before + cost};
}

/* Adds a thread's share from `from` to `to` of the loop. */
static void add_share(struct simulated *share, struct profile_cost from, struct profile_cost to)
{
  share->ticks += to.even - from.even;
  share->least += simulate_larger(to.least - from.most, 0);
  share->most += to.most - from.least;
}

static void finish_static(const struct simulated *shares, const struct simulate_team *team, double ideal,
                          struct simulated *simulated)
{
  *simulated = (struct simulated){0};
  for (uint32_t i = 0; i < team->threads; i++) {
    simulated->ticks = simulate_larger(simulated->ticks, team->arrivals[i] + shares[i].ticks);
    simulated->least = simulate_larger(simulated->least, team->arrivals[i] + shares[i].least);
    simulated->most = simulate_larger(simulated->most, team->arrivals[i] + shares[i].most);
  }
  simulated->least = simulate_larger(simulated->least, ideal);
}

/* Static: the iterations of each thread are known. */
static bool simulate_static(const struct plan *plan, const struct profile *profile, const struct plan_space *space,
                            const struct simulate_team *team, struct simulated *simulated)
{
  struct simulated *shares = calloc(team->threads, sizeof *shares);
  if (!shares)
    return false;
  struct walk walk = {.profile = profile};
  uint64_t n = space->iterations, at = 0;
  uint64_t chunks = plan->chunk ? (n - 1) / plan->chunk + 1 : 0;
  struct profile_cost from = walk_to(&walk, 0);
  if (chunks > SIMULATE_CHUNKS && chunks / team->threads > SIMULATE_SHARE) {
    for (uint32_t i = 0; i < team->threads; i++)
      shares[i] = (struct simulated){profile_total(profile) / team->threads, 0, profile_total(profile)};
  } else if (plan->chunk) {
    for (uint32_t thread = 0; at < n; thread = (thread + 1) % team->threads) {
      at += n - at < plan->chunk ? n - at : plan->chunk;
      struct profile_cost to = walk_to(&walk, at);
      add_share(&shares[thread], from, to);
      from = to;
    }
  } else {
    for (uint32_t thread = 0; thread < team->threads; thread++) {
      uint64_t begin, end;
      plan_block(space, thread, &begin, &end);
      struct profile_cost to = walk_to(&walk, end);
      add_share(&shares[thread], from, to);
      from = to;
    }
  }
  double ideal = simulate_ideal(profile_total(profile), team);
  finish_static(shares, team, ideal, simulated);
  free(shares);
  return true;
}

/* The thread that is free first is the root. */
static void sift_down(double *heap, uint32_t count)
{
  double moving = heap[0];
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && heap[child + 1] < heap[child])
      child++;
    if (moving <= heap[child])
      break;
    heap[at] = heap[child];
  }
  heap[at] = moving;
}

/* Dynamic and guided: a chunk goes to the thread that is free first. */
static bool simulate_free(const struct plan *plan, const struct profile *profile, const struct plan_space *space,
                          const struct simulate_team *team, struct simulated *simulated)
{
  double *heap = malloc(team->threads * sizeof *heap);
  if (!heap)
    return false;
  memcpy(heap, team->arrivals, team->threads * sizeof *heap);
  doubles_sort(heap, team->threads); /* sorted: a heap */
  double ready = mean_arrival(team), handing_out = 0;
  struct walk walk = {.profile = profile};
  struct profile_cost from = walk_to(&walk, 0);
  bool cut = false;
  uint64_t at_once = plan->kind == PLAN_DYNAMIC ? (space->iterations / plan->chunk) / SIMULATE_CHUNKS + 1 : 1;
  struct plan handed_out = {plan->kind, plan->chunk * at_once};
  *simulated = (struct simulated){0};
  for (uint64_t at = 0; at < space->iterations;) {
    uint64_t size = plan_next(&handed_out, space, at);
    uint64_t chunks = at_once > 1 ? (size - 1) / plan->chunk + 1 : 1;
    at += size;
    struct profile_cost to = walk_to(&walk, at);
    double overhead = (double)chunks * team->overhead;
    heap[0] += to.even - from.even + overhead;
    simulated->ticks = simulate_larger(simulated->ticks, heap[0]);
    sift_down(heap, team->threads);
    simulated->most = simulate_larger(simulated->most, ready + (from.most + handing_out) / team->threads +
                                                           (to.most - from.least) + overhead);
    handing_out += overhead;
    cut |= to.least != to.most;
    from = to;
  }
  for (uint32_t i = 0; i < team->threads; i++)
    simulated->ticks = simulate_larger(simulated->ticks, team->arrivals[i]);
  free(heap);
  simulated->least = simulate_ideal(profile_total(profile) + handing_out, team);
  if (!cut) /* all chunks are known */
    simulated->least = simulated->most = simulated->ticks;
  return true;
}

bool simulate(const struct plan *plan, const struct profile *profile, const struct simulate_team *team,
              struct simulated *simulated)
{
  struct plan_space space = {team->runtime, team->threads, profile_iterations(profile)};
  bool good = plan->kind == PLAN_STATIC ? simulate_static(plan, profile, &space, team, simulated)
                                        : simulate_free(plan, profile, &space, team, simulated);
  if (!good)
    return false;
  if (simulated->least > simulated->ticks)
    simulated->least = simulated->ticks;
  if (simulated->most < simulated->ticks)
    simulated->most = simulated->ticks;
  return true;
}

#define CANDIDATES 160 /* static, and three kinds with up to 2^46 iterations a chunk; the recorded one */

/* Percent: what one execution of a loop can differ from the next for reasons of its own; of n executions 1 / n of it.
 */
#define NOISE 10.0

/* The executions that are simulated. */
struct loop_sample {
  const struct execution *executions[RECORD_SAMPLES];
  struct profile profiles[RECORD_SAMPLES];
  uint32_t count;
  double ticks; /* measured, of all of them */
};

/* One candidate, simulated for each execution of the sample. */
struct outcome {
  double ticks[RECORD_SAMPLES];
  struct simulated sum;
};

static bool make_sample(struct loop_sample *sample, const struct loop_record *record, double overhead)
{
  for (uint32_t i = 0; i < record->sample_count; i++) {
    const struct execution *execution = &record->samples[i];
    struct piece_list list = {0};
    bool no_memory = !piece_list_append(&list, &execution->pieces);
    if (!no_memory && profile_make(&sample->profiles[sample->count], &list, overhead, &no_memory)) {
      sample->executions[sample->count++] = execution;
      sample->ticks += (double)execution->ticks;
    }
    piece_list_free(&list);
    if (no_memory)
      return false;
  }
  return true;
}

static void free_sample(struct loop_sample *sample)
{
  for (uint32_t i = 0; i < sample->count; i++)
    profile_free(&sample->profiles[i]);
}

/* A team of another size than the recorded one begins as that did. */
static double *arrivals_of(const struct execution *execution, uint32_t threads)
{
  double *arrivals = calloc(threads, sizeof *arrivals);
  for (uint32_t i = 0; arrivals && i < threads; i++)
    arrivals[i] = execution->arrivals[i % execution->threads];
  return arrivals;
}

/* Simulates a schedule on the whole sample; threads 0: as recorded. False: out of memory. */
static bool try_plan(const struct plan *plan, const struct loop_sample *sample, const struct schedule_loop *loop,
                     uint32_t threads, struct outcome *outcome)
{
  *outcome = (struct outcome){0};
  for (uint32_t i = 0; i < sample->count; i++) {
    const struct execution *execution = sample->executions[i];
    struct simulate_team team = {loop->runtime, threads ? threads : execution->threads, NULL, loop->overhead};
    double *arrivals = arrivals_of(execution, team.threads);
    struct simulated simulated;
    team.arrivals = arrivals;
    bool good = arrivals && simulate(plan, &sample->profiles[i], &team, &simulated);
    free(arrivals);
    if (!good)
      return false;
    outcome->ticks[i] = simulated.ticks;
    outcome->sum.ticks += simulated.ticks;
    outcome->sum.least += simulated.least;
    outcome->sum.most += simulated.most;
  }
  return true;
}

/*
 * Half the width of a 95 % interval of the saving, over the executions, as a part of the measured time. Student's
 * distribution gives the number of standard errors, because the error itself is estimated from few executions.
 */
static double spread(const struct loop_sample *sample, const struct outcome *outcome)
{
  static const double errors[RECORD_SAMPLES + 1] = {0,    0,    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36,
                                                    2.31, 2.26, 2.23,  2.20, 2.18, 2.16, 2.14, 2.13};
  double ratio = outcome->sum.ticks / sample->ticks, squares = 0;
  for (uint32_t i = 0; i < sample->count; i++) {
    double off = outcome->ticks[i] - ratio * (double)sample->executions[i]->ticks;
    squares += off * off;
  }
  double n = sample->count;
  return n > 1 ? errors[sample->count] * sqrt(squares * n / (n - 1)) / sample->ticks : 0;
}

static uint64_t iterations_most(const struct loop_sample *sample)
{
  uint64_t most = 1;
  for (uint32_t i = 0; i < sample->count; i++) {
    uint64_t iterations = profile_iterations(&sample->profiles[i]);
    most = iterations > most ? iterations : most;
  }
  return most;
}

/* static, powers of two up to a thread's share of each kind, and what was recorded. Returns how many. */
static uint32_t list_plans(struct plan *plans, const struct schedule_loop *loop, uint64_t iterations, uint32_t threads)
{
  static const enum plan_kind kinds[] = {PLAN_STATIC, PLAN_DYNAMIC, PLAN_GUIDED};
  uint32_t count = 0;
  bool has_recorded =
      loop->recorded.kind == PLAN_UNKNOWN || (loop->recorded.kind != PLAN_STATIC && !loop->recorded.chunk);
  plans[count++] = (struct plan){PLAN_STATIC, 0};
  for (size_t k = 0; k < COUNT_OF(kinds); k++) {
    for (uint64_t chunk = 1; chunk == 1 || (chunk <= iterations / threads && chunk < 1ull << 46); chunk *= 2)
      plans[count++] = (struct plan){kinds[k], chunk};
  }
  for (uint32_t i = 0; i < count; i++)
    has_recorded |= plan_same(&plans[i], &loop->recorded);
  if (!has_recorded)
    plans[count++] = loop->recorded;
  return count;
}

/* Simpler schedules are preferred: smaller is simpler. */
static unsigned complexity(const struct plan *plan)
{
  return plan->kind == PLAN_STATIC ? plan->chunk != 0 : plan->kind == PLAN_DYNAMIC ? 2 : 3;
}

/* True if `a` is to be preferred to `b`; both take about as long. */
static bool is_preferred(const struct schedule_candidate *a, const struct schedule_candidate *b)
{
  unsigned left = complexity(&a->plan), right = complexity(&b->plan);
  return left != right ? left < right : a->plan.chunk > b->plan.chunk; /* larger chunks: less to hand out */
}

/* How many ticks longer it can take, because the costs inside the recorded chunks are unknown. */
static double risk(const struct schedule_candidate *candidate)
{
  return candidate->most - candidate->ticks;
}

/*
 * The shortest schedule counts, and among equally short ones the simplest. Only schedules with at least as certain data
 * qualify, otherwise a guess would replace known times.
 */
static uint32_t choose(const struct schedule_team *team)
{
  const struct schedule_candidate *all = team->candidates;
  uint32_t shortest = 0;
  for (uint32_t i = 1; i < team->count; i++) {
    if (all[i].ticks < all[shortest].ticks)
      shortest = i;
  }
  double limit = all[shortest].ticks * (1 + SCHEDULE_WORTH / 100), surest = INFINITY;
  for (uint32_t i = 0; i < team->count; i++) {
    if (all[i].ticks <= limit && risk(&all[i]) < surest)
      surest = risk(&all[i]);
  }
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < team->count; i++) {
    bool eligible = all[i].ticks <= limit && risk(&all[i]) <= surest + all[i].ticks * SCHEDULE_WORTH / 100;
    if (eligible && (best == UINT32_MAX || is_preferred(&all[i], &all[best])))
      best = i;
  }
  return best;
}

/* True if the recorded chunks are as small as the chunks that the advice would need. */
static bool is_fine(const struct schedule_loop *loop)
{
  return loop->recorded.kind != PLAN_GUIDED && loop->recorded.chunk > 0 && loop->recorded.chunk <= loop->suggested;
}

/* What the best saves of the measured time, and whether this is certain. */
static void judge(struct schedule_team *team, const struct loop_sample *sample, const struct schedule_loop *loop,
                  const struct outcome *best)
{
  double doubt = fmax(isnan(loop->error) ? 0 : fabs(loop->error), 100 * spread(sample, best));
  doubt = fmax(doubt, NOISE / sample->count);
  team->gain = 100 * (1 - best->sum.ticks / sample->ticks);
  team->gain_low = 100 * (1 - best->sum.most / sample->ticks) - doubt;
  team->gain_high = 100 * (1 - best->sum.least / sample->ticks) + doubt;
  if (team->threads)
    team->verdict = SCHEDULE_NOT_RECORDED;
  else if (plan_same(&team->candidates[team->best].plan, &loop->recorded) || team->gain <= SCHEDULE_WORTH)
    team->verdict = SCHEDULE_GOOD;
  else if (team->gain_low > 0)
    team->verdict = SCHEDULE_ADVISED;
  else
    team->verdict = team->gain > doubt && !is_fine(loop) ? SCHEDULE_TOO_COARSE : SCHEDULE_UNSURE;
}

/* Simulates all schedules for one size of the team. False: out of memory. */
static bool simulate_team(struct schedule_team *team, const struct loop_sample *sample,
                          const struct schedule_loop *loop)
{
  struct plan plans[CANDIDATES];
  struct outcome outcome;
  uint32_t count = list_plans(plans, loop, iterations_most(sample), team->threads ? team->threads : loop->threads);
  double scale = (double)loop->ticks / sample->ticks;
  team->candidates = calloc(count, sizeof *team->candidates);
  if (!team->candidates)
    return false;
  for (; team->count < count; team->count++) {
    if (!try_plan(&plans[team->count], sample, loop, team->threads, &outcome))
      return false;
    team->candidates[team->count] = (struct schedule_candidate){plans[team->count], outcome.sum.ticks * scale,
                                                                outcome.sum.least * scale, outcome.sum.most * scale};
  }
  team->best = choose(team);
  if (!try_plan(&plans[team->best], sample, loop, team->threads, &outcome))
    return false;
  judge(team, sample, loop, &outcome);
  return true;
}

/* How far the simulation of the recorded schedule is from the measured time. False: out of memory. */
static bool find_error(struct schedule_loop *loop, const struct loop_sample *sample)
{
  struct outcome outcome;
  loop->error = NAN;
  if (loop->recorded.kind == PLAN_UNKNOWN || (loop->recorded.kind != PLAN_STATIC && !loop->recorded.chunk))
    return true;
  if (!try_plan(&loop->recorded, sample, loop, 0, &outcome))
    return false;
  loop->error = 100 * (outcome.sum.ticks / sample->ticks - 1);
  return true;
}

bool advice_give(struct schedule_loop *loop, const struct loop_record *record, bool overhead_inside,
                 const uint32_t *threads, uint32_t thread_count)
{
  struct loop_sample sample = {0};
  loop->error = NAN;
  bool good = make_sample(&sample, record, overhead_inside ? loop->overhead : 0);
  loop->sampled = sample.count;
  if (good && (sample.count == 0 || sample.ticks <= 0)) {
    loop->obstacle = OBSTACLE_EMPTY;
  } else if (good) {
    loop->teams = calloc(thread_count + 1, sizeof *loop->teams);
    good = loop->teams && find_error(loop, &sample);
    for (uint32_t i = 0; good && i <= thread_count; i++) {
      struct schedule_team *team = &loop->teams[loop->team_count++];
      team->threads = i ? threads[i - 1] : 0;
      good = simulate_team(team, &sample, loop);
    }
  }
  free_sample(&sample);
  return good;
}
