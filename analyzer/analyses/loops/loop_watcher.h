/* Private to schedule/: makes shares of the events of one location: its teams, loops and chunks, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_WATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_WATCHER_H

#include "analyzer/analyses/loops/profile.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/states.h"
#include "base/error.h"

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
  uint64_t busy;               /* ticks in chunks, without those of the tool */
  uint64_t off;                /* ticks without a processor, inside of chunks or not */
  struct piece_list pieces;    /* its chunks; the receiver may take them (and leave the list empty) */
  uint64_t chunks, iterations; /* all, also those that are derived from the schedule */
  uint64_t longest, shortest;  /* iterations of an observed chunk */
  uint64_t gaps, gap_ticks;    /* between two chunks */
  uint64_t least_ticks;        /* of a chunk */
  bool scattered;              /* some chunks are derived from the schedule: their times are unknown */
  bool broken;                 /* events were lost, measurement was off, or the loop was cancelled */
  bool after_gap;              /* measurement was off in this team before, so `occurrence` may be wrong */
  bool ordered;                /* its iterations wait for each other */
};

struct loop_watcher;

/* `rules` (of machine_rules()), the location and `error` must outlive the watcher. NULL: an error. */
struct loop_watcher *loop_watcher_open(const struct trace *trace, const struct pass_location *location,
                                       const uint8_t *rules, struct error *error);
void loop_watcher_close(struct loop_watcher *watcher);

/* Takes the next event of the location, after the view. False: an error. */
bool loop_watcher_event(struct loop_watcher *watcher, const struct trace_event *event);
/* After the last event: loops that are open where the location is cut end there, behind the restriction. False: an
 * error. */
bool loop_watcher_end(struct loop_watcher *watcher);
/* The shares (struct share), in order of time. */
struct item_queue *loop_watcher_queue(struct loop_watcher *watcher);

#endif
