/*
 * Commands for a process that records and takes requests (`heddle start`, `stop`, `snapshot`). It has their operand,
 * the choice of threads and constructs to trace, and archives made while the process runs.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LIVE_COMMANDS_H
#define HEDDLE_ANALYZER_RECORD_LIVE_COMMANDS_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/live_process.h"
#include "analyzer/record/launch/live_request.h"
#include "analyzer/trace/definitions.h"

#include <stddef.h>
#include <stdlib.h>

/* Part of a struct command. */
#define LIVE_OPERAND .operand = "the process id of one program", .least = 1, .most = 1

/* command_take() with the command's own options alone, then the operand. Returns -1 to go on, else the exit status. The
 * caller frees the process. */
int live_take(const struct command *command, void *own, int argc, char **argv, struct live_process *process);

/* "lu [1234]", for messages: escaped. To be freed. NULL: out of memory. */
char *live_operand_name(const struct live_process *process);

/* Makes an archive of the recordings so far of a running process and the other processes of its trace, in a directory
 * that exists. The raw trace stays, and the recording continues. False: an error, after a message. */
bool live_snapshot(const char *command, const struct live_process *process, char *directory);

#define START_CONSTRUCTS 64u

/* Threads and constructs that `heddle start` traces. */
struct start_choice {
  const char *threads;                      /* a pattern of names; NULL: all */
  const char *constructs[START_CONSTRUCTS]; /* places, or patterns of names; the caller's */
  size_t construct_count;                   /* 0: all */
  size_t found_threads, found_constructs;   /* numbers that start_choose() found */
};

/* Returns the operations, LIVE_..., that start or stop a trace. A program with HEDDLE_LIVE switches its trace, and
 * measurement if it began without; other programs switch measurement. */
uint32_t start_operations(const struct live_requests *requests, bool on);

/* Finds the choice in a reading of the program, and writes it to the program's requests. *operations: the bits to add
 * to LIVE_TRACE_ON. False: there is no such thread or construct, or another error. */
bool start_choose(struct start_choice *choice, struct live_requests *requests, const struct live_process *process,
                  uint32_t *operations, struct error *error);

/* True if a construct matches the text of a user: FILE:LINE, a function, or a pattern of its name, with or without an @
 * before. */
bool start_is_named(const struct trace_region *region, const char *text);

#endif
