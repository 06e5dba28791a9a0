/* The table of commands. A new command needs a file with its entry, and its name below, in the order of the help. */
#ifndef HEDDLE_ANALYZER_TABLE_H
#define HEDDLE_ANALYZER_TABLE_H

#include "analyzer/command/command.h"

/* Optional parts (cmake/parts.cmake). */
#ifdef HEDDLE_NO_REPORT
#define HEDDLE_COMMAND_REPORT(X)
#else
#define HEDDLE_COMMAND_REPORT(X) X(report)
#endif
#ifdef HEDDLE_NO_VIEW
#define HEDDLE_COMMAND_VIEW(X)
#else
#define HEDDLE_COMMAND_VIEW(X) X(view)
#endif

#define HEDDLE_COMMANDS(X)                                                                                             \
  X(record)                                                                                                            \
  X(attach)                                                                                                            \
  X(detach)                                                                                                            \
  X(start)                                                                                                             \
  X(stop)                                                                                                              \
  X(snapshot)                                                                                                          \
  X(convert)                                                                                                           \
  X(counters)                                                                                                          \
  X(doctor)                                                                                                            \
  X(info)                                                                                                              \
  X(states)                                                                                                            \
  X(imbalance)                                                                                                         \
  X(locks)                                                                                                             \
  X(waits)                                                                                                             \
  X(tasks)                                                                                                             \
  X(events)                                                                                                            \
  X(critical_path)                                                                                                     \
  X(calls)                                                                                                             \
  X(intervals)                                                                                                         \
  X(schedule)                                                                                                          \
  X(why)                                                                                                               \
  X(live)                                                                                                              \
  X(profile)                                                                                                           \
  HEDDLE_COMMAND_REPORT(X)                                                                                             \
  HEDDLE_COMMAND_VIEW(X)                                                                                               \
  X(pes)                                                                                                               \
  X(transform)                                                                                                         \
  X(phases)                                                                                                            \
  X(model)                                                                                                             \
  X(spectrum)                                                                                                          \
  X(simulate)                                                                                                          \
  X(whatif)                                                                                                            \
  X(validate)                                                                                                          \
  X(compare)                                                                                                           \
  X(fit)                                                                                                               \
  X(scale)                                                                                                             \
  X(try)                                                                                                               \
  X(predict)                                                                                                           \
  X(export)                                                                                                            \
  X(import)                                                                                                            \
  X(mcp)                                                                                                               \
  X(spec)

#define X(name) extern const struct command command_##name;
HEDDLE_COMMANDS(X)
#undef X

/* The entries of all commands. */
extern const struct command *const command_table[];
extern const size_t command_table_size;

#endif
