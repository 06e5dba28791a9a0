/* Private to schedule/: which teams and loops one location takes part in, and its chunks, in order of time. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_LOOP_WATCHER_H
#define HEDDLE_ANALYZER_SCHEDULE_LOOP_WATCHER_H

#include "analyzer/pass/pass.h"
#include "analyzer/schedule/profile.h"
#include "analyzer/states/states.h"
#include "analyzer/trace/definitions.h"
#include "base/error.h"

enum share_kind { SHARE_TEAM_BEGIN, SHARE_LOOP, SHARE_TEAM_END };

/* A thread's share of one execution of a loop, when it is over; or that a thread joins or leaves a team. */
struct share {
  enum share_kind kind;
  uint32_t team;       /* TEAM_BEGIN: index; in an archive without teams the process' index */
  uint32_t region;     /* LOOP */
  uint32_t occurrence; /* how often this thread met this region in this team before */
  uint64_t time;       /* the order of shares */
  uint64_t enter, leave;
  uint64_t begin;              /* of the first chunk; `leave` if there was none */
  uint64_t busy;               /* ticks in chunks, without those of the tool */
  struct piece_list pieces;    /* its chunks; the receiver may take it (and leave it empty) */
  uint64_t chunks, iterations; /* all, also those that follow from the schedule */
  uint64_t longest, shortest;  /* iterations of a chunk; of those that were observed */
  uint64_t gaps, gap_ticks;    /* between two chunks */
  uint64_t least_ticks;        /* of a chunk */
  bool scattered;              /* some chunks follow from the schedule: which of them took how long is not known */
  bool broken;                 /* events were lost, measurement was off, or the loop was cancelled */
  bool after_gap;              /* measurement was off in this team before, so `occurrence` may be wrong */
  bool ordered;                /* iterations wait for other ones */
};

struct loop_watcher;

/* `rules` are machine_rules()'; they, the location and `error` outlive the watcher. NULL: failed. */
struct loop_watcher *loop_watcher_open(const struct trace *trace, const struct pass_location *location,
                                       const uint8_t *rules, struct error *error);
void loop_watcher_close(struct loop_watcher *watcher);

/* Takes the next event of the location, which the view has already. False: an error. */
bool loop_watcher_event(struct loop_watcher *watcher, const struct trace_event *event);
/* Loops that are open where the location is cut are over with the event behind what is looked at. False: an error. */
bool loop_watcher_end(struct loop_watcher *watcher);
/* What the events made: struct share, in order of time. */
struct item_queue *loop_watcher_queue(struct loop_watcher *watcher);

#endif
