/*
 * `heddle record --calls`: exact call graphs of programs that were compiled with -finstrument-functions or -pg
 * -mfentry, and which functions of them are recorded.
 */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_CALLS_H
#define HEDDLE_ANALYZER_RECORD_RECORD_CALLS_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/kernel_samples.h"
#include "analyzer/record/record_keep.h"

#include <stdbool.h>

struct record_calls {
  bool on, has_depth;
  kept_places only; /* none: all functions are recorded */
};

/* Takes the value of --calls: names and @FILEs with commas between them, perhaps behind the
 * form, trace or tree; NULL: none. As struct command_option.take. */
int record_calls_take(const struct option_given *given, struct record_calls *calls, struct environment *environment);
/* Takes the value of --calls-depth. */
int record_calls_take_depth(const struct option_given *given, struct record_calls *calls,
                            struct environment *environment);
/* Whether options agree. Prints a message otherwise. other: an option with which no calls are recorded; NULL: none. */
bool record_calls_check(const struct record_calls *calls, const char *other);

/* Whether stacks can be sampled, too, of such a program; tells the layer that they are. Prints a message otherwise.
 * look NULL: unknown. */
bool record_calls_allow_sample(const struct record_calls *calls, const struct kernel_sampling *sampling,
                               const struct look *look, struct environment *environment);

/* Finds the functions, and sets the variables. False: an error, after a message. */
bool record_calls_find(struct record_calls *calls, const struct look *look, struct environment *environment);
void record_calls_free(struct record_calls *calls);

/* Says on stderr what can't be as it was meant: names without a function; a program without hooks. True: it can record
 * no call. */
bool record_calls_warn(const struct record_calls *calls, const struct look *look, const char *program);

#endif
