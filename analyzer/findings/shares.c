/* The findings have the figures of the account: each of its causes belongs to one finding, at its place and of its
 * kind.
 */
#include "analyzer/analyses/account/sentence.h"
#include "analyzer/analyses/account/stopped.h"
#include "analyzer/findings/builder.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define LEAST                                                                                                          \
  0.01 /* percent of what there was: less of it is not looked at, so that work does not grow with places               \
        */

#define SEES_MOST 1.25 /* of its own figure: a subject that says how long something takes does not describe more */

#define KIND(name) (1u << ACCOUNT_##name)

/* The kinds of the account that a finding may describe; 0: it has a figure of its own. */
static unsigned kinds_of(enum finding_kind kind)
{
  static const unsigned kinds[FINDING_KINDS] = {
      [FINDING_IMBALANCE] = KIND(IMBALANCE) | KIND(SERIAL),
      [FINDING_OVERHEAD] = KIND(RUNTIME) | KIND(GRAIN),
      [FINDING_LATE] = KIND(RUNTIME) | KIND(PROCESSORS),
      [FINDING_PROCESSORS] = KIND(PROCESSORS),
      [FINDING_SMALL_REGION] = KIND(GRAIN),
      [FINDING_SMALL_TASKS] = KIND(GRAIN),
      [FINDING_CHAIN] = KIND(TASKS) | KIND(SYNCHRONIZATION),
      [FINDING_FEW_TASKS] = KIND(TASKS) | KIND(SERIAL),
      [FINDING_WAITING] = KIND(IMBALANCE) | KIND(SERIAL) | KIND(SYNCHRONIZATION),
      [FINDING_LOCK] = KIND(SYNCHRONIZATION),
      [FINDING_SERIAL] = KIND(SERIAL),
      [FINDING_SCHEDULE] = KIND(IMBALANCE) | KIND(GRAIN) | KIND(RUNTIME),
      [FINDING_OFF] = KIND(BLOCKED),
      [FINDING_READY] = KIND(PROCESSORS),
      [FINDING_THROTTLED] = KIND(PROCESSORS),
      [FINDING_COLLECTION] = KIND(COLLECTION),
      [FINDING_POOL_UNEVEN] = KIND(IMBALANCE),
      [FINDING_POOL_SMALL] = KIND(BLOCKED) | KIND(TASKS),
      [FINDING_SLOWER] = KIND(IMBALANCE) | KIND(SERIAL),
      [FINDING_ALONE] = KIND(SERIAL),
      [FINDING_SLEEP] = KIND(BLOCKED),
  };
  return kinds[kind];
}

/* Kinds without anything to win have no places. */
#define NO_PLACES (KIND(WORK) | KIND(MEASUREMENT) | KIND(UNKNOWN) | KIND(OUTSIDE))

struct shares {
  const struct builder *builder;
  const struct account *account;
  size_t count;     /* causes that are looked at: the largest ones */
  uint64_t *left;   /* by cause: ticks that no finding has */
  uint64_t stopped; /* ticks that a limit of the control group took; its finding has no more */
  const struct account_cause *first;
};

static const struct trace_region *region_at(const struct shares *shares, uint32_t region)
{
  return &shares->builder->of->trace->regions[region];
}

static bool is_one_line(const struct shares *shares, uint32_t a, uint32_t b)
{
  const struct trace_region *one = region_at(shares, a), *other = region_at(shares, b);
  return one->line != 0 && one->line == other->line && strcmp(one->file, other->file) == 0;
}

/* Findings about a whole region have the constructs in it, too. */
static bool is_of_region(enum finding_kind kind)
{
  return kind == FINDING_LATE || kind == FINDING_PROCESSORS || kind == FINDING_SMALL_REGION ||
         kind == FINDING_SMALL_TASKS || kind == FINDING_CHAIN || kind == FINDING_FEW_TASKS || kind == FINDING_WAITING;
}

