/*
 * Constructs that are left out, where recording has a budget (common/budget/budget.h). Of each site a thread leaves out
 * so many instances, and then records one. Woven code counts them itself, in the thread's table (weaver/hook_guards.h),
 * without a call: so their times are not known, and what is recorded of them is how many there were, and about how long
 * they took, judged by the recorded ones.
 *
 * The threads of a team leave out the same instances: who comes to a block of instances first chooses for all.
 *
 * What has no other word is for the calling thread, in its hooks.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_BUDGET_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_BUDGET_H

#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/guards.h"

/* Kinds of sites; else an ompt_work_t. */
#define JOMP_BUDGET_REGION  0u
#define JOMP_BUDGET_SECTION 0x100u /* a critical section */

/* A site on a thread; begins with what woven code counts. */
struct jomp_budget_site {
  struct guard_site count;
  uint32_t lent;          /* `left` of it as it was when the rest was told */
  uint32_t rest : 31;     /* instances of the block behind its recorded one */
  uint32_t member : 1;    /* the thread is not number 0 of the team */
  uint64_t team;          /* that `next` counts in */
  uint64_t next;          /* number in the team of the next block's first instance */
  uint64_t since;         /* ticks; what was before is told */
  uint64_t begin;         /* ticks, of the newest recorded instance */
  uint32_t lasted, usual; /* ticks: that one; recorded ones in general */
};

struct jomp_budget {
  struct guard_thread guard;
  bool worker;       /* it has been another thread of a team than number 0 */
  uint64_t tid;      /* Java's id of the thread */
  uint64_t told;     /* ticks up to which left-out time was told */
  uint32_t sections; /* the site of a sections construct that is left out and gives some still, + 1; 0: none */
  _Alignas(64) struct jomp_budget_site site[GUARD_SITES];
};

extern __thread struct jomp_budget *jomp_budget_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Before the first hook. False: there is no budget, and nothing is left out. */
bool jomp_budget_begin(void);
/* For the hook class. */
const struct guard_slot *jomp_budget_slots(void);
/* Makes the thread's table, unless it has one. NULL: it has none, and leaves nothing out. */
struct jomp_budget *jomp_budget_of_thread(JNIEnv *jni);

/*
 * Whether the instance that begins at a site is recorded; tells of those before it. site NULL: it is. team: its number;
 * 0: instances count in the thread. shared: its threads decide together.
 */
bool jomp_budget_takes(struct batch *batch, const struct site *site, uint64_t team, bool shared, bool member);
/* The thread joins a region, of which another one has decided. */
void jomp_budget_joins(struct batch *batch, const struct site *site, bool recorded);

/*
 * The thread is about to enter a critical section at a site: the weight of what is recorded of it, which stands for
 * those that were left out since the one before; 0: it is left out.
 */
uint32_t jomp_budget_weigh(const struct site *site);
/* It stands for itself alone: those are counted again. */
void jomp_budget_weigh_alone(const struct site *site, uint32_t weight);
/* The site whose lock woven code was about to acquire last, and left out; NULL: it has acquired it. */
const struct site *jomp_budget_asks(void);
/* What the thread is about to enter there is recorded nevertheless. False: it cannot be. */
bool jomp_budget_take_back(const struct site *site);

/* An instance inside of a region that is left out. */
void jomp_budget_omit_inside(const struct site *site);
/* The recorded instance of a site has ended, or its barrier. */
void jomp_budget_ended(const struct site *site, uint64_t now);

/* Something else than what woven code leaves out happens to the thread. */
static inline void jomp_budget_interrupt(void)
{
  if (jomp_budget_self)
    jomp_budget_self->guard.open = jomp_budget_self->guard.after = jomp_budget_self->guard.muted =
        jomp_budget_self->sections = 0;
}

/* Whether the thread is in a construct that is left out, or its barrier may come. */
static inline bool jomp_budget_is_inside(void)
{
  const struct guard_thread *guard = jomp_budget_self ? &jomp_budget_self->guard : NULL;
  return guard && (guard->quiet | guard->muted | guard->open | guard->after) != 0;
}

/* Whether the thread is in a region that is left out. */
static inline bool jomp_budget_is_quiet(void)
{
  return jomp_budget_self && jomp_budget_self->guard.quiet > 0;
}

/* The thread ends, and is told of. */
void jomp_budget_thread_end(void);
/* The process ends: all threads are told of, in records of the calling one. */
void jomp_budget_end(void);

#endif
