/* What `heddle record --sample` takes samples of, and which stacks. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_SAMPLE_H
#define HEDDLE_ANALYZER_RECORD_RECORD_SAMPLE_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/kernel_samples.h"

#include <stdbool.h>

struct record_sample {
  struct kernel_sampling sampling; /* no triggers: no samples by the kernel */
  uint64_t timer_ns;               /* the period of timers in the program; 0: none */
  bool stack_given;
};

/* Takes the value of --sample: timer, timer:5ms, or a list of triggers; NULL: cpu. As struct command_option.take, but
 * for `into`. */
int record_sample_take(const struct option_given *given, struct record_sample *sample);
/* Takes the value of --stack: none, fp, dwarf, dwarf:16K. */
int record_sample_take_stack(const struct option_given *given, struct record_sample *sample);

/* Whether options agree. Prints a message otherwise. other: an option without which samples can be taken; NULL: none.
 */
bool record_sample_check(struct record_sample *sample, const char *other);

/* The period of processor time, in ns, for Java's agent; 0: no samples by time are wanted. Its timers are no finer than
 * the kernel's tick: a shorter period becomes a tick, for the kernel's samples, too, and a line says so. */
uint64_t record_sample_java_period(struct record_sample *sample);

/* Says which samples there will not be, and why. error: of kernel_events_begin; 0: it began. java: there are samples of
 * Java threads in any case. */
void record_sample_refused(const struct record_sample *sample, int error, bool java);

#endif