/* Whether a cause without construct, or one that a finding without place may have. */
static bool has_no_place(const struct shares *shares, const struct finding *finding, const struct account_cause *cause)
{
  switch (finding->kind) {
  case FINDING_THROTTLED:
  case FINDING_COLLECTION:
    return true;
  case FINDING_POOL_UNEVEN:
  case FINDING_POOL_SMALL:
    return cause->place == TRACE_NONE || region_at(shares, cause->place)->paradigm != OTF2_PARADIGM_OPENMP;
  default:
    return cause->place == TRACE_NONE;
  }
}

static bool is_at(const struct shares *shares, const struct finding *finding, const struct account_cause *cause)
{
  const struct imbalance *imbalance = shares->builder->of->imbalance;
  if (finding->lock != 0 && finding->lock == cause->lock)
    return true;
  if (finding->region == TRACE_NONE)
    return has_no_place(shares, finding, cause);
  if (cause->place == TRACE_NONE)
    return false;
  return finding->region == cause->place || is_one_line(shares, finding->region, cause->place) ||
         (is_of_region(finding->kind) && cause->place < imbalance->count &&
          imbalance->constructs[cause->place].calls > 0 &&
          imbalance->constructs[cause->place].parallel == finding->region);
}

/* The account's kind that has most at the place of a finding takes it; what is there is handed out once. */
static void take(struct shares *shares, struct finding *finding)
{
  uint64_t sums[ACCOUNT_KINDS] = {0};
  unsigned kinds = kinds_of(finding->kind), most = ACCOUNT_KINDS;
  for (size_t i = 0; i < shares->count; i++) {
    const struct account_cause *cause = &shares->account->causes[i];
    if (shares->left[i] > 0 && kinds & 1u << cause->kind && is_at(shares, finding, cause))
      sums[cause->kind] += shares->left[i];
  }
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    if (sums[i] > 0 && (most == ACCOUNT_KINDS || sums[i] > sums[most]))
      most = i;
  double own = finding->ticks;
  uint64_t sum = most < ACCOUNT_KINDS ? sums[most] : 0;
  if (finding->kind == FINDING_THROTTLED && shares->stopped < sum)
    sum = shares->stopped;
  finding->ticks = (double)sum / shares->account->processors;
  bool has_length = finding->kind == FINDING_SERIAL || finding->kind == FINDING_IMBALANCE ||
                    finding->kind == FINDING_WAITING || finding->kind == FINDING_LATE;
  if (has_length && finding->ticks > SEES_MOST * own) { /* its words are about less */
    free(finding->text);
    finding->text = NULL;
  }
  finding->account = (enum account_kind)most;
  for (size_t i = 0; most < ACCOUNT_KINDS && i < shares->count; i++) {
    const struct account_cause *cause = &shares->account->causes[i];
    if (cause->kind != most || !is_at(shares, finding, cause))
      continue;
    uint64_t taken = shares->left[i] < sum ? shares->left[i] : sum;
    shares->left[i] -= taken;
    sum -= taken;
    finding->is_first |= taken > 0 && shares->left[i] == 0 && cause == shares->first;
  }
}

/* A deadlock is all of the run. What recording costs lies inside of work. */
static void keep_own(const struct shares *shares, struct finding *finding)
{
  bool forever = finding->kind == FINDING_DEADLOCK;
  finding->account = forever ? ACCOUNT_FOREVER : ACCOUNT_MEASUREMENT;
  finding->ticks = forever ? (double)shares->account->duration : finding->ticks;
}

