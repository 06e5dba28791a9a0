#include "analyzer/analyses/imbalance/sampled.h"

#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "base/hash.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define FIELD(name)      offsetof(struct imbalance_construct, name)
#define WHOLE(id, name)  [IMBALANCE_##id] = {FIELD(name), false}
#define FINELY(id, name) [IMBALANCE_##id] = {FIELD(name), true}

static const struct {
  size_t at;
  bool fine; /* a fine_total, else a wide_total */
} fields[IMBALANCE_FIGURES] = {
    WHOLE(ELAPSED, elapsed),
    WHOLE(BUSY, busy),
    WHOLE(CAPACITY, capacity),
    WHOLE(BUSY_MAX, busy_max),
    WHOLE(BUSY_MIN, busy_min),
    FINELY(BUSY_MEAN, busy_mean),
    FINELY(TICKS, imbalance),
    FINELY(SCALED, imbalance_scaled),
    FINELY(LOST, lost),
    FINELY(TO_WIN, to_win),
    FINELY(LOST_CAPACITY, lost_capacity),
    FINELY(OVERHEAD, overhead),
    WHOLE(LATE, late),
    WHOLE(WAIT, wait),
    WHOLE(CHUNKS, chunks),
    WHOLE(ITERATIONS, iterations),
    FINELY(UNEVEN, parts.uneven),
    FINELY(PART_LATE, parts.late),
    FINELY(PART_OVERHEAD, parts.overhead),
    FINELY(PART_LOCKED, parts.locked),
    FINELY(STARVED, parts.starved),
    WHOLE(LOCKED, locked),
};

static wide_total get(const struct imbalance_construct *construct, size_t i)
{
  const void *field = (const char *)construct + fields[i].at;
  return fields[i].fine ? ((const struct fine_total *)field)->parts : *(const wide_total *)field;
}

struct figures figures_since(const struct imbalance_construct *now, const struct imbalance_construct *before)
{
  struct figures since;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++) {
    wide_total more = get(now, i) - get(before, i);
    since.values[i] =
        (uint64_t)(fields[i].fine ? (more + (wide_total)(FINE_PARTS / 2)) / (wide_total)FINE_PARTS : more);
  }
  return since;
}

void figures_raise(struct imbalance_construct *construct)
{
  construct->calls += construct->omitted;
  for (size_t i = 0; construct->more && i < IMBALANCE_FIGURES; i++) {
    void *field = (char *)construct + fields[i].at;
    wide_total more = estimate_more(&construct->more[i]);
    if (fields[i].fine)
      ((struct fine_total *)field)->parts += more * (wide_total)FINE_PARTS;
    else
      *(wide_total *)field += more;
  }
}

#define MOST      (1ull << 48) /* instances; more are damage */
#define MEAN_BITS 8            /* bits of a group's mean, behind the point */

struct series {
  struct sampling figures[IMBALANCE_FIGURES];
  struct estimate more[IMBALANCE_FIGURES];
};

/* Instances between which no instances are omitted with their region. */
struct group {
  uint64_t before;            /* omitted with their region, before it */
  uint64_t recorded, omitted; /* the latter by themselves */
  struct figures sum;         /* of the recorded ones */
};

struct place {
  struct sampled_place id;
  struct sampled_gap pending; /* since the last recorded instance */
  struct sampled_gap unknown; /* before recorded ones with unknown figures, which come before the next one */
  struct series single, grouped;
  struct group group; /* the newest */
  double group_size;  /* of the one before; 0: none */
};

struct sampled {
  struct imbalance *imbalance;
  struct hash index; /* region << 32 | leader -> place */
  VECTOR(struct place *) places;
};

struct sampled *sampled_create(struct imbalance *imbalance)
{
  struct sampled *sampled = calloc(1, sizeof *sampled);
  if (sampled)
    sampled->imbalance = imbalance;
  return sampled;
}

void sampled_destroy(struct sampled *sampled)
{
  if (!sampled)
    return;
  for (size_t i = 0; i < sampled->places.count; i++)
    free(sampled->places.items[i]);
  vector_free(&sampled->places);
  hash_free(&sampled->index);
  free(sampled);
}

static struct place *sampled_find(const struct sampled *sampled, struct sampled_place id)
{
  const uint64_t *at = hash_find(&sampled->index, (uint64_t)id.region << 32 | id.leader);
  return at ? sampled->places.items[*at] : NULL;
}

/* NULL: out of memory. */
static struct place *place_of(struct sampled *sampled, struct sampled_place id)
{
  struct place *place = sampled_find(sampled, id);
  if (place || !(place = calloc(1, sizeof *place)))
    return place;
  place->id = id;
  size_t at = sampled->places.count;
  if (!vector_push(&sampled->places, place)) {
    free(place);
    return NULL;
  }
  return hash_add(&sampled->index, (uint64_t)id.region << 32 | id.leader, at) ? place : NULL;
}

static uint64_t add(uint64_t a, uint64_t b)
{
  return b < MOST && a < MOST - b ? a + b : MOST;
}

static void add_gap(struct sampled_gap *sum, struct sampled_gap gap)
{
  sum->alone = add(sum->alone, gap.alone);
  sum->with_region = add(sum->with_region, gap.with_region);
}

bool sampled_omit(struct sampled *sampled, struct sampled_place id, struct sampled_gap instances)
{
  struct place *place = place_of(sampled, id);
  if (!place)
    return false;
  uint64_t *omitted = &sampled->imbalance->constructs[id.region].omitted;
  *omitted = add(*omitted, add(instances.alone, instances.with_region));
  add_gap(&place->pending, instances);
  return true;
}

