/*
 * Options and operands that several commands share: formats and jobs; parts of a run (--from, --to, --only-threads,
 * --only-processes). Also --jvm-threads, which includes the JVM's own threads, and the process id of a JVM.
 * docs/heddle.1.md explains the options.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_SHARED_OPTIONS_H
#define HEDDLE_ANALYZER_COMMAND_SHARED_OPTIONS_H

#include "analyzer/command/command.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/values.h"
#include "analyzer/trace/restriction.h"

#include <sys/types.h>

struct shared_options {
  enum print_format format; /* --json, --csv */
  uint64_t jobs;            /* --jobs; 0: one a processor */
  bool all_threads;         /* --all-threads */
};

/* Lists for struct command. The values go into a struct shared_options. */
extern const struct command_option format_options[];   /* of commands that print */
extern const struct command_option jobs_options[];     /* of commands that read an archive with several threads */
extern const struct command_option analysis_options[]; /* of commands that do both */

/* For commands whose tables have a row a thread. */
extern const struct command_option thread_table_options[];
#define THREAD_TABLE_OPTIONS [OPTIONS_MORE] = {.list = thread_table_options}

/* --level, into the member `threads_level` of the command's own options, a bool. */
#define OPTION_LEVEL(own)                                                                                              \
  {.name = "level",                                                                                                    \
   .words = "model|threads",                                                                                           \
   .help = "states of the programming model (default), where a wait belongs to the construct that waits, or of "       \
           "threads: RUN, READY, OFF, BLOCKED, SPIN",                                                                  \
   .take = option_second,                                                                                              \
   .at = offsetof(own, threads_level)}

/* The name of the operand in messages about missing or extra archives. */
#define OPERAND_ARCHIVE "one archive: a trace's directory or its .otf2 file"

/* Operand of the commands for a running JVM, its process id. Part of a struct command. */
#define PROCESS_OPERAND .operand = "the process id of one JVM", .least = 1, .most = 1

/* command_take() with the command's own options alone, then the operand. Returns -1 to go on, else the exit status. */
int process_take(const struct command *command, void *own, int argc, char **argv, pid_t *pid);

/* Options for a part of a run, for struct command. The values go into a struct restriction_options. */
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
  bool jvm_threads;     /* also the JVM's own threads; threads that `threads` names are analyzed in any case */
  bool virtual_threads; /* also virtual threads in a deadlock; their work is their carriers' */
};

static inline bool restriction_options_are_given(const struct restriction_options *options)
{
  return options->from || options->to || options->threads || options->processes;
}

/* Restricts the trace. False: the trace has no such part, or an error. */
bool restriction_options_apply(const struct restriction_options *options, struct trace *trace, struct error *error);

#endif
