/* State of the second pass of the account, for its files: threads, teams, locks, and sums over time. One thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_STATE_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_STATE_H

#include "analyzer/analyses/account/grain.h"
#include "analyzer/analyses/account/releases.h"
#include "base/hash.h"

enum {
  WAKE_UP_US = 100, /* a longer wake-up lacked a processor */
  GAP_US = 10       /* between two executions of a small region: it is due to its smallness */
};

#define LATE UINT64_MAX /* in place of a wait: from a fork until the thread begins */

/* A wait whose causes were unknown when the snapshot was taken, and what it had lasted then. */
struct pending {
  uint64_t ordinal, ticks;
};

/* What a thread had done at some time. */
struct past {
  bool taken;
  uint32_t thread;
  size_t count;
  VECTOR(uint64_t) ticks; /* as the parts of the thread's sums */
  VECTOR(struct pending) pending;
};

struct open_wait {
  uint64_t ordinal, start;
  uint8_t waits;
  bool known;    /* the record */
  bool demand;   /* it counts */
  bool released; /* from here on the thread wakes up */
  uint32_t region, team, instance, meeting;
  uint64_t object;
  uint64_t lock; /* its number in the archive; 0: unknown, or none */
  const char *lock_class;
  struct wait_record record;
  uint64_t woken;   /* ticks of its wake-up that were the runtime's */
  uint64_t pending; /* ticks of the thread that are not in its sums yet */
  fine_ticks lost;
  struct past waker;
  bool waker_moves; /* it was watched until the wait moves in memory */
  struct mix held;  /* FOR_LOCK: what had been done under the lock */
  struct mix mix;   /* FOR_MEETING with tasks: of the part up to the last arrival */
  /* A wait in which tasks may run, from its begin or the last arrival on, as far as the thread has none itself: */
  uint64_t ready, making;       /* ticks in which tasks were ready, or were made by one thread */
  uint64_t ready_at, making_at; /* the team's, up to which these are settled */
  uint64_t pending_at;          /* `pending` at the last arrival */
};

struct swept_thread {
  struct activity now;
  uint64_t since;               /* ticks: settled up to here */
  fine_ticks work_at, share_at; /* the integrals there */
  uint64_t full_at;
  struct mix sums;          /* parts are only added */
  uint64_t work;            /* ticks */
  fine_ticks worked, alone; /* booked as its work, and as others' idle time while it ran */
  /* The last parallel region that it left and had forked. */
  uint32_t left; /* TRACE_NONE: none */
  uint64_t left_at;
  fine_ticks left_worked, left_alone;
  uint32_t work_place; /* where it worked last */
  VECTOR(struct open_wait) waits;
  struct release_reader *records;
  VECTOR(struct past *) watchers; /* snapshots with one of its unresolved waits */
  VECTOR(uint32_t) regions;       /* of its teams: the parallel regions; TRACE_NONE: unknown */
  VECTOR(uint64_t) works;         /* ... and its work when it began there */
  uint32_t created_at;            /* the place; TRACE_NONE: unknown */
  uint64_t worked_at;             /* its work at its last barrier */
  uint32_t worked_in;             /* code of its last work outside of constructs; TRACE_NONE: unknown */
  uint32_t weight;                /* with which it counts now */
  uint32_t pool;                  /* whose pool it is in: who forked its last team; TRACE_NONE: unknown */
  uint32_t idle;                  /* idle workers of its pool */
  bool is_idle;
  uint8_t counts; /* enum counts_as */
  bool spins, late, stopped;
  bool asks_to_collect; /* the thread, where it counts */
  uint32_t late_region;
  uint64_t late_woken;     /* ticks that were the runtime's */
  uint32_t previous, next; /* in the list of running, or of ready threads: locations + 1 */
  uint32_t crew;           /* that it has created last; TRACE_NONE: none */
  /* As a member of barriers of POSIX threads, or of a crew. */
  struct past met;
  uint64_t met_at;   /* the object; a crew's meeting: its number, above all keys */
  uint64_t met_work; /* its work then */
};

/* Threads of one creator that do the same. */
struct swept_crew {
  struct created_group group;
  VECTOR(uint32_t) members; /* that have begun and not ended: locations */
  struct mix ended;         /* what the ended ones did */
};

