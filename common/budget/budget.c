#include "common/budget/budget.h"

#include "common/budget/keep.h"
#include "common/budget/mix.h"
#include "common/process/process_lines.h"
#include "common/process/reserved.h"
#include "common/process/text.h"
#include "common/recorder/clock.h"
#include "common/recorder/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PROBES       16u
#define RECORD_BYTES 9.0    /* in the log, about */
#define SPIN_NS      100000 /* in which the clock's rate is measured, to about a thousandth */

/* What the measured price lacks: the callback around the record. */
#define AROUND 1.25
/* The part of its share that a thread spends even where the bucket is empty, so that nothing is unknown. */
#define LEAST 0.125

#define THREADS    4096u
#define CONSTRUCTS 4096u /* of all threads; a power of two */
#define FADING_MS  20
#define STALE_MS   100 /* so old, what a thread wants counts no more */

/* Cost of an omitted instance, as a part of a record's cost. */
static const double omitted_cost[BUDGET_CLASSES] = {0.25, 0.25, 0.5, 1, 0.5};

__thread struct budget *budget_self;

static struct {
  bool on;
  double share;
  uint32_t every;
  uint64_t seed;
  double price; /* ticks of a record */
  double ticks_a_ms;
  atomic_uint threads, tables; /* so far */
  atomic_int spare;            /* tables of threads that have ended, about */
  atomic_bool ended;
  _Atomic uint32_t round;                /* recordings that have ended and been followed by another one */
  _Atomic(struct budget *) all[THREADS]; /* those beyond are lost with their threads */
  struct budget_shared *constructs;
} limits;

static double measure_ticks_a_ms(void)
{
  if (clock_is_monotonic())
    return 1e6;
  struct clock_anchor begin = clock_anchor_take(10), end;
  while (clock_monotonic_ns() - begin.monotonic_ns < SPIN_NS)
    ;
  end = clock_anchor_take(10);
  return (double)(end.ticks - begin.ticks) * 1e6 / (double)(end.monotonic_ns - begin.monotonic_ns);
}

bool budget_begin(const struct budget_settings *settings, double record_ticks)
{
  limits.on = false;
  limits.every = settings->every;
  limits.share = settings->every ? 0 : settings->share / 1e6;
  limits.seed = settings->seed ? settings->seed : clock_ticks();
  if (!settings->share && settings->every <= 1)
    return false;
  limits.constructs = reserved_make(CONSTRUCTS * sizeof *limits.constructs);
  if (limits.constructs && !reserved_use(limits.constructs, CONSTRUCTS * sizeof *limits.constructs))
    limits.constructs = NULL;
  limits.ticks_a_ms = measure_ticks_a_ms();
  limits.on = true;
  limits.price = settings->price > 0 ? settings->price * limits.ticks_a_ms / 1e6 : record_ticks * AROUND;
  return true;
}

bool budget_is_on(void)
{
  return limits.on;
}

uint64_t budget_ticks(uint64_t ns)
{
  return (uint64_t)((double)ns * limits.ticks_a_ms / 1e6);
}

int64_t budget_price(void)
{
  return (int64_t)limits.price;
}

