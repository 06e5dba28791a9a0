/*
 * Writer of the log of the kernel's reports (common/raw/kernel_log.h). A write that fails ends the writing; its errno
 * value is kept. Also writes the copy of the kernel's page of code (common/process/vdso.h).
 *
 * One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_WRITER_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_WRITER_H

#include "base/hash.h"
#include "common/raw/kernel_log.h"

#include <stdio.h>

struct kernel_writer {
  FILE *log;
  int error;            /* errno value of the first write that failed */
  uint64_t bytes, lost; /* bytes written; records lost because the log is full */
  struct hash names;    /* of texts in the log: number */
  struct hash stacks;   /* of stacks in the log: number */
  struct hash blocks;   /* of parts of stacks: number */
};

/* Makes a file of this process in the trace's directory for the kernel's logs, which is made, too. -1: errno. */
int kernel_writer_file(int trace, const char *suffix);
/* The id of this start of the machine, as a text; "": not known. */
void kernel_writer_boot_id(char *text, size_t size);

/* Creates a log there. False: errno says why. kernel_writer_close in any case. */
bool kernel_writer_open(struct kernel_writer *writer, int trace);
void kernel_writer_put(struct kernel_writer *writer, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor);
/* Begins a round with the clocks of this moment. Returns CLOCK_MONOTONIC_RAW, ns. */
uint64_t kernel_writer_round(struct kernel_writer *writer);
/* Writes a text or a stack, unless the log has it already. Returns its number; 0: there are too many. */
uint32_t kernel_writer_name(struct kernel_writer *writer, const char *text);
uint32_t kernel_writer_stack(struct kernel_writer *writer, const uint64_t *addresses, uint32_t count);
/* The same of a copy of so many bytes from registers->sp on. */
uint32_t kernel_writer_copy(struct kernel_writer *writer, const struct kernel_registers *registers, const void *bytes,
                            uint32_t count);
/* Flushes the log, for readers of the file. */
void kernel_writer_show(struct kernel_writer *writer);
/* Flushes the log at the end. Returns 0, or the errno value of the first write that failed. */
int kernel_writer_end(struct kernel_writer *writer);
void kernel_writer_close(struct kernel_writer *writer);

/* CLOCK_MONOTONIC_RAW, ns. */
uint64_t kernel_writer_now(void);

/* Writes a copy of the kernel's page of code for a conversion on another machine. It makes the trace's directory for
 * the kernel's logs, and writes there. Failures are silent: without the copy only names of these functions are
 * unknown. */
void kernel_page_keep(int trace);

#endif
