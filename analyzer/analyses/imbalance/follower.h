/*
 * Follower of the events of one location: makes pieces of them, which instance_matcher.h puts together. Private to
 * imbalance/.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_FOLLOWER_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

/*
 * What one location contributes to an instance. A follower makes pieces of events, in order of
 * time; instance_matcher.h puts the pieces of all locations together.
 */

enum piece_kind { PIECE_TEAM_BEGIN, PIECE_CONSTRUCT, PIECE_TEAM_END, PIECE_OMITTED };

struct piece {
  enum piece_kind kind;
  uint32_t team;       /* TEAM_BEGIN: index; in an archive without teams the index of the process */
  uint32_t region;     /* CONSTRUCT, OMITTED: which; TEAM_END: the parallel region, TRACE_NONE: unknown */
  uint32_t parallel;   /* CONSTRUCT, TEAM_END: the parallel region around it; TRACE_NONE: unknown, or none */
  uint32_t occurrence; /* CONSTRUCT: how often this thread had met this region in this team */
  bool has_barrier;
  bool cut;                   /* measurement was off in part of it */
  bool stopped;               /* ... and at its end: its real end is unknown */
  bool after_gap;             /* CONSTRUCT: measurement was off in this team before it, so `occurrence` may be wrong */
  uint64_t omitted_ticks;     /* ticks of it in stretches of instances that are not recorded: in UNMEASURED */
  uint64_t not_measured;      /* its other ticks in UNMEASURED */
  uint64_t omitted;           /* OMITTED: instances that this thread led and that are not recorded */
  bool inside;                /* OMITTED: ... nor is what they were in */
  uint64_t time;              /* when it was complete: pieces are in this order */
  uint64_t enter, begin, end; /* enter: on the thread that forked the team the fork, else begin */
  uint64_t busy, overhead;
  uint64_t arrival, wait; /* at the barrier */
  uint64_t chunks, iterations;
  bool forked;               /* TEAM_BEGIN: this thread forked the team */
  uint64_t locked;           /* TEAM_END: ticks of waits for locks and in ordered ... */
  uint64_t waited;           /* ... and at barriers, for tasks and for reductions */
  uint64_t tasks, dependent; /* tasks created; and tasks with dependences */
};

/* When measurement was off on a thread, and what follows for what the thread did meanwhile. */

/* Zeroed: measurement is on, and always was. */
struct gaps {
  uint32_t count;      /* how often measurement was switched off */
  bool off;            /* it is off */
  uint64_t begin, end; /* the last time that it was */
};

/* The gaps of a thread up to some moment: where something begins. */
struct gaps_before {
  uint64_t time;
  uint64_t not_measured; /* ticks in state UNMEASURED, but for omitted instances */
  uint32_t count;        /* gaps that have ended by then */
};

void gaps_switch(struct gaps *gaps, bool on, uint64_t time);

/*
 * Adds the time that was not measured, from a moment to the piece's end; `not_measured`: ticks in state UNMEASURED,
 * without omitted instances up to now. Where measurement was off at the piece's end, the end becomes the last time that
 * is known.
 */
void gaps_cut(const struct gaps *gaps, struct piece *piece, const struct gaps_before *before, uint64_t not_measured);

/*
 * An open item of a thread, with the thread's sums up to its begin. Its contribution to an instance is the difference
 * to the sums at its end.
 */

enum opened_kind { OPENED_PARALLEL, OPENED_TEAM, OPENED_CONSTRUCT, OPENED_BARRIER };

/* Sums of a thread; ticks. */
struct opened_sums {
  uint64_t run, overhead;
  uint64_t at_barrier;       /* SYNCH implicit barrier */
  uint64_t locked;           /* waiting for what another thread has, or for its turn */
  uint64_t waited;           /* waiting for others to come, or for something to do */
  uint64_t tasks, dependent; /* tasks created; and tasks with dependences */
  uint64_t omitted_ticks;    /* in stretches of instances that are not recorded */
};

struct opened {
  enum opened_kind kind;
  uint32_t region; /* TEAM: its parallel region, TRACE_NONE as long as it is unknown */
  size_t depth;    /* depth of the machine, with this open */
  uint64_t enter;  /* TEAM: time of the fork, if this thread forked it; then it began later */
  struct opened_sums sums;
  struct gaps_before gaps; /* its time is when it began */
  uint64_t chunks, iterations;
  /* TEAM: its last implicit barrier so far. */
  uint64_t arrival, wait;
  bool has_barrier;
  uint32_t barrier_gaps; /* up to its end */
};

/* Zeroed: nothing is open. */
struct opened_list {
  VECTOR(struct opened) list;
  size_t depth; /* of the innermost one; 0: there is none */
};

/* The sums of a thread as the machine has them now; the tasks are left at 0. */
struct opened_sums opened_sums_now(const struct machine_view *view);

/* The innermost one; NULL: none. Valid until the next push. */
static inline struct opened *opened_top(const struct opened_list *opened)
{
  return opened->list.count ? &opened->list.items[opened->list.count - 1] : NULL;
}

