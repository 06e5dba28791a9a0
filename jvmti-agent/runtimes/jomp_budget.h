/*
 * Budget of JOMP's constructs (common/budget/budget.h). At each site, a thread omits a number of instances and then
 * records one. Woven code counts the omitted ones in the thread's table (weaver/guards.h), without a call. Therefore
 * their times are unknown: the records have their number, and an estimate of their time from the recorded instances.
 *
 * The threads of a team omit the same instances: the first thread that reaches a block of instances chooses for all.
 *
 * Unless stated otherwise, the functions are for the calling thread, in its hooks.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_BUDGET_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_BUDGET_H

#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/guards.h"

/* Kinds of sites; else an ompt_work_t. */
#define JOMP_BUDGET_REGION  0u
#define JOMP_BUDGET_SECTION 0x100u /* a critical section */

#define JOMP_BUDGET_COMPUTE 0x200u /* a task (task_budget.h) */
#define JOMP_BUDGET_WAIT    0x400u /* a wait for tasks: what is omitted is not counted */

/* A site on a thread; begins with what woven code counts. */
struct jomp_budget_site {
  struct guard_site count;
  uint32_t lent;          /* `left` when the omitted ones were recorded last */
  uint32_t rest : 31;     /* instances of the block behind its recorded one */
  uint32_t member : 1;    /* the thread is not number 0 of the team */
  uint64_t team;          /* that `next` counts in */
  uint64_t next;          /* number in the team of the next block's first instance */
  uint64_t since;         /* ticks; omitted instances before are recorded */
  uint64_t begin;         /* ticks; of the newest recorded instance */
  uint32_t lasted, usual; /* ticks; of that instance; of recorded ones in general */
};

struct jomp_budget {
  struct guard_thread guard;
  bool worker;       /* it has been in a team with another number than 0 */
  uint64_t tid;      /* Java's id of the thread */
  uint64_t reported; /* ticks up to which omitted time is recorded */
  bool has_slot;     /* woven code finds it */
  uint64_t since;    /* ticks; the begin of a stretch of omitted tasks; 0: none (task_budget.h) */
  uint8_t times;     /* enum task_times */
  uint32_t looks;    /* so many more omitted tasks of the recorded one are timed */
  uintptr_t near;    /* where its stack was about to end when a task was omitted for that; 0: nowhere */
  uint32_t before;   /* guard.tasks then */
  uint32_t sections; /* site of an omitted sections construct that still gives out sections, + 1; 0: none */
  _Alignas(GUARD_FORKS_AT) struct guard_fork forks[GUARD_FORKS];
  _Alignas(64) struct jomp_budget_site site[GUARD_SITES];
};

extern __thread struct jomp_budget *jomp_budget_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Begins the budget. False: there is none, and nothing is omitted. Before the first hook. */
bool jomp_budget_begin(void);
/* True if there is one. */
bool jomp_budget_omits(void);
/* Returns the tables of threads, for the hook class. */
const struct guard_slot *jomp_budget_slots(void);
/* Returns the thread's table, which is made if there is none. NULL: the thread omits nothing. */
struct jomp_budget *jomp_budget_of_thread(JNIEnv *jni);

/*
 * True if the instance that begins at a site is recorded; records the omitted ones before it. site NULL: always true.
 * team: its number; 0: instances are counted by thread. shared: the threads of the team decide together.
 */
bool jomp_budget_takes(struct batch *batch, const struct site *site, uint64_t team, bool shared, bool member);
/* The thread joins a region for which another thread has decided. */
void jomp_budget_joins(struct batch *batch, const struct site *site, bool recorded);

/*
 * Returns the weight of a critical section that the thread is about to enter at a site. It also counts for the sections
 * omitted since the last recorded one. 0: it is omitted.
 */
uint32_t jomp_budget_weigh(const struct site *site);
/* Gives the section the weight 1: the omitted ones are counted again. */
void jomp_budget_weigh_alone(const struct site *site, uint32_t weight);
/* Returns the site whose lock woven code is about to acquire, if the acquisition is omitted; otherwise NULL. */
const struct site *jomp_budget_asks(void);
/* Records that acquisition nevertheless. False: not possible. */
bool jomp_budget_take_back(const struct site *site);

/* Counts an instance inside an omitted region. */
void jomp_budget_omit_inside(const struct site *site);
/* The recorded instance of a site, or its barrier, has ended. */
void jomp_budget_ended(const struct site *site, uint64_t now);

/* The thread does something that is not an omitted construct. */
static inline void jomp_budget_interrupt(void)
{
  if (jomp_budget_self)
    jomp_budget_self->guard.open = jomp_budget_self->guard.after = jomp_budget_self->guard.loop_omitted =
        jomp_budget_self->sections = 0;
}

/* True if the thread is in an omitted construct, or before its barrier. */
static inline bool jomp_budget_is_inside(void)
{
  const struct guard_thread *guard = jomp_budget_self ? &jomp_budget_self->guard : NULL;
  return guard && (guard->quiet | guard->loop_omitted | guard->open | guard->after) != 0;
}

/* True if the thread is in an omitted region. */
static inline bool jomp_budget_is_quiet(void)
{
  return jomp_budget_self && jomp_budget_self->guard.quiet > 0;
}

/* Records what the thread omitted last. At its end. */
void jomp_budget_thread_end(void);
/* Records what all threads omitted last, in the calling thread's records. At the process' end. */
void jomp_budget_end(void);

#endif
