/*
 * What Heddle's programs end with and what its agent answers, as numbers that another part reads: the one place where
 * both sides have them from. Definitions only.
 */
#ifndef HEDDLE_COMMON_RAW_STATUSES_H
#define HEDDLE_COMMON_RAW_STATUSES_H

/* Exit statuses of `heddle` and heddle-convert. */
enum { EXIT_DONE = 0, EXIT_FAULT = 1 /* the input or the run */, EXIT_USAGE = 2 };

/*
 * What the agent's Agent_OnAttach returns where it refuses, since it must not write into the JVM's output: `heddle
 * attach` and `heddle detach` have the words (analyzer/record/jvm/talk.c). The JVM itself returns numbers up to 100.
 */
enum agent_refusal {
  AGENT_NOT_RECORDED = 101,
  AGENT_AGAIN = 102,
  AGENT_OFF = 103,
  AGENT_STARTED = 104,
  AGENT_BUSY = 105
};

#endif