/* One more. NULL: out of memory. */
struct opened *opened_push(struct opened_list *opened, const struct opened *one);
/* The innermost one is open no longer; valid until the next push. */
const struct opened *opened_pop(struct opened_list *opened);
void opened_free(struct opened_list *opened);

/* The teams that a thread is in, one inside the other, and what it met in each. */

#define TEAM_LEVELS_MOST 64 /* nested teams that are analyzed; deeper ones are passed over */

/* How often a region was met. */
struct team_occurrence {
  uint32_t stamp; /* of the team it was counted in; else the count is 0 */
  uint32_t count;
};

/* A team that the thread is in; what it has allocated is used again by later teams of the same level. */
struct team_level {
  size_t team;                         /* place in the follower's list of what is open */
  uint32_t stamp;                      /* another one for each team the thread was ever in */
  struct team_occurrence *occurrences; /* a region; allocated when first needed */
  /* A construct that has ended is kept back, because its barrier may be next. */
  bool holds;
  size_t held_depth; /* depth of the construct, and of its barrier */
  struct piece held;
};

/* Zeroed: none. */
struct team_levels {
  VECTOR(struct team_level) list; /* all that there ever were */
  uint32_t depth;                 /* so many of them are open */
  uint32_t stamp;
};

/* The innermost team; NULL: the thread is in none. */
static inline struct team_level *team_levels_innermost(const struct team_levels *levels)
{
  return levels->depth > 0 ? &levels->list.items[levels->depth - 1] : NULL;
}

/* A team begins. NULL: out of memory. */
struct team_level *team_levels_push(struct team_levels *levels, size_t team);
void team_levels_pop(struct team_levels *levels);
void team_levels_free(struct team_levels *levels);

/* Counts a region that the thread meets in a team; *before: how often it met it there before. False: out of memory. */
bool team_level_count(struct team_level *level, uint32_t region, uint32_t region_count, uint32_t *before);

/* What entering each region means to a follower, worked out once for all locations of a trace. */

/* What a region is, unless it is a part of the construct around it. */
enum region_interest {
  INTEREST_NONE,
  INTEREST_PASSING,         /* may stand between a construct and its barrier: the tool's own, reductions */
  INTEREST_MEASUREMENT_OFF, /* likewise; measurement is off in it */
  INTEREST_OMITTED,         /* a stretch of instances that are not recorded */
  INTEREST_BARRIER,
  INTEREST_PARALLEL,
  INTEREST_CONSTRUCT, /* work-sharing */
  INTEREST_CHUNK      /* only as a part: a chunk or section of the construct */
};

/* One enum region_interest a region; the caller frees them. NULL: out of memory. */
uint8_t *region_interests_make(const struct trace *trace);

static inline enum region_interest region_interest(const uint8_t *interests, uint32_t region)
{
  return region == TRACE_NONE ? INTEREST_NONE : (enum region_interest)interests[region];
}

/* A lane. */
struct follower {
  const struct trace *trace;
  const uint8_t *interests; /* of region_interests_make() */
  uint32_t location;
  const struct pass_location *place;
  const struct machine_view *view;
  struct item_queue queue; /* of struct piece */
  struct opened_list open;
  struct team_levels levels;
  struct gaps gaps;
  uint64_t tasks, dependent; /* tasks created so far; and tasks with dependences */
  uint64_t team_run;         /* run_within() where the outermost team began */
  uint64_t in_teams;         /* its ticks in outermost teams that have ended */
  uint64_t fork;             /* when the last fork was, and at what depth */
  size_t fork_depth;
  uint32_t omitted_open;   /* regions open of a stretch of instances that are not recorded ... */
  uint64_t omitted_from;   /* ... in UNMEASURED up to its begin */
  uint64_t omitted_ticks;  /* ticks in UNMEASURED in such stretches that have ended ... */
  uint64_t omitted_within; /* ... within the restriction */
};

/* `interests` come from region_interests_make(); they and the location outlive the follower. */
void follower_begin(struct follower *follower, const struct trace *trace, const struct pass_location *location,
                    const uint8_t *interests);
void follower_close(struct follower *follower);

/* Functions of the lane. */
bool follower_event(void *lane, const struct trace_event *event);
/* Ends what is still open with the last event. If the location is cut, the last event is behind the restriction, and
 * what ends there is omitted. */
bool follower_end(void *lane);
/* The pieces (struct piece), in order of time. */
struct item_queue *follower_queue(void *lane);

/* Ticks of the location within the restriction: measured; UNMEASURED, in stretches of instances that are not recorded;
 * and otherwise UNMEASURED. After follower_end(). */
uint64_t follower_lifetime(const struct follower *follower);
uint64_t follower_omitted(const struct follower *follower);
uint64_t follower_not_measured(const struct follower *follower);
/* Ticks in RUN outside of teams, within the restriction. After follower_end(). */
uint64_t follower_alone(const struct follower *follower);

#endif
