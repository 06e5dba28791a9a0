/*
 * Private to imbalance/: what one location contributes to an instance. A follower makes pieces of events, in order of
 * time; instance_matcher.h puts the pieces of all locations together.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_PIECE_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_PIECE_H

#include "analyzer/trace/definitions.h"

enum piece_kind { PIECE_TEAM_BEGIN, PIECE_CONSTRUCT, PIECE_TEAM_END, PIECE_LEFT_OUT };

struct piece {
  enum piece_kind kind;
  uint32_t team;       /* TEAM_BEGIN: index; in an archive without teams the index of the process */
  uint32_t region;     /* CONSTRUCT, LEFT_OUT: which; TEAM_END: the parallel region, TRACE_NONE: unknown */
  uint32_t parallel;   /* CONSTRUCT, TEAM_END: the parallel region around it; TRACE_NONE: unknown, or none */
  uint32_t occurrence; /* CONSTRUCT: how often this thread had met this region in this team */
  bool has_barrier;
  bool cut;                   /* measurement was off in part of it */
  bool stopped;               /* ... and at its end: its real end is unknown */
  bool after_gap;             /* CONSTRUCT: measurement was off in this team before it, so `occurrence` may be wrong */
  uint64_t skipped;           /* ticks of it in stretches of instances that are not recorded: in UNMEASURED */
  uint64_t unmeasured;        /* its other ticks in UNMEASURED */
  uint64_t left_out;          /* LEFT_OUT: instances that this thread led and that are not recorded */
  bool inside;                /* LEFT_OUT: ... nor is what they were in */
  uint64_t time;              /* when it was complete: pieces are in this order */
  uint64_t enter, begin, end; /* enter: on the thread that forked the team the fork, else begin */
  uint64_t busy, overhead;
  uint64_t arrival, wait; /* at the barrier */
  uint64_t chunks, iterations;
  bool forked;               /* TEAM_BEGIN: this thread forked the team */
  uint64_t locked;           /* TEAM_END: ticks of waits for locks and in ordered ... */
  uint64_t waited;           /* ... and at barriers, for tasks and for reductions */
  uint64_t tasks, dependent; /* created; and those of them that have dependences */
};

#endif
