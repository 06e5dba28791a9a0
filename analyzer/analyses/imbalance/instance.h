/*
 * Instance: one execution of a region or construct by a team, made of its members' pieces. Adds up finished instances.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_INSTANCE_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_INSTANCE_H

#include "analyzer/analyses/imbalance/constructs.h"
#include "analyzer/analyses/imbalance/follower.h"
#include "analyzer/analyses/imbalance/sampled.h"
#include "base/hash.h"

/*
 * The threads that waited for each other at the barrier of each region. Memory grows with the pairs of threads that
 * occur.
 */

struct wait_pairs;

/* NULL: out of memory. */
struct wait_pairs *wait_pairs_create(void);
void wait_pairs_destroy(struct wait_pairs *pairs);

/* Adds a wait of so many ticks. False: out of memory. */
bool wait_pairs_add(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks);

/* Copies all pairs into imbalance->waits, in their order. False: out of memory. */
bool wait_pairs_hand_over(const struct wait_pairs *pairs, struct imbalance *imbalance);

/* Adds the pairs of `from`; `into` has none of them, because a pair belongs to one process. False: out of memory. */
bool wait_pairs_merge(struct imbalance *into, const struct imbalance *from);

struct team_instance;

struct instance {
  struct hash_link link; /* in the matcher's table */
  uint32_t region, parallel, occurrence;
  uint32_t size;      /* of the team */
  uint32_t looked_at; /* members */
  uint32_t arrived;   /* members whose piece was added */
  uint32_t forker;    /* a team's own region: the thread that forked it, else the first that joined it */
  uint32_t last;      /* rank of the last arriver at the barrier, TRACE_NONE: no barrier */
  uint64_t enter, last_enter, end;
  uint64_t busy, overhead, wait, chunks, iterations;
  uint64_t locked, locked_most, waited, tasks, dependent; /* as in pieces; locked_most: of one member */
  uint64_t last_arrival;
  struct sampled_gap gap;        /* omitted instances before it */
  bool cut;                      /* measurement was off for a member in part of it */
  bool partial;                  /* instances in it are not recorded, so its threads' states are known in part */
  bool after_gap;                /* ... or earlier in the team, ... */
  bool mismatched;               /* ... so that pieces of different executions were put together */
  struct team_instance *team;    /* a construct's; NULL: it is a team's own region */
  const struct instance *around; /* a construct's: its team's own region */
  /* The matcher's list of constructs of the same team. */
  struct instance *next, **to_this;
  struct instance_member {
    uint64_t busy, wait; /* the latter at the barrier */
    uint64_t chunks, iterations;
    uint64_t not_measured, end;
    bool joined, arrived;
    bool cut, stopped; /* as in its piece */
  } members[];
};

/* The sums that instances are added to. */
struct instance_sums {
  const struct trace *trace;
  struct imbalance *imbalance;
  struct wait_pairs *waits; /* NULL: not asked for */
  bool course;              /* asked for */
  bool all_are_members;     /* an archive without teams: a thread without events in an instance took no part in it */
};

/* The bytes of an instance of a team of that size; instance_begin() makes an empty one in so many bytes. */
size_t instance_bytes(uint32_t size);
void instance_begin(struct instance *instance, uint32_t region, uint32_t size, uint32_t looked_at);

/* Adds the piece of a member. */
void instance_add(struct instance *instance, uint32_t rank, const struct piece *piece);

/* Adds up a finished instance, which may be incomplete. Constructs must be finished before their team. False: out of
 * memory. */
bool instance_finish(const struct instance *instance, const struct instance_sums *sums, const struct trace_team *team);

/* An instance of the construct ended. The place of the instance that ended first is kept, whatever their order. */
static inline void construct_ended(struct imbalance_construct *construct, uint64_t end, uint32_t parallel)
{
  bool first = end != construct->first_end ? end < construct->first_end : parallel < construct->parallel;
  construct->first_end = first ? end : construct->first_end;
  construct->parallel = first ? parallel : construct->parallel;
}

#endif
