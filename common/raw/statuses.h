/* Exit statuses of Heddle's programs and answers of its agent, for both sides. Definitions only. */
#ifndef HEDDLE_COMMON_RAW_STATUSES_H
#define HEDDLE_COMMON_RAW_STATUSES_H

/* Exit statuses of `heddle` and heddle-convert. */
enum { EXIT_DONE = 0, EXIT_FAULT = 1 /* the input or the run */, EXIT_USAGE = 2 };

/*
 * Results of Agent_OnAttach if the agent refuses. It must not write into the JVM's output: `heddle attach` and `heddle
 * detach` print the message (analyzer/record/jvm/talk.c). The JVM itself returns numbers up to 100.
 */
enum agent_refusal {
  AGENT_NOT_RECORDED = 101,
  AGENT_AGAIN = 102,
  AGENT_OFF = 103,
  AGENT_STARTED = 104,
  AGENT_BUSY = 105
};

#endif
