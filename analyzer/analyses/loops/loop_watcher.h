/* Watcher of one location: makes shares of its teams, loops and chunks, in order of time. Private to loops/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_WATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_WATCHER_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

#include <stdint.h>

/*
 * What the iterations of one execution of a loop cost, from the times of its chunks. A profile is
 * made of pieces: iterations that were measured together. The cost of a single iteration of a piece is unknown.
 */

#define PROFILE_PIECES 8192 /* of an execution; if there are more chunks, neighbours are put together */

struct piece_of_loop {
  int64_t first; /* as recorded: an index of the program, or a count */
  uint64_t iterations, chunks, ticks;
};

/* Pieces in any order. Zeroed: empty. */
struct piece_list {
  VECTOR(struct piece_of_loop) pieces;
  uint64_t rises, falls; /* how often `first` was larger, and smaller, than `first` of the piece before */
  bool coarse;           /* neighbours were put together */
};

/* False: out of memory. */
bool piece_list_add(struct piece_list *list, const struct piece_of_loop *piece);
/* Adds all pieces of `from`, which keeps them. False: out of memory. */
bool piece_list_append(struct piece_list *list, const struct piece_list *from);
void piece_list_free(struct piece_list *list);

struct profile {
  size_t count;
  uint64_t *begins; /* count + 1: iterations before piece i, in the order of the loop */
  double *costs;    /* count + 1: ticks before piece i */
};

/*
 * Puts the pieces into the order of the loop, and subtracts `overhead` ticks from each chunk (the result is at least
 * 0). False: *no_memory, or the pieces are no complete iteration space (gaps, overlaps, too many iterations).
 */
bool profile_make(struct profile *profile, struct piece_list *list, double overhead, bool *no_memory);
void profile_free(struct profile *profile);

static inline uint64_t profile_iterations(const struct profile *profile)
{
  return profile->begins[profile->count];
}

static inline double profile_total(const struct profile *profile)
{
  return profile->costs[profile->count];
}

/* The piece that has iteration `at`; the number of pieces if none has. */
size_t profile_piece_at(const struct profile *profile, uint64_t at);

/* Ticks of the iterations before `at`: if all of a piece cost the same, and the least and the most that is possible. */
struct profile_cost {
  double even, least, most;
};
struct profile_cost profile_before(const struct profile *profile, uint64_t at);

#define LOOP_TEAM_LEVELS 64 /* nested teams that are followed; deeper ones are passed over */

enum share_kind { SHARE_TEAM_BEGIN, SHARE_LOOP, SHARE_TEAM_END };

/* A thread's share of one execution of a loop that has ended; or a thread joins or leaves a team. */
struct share {
  enum share_kind kind;
  uint32_t team;       /* TEAM_BEGIN: index; in an archive without teams the index of the process */
  uint32_t region;     /* LOOP */
  uint32_t occurrence; /* how often this thread had met this region in this team */
  uint64_t time;       /* shares are in this order */
  uint64_t enter, leave;
  uint64_t begin;              /* of the first chunk; `leave` if there was none */
  uint64_t busy;               /* ticks in chunks, without the tool's ticks */
  uint64_t off;                /* ticks without a processor, inside of chunks or not */
  struct piece_list pieces;    /* its chunks; the receiver may take them (and leave the list empty) */
  uint64_t chunks, iterations; /* all, including iterations that are derived from the schedule */
  uint64_t longest, shortest;  /* iterations of an observed chunk */
  uint64_t gaps, gap_ticks;    /* between two chunks */
  uint64_t least_ticks;        /* of a chunk */
  bool scattered;              /* some chunks are derived from the schedule: their times are unknown */
  bool broken;                 /* events were lost, measurement was off, or the loop was cancelled */
  bool after_gap;              /* measurement was off in this team before, so `occurrence` may be wrong */
  bool ordered;                /* its iterations wait for each other */
};

enum loop_open_kind { OPEN_PARALLEL, OPEN_TEAM, OPEN_LOOP, OPEN_CHUNK };

/* Something that has begun. */
struct loop_open {
  enum loop_open_kind kind;
  uint32_t region; /* TEAM: its parallel region, TRACE_NONE as long as it is unknown */
  size_t depth;    /* depth of the machine, with this open */
  uint64_t begin;
  uint64_t tool; /* ticks of the tool up to the beginning */
  uint64_t off;  /* LOOP: ticks without a processor, likewise */
  bool derived;  /* CHUNK: not observed */
  int64_t first; /* CHUNK */
  uint64_t iterations, chunks;
  uint64_t last_end; /* LOOP: of the last chunk so far */
};

struct loop_occurrence {
  uint32_t stamp; /* of the team it was counted in; else the count is 0 */
  uint32_t count;
};

/* A lane. */
struct loop_watcher {
  const struct trace *trace;
  const uint8_t *rules;
  const struct pass_location *place;
  const struct machine_view *view;
  VECTOR(struct loop_open) open;
  VECTOR(struct share) shares;       /* of open loops; apart from them because chunks are many and shares are large */
  size_t open_depth;                 /* of the innermost one; 0: there is none */
  uint32_t levels;                   /* teams that the thread is in */
  uint32_t stamps[LOOP_TEAM_LEVELS]; /* another one for each team the thread was ever in */
  bool had_gap[LOOP_TEAM_LEVELS];    /* measurement was off in the team */
  struct loop_occurrence
      *occurrences[LOOP_TEAM_LEVELS]; /* a region; allocated when first needed, used again by later teams */
  uint32_t stamp;
  uint32_t location;
  struct item_queue queue; /* of struct share */
};

/* `rules` (of machine_rules()) and the location outlive the watcher. */
void loop_watcher_begin(struct loop_watcher *watcher, const struct trace *trace, const struct pass_location *location,
                        const uint8_t *rules);

/* Functions of the lane. Loops that are open where the location is cut end there, behind the restriction. The queue has
 * the shares (struct share), in order of time. */
bool loop_watcher_event(void *lane, const struct trace_event *event);
bool loop_watcher_end(void *lane);
struct item_queue *loop_watcher_queue(void *lane);
void loop_watcher_close(void *context, void *lane);

#endif
