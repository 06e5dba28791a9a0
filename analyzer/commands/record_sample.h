/* What `heddle record --sample` takes samples of, and which stacks. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_SAMPLE_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_SAMPLE_H

#include "analyzer/launch/kernel_samples.h"
#include "analyzer/options/command.h"

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

/* Says which samples there will not be, and why. error: of kernel_events_begin; 0: it began. */
void record_sample_refused(const struct record_sample *sample, int error);

#endif