enum counts_as { COUNTS_NOT, COUNTS_RUNNING, COUNTS_READY, COUNTS_WAITING, COUNTS_OUTSIDE, COUNTS_COLLECTION, COUNTS };

struct swept_member {
  uint32_t instance, arrivals;
  struct past since; /* the last meeting, or the fork */
};

/* Tasks of a team, and how long some were ready. */
struct swept_tasks {
  uint64_t made, begun, done;
  bool depend;           /* on other tasks: whether they are ready is not known */
  uint64_t since;        /* ticks: settled up to here */
  uint64_t ready_ticks;  /* in which tasks were ready and had not begun */
  uint64_t making_ticks; /* in which none was ready, and one thread made the next one, */
  uint64_t none_since;
  uint32_t made_at; /* ... here; TRACE_NONE: outside of constructs */
};

struct swept_team {
  struct swept_tasks tasks;
  uint32_t instance, in; /* in: members that have not left */
  uint32_t begun;
  uint32_t region; /* of this instance; TRACE_NONE: unknown */
  struct swept_member *members;
};

struct swept_lock {
  uint32_t waiting;
  uint32_t holder; /* TRACE_NONE: none */
  struct past since;
  struct mix held;
};

/* A virtual thread without a carrier. */
struct unmounted {
  uint32_t cause;
  uint8_t counts; /* enum counts_as: WAITING or OUTSIDE */
  fine_ticks share_at;
  uint64_t lock;
  const char *lock_class;
};

/* Threads at a barrier that is an object. */
struct swept_object {
  VECTOR(uint32_t) waiting; /* locations */
};

struct release_entry {
  uint64_t time, ordinal;
  uint32_t location;
};

struct sweep {
  const struct releases *releases;
  const struct trace *trace;
  struct causes *causes;
  struct grain *grain;
  struct error *error;
  uint32_t processors;
  bool one_thread;
  struct swept_thread *threads;
  struct swept_team *teams;
  struct swept_crew *crews;
  uint64_t crew_meetings;
  struct slots unmounted;                /* by key of the virtual thread */
  struct hash locks;                     /* key -> index + 1 */
  VECTOR(struct swept_lock *) lock_list; /* snapshots are watched by address: they do not move */
  struct hash objects;                   /* key -> index */
  VECTOR(struct swept_object) object_list;
  VECTOR(struct release_entry) heap; /* releases to come, the first one first */
  uint64_t wake_up;                  /* ticks */
  bool paused;                       /* measurement is off */
  uint64_t from, to;                 /* what is looked at */
  uint64_t now;
  /* How many count as what. */
  uint64_t running, ready, waiting, spinning, outside, collecting;
  uint64_t ask_to_collect; /* threads in System.gc, ... */
  uint32_t collect_at;     /* ... and where the last one is that began */
  uint32_t first[COUNTS];  /* a running thread, and a ready one: location + 1; 0: none */
  /* Integrals over the time that is looked at. */
  struct selected_part *selected; /* by location; NULL: all threads are looked at */
  fine_ticks work;                /* each running thread's time on a processor */
  fine_ticks share;               /* each waiting thread's share of lost processors */
  uint64_t full;                  /* ticks in which no processor was free; over all time */
  bool failed;                    /* no memory */
};

/* Where a thread's own work goes in the loss of somebody else. */
struct own_work {
  enum account_kind kind;
  enum account_note note;
  uint32_t place;
  bool keeps_place; /* the place where it worked; `place` if it worked outside of constructs */
};

/*
 * booking.c: what a thread did, and how it counts.
 *
 * sweep_settle() books what a thread did up to now; call it before anything changes that its counting rests on.
 * sweep_take_past() keeps what a thread had done; `past` must not move until sweep_unwatch(). sweep_did() adds what the
 * thread did since then; since its begin if `past` is NULL. It does not count the thread's own wait `without`.
 */
void past_free(struct past *past);
void sweep_unwatch(struct sweep *sweep, struct past *past);
/* After a snapshot that sweep_unwatch() has let go was moved. */
void sweep_watch_again(struct sweep *sweep, struct past *past);
void sweep_take_past(struct sweep *sweep, uint32_t location, struct past *past);
uint32_t sweep_cause_of_open(struct sweep *sweep, const struct open_wait *wait);
/* What a cause of one thread's sums is in the loss of another. */
uint32_t sweep_mapped(struct sweep *sweep, uint32_t cause, struct own_work own);
void sweep_did(struct sweep *sweep, uint32_t location, const struct past *past, struct own_work own, uint64_t without,
               struct mix *mix);
