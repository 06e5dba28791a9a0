/* Options for a specification of events and intervals. */
#ifndef HEDDLE_ANALYZER_COMMAND_SPEC_OPTIONS_H
#define HEDDLE_ANALYZER_COMMAND_SPEC_OPTIONS_H

#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/command/command.h"

#define SPEC_DEFINES_MOST 64
#define SPEC_WORK_DEFAULT 1000000000 /* pairs of events that an interval may try in vain: about ten seconds */

struct spec_asked {
  const char *file; /* NULL: none */
  const char *defines[SPEC_DEFINES_MOST];
  unsigned define_count;
};

/* --spec and --define, into the member of type struct spec_asked of a set's structure. The command needs values.h. */
#define OPTION_SPEC(set, member, what)                                                                                 \
  {.name = "spec",                                                                                                     \
   .letter = 's',                                                                                                      \
   .argument = "FILE",                                                                                                 \
   .help = what,                                                                                                       \
   .take = option_text,                                                                                                \
   .at = offsetof(set, member.file)},                                                                                  \
  {                                                                                                                    \
    .name = "define", .letter = 'D', .argument = "NAME=VALUE",                                                         \
    .help = "a constant of the specification: a number, a time (`10 ms`) or a text in quotes; may be given often",     \
    .take = spec_take_define, .at = offsetof(set, member)                                                              \
  }
int spec_take_define(const struct option_given *given, void *into);

/* A specification, checked, and how its intervals are matched. */
struct specified {
  struct spec *spec;
  struct match_plan *plan;
};

/* Reads the file; without one, both are NULL. False: an error. Free with specified_free(), also then. */
bool specified_read(const struct spec_asked *asked, struct specified *specified, struct error *error);
void specified_free(struct specified *specified);

#endif
