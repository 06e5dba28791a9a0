/* The operand of the commands that talk to a running JVM: its process id. */
#ifndef HEDDLE_ANALYZER_COMMAND_PROCESS_OPERAND_H
#define HEDDLE_ANALYZER_COMMAND_PROCESS_OPERAND_H

#include "analyzer/command/command.h"

#include <sys/types.h>

/* Part of a struct command. */
#define PROCESS_OPERAND .operand = "the process id of one JVM", .least = 1, .most = 1

/* command_take() with the command's own options alone, then the operand. Returns -1 to go on, else the exit status. */
int process_take(const struct command *command, void *own, int argc, char **argv, pid_t *pid);

#endif