void sweep_settle(struct sweep *sweep, uint32_t location);
void sweep_uncount(struct sweep *sweep, uint32_t location);
void sweep_count(struct sweep *sweep, uint32_t location);
void sweep_recount(struct sweep *sweep, uint32_t location);
/* The thread that a worker's pool belongs to. Idle workers count with its waits. sweep_look_idle(): after each change.
 */
void sweep_change_pool(struct sweep *sweep, uint32_t location, uint32_t pool);
void sweep_look_idle(struct sweep *sweep, uint32_t location);
void sweep_advance(struct sweep *sweep, uint64_t time);

/*
 * resolve.c: releases to come, locks with their holders, and what a wait was lost to.
 *
 * sweep_release_due() resolves all waits whose release is due. sweep_resolve_meeting() resolves a wait that the last
 * arrival ends: `since` is when both met last.
 */
void sweep_add_release(struct sweep *sweep, uint64_t time, uint32_t location, uint64_t ordinal);
void sweep_look_again(struct sweep *sweep, uint32_t location, uint64_t ordinal, uint64_t after);
struct open_wait *sweep_wait_by(struct sweep *sweep, uint32_t location, uint64_t ordinal);
struct swept_lock *sweep_lock_by(struct sweep *sweep, uint64_t key, bool add);
void sweep_close_hold(struct sweep *sweep, struct swept_lock *lock, bool goes_on);
void sweep_acquire(struct sweep *sweep, uint32_t location, uint64_t key);
void sweep_release(struct sweep *sweep, uint64_t key);
void sweep_copy_mix(struct sweep *sweep, struct mix *to, const struct mix *from);
void sweep_resolve(struct sweep *sweep, uint32_t location, struct open_wait *wait);
void sweep_resolve_meeting(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct past *since,
                           uint32_t last, const struct past *last_since);
void sweep_release_due(struct sweep *sweep, uint64_t time);

/*
 * swept_tasks.c: tasks of teams.
 *
 * sweep_settle_task_wait() adds what the team's tasks did to a wait that is the thread's activity; `waits`: else time
 * passes without it. sweep_mix_of_tasks() adds what `ticks` of a wait for tasks were lost to.
 */
void sweep_count_tasks(struct sweep *sweep, const struct account_step *step);
void sweep_settle_task_wait(struct sweep *sweep, struct open_wait *wait, bool waits);
void sweep_mix_of_tasks(struct sweep *sweep, const struct open_wait *wait, uint64_t ticks, struct mix *mix);

/*
 * swept_crews.c: crews while time passes.
 *
 * sweep_crew_joined() returns the crew that a wait of its creator is for; NULL: none. sweep_meet_crew() resolves all
 * waits of a crew that end with this one.
 */
void sweep_begin_member(struct sweep *sweep, uint32_t location);
void sweep_end_member(struct sweep *sweep, uint32_t location);
struct swept_crew *sweep_crew_joined(const struct sweep *sweep, uint32_t location, uint32_t joined);
void sweep_meet_crew(struct sweep *sweep, uint32_t location, const struct open_wait *wait);
/* Ticks of a wake-up that are not the runtime's any more as it begins. Members of a team with more threads than
 * processors sleep where they would spin, so their wake-ups lack processors from the first tick. */
static inline uint64_t sweep_woken_before(const struct sweep *sweep, uint32_t team)
{
  return team != TRACE_NONE && sweep->trace->teams[team].size > sweep->processors ? sweep->wake_up : 0;
}

/* The wait's causes are known: what it lost is booked, and the thread wakes up from here. */
void sweep_resolve_as(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct mix *mix);
void sweep_crews_free(struct sweep *sweep);

/*
 * selected.c: the account of selected threads.
 *
 * selected_mark(): the part that is looked at begins, or ends. selected_book() replaces what was booked.
 */
bool selected_begin(struct sweep *sweep);
void selected_mark(struct sweep *sweep, bool end);
void selected_book(struct sweep *sweep);
void selected_free(struct sweep *sweep);

#endif
