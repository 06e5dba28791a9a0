/*
 * The options that restrict a command to a part of a trace: --from, --to, --only-threads and --only-processes; and
 * --jvm-threads, without which the JVM's own threads are passed over.
 * docs/heddle.1.md explains them.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_RESTRICTION_OPTIONS_H
#define HEDDLE_ANALYZER_COMMAND_RESTRICTION_OPTIONS_H

#include "analyzer/command/command.h"
#include "analyzer/command/time_words.h"
#include "analyzer/trace/restriction.h"

/* For struct command. The values go into a struct restriction_options. */
extern const struct command_option restriction_options[];
#define RESTRICTION_OPTIONS [OPTIONS_PART] = {"Parts of a run:", restriction_options}

/* The same without --to, for a command with a --to of its own: it passes times to restriction_options_take_to(). */
extern const struct command_option restriction_options_but_to[];
#define RESTRICTION_OPTIONS_BUT_TO [OPTIONS_PART] = {"Parts of a run:", restriction_options_but_to}
struct restriction_options;
int restriction_options_take_to(const struct option_given *given, struct restriction_options *options);

/* The values of the options; zeros: none was given. The strings belong to the command line. */
struct restriction_options {
  const char *from, *to, *threads, *processes; /* NULL: not given */
  struct time_word from_time, to_time;
  bool jvm_threads;     /* those that `threads` names are analyzed anyway */
  bool virtual_threads; /* likewise: those in a deadlock, whose carriers have what they did */
};

static inline bool restriction_options_are_given(const struct restriction_options *options)
{
  return options->from || options->to || options->threads || options->processes;
}

/* Restricts the trace. False: the trace has no such part, or an error. */
bool restriction_options_apply(const struct restriction_options *options, struct trace *trace, struct error *error);

#endif
