/*
 * The budget: how much of a thread's time recording may take (HEDDLE_BUDGET), and which instances are omitted where it
 * would take more.
 *
 * Instances of the same kind at the same place are a row of the thread's table. The first one of a row is recorded;
 * then one of `every`: each block of so many has one, at a place chosen at random. A recorded instance stands for
 * itself and for the instances omitted since the one before it. Their number is its weight, and weights add up to what
 * was executed.
 *
 * Each thread has a token bucket of recording time, which gets a share of the thread's time and holds BUDGET_BURST_MS;
 * and one of bytes. Where it runs dry, the rows get a new `every` (budget_plan). Costs are taken from a price list,
 * not from the clock, but for the time in which the recorder writes.
 *
 * All threads of a team record its construct, or none does. The deciding thread takes the largest `every` that a thread
 * of the process wants for it.
 *
 * All functions but budget_begin are for the calling thread and its rows; they take no lock. In a child of fork the
 * table is empty, and the bucket is full.
 */
#ifndef HEDDLE_COMMON_BUDGET_BUDGET_H
#define HEDDLE_COMMON_BUDGET_BUDGET_H

#include "common/budget/budget_row.h"
#include "common/budget/mix.h"
#include "common/recorder/live.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_BURST_MS  20u
#define BUDGET_PERIOD_MS 5u
#define BUDGET_BURST_MB  200u /* and so much more in each minute */
#define BUDGET_ROWS      1024u
#define BUDGET_LOAN      8u /* fewer instances are not lent */

struct budget_settings {
  uint32_t share; /* part of a thread's time, in millionths; 0: no limit */
  uint32_t every; /* instead of a share: one of so many, always; 0: not so */
  double price;   /* ns that a record costs; 0: as measured */
  uint64_t seed;  /* of the random choice; 0: another one each time */
};

/* Sets the limits, once, before the first row. record_ticks: ticks of a record, as measured. False: there is no
 * limit. */
bool budget_begin(const struct budget_settings *settings, double record_ticks);
/* True once budget_begin has set a limit. */
bool budget_is_on(void);
/* Returns the ticks of so many ns, and of a record. After budget_begin. */
uint64_t budget_ticks(uint64_t ns);
int64_t budget_price(void);
/* "5 %", "1/64", "none": as the process file says it. */
void budget_text(const struct budget_settings *settings, char *text, size_t size);

/* Slow paths of budget_row and budget_take; see there. */
struct budget_row *budget_row_make(uint64_t place, enum budget_class class, unsigned kind, unsigned records);
uint32_t budget_chosen(struct budget_row *row);

/* The thread's table; NULL: not made. */
struct budget;
extern __thread struct budget *budget_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A region of the program's own that the thread is in. */
struct budget_region {
  const char *name; /* as the program gave it; it need not be there any more */
  uint32_t number;
  bool omitted;
};

#define BUDGET_REGIONS   32u /* deeper ones are recorded */
#define BUDGET_HINT_BITS 10u

struct budget {
  atomic_uint taken; /* it has a thread */
  int64_t credit;    /* ticks that may be spent until the next plan */
  uint64_t random;
  struct budget_row rows[BUDGET_ROWS + BUDGET_CLASSES]; /* the last ones: of places for which there is no room */
  uint64_t planned_at;                                  /* ticks; 0: in a child, or new */
  uint64_t stalled;                                     /* ticks that the recorder had stalled the thread by then */
  double level;                                         /* ticks in the bucket at that time */
  double bytes;                                         /* in the other one */
  int64_t granted;                                      /* credit, as the plan gave it */
  uint32_t round;                                       /* number of the recording in which it was made */
  uint32_t stretches;                                   /* live_stretches that it has followed */
  uint16_t used[BUDGET_ROWS + BUDGET_CLASSES];
  uint32_t used_count;
  uint32_t depth; /* of regions; may count beyond BUDGET_REGIONS */
  struct budget_region regions[BUDGET_REGIONS];
  _Atomic uint32_t hints[1u << BUDGET_HINT_BITS]; /* of user-events/names.h: row << 16 | number of a name */
  bool plans;                                     /* a signal handler that comes now does not */
};

static inline uint64_t budget_key(uint64_t place, enum budget_class class, unsigned kind)
{
  return place | (uint64_t)((unsigned)class << 8 | kind | 1u << 15) << 48;
}

static inline uint32_t budget_place_of(uint64_t key)
{
  return (uint32_t)(mix_upper(key) >> 54);
}

/* Returns the row if it is in its first place in the table; NULL: ask budget_row. */
static inline struct budget_row *budget_row_known(uint64_t place, enum budget_class class, unsigned kind)
{
  uint64_t key = budget_key(place, class, kind);
  struct budget *self = budget_self;
  struct budget_row *row = self ? &self->rows[budget_place_of(key)] : NULL;
  return row && row->key == key ? row : NULL;
}

