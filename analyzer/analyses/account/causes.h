/* Causes of lost time, and mixes: parts of a time by cause. For the second pass of the account, one thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_CAUSES_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_CAUSES_H

#include "analyzer/analyses/account/account.h"
#include "base/hash.h"
#include "base/vector.h"

/* Ticks with 32 binary digits behind the point: shares of processors. */
typedef unsigned __int128 fine_ticks;
#define FINE_SHIFT 32

struct cause {
  uint8_t kind; /* enum account_kind */
  uint8_t note; /* enum account_note */
  uint32_t place;
  fine_ticks ticks;       /* booked */
  uint64_t did;           /* ticks of threads, also outside of what is looked at; of work alone */
  uint64_t lock;          /* the number + 1 of the lock that most of it is about, nearly always; 0: unknown */
  const char *lock_class; /* class and field of a Java object; NULL: none */
  uint64_t of_lock;       /* ticks by which it is ahead of others */
};

#define CAUSES_KNOWN 64u

struct causes {
  VECTOR(struct cause) list;
  struct hash index; /* kind, note, place -> index */
  struct cause_known {
    uint64_t key;
    uint32_t cause;      /* + 1; 0: none */
  } known[CAUSES_KNOWN]; /* copies from `index`: the newest ones */
  struct hash blamed;    /* cause << 32 | location -> ticks; not fine */
  struct hash ran;       /* cause << 32 | context of a sample -> ticks, likewise */
  uint64_t paused;       /* ticks in which measurement was off: they are nobody's */
  fine_ticks lacked;     /* threads that were ready while processors were idle for the program, */
  fine_ticks crowded;    /* ... while more threads than there are processors ran or were ready */
  bool failed;           /* no memory */
};

void causes_free(struct causes *causes);
/* The number of a cause, which is new or known. 0 if memory is short, and then causes->failed. */
uint32_t cause_of(struct causes *causes, enum account_kind kind, enum account_note note, uint32_t place);
/* Books ticks to a cause, and to the thread that is its reason; TRACE_NONE: none. */
void causes_book(struct causes *causes, uint32_t cause, fine_ticks ticks, uint32_t location);
/* Ticks of the cause are about a lock. */
void causes_name_lock(struct causes *causes, uint32_t cause, uint64_t lock, const char *lock_class, uint64_t ticks);

/* Ticks of the cause are of code; TRACE_NONE: unknown. */
void causes_name_code(struct causes *causes, uint32_t cause, uint32_t context, fine_ticks ticks);

struct cause_part {
  uint32_t cause;
  uint64_t ticks;
};

/* Parts of a time by cause; `total` is their sum. */
struct mix {
  VECTOR(struct cause_part) parts;
  struct hash index; /* cause -> part, once there are many */
  size_t last;       /* the part that was added to last */
  uint64_t total;
};

void mix_add(struct causes *causes, struct mix *mix, uint32_t cause, uint64_t ticks);
void mix_clear(struct mix *mix);
void mix_free(struct mix *mix);
/* Books ticks by the parts of the mix; what rounding leaves goes to the largest one. */
void mix_book(struct causes *causes, const struct mix *mix, fine_ticks ticks, uint32_t location);
/* Adds whole ticks by the parts of another mix: the largest remainders are rounded up, of equal ones the lower cause's.
 */
void mix_spread(struct causes *causes, struct mix *into, const struct mix *by, uint64_t ticks);
/* Removes from `mix` what `other` has as much of, by kind; places of a kind keep their proportion. */
void mix_subtract(const struct causes *causes, struct mix *mix, const struct mix *other);

#endif
