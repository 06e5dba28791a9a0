/*
 * The options of all commands that read a trace, by which they look at a part of it alone: --from, --to, --only-threads
 * and --only-processes. docs/heddle.1.md says what they mean.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_RESTRICTION_OPTIONS_H
#define HEDDLE_ANALYZER_COMMANDS_RESTRICTION_OPTIONS_H

#include "analyzer/options/command.h"
#include "analyzer/options/time_words.h"
#include "analyzer/trace/restriction.h"

/* For struct command. They go into a struct restriction_options. */
extern const struct command_option restriction_options[];
#define RESTRICTION_OPTIONS [OPTIONS_PART] = {"Parts of a run:", restriction_options}

/* The same for a command whose --to means something else, too; it hands on what is a time. */
extern const struct command_option restriction_options_but_to[];
#define RESTRICTION_OPTIONS_BUT_TO [OPTIONS_PART] = {"Parts of a run:", restriction_options_but_to}
struct restriction_options;
int restriction_options_take_to(const struct option_given *given, struct restriction_options *options);

/* What was given; zeros: nothing. The strings are the caller's. */
struct restriction_options {
  const char *from, *to, *threads, *processes; /* NULL: not given */
  struct time_word from_time, to_time;
};

static inline bool restriction_options_are_given(const struct restriction_options *options)
{
  return options->from || options->to || options->threads || options->processes;
}

/* After the last option, do they go together with what the trace has? Restricts it. False: the error says why. */
bool restriction_options_apply(const struct restriction_options *options, struct trace *trace, struct error *error);

#endif
