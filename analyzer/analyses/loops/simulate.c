#include "analyzer/analyses/loops/simulate.h"
#include "base/statistics.h"

#include <stdlib.h>
#include <string.h>

/*
 * The bounds. A thread of a static schedule has known iterations. The cost of pieces that are all its own is certain; a
 * piece that it shares may cost the thread nearly all of the piece's time, or nearly nothing. Under self-scheduling a
 * chunk begins when a thread is free. Until then all threads were busy with the iterations before the chunk: so it
 * begins at the latest when these, spread over the threads, have ended.
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