/* What no subject describes: a finding for each place. False: out of memory. */
static bool add_places(struct shares *shares, struct builder *builder)
{
  const struct account *account = shares->account;
  struct hash known = {0}; /* kind and place -> finding */
  struct finding stuck = {
      FINDING_PLACE,   account->stuck_at, account->stuck, (double)account->duration, .account = ACCOUNT_FOREVER,
      .is_first = true};
  bool good = account->stuck == TRACE_NONE || vector_push(&builder->list, stuck);
  for (size_t i = 0; good && i < shares->count; i++) {
    const struct account_cause *cause = &account->causes[i];
    if (shares->left[i] == 0 || NO_PLACES & 1u << cause->kind)
      continue;
    uint64_t key = (uint64_t)cause->kind << 32 | cause->place;
    const uint64_t *at = hash_find(&known, key);
    struct finding added = {FINDING_PLACE, cause->place, cause->thread, .account = cause->kind};
    if (!at) {
      good = vector_push(&builder->list, added) && (at = hash_add(&known, key, builder->list.count - 1)) != NULL;
      if (!good)
        break;
    }
    builder->list.items[*at].ticks += (double)shares->left[i] / account->processors;
    builder->list.items[*at].is_first |= cause == shares->first;
  }
  hash_free(&known);
  return good;
}

/* The sentence of a place, without "Look first at". False: out of memory. */
static bool say_place(const struct shares *shares, struct finding *finding)
{
  const struct account *account = shares->account;
  const struct account_cause *cause = NULL;
  const struct account_cause own = {.kind = finding->account, .place = finding->region, .thread = finding->location};
  for (size_t i = 0; !cause && i < shares->count; i++)
    if (account->causes[i].kind == finding->account &&
        (account->causes[i].place == finding->region || is_at(shares, finding, &account->causes[i])))
      cause = &account->causes[i];
  cause = cause ? cause : &own;
  finding->text = account_place_sentence(shares->builder->of->trace, account, cause,
                                         (uint64_t)(finding->ticks * account->processors + 0.5));
  return finding->text != NULL;
}

/* A limit is the reason of what the threads lack below it. */
static int by_own_figure(const void *of_a, const void *of_b)
{
  const struct finding *a = of_a, *b = of_b;
  if ((a->kind == FINDING_THROTTLED) != (b->kind == FINDING_THROTTLED))
    return a->kind == FINDING_THROTTLED ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                            : (a->region > b->region) - (a->region < b->region);
}

/* Without findings that the account has nothing for, and with all percentages. */
static bool settle(const struct shares *shares, struct builder *builder)
{
  size_t kept = 0;
  bool good = true;
  builder->run = (double)shares->account->duration;
  for (size_t i = 0; i < builder->list.count; i++) {
    struct finding *finding = &builder->list.items[i];
    finding->percent = builder_percent(builder, finding->ticks);
    if (kinds_of(finding->kind) != 0 || finding->kind == FINDING_PLACE) {
      finding->recorded = finding->ticks;
      finding->half_width = 0;
    }
    if (!finding->text && (finding->percent >= FINDINGS_WORTH || finding->is_first))
      good = good && say_place(shares, finding);
    if (finding->ticks > 0)
      builder->list.items[kept++] = *finding;
    else
      free(finding->text);
  }
  builder->list.count = kept;
  return good;
}

bool shares_hand_out(struct builder *builder, const struct account *account)
{
  struct shares shares = {.builder = builder, .account = account, .first = account_first_cause(account)};
  struct cpu_limit group;
  shares.stopped = account_stopped(builder->of->trace, account, &group);
  while (shares.count < account->cause_count && account_percent(account, account->causes[shares.count].ticks) >= LEAST)
    shares.count++;
  shares.left = calloc(shares.count + 1, sizeof *shares.left);
  if (!shares.left)
    return false;
  for (size_t i = 0; i < shares.count; i++)
    shares.left[i] = account->causes[i].note == NOTE_JVM ? 0 : account->causes[i].ticks;
  if (builder->list.count > 0)
    qsort(builder->list.items, builder->list.count, sizeof *builder->list.items, by_own_figure);
  for (size_t i = 0; i < builder->list.count; i++) {
    struct finding *finding = &builder->list.items[i];
    if (kinds_of(finding->kind) == 0)
      keep_own(&shares, finding);
    else if (finding->percent >= LEAST)
      take(&shares, finding);
    else
      finding->ticks = 0;
  }
  bool good = add_places(&shares, builder) && settle(&shares, builder);
  free(shares.left);
  return good;
}
