/* Options that several commands share. */
#ifndef HEDDLE_ANALYZER_COMMAND_SHARED_OPTIONS_H
#define HEDDLE_ANALYZER_COMMAND_SHARED_OPTIONS_H

#include "analyzer/command/command.h"
#include "analyzer/command/print/print.h"

struct shared_options {
  enum print_format format; /* --json, --csv */
  uint64_t jobs;            /* --jobs; 0: one a processor */
};

/* Lists for struct command. The values go into a struct shared_options. */
extern const struct command_option format_options[];   /* of commands that print */
extern const struct command_option jobs_options[];     /* of commands that read an archive with several threads */
extern const struct command_option analysis_options[]; /* of commands that do both */

/* --level, into the member `threads_level` of the command's own options, a bool. The command needs values.h. */
#define OPTION_LEVEL(own)                                                                                              \
  {.name = "level",                                                                                                    \
   .words = "model|threads",                                                                                           \
   .help = "states of the programming model (default), where a wait belongs to the construct that waits, or of "       \
           "threads: RUN, READY, OFF, BLOCKED, SPIN",                                                                  \
   .take = option_second,                                                                                              \
   .at = offsetof(own, threads_level)}

/* The name of the operand in messages about missing or extra archives. */
#define OPERAND_ARCHIVE "one archive: a trace's directory or its .otf2 file"

#endif
