/*
 * Samples of `heddle record --sample`: their triggers and stacks; and the kernel's log of a recording, with context
 * switches and samples, of `heddle record` and `heddle attach`.
 */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_SAMPLE_H
#define HEDDLE_ANALYZER_RECORD_RECORD_SAMPLE_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/kernel_events.h"
#include "analyzer/record/launch/kernel_samples.h"

#include <stdbool.h>

struct record_sample {
  struct kernel_sampling sampling; /* no triggers: no samples by the kernel */
  uint64_t timer_ns;               /* the period of timers in the program; 0: none */
  bool stack_given;
  bool none; /* not even the default's */
};

/* Takes the value of --sample: timer, timer:5ms, or a list of triggers; NULL: cpu. As struct command_option.take, but
 * for `into`. */
int record_sample_take(const struct option_given *given, struct record_sample *sample);
/* Takes the value of --stack: none, fp, dwarf, dwarf:16K. */
int record_sample_take_stack(const struct option_given *given, struct record_sample *sample);

/* True if the options agree. Prints a message otherwise. other: an option that excludes samples; NULL: none. */
bool record_sample_check(struct record_sample *sample, const char *other);

/* Samples of processor time unless others are wanted, or none: of programs without a JVM. */
void record_sample_default(struct record_sample *sample);

/* Returns the period of processor time for Java's agent, in ns; 0: no samples by time are wanted. Its timers are no
 * finer than the kernel's tick. A shorter period becomes a tick, for the kernel's samples, too, and a message says so.
 */
uint64_t record_sample_java_period(struct record_sample *sample);

/* Reports the triggers that were refused, and why. error: of kernel_events_begin; 0: it began. java: there are samples
 * of Java threads in any case. */
void record_sample_refused(const struct record_sample *sample, int error, bool java);

/* The kernel's log of a process: when its threads had a processor, and samples. */
struct kernel_log_session {
  int trace;                    /* the descriptor of its directory, borrowed */
  const char *shown;            /* its name in messages */
  struct kernel_events *events; /* NULL: the kernel does not allow it */
  bool samples_alone;           /* the log has samples and no context switches */
};

/* Ends the log and frees the events. Prints a message of the command if the log could not be written. */
void kernel_log_session_end(struct kernel_log_session *session, const char *command);

#endif