/* From 1 to n; xorshift64*. */
static uint32_t choose(struct budget *self, uint32_t n)
{
  uint64_t x = self->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  self->random = x;
  return 1 + (uint32_t)((x * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

/* What all threads know of a construct; NULL: there are too many. */
static struct budget_shared *shared_of(uint64_t key)
{
  size_t at = mix(key);
  for (unsigned i = 0; limits.constructs && i < PROBES; i++) {
    struct budget_shared *shared = &limits.constructs[(at + i) % CONSTRUCTS];
    uint64_t there = atomic_load_explicit(&shared->key, memory_order_relaxed);
    if (there == key || (there == 0 && (atomic_compare_exchange_strong(&shared->key, &there, key) || there == key)))
      return shared;
  }
  return NULL;
}

static uint32_t every_of(const struct budget_row *row)
{
  if (row->kept)
    return 1;
  uint32_t others = row->shared ? atomic_load_explicit(&row->shared->every, memory_order_relaxed) : 0;
  return others > row->every ? others : row->every;
}

/* Publishes what this thread wants, if it is more than the others want, or their wish is old. */
static void tell_others(struct budget_row *row, uint64_t now)
{
  if (!row->shared)
    return;
  uint64_t since = atomic_load_explicit(&row->shared->since, memory_order_relaxed);
  if (row->every < atomic_load_explicit(&row->shared->every, memory_order_relaxed) &&
      (double)(now - since) < STALE_MS * limits.ticks_a_ms)
    return;
  atomic_store_explicit(&row->shared->every, row->every, memory_order_relaxed);
  atomic_store_explicit(&row->shared->since, now, memory_order_relaxed);
}

/* Begins a block. omitted: instances since the last recorded one; rest: so many more come before the block. */
static void begin_block(struct budget *self, struct budget_row *row, uint32_t omitted, uint32_t rest)
{
  uint32_t every = every_of(row), at = every > 1 ? choose(self, every) : 1;
  row->until = rest + at;
  row->gap = omitted + row->until;
  row->rest = every - at;
  row->block = every;
}

static double burst(void)
{
  return BUDGET_BURST_MS * limits.ticks_a_ms;
}

/* The table of a thread that has ended; NULL: there is none. */
static struct budget *take_spare(void)
{
  if (atomic_load_explicit(&limits.spare, memory_order_relaxed) <= 0)
    return NULL;
  for (unsigned i = 0; i < THREADS; i++) {
    struct budget *there = atomic_load(&limits.all[i]);
    unsigned free = 0;
    if (!there || !atomic_compare_exchange_strong(&there->taken, &free, 1))
      continue;
    atomic_fetch_sub(&limits.spare, 1);
    return there;
  }
  return NULL;
}

/* Memory for a table. NULL: none. */
static struct budget *take_table(void)
{
  struct budget *self = take_spare();
  if (self)
    return self;
  self = mmap(NULL, sizeof *self, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self == MAP_FAILED)
    return NULL;
  madvise(self, sizeof *self, MADV_WIPEONFORK);
  atomic_store(&self->taken, 1);
  unsigned at = atomic_fetch_add(&limits.tables, 1);
  if (at < THREADS)
    atomic_store(&limits.all[at], self);
  return self;
}

static struct budget *make(void)
{
  struct budget *self = budget_self;
  unsigned free = 0;
  if (!self || !atomic_compare_exchange_strong(&self->taken, &free, 1)) {
    int kept = errno;
    self = take_table();
    errno = kept;
  }
  if (!self)
    return NULL;
  self->random = mix(limits.seed + atomic_fetch_add(&limits.threads, 1)) | 1;
  self->round = atomic_load(&limits.round);
  self->planned_at = clock_ticks();
  self->stalled = 0;
  self->depth = 0;
  self->plans = false;
  self->stretches = atomic_load_explicit(&live_stretches, memory_order_relaxed);
  self->level = burst();
  self->bytes = BUDGET_BURST_MB * 1e6;
  self->credit = self->granted = limits.share > 0 ? (int64_t)self->level : INT64_MAX;
  return budget_self = self;
}

/* Ticks for which the recorder has kept the thread since the last plan, to write what it had recorded. */
static uint64_t take_stalls(struct budget *self)
{
  const struct recorder *recorder = recorder_self;
  uint64_t before = self->stalled;
  if ((uintptr_t)recorder <= (uintptr_t)RECORDER_NONE)
    return 0;
  self->stalled = recorder->stalled;
  return self->stalled >= before ? self->stalled - before : 0;
}

struct budget_row *budget_row_make(uint64_t place, enum budget_class class, unsigned kind, unsigned records)
{
  struct budget *self = budget_self && budget_self->planned_at ? budget_self : make();
  if (!self)
    return NULL;
  uint64_t key = budget_key(place, class, kind);
  uint32_t at = budget_place_of(key);
  struct budget_row *row = NULL;
  for (unsigned i = 0; i < PROBES && !row; i++) {
    struct budget_row *there = &self->rows[(at + i) % BUDGET_ROWS];
    if (there->key == key)
      return there;
    if (there->key == 0)
      row = there;
  }
  bool kept = keep_has(place, class);
  if (!row && kept)
    return NULL;
  if (!row) {
    row = &self->rows[BUDGET_ROWS + class];
    key = budget_key(0, class, UINT8_MAX);
    if (row->key == key)
      return row;
  }
  *row = (struct budget_row){.every = 1, /* the first one is recorded, and stands for itself */
                             .records = records,
                             .cost = (uint32_t)(records * limits.price),
                             .class = (uint8_t)class,
                             .kept = kept,
                             .place = place,
                             .shared = class == BUDGET_CONSTRUCTS ? shared_of(key) : NULL};
  begin_block(self, row, 0, 0);
  row->every = limits.every > 1 ? limits.every : 1;
  self->used[self->used_count++] = (uint16_t)(row - self->rows);
  row->key = key;
  return row;
}

bool budget_keep(struct budget_row *row)
{
  if (row >= &budget_self->rows[BUDGET_ROWS])
    return false;
  budget_take_back(row);
  row->kept = true;
  begin_block(budget_self, row, budget_omitted(row), 0);
  return true;
}

/* At most a burst of what is saved, or owed: a debt that was made where a storm left no choice does not last. */
static double within_burst(double level)
{
  return level > burst() ? burst() : level < -burst() ? -burst() : level;
}

/* Adds up what was spent since the last plan. Returns ticks that may be spent in a period; may be below 0. */
static double refill(struct budget *self, double elapsed, double records)
{
  double spent = (double)(self->granted - self->credit) + (double)take_stalls(self);
  double byte_rate = BUDGET_BURST_MB * 1e6 / 60000 / limits.ticks_a_ms; /* a tick */
  double period = BUDGET_PERIOD_MS * limits.ticks_a_ms;
  self->level = within_burst(self->level + limits.share * elapsed - spent);
  self->bytes += byte_rate * elapsed - records * RECORD_BYTES;
  self->bytes = self->bytes < BUDGET_BURST_MB * 1e6 ? self->bytes : BUDGET_BURST_MB * 1e6;
  double by_time = limits.share * period + self->level;
  double by_bytes = (self->bytes + byte_rate * period) / RECORD_BYTES * limits.price;
  return by_time < by_bytes ? by_time : by_bytes;
}

/*
 * Places recur with a program's phases. A recurring place keeps its former `every` until a while has passed, or there
 * is enough in the bucket. Else it would be recorded whole until the next plan, each time.
 */
static void hold(struct budget_row *row, double fading)
{
  row->held *= fading;
  if (row->held < row->every)
    row->held = row->every;
  row->every = (uint32_t)row->held;
}

/* What recording all of a row's instances would take in a period. Returns the ticks that no plan changes: for instances
 * that were omitted, or are kept. */
static double measure(struct budget_row *row, double scale, double *records)
{
  uint32_t omitted = budget_omitted(row);
  uint64_t executed = row->executed + omitted, recorded = row->recorded;
  row->demand = row->kept ? 0 : (double)executed * row->cost * scale;
  *records += (double)recorded * row->records;
  row->executed = -(uint64_t)omitted;
  row->recorded = 0;
  if (row->kept)
    return (double)recorded * row->cost * scale;
  return (double)(executed - recorded) * omitted_cost[row->class] * limits.price * scale;
}

/* The bucket is empty, or a period has ended: decides what is omitted from now on. */
static void plan(struct budget *self, uint64_t now)
{
  anchor_lines_write_due();
  double period = BUDGET_PERIOD_MS * limits.ticks_a_ms, fading = FADING_MS * limits.ticks_a_ms;
  double elapsed = now > self->planned_at ? (double)(now - self->planned_at) : 1, records = 0, omitted = 0;
  for (uint32_t i = 0; i < self->used_count; i++)
    omitted += measure(&self->rows[self->used[i]], period / elapsed, &records);
  double allowance = refill(self, elapsed, records) - omitted, least = limits.share * period * LEAST;
  if (allowance < least)
    allowance = least;
  budget_plan(self->rows, self->used, self->used_count, allowance);
  for (uint32_t i = 0; i < self->used_count; i++) {
    struct budget_row *row = &self->rows[self->used[i]];
    hold(row, self->level > burst() / 2 ? 0 : fading / (fading + elapsed));
    tell_others(row, now);
    if (every_of(row) == row->block)
      continue;
    budget_take_back(row);
    begin_block(self, row, budget_omitted(row), 0);
  }
  self->credit = self->granted = (int64_t)(allowance + omitted);
  self->planned_at = now;
}

/* The bucket is full: all instances are recorded, from the next one on. Its weight includes the instances omitted
 * before it, which are not taken from the bucket. */
static void begin_anew(struct budget *self, uint64_t now)
{
  double before = 0;
  for (uint32_t i = 0; i < self->used_count; i++) {
    struct budget_row *row = &self->rows[self->used[i]];
    budget_take_back(row);
    uint32_t omitted = budget_omitted(row);
    row->every = 1;
    row->held = 1;
    if (row->shared)
      atomic_store_explicit(&row->shared->every, 1, memory_order_relaxed);
    row->executed = -(uint64_t)omitted;
    row->recorded = 0;
    begin_block(self, row, omitted, 0);
    before += omitted * limits.price * omitted_cost[row->class];
  }
  take_stalls(self);
  self->level = burst();
  self->granted = (int64_t)self->level;
  self->credit = (int64_t)(self->level + before);
  self->planned_at = now;
}

static void plan_once(struct budget *self)
{
  uint32_t stretches = atomic_load_explicit(&live_stretches, memory_order_relaxed);
  if (self->plans || limits.share <= 0)
    return;
  self->plans = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (self->stretches == stretches)
    plan(self, clock_ticks());
  else
    begin_anew(self, clock_ticks());
  self->stretches = stretches;
  atomic_signal_fence(memory_order_seq_cst);
  self->plans = false;
}

void budget_begin_anew(void)
{
  plan_once(budget_self);
}

static bool is_planned_long_ago(const struct budget *self)
{
  return limits.share > 0 && clock_ticks() - self->planned_at > (uint64_t)(BUDGET_PERIOD_MS * limits.ticks_a_ms);
}

uint32_t budget_chosen(struct budget_row *row)
{
  struct budget *self = budget_self;
  uint32_t weight = row->gap;
  row->executed += weight;
  row->recorded++;
  begin_block(self, row, 0, row->rest);
  double omitted = (weight - 1) * limits.price * omitted_cost[row->class];
  self->credit -= row->cost + (int64_t)omitted;
  if (__builtin_expect(self->credit < 0, 0))
    plan_once(self);
  else if (row->block > 1 && is_planned_long_ago(self))
    plan_once(self);
  return weight;
}

void budget_join(struct budget_row *row, bool recorded)
{
  budget_count(row, recorded, !recorded);
}

uint32_t budget_every(const struct budget_row *row)
{
  return every_of(row);
}

uint32_t budget_choose(uint32_t every)
{
  return every > 1 ? choose(budget_self, every) : 1;
}

void budget_count(struct budget_row *row, uint32_t recorded, uint32_t omitted)
{
  struct budget *self = budget_self;
  row->executed += recorded + omitted;
  row->recorded += recorded;
  self->credit -= (int64_t)recorded * row->cost + (int64_t)(omitted * limits.price * omitted_cost[row->class]);
  if (__builtin_expect(self->credit < 0, 0) || (omitted > 1 && is_planned_long_ago(self)))
    plan_once(self);
}

static void tell_rows(const struct budget *self, budget_report *tell)
{
  for (uint32_t i = 0; i < self->used_count; i++) {
    const struct budget_row *row = &self->rows[self->used[i]];
    uint32_t omitted = budget_omitted(row);
    if (omitted > 0 && omitted <= INT32_MAX)
      tell(row->key & ((1ull << 48) - 1), (enum budget_class)row->class, row->key >> 48 & 0xff, omitted);
  }
}

void budget_end_thread(budget_report *tell)
{
  struct budget *self = budget_self;
  if (!self)
    return;
  if (!atomic_load(&limits.ended) && self->round == atomic_load(&limits.round))
    tell_rows(self, tell);
  budget_self = NULL;
  for (uint32_t i = 0; i < self->used_count; i++)
    self->rows[self->used[i]].key = 0;
  self->used_count = 0;
  self->planned_at = 0;
  atomic_store(&self->taken, 0);
  atomic_fetch_add(&limits.spare, 1);
}

/* The threads may still run: each word that is read is whole, and later counts are not reported. */
void budget_end_all(budget_report *tell)
{
  if (atomic_exchange(&limits.ended, true))
    return;
  for (unsigned i = 0; i < THREADS; i++) {
    const struct budget *self = atomic_load(&limits.all[i]);
    if (self && atomic_load(&self->taken) && self->round == atomic_load(&limits.round))
      tell_rows(self, tell);
  }
}

void budget_renew(void)
{
  if (!atomic_load(&limits.ended))
    return;
  atomic_fetch_add(&limits.round, 1);
  atomic_store(&limits.ended, false);
}

void budget_text(const struct budget_settings *settings, char *buffer, size_t size)
{
  struct text text = {.bytes = buffer, .size = size};
  if (settings->every > 1) {
    text_add(&text, "1/");
    text_add_number(&text, settings->every);
  } else if (!settings->share || settings->every == 1) {
    text_add(&text, "none");
  } else {
    text_add_number(&text, settings->share / 10000);
    uint32_t part = settings->share % 10000;
    if (part) {
      char digits[5] = {(char)('0' + part / 1000), (char)('0' + part / 100 % 10), (char)('0' + part / 10 % 10),
                        (char)('0' + part % 10), 0};
      for (size_t n = 3; n > 0 && digits[n] == '0'; n--)
        digits[n] = 0;
      text_add(&text, ".");
      text_add(&text, digits);
    }
    text_add(&text, " %");
  }
}

#define EVERY_MOST (1u << 20)
#define ROUNDS     20 /* of level_of: what is left then is little */

/* The most that a row of a class may take, where all of them may take `allowance` together. */
static double level_of(const struct budget_row *rows, const uint16_t *used, uint32_t used_count, unsigned class,
                       double allowance)
{
  double level = 0;
  for (int round = 0; round < ROUNDS; round++) { /* rows that need less than the level leave the rest to the others */
    double rest = allowance;
    uint32_t above = 0;
    for (uint32_t i = 0; i < used_count; i++) {
      const struct budget_row *row = &rows[used[i]];
      if (row->class != class)
        continue;
      if (row->demand <= level)
        rest -= row->demand;
      else
        above++;
    }
    if (above == 0 || rest / above <= level)
      break;
    level = rest / above;
  }
  return level;
}

static uint32_t every_for(double demand, double level)
{
  if (demand <= level)
    return 1;
  double every = level > 0 ? demand / level : EVERY_MOST;
  return every < EVERY_MOST ? (uint32_t)every + 1 : EVERY_MOST;
}

void budget_plan(struct budget_row *rows, const uint16_t *used, uint32_t used_count, double allowance)
{
  double demand[BUDGET_CLASSES] = {0}, reserved = 0;
  for (uint32_t i = 0; i < used_count; i++)
    demand[rows[used[i]].class] += rows[used[i]].demand;
  for (unsigned class = 0; class < BUDGET_CLASSES; class ++)
    if (demand[class] > 0)
      reserved += demand[class] < allowance * BUDGET_LEAST ? demand[class] : allowance * BUDGET_LEAST;
  double rest = allowance;
  for (unsigned class = BUDGET_CLASSES; class --> 0;) {
    double own = demand[class] < allowance * BUDGET_LEAST ? demand[class] : allowance * BUDGET_LEAST;
    reserved -= own;
    double most = rest - reserved;
    bool whole = demand[class] <= most;
    double level = whole ? 0 : level_of(rows, used, used_count, class, most);
    for (uint32_t i = 0; i < used_count; i++)
      if (rows[used[i]].class == class)
        rows[used[i]].every = whole ? 1 : every_for(rows[used[i]].demand, level);
    rest -= whole ? demand[class] : most;
  }
}