/*
 * The row of a place (an address or a code below 2^47) and a kind (below 2^8, in each class). records: how many an
 * instance has, with its end. NULL: no memory; everything is recorded.
 */
static inline struct budget_row *budget_row(uint64_t place, enum budget_class class, unsigned kind, unsigned records)
{
  struct budget_row *row = budget_row_known(place, class, kind);
  return __builtin_expect(row != NULL, 1) ? row : budget_row_make(place, class, kind, records);
}

/* Returns the weight of the instance that begins now if it is recorded; 0: it is omitted. */
static inline uint32_t budget_take(struct budget_row *row)
{
  if (__builtin_expect(row->until > 1, 0)) {
    row->until--;
    return 0;
  }
  return budget_chosen(row);
}

/* Records the instance after budget_take returned 0. Returns its weight. */
static inline uint32_t budget_force(struct budget_row *row)
{
  row->gap -= row->until;
  row->until = 1;
  return budget_chosen(row);
}

/* Returns how many of the instances that were lent were omitted meanwhile. */
static inline uint32_t budget_used_of_loan(const struct budget_row *row)
{
  const struct extension_unreported *borrower = row->borrower;
  if (!borrower)
    return 0;
  uint32_t left = (uintptr_t)borrower->code == row->place ? borrower->left : 0;
  return left < row->lent ? row->lent - left : 0;
}

/* Takes back what was lent. */
static inline void budget_take_back(struct budget_row *row)
{
  if (__builtin_expect(!row->borrower, 1))
    return;
  row->until -= budget_used_of_loan(row);
  if ((uintptr_t)row->borrower->code == row->place)
    row->borrower->left = 0;
  row->borrower = NULL;
}

/* Lends all instances before the next recorded one, if they are worth it and the borrower is free. */
static inline void budget_lend(struct budget_row *row, struct extension_unreported *borrower)
{
  if (row->until < BUDGET_LOAN || (borrower->left > 0 && (uintptr_t)borrower->code != row->place))
    return;
  row->lent = row->until - 1;
  *borrower = (struct extension_unreported){(const void *)row->place, row->lent};
  row->borrower = borrower;
}

/*
 * Omits the instance that begins now, with what it is in. If it were the one to be recorded, another one is, as
 * many later as a block has: so those before it can be lent.
 */
static inline void budget_omit(struct budget_row *row)
{
  if (row->until == 1) {
    row->gap += row->block;
    row->until += row->block;
  }
  row->until--;
}

/*
 * Where a stretch of a trace begins (live_stretches), a thread gets a full bucket. It omits nothing until the bucket is
 * empty, whatever it omitted before. This happens with its next plan; threads that begin a parallel region do not wait
 * for it.
 */
void budget_begin_anew(void);
static inline void budget_follow_stretches(void)
{
  if (budget_self &&
      __builtin_expect(budget_self->stretches != atomic_load_explicit(&live_stretches, memory_order_relaxed), 0))
    budget_begin_anew();
}

/* From now on all instances of a row are recorded. False: the row has other places, too. */
bool budget_keep(struct budget_row *row);

/* Returns the number of instances of the row that were omitted since the last recorded one. */
static inline uint32_t budget_omitted(const struct budget_row *row)
{
  return row->gap - row->until + budget_used_of_loan(row);
}

/* The thread takes part in an instance that another thread has decided on. */
void budget_join(struct budget_row *row, bool recorded);

/* For callers with their own counters. budget_every: size of the next block. budget_choose: a random number from 1 to
 * `every`. budget_count: reports recorded and omitted instances. */
uint32_t budget_every(const struct budget_row *row);
uint32_t budget_choose(uint32_t every);
void budget_count(struct budget_row *row, uint32_t recorded, uint32_t omitted);

/* Takes ticks from the thread's budget that its plan did not foresee. */
static inline void budget_spend(int64_t ticks)
{
  if (budget_self)
    budget_self->credit -= ticks;
}

/* Gets a row with instances that were omitted since the last recorded one. */
typedef void budget_report(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted);

/* The thread ends: reports its rows. */
void budget_end_thread(budget_report *report);
/* The recording ends: reports the rows of all threads, whose ends report nothing any more. Once a recording. */
void budget_end_all(budget_report *report);
/* Another recording begins after that. Omitted instances belong to the one before and are not reported: each thread
 * calls budget_end_thread before its first record. */
void budget_renew(void);

/*
 * Divides recording time among a thread's rows: arithmetic without state, for budget.c and tests. Gives each row its
 * `every`, so that the demands of all together are at most `allowance` (ticks in a period). Classes are limited in
 * their order: a class gets what the classes behind it do not need, but at least a share of BUDGET_LEAST. In a class
 * all rows have the same maximum: a row that needs less stays whole, so the most expensive rows lose most.
 *
 * used: indices of the rows that have a demand.
 */
#define BUDGET_LEAST (1.0 / 16)
void budget_plan(struct budget_row *rows, const uint16_t *used, uint32_t used_count, double allowance);

#endif
