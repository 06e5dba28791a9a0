/* Which one construct to look at first, why, and what may help. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_VERDICT_H
#define HEDDLE_ANALYZER_IMBALANCE_VERDICT_H

#include "analyzer/imbalance/imbalance.h"

/* Advice is given only where the numbers support it. */
enum imbalance_advice {
  ADVICE_NONE,
  ADVICE_DYNAMIC,        /* a static loop whose iterations cost differently */
  ADVICE_SMALLER_CHUNKS, /* a dynamic or guided loop with too few chunks to even out */
  ADVICE_LARGER_CHUNKS,  /* a dynamic loop that hands out more than it computes */
  ADVICE_MERGE,          /* many short regions */
  ADVICE_FEWER_THREADS,  /* threads that have no processor to begin on */
  ADVICE_SINGLE,         /* one thread works, the others wait */
  ADVICE_SECTIONS        /* sections too few or too different */
};

/* What costs most in a construct. */
enum imbalance_cause {
  CAUSE_IMBALANCE, /* some threads work longer than others */
  CAUSE_OVERHEAD,  /* the runtime's own work */
  CAUSE_LATE       /* members of the team begin long after the fork */
};

struct imbalance_verdict {
  uint32_t region; /* look here first; TRACE_NONE: the trace has no construct of several threads */
  bool worth_it;   /* false: even this one is not worth the trouble */
  double to_win;   /* ticks of elapsed time */
  double percent;  /* ... of all threads' time */
  enum imbalance_cause cause;
  enum imbalance_advice advice;
};

struct imbalance_verdict imbalance_judge(const struct trace *trace, const struct imbalance *imbalance);

enum imbalance_schedule { SCHEDULE_NONE, SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_OTHER };

/* As the region's description says (`schedule: static`); NONE where it says nothing. */
enum imbalance_schedule imbalance_schedule(const struct trace_region *region);
const char *imbalance_schedule_name(enum imbalance_schedule schedule);

#endif
