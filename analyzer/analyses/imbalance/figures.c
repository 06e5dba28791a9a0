#include "analyzer/analyses/imbalance/figures.h"

#include <math.h>
#include <stddef.h>

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
  construct->calls += construct->left_out;
  for (size_t i = 0; construct->more && i < IMBALANCE_FIGURES; i++) {
    void *field = (char *)construct + fields[i].at;
    wide_total more = estimate_more(&construct->more[i]);
    if (fields[i].fine)
      ((struct fine_total *)field)->parts += more * (wide_total)FINE_PARTS;
    else
      *(wide_total *)field += more;
  }
}
