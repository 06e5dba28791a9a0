#include "analyzer/analyses/imbalance/imbalance.h"

#include "analyzer/analyses/imbalance/instance.h"

#include <stdlib.h>

static void add_thread(struct imbalance_thread *into, const struct imbalance_thread *from)
{
  into->calls += from->calls;
  into->busy += from->busy;
  into->wait += from->wait;
  into->waited_for += from->waited_for;
  into->last += from->last;
  into->chunks += from->chunks;
  into->iterations += from->iterations;
  fine_total_merge(&into->lost_as_forker, from->lost_as_forker);
}

static bool merge_add_threads(struct imbalance_construct *into, const struct imbalance_construct *from,
                              uint32_t locations)
{
  if (!from->by_thread)
    return true;
  if (!into->by_thread && !(into->by_thread = calloc(locations, sizeof *into->by_thread)))
    return false;
  for (uint32_t i = 0; i < locations; i++)
    add_thread(&into->by_thread[i], &from->by_thread[i]);
  return true;
}

static void merge_add_parts(struct imbalance_parts *into, const struct imbalance_parts *from)
{
  fine_total_merge(&into->uneven, from->uneven);
  fine_total_merge(&into->late, from->late);
  fine_total_merge(&into->overhead, from->overhead);
  fine_total_merge(&into->locked, from->locked);
  fine_total_merge(&into->starved, from->starved);
}

static void merge_add_construct(struct imbalance_construct *into, const struct imbalance_construct *from)
{
  into->calls += from->calls;
  into->partial += from->partial;
  into->incomplete += from->incomplete;
  if (from->threads > into->threads)
    into->threads = from->threads;
  construct_ended(into, from->first_end, from->parallel);
  into->elapsed += from->elapsed;
  into->busy += from->busy;
  into->capacity += from->capacity;
  into->busy_max += from->busy_max;
  into->busy_min += from->busy_min;
  fine_total_merge(&into->busy_mean, from->busy_mean);
  fine_total_merge(&into->imbalance, from->imbalance);
  fine_total_merge(&into->imbalance_scaled, from->imbalance_scaled);
  fine_total_merge(&into->lost, from->lost);
  fine_total_merge(&into->to_win, from->to_win);
  fine_total_merge(&into->lost_capacity, from->lost_capacity);
  fine_total_merge(&into->overhead, from->overhead);
  into->late += from->late;
  into->wait += from->wait;
  into->chunks += from->chunks;
  into->iterations += from->iterations;
  merge_add_parts(&into->parts, &from->parts);
  into->locked += from->locked;
  into->tasks += from->tasks;
  into->dependent += from->dependent;
}

static bool add_estimates(struct imbalance_construct *into, const struct imbalance_construct *from)
{
  into->left_out += from->left_out;
  if (!from->more)
    return true;
  if (!into->more && !(into->more = calloc(IMBALANCE_FIGURES, sizeof *into->more)))
    return false;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++)
    estimate_add(&into->more[i], &from->more[i]);
  return true;
}

bool imbalance_merge(struct imbalance *into, const struct imbalance *from)
{
  for (uint32_t i = 0; i < from->count; i++) {
    if (!merge_add_threads(&into->constructs[i], &from->constructs[i], from->locations) ||
        !add_estimates(&into->constructs[i], &from->constructs[i]) ||
        !course_merge(&into->constructs[i].course, from->constructs[i].course))
      return false;
    merge_add_construct(&into->constructs[i], &from->constructs[i]);
  }
  for (uint32_t i = 0; i < from->locations; i++)
    into->alone[i] += from->alone[i];
  into->lifetimes += from->lifetimes;
  into->estimated += from->estimated;
  into->unmeasured += from->unmeasured;
  into->left_out += from->left_out;
  return wait_pairs_merge(into, from);
}
