/* The operand of the commands that talk to a running program: the id of a process that records. */
#ifndef HEDDLE_ANALYZER_RECORD_LIVE_OPERAND_H
#define HEDDLE_ANALYZER_RECORD_LIVE_OPERAND_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/live_process.h"

#include <stdlib.h>

/* Part of a struct command. */
#define LIVE_OPERAND .operand = "the process id of one program", .least = 1, .most = 1

/* command_take() with the command's own options alone, then the operand. Returns -1 to go on, else the exit status. The
 * caller frees the process. */
int live_take(const struct command *command, void *own, int argc, char **argv, struct live_process *process);

/* "lu [1234]", for messages: escaped. To be freed. NULL: out of memory. */
char *live_operand_name(const struct live_process *process);

#endif
