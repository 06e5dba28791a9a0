/*
 * Private to imbalance/: what one location contributes to the instances it takes part in. A follower makes pieces out
 * of events, in order of time; the matcher puts the pieces of all locations together.
 */
#ifndef HEDDLE_ANALYZER_IMBALANCE_PIECE_H
#define HEDDLE_ANALYZER_IMBALANCE_PIECE_H

#include "analyzer/trace/definitions.h"

enum piece_kind { PIECE_TEAM_BEGIN, PIECE_CONSTRUCT, PIECE_TEAM_END };

struct piece {
  enum piece_kind kind;
  uint32_t team;       /* TEAM_BEGIN: index; in an archive without teams the process' index */
  uint32_t region;     /* CONSTRUCT: which; TEAM_END: the parallel region, TRACE_NONE if unknown */
  uint32_t parallel;   /* CONSTRUCT, TEAM_END: the parallel region around it; TRACE_NONE if unknown, or none */
  uint32_t occurrence; /* CONSTRUCT: how often this thread met this region in this team before */
  bool has_barrier;
  bool cut;                   /* measurement was off in part of it */
  bool stopped;               /* ... and still at its end: how long it went on is not known */
  bool after_gap;             /* CONSTRUCT: measurement was off in this team before it, so `occurrence` may be wrong */
  uint64_t unmeasured;        /* ticks of it in state UNMEASURED */
  uint64_t time;              /* when it was complete; the order of pieces */
  uint64_t enter, begin, end; /* enter is begin, but on the thread that forked the team: there it is the fork */
  uint64_t busy, overhead;
  uint64_t arrival, wait; /* at the barrier */
  uint64_t chunks, iterations;
  bool forked;               /* TEAM_BEGIN: this thread forked the team */
  uint64_t locked;           /* TEAM_END: waited for locks and in ordered ... */
  uint64_t waited;           /* ... and at barriers, for tasks, for reductions */
  uint64_t tasks, dependent; /* made; and those that have dependences */
};

#endif