struct sampled_gap sampled_lead(struct sampled *sampled, struct sampled_place id)
{
  struct place *place = sampled_find(sampled, id);
  struct sampled_gap pending = place ? place->pending : (struct sampled_gap){0};
  if (place)
    place->pending = (struct sampled_gap){0};
  return pending;
}

static void add_step(struct series *series, size_t figure, const struct sampling_step *step)
{
  for (unsigned i = 0; i < step->count; i++)
    estimate_add(&series->more[figure], &step->parts[i].more);
}

/* The same for groups: the samples are their means. Each mean counts as one sample for so many instances. */
static void add_grouped_step(struct series *series, size_t figure, struct sampling_step *step, double size)
{
  double unit = 1 << MEAN_BITS;
  for (unsigned i = 0; i < step->count; i++) {
    struct estimate *more = &step->parts[i].more;
    double gap = (double)more->omitted;
    more->twice >>= MEAN_BITS;
    more->variance *= (gap + 2 * size) / (gap + 2) / (unit * unit);
    more->of_squares = more->variance * more->variance;
  }
  add_step(series, figure, step);
}

static void end_group(struct place *place)
{
  struct group *group = &place->group;
  if (group->recorded == 0)
    return;
  double size = (double)(group->recorded + group->omitted);
  double mean_size = place->group_size > 0 ? (size + place->group_size) / 2 : size;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++) {
    struct sampling_step step;
    uint64_t mean = (uint64_t)(((wide_total)group->sum.values[i] << MEAN_BITS) / group->recorded);
    sampling_take(&place->grouped.figures[i], group->before + 1, (struct sample){mean, 0}, &step);
    add_grouped_step(&place->grouped, i, &step, mean_size);
  }
  place->group_size = size;
  *group = (struct group){0};
}

bool sampled_add(struct sampled *sampled, struct sampled_place id, struct sampled_gap gap,
                 const struct figures *figures)
{
  struct place *place = place_of(sampled, id);
  if (!place)
    return false;
  add_gap(&place->unknown, gap);
  if (!figures)
    return true;
  gap = place->unknown;
  place->unknown = (struct sampled_gap){0};
  if (gap.with_region > 0) {
    end_group(place);
    place->group.before = gap.with_region;
  }
  place->group.recorded++;
  place->group.omitted += gap.alone;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++) {
    struct sampling_step step;
    place->group.sum.values[i] += figures->values[i];
    sampling_take(&place->single.figures[i], gap.alone + 1, (struct sample){figures->values[i], 0}, &step);
    add_step(&place->single, i, &step);
  }
  return true;
}

/* What came after the last recorded one. */
static void end_series(struct place *place)
{
  add_gap(&place->unknown, place->pending);
  end_group(place);
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++) {
    struct sampling_step step;
    sampling_end(&place->single.figures[i], place->unknown.alone, &step);
    add_step(&place->single, i, &step);
    sampling_end(&place->grouped.figures[i], place->unknown.with_region, &step);
    add_grouped_step(&place->grouped, i, &step, place->group_size);
  }
}

/* Both estimates rest on the same samples, so their errors add up. */
static struct estimate both(const struct estimate *single, const struct estimate *grouped)
{
  struct estimate sum = *single;
  estimate_add(&sum, grouped);
  if (single->variance > 0 && grouped->variance > 0 && isfinite(sum.variance)) {
    double more = sqrt(single->variance) + sqrt(grouped->variance), factor = more * more / sum.variance;
    sum.variance *= factor;
    sum.of_squares *= factor * factor;
  }
  return sum;
}

/* NULL: out of memory. */
static struct estimate *estimates_of(struct imbalance_construct *construct)
{
  if (!construct->more)
    construct->more = calloc(IMBALANCE_FIGURES, sizeof *construct->more);
  return construct->more;
}

/* False: out of memory. */
static bool end_place(const struct sampled *sampled, struct place *place)
{
  struct imbalance_construct *construct = &sampled->imbalance->constructs[place->id.region];
  if (construct->omitted == 0)
    return true;
  struct estimate *more = estimates_of(construct);
  end_series(place);
  for (size_t i = 0; more && i < IMBALANCE_FIGURES; i++) {
    struct estimate sum = both(&place->single.more[i], &place->grouped.more[i]);
    estimate_add(&more[i], &sum);
  }
  return more != NULL;
}

/* True if a figure is right of an instance in which others are not recorded. */
static bool sampled_is_whole(size_t figure)
{
  return figure == IMBALANCE_ELAPSED || figure == IMBALANCE_CAPACITY || figure == IMBALANCE_LATE ||
         figure == IMBALANCE_PART_LATE || figure == IMBALANCE_CHUNKS || figure == IMBALANCE_ITERATIONS;
}

/* A construct that was never recorded stays unknown. One that was recorded, but never whole, has unknown sums. */
static bool raise_all(struct imbalance *imbalance)
{
  for (uint32_t i = 0; i < imbalance->count; i++) {
    struct imbalance_construct *construct = &imbalance->constructs[i];
    if (construct->calls == 0)
      construct->omitted = 0;
    if (construct->omitted == 0 && construct->partial == 0)
      continue;
    if (!estimates_of(construct))
      return false;
    for (size_t k = 0; k < IMBALANCE_FIGURES; k++) {
      if (construct->omitted > 0 && construct->more[k].omitted == 0)
        construct->more[k] = (struct estimate){.omitted = construct->omitted, .variance = INFINITY};
      if (construct->partial > 0 && !sampled_is_whole(k))
        construct->more[k].variance = INFINITY;
    }
    figures_raise(construct);
  }
  return true;
}

bool sampled_finish(struct sampled *sampled)
{
  bool good = true;
  for (size_t i = 0; good && i < sampled->places.count; i++)
    good = end_place(sampled, sampled->places.items[i]);
  return good && raise_all(sampled->imbalance);
}
