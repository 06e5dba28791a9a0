#include "ompt-tool/away_plan.h"

#include "common/mix.h"

#include <stddef.h>

#define PLACES 256u /* a power of two */
#define PROBES 8u

/* Parts of the budget: where left-out instances take more than SPENT of it, callbacks go, until they take KEPT. */
#define SPENT 0.5
#define KEPT  0.25

/* An instance's callbacks cost so many times what leaving it out does: the runtime's calls are most of it. */
#define WITH_CALLS 2.0

#define FADING     0.8 /* of a thread's sums, from plan to plan */
#define EVERY_MOST 1000u
/* Taking callbacks away and putting them back costs as much as so many left-out instances; it has to be worth it. */
#define SWITCH_COST 100

static struct away_place places[PLACES];
static _Atomic(struct away_place *) current; /* the place of the region that is under way, or was last */
static double share;                         /* of a thread's time */
static uint32_t forced;

/* What a thread saw when it planned last, and sums over its plans, of which older ones count less. */
static __thread struct {
  const struct away_place *place;
  uint32_t every, seen;
  double inside, instances; /* as the plans said them */
  double elapsed, regions;  /* of regions that are seen */
} sums __attribute__((tls_model("initial-exec")));

static uint32_t load(_Atomic uint32_t *number)
{
  return atomic_load_explicit(number, memory_order_relaxed);
}

static void store(_Atomic uint32_t *number, uint32_t value)
{
  atomic_store_explicit(number, value, memory_order_relaxed);
}

/* `every` that suits a thread in whose seen regions instances take so large a part of the time. */
static uint32_t wanted_by(double part, uint32_t every)
{
  if (every <= 1 && part < share * SPENT)
    return 1;
  double wanted = part / (share * KEPT);
  return wanted < 2 ? 1 : wanted < EVERY_MOST ? (uint32_t)wanted : EVERY_MOST;
}

static void add(double *sum, double more)
{
  *sum = *sum * FADING + more;
}

/* A thread plans: in `elapsed` ticks of its time, `inside` went to instances in regions. Any thread. */
static void hear(double inside, double instances, double elapsed)
{
  struct away_place *place = atomic_load_explicit(&current, memory_order_acquire);
  if (!place)
    return;
  uint32_t seen = load(&place->seen), every = load(&place->every), wanted = load(&place->wanted);
  bool known = sums.place == place;
  if (!known)
    sums = (__typeof__(sums)){.place = place, .seen = seen, .every = every};
  uint32_t least = sums.every < every ? sums.every : every;
  add(&sums.inside, inside);
  add(&sums.instances, instances);
  add(&sums.elapsed, elapsed / (least > 1 ? least : 1));
  add(&sums.regions, seen - sums.seen);
  sums.every = every;
  sums.seen = seen;
  if (!known)
    return;
  uint32_t wish =
      sums.instances < SWITCH_COST * sums.regions ? 1 : wanted_by(WITH_CALLS * sums.inside / sums.elapsed, every);
  store(&place->wanted, wish > wanted ? wish : wanted - (wanted - wish + 7) / 8);
}

void away_plan_begin(const struct budget_settings *settings)
{
  share = settings->every ? 0 : settings->share / 1e6;
  forced = settings->away;
  if (forced == 0 && share > 0)
    budget_listen(hear);
}

static struct away_place *place_of(uint64_t code)
{
  size_t at = mix(code);
  for (unsigned i = 0; i < PROBES; i++) {
    struct away_place *place = &places[(at + i) % PLACES];
    if (place->code == code)
      return place;
    if (place->code == 0) {
      store(&place->wanted, forced > 1 ? forced : 1);
      place->code = code;
      return place;
    }
  }
  return NULL;
}

/* A stretch of a trace begins: the next regions of each place are seen. */
static void follow_stretches(struct away_place *place)
{
  uint32_t stretches = load(&live_stretches);
  if (!place || place->stretches == stretches)
    return;
  place->stretches = stretches;
  if (forced == 0)
    store(&place->wanted, 1);
}

struct away_place *away_plan_region(struct budget_row *row)
{
  struct away_place *place = place_of(row->place);
  follow_stretches(place);
  if (place) {
    row->least = load(&place->wanted);
    store(&place->every, row->least);
  }
  atomic_store_explicit(&current, place, memory_order_release);
  budget_set_serial(false);
  return place;
}

void away_plan_see(struct away_place *place)
{
  store(&place->seen, load(&place->seen) + 1);
}

void away_plan_leave(void)
{
  budget_set_serial(true);
}
