/* What `heddle record --sample` takes samples of, and after how long. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_SAMPLE_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_SAMPLE_H

#include "analyzer/options/command.h"

#include <stdbool.h>
#include <stdint.h>

struct record_sample {
  uint64_t period; /* ns of a thread's processor time; 0: no samples */
  unsigned stack;  /* the index of a word of RECORD_STACK_WORDS */
};

#define RECORD_STACK_WORDS "none|fp"
enum { RECORD_STACK_NONE, RECORD_STACK_FP };

/* Takes the value of --sample: cpu, cpu:1ms, 500us; NULL: the default. As struct command_option.take, but for `into`.
 */
int record_sample_take(const struct option_given *given, struct record_sample *sample);

/* Whether options agree. Prints a message otherwise. other: an option without which samples can be taken; NULL: none.
 */
bool record_sample_check(const struct record_sample *sample, const char *other);

/* Says why there will be no samples; error: of kernel_events_begin. */
void record_sample_refused(int error);

#endif
