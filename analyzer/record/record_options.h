/* Options of `heddle record`, and --java of `heddle attach`. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_OPTIONS_H
#define HEDDLE_ANALYZER_RECORD_RECORD_OPTIONS_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/record_places.h"
#include "analyzer/record/record_sample.h"

#include <stdbool.h>

/* Checks the value of --java, options of the Java agent. Returns -1 if all are good, else the exit status after a
 * message. */
int java_options_check(const char *command, const char *text);

/* True if hold= chooses classes. text NULL: no options. */
bool java_options_have_hold(const char *text);

struct record_options {
  const char *directory; /* NULL: one named after the program */
  const char *converter; /* NULL: the one beside this program */
  bool force, keep_raw, no_convert, all_jvms, no_preload, no_pthread, off, dry_run, profile, no_switches;
  struct record_sample sample;
  struct record_calls calls;
  kept_places keep;
  struct environment environment; /* the settings of the recorder that were given as options */
};

/* All options, for struct command. */
extern const struct command_option record_options[];

/* Returns the option, also if set by its variable, that excludes samples by the kernel. Sums, and the newest events of
 * a run, need no log that grows during the whole run. NULL: none. environment: the program's, which a plan takes over.
 */
const char *record_without_samples(const struct record_options *options, const struct environment *environment);
/* True if the program is recorded for observers: the kernel is asked for samples alone, if they are wanted. */
bool record_is_live(const struct environment *environment);

/*
 * Reads the command line; argv[optind] is then the program. Returns -1 to go on, else the exit status after a message.
 */
int record_options_take(const struct command *command, int argc, char **argv, struct record_options *options);

#endif
