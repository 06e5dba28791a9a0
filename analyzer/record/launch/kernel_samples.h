/*
 * Samples of the code that threads run, out of the kernel's buffers (perf events): which events to ask for, and from
 * its records to the log.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_SAMPLES_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_SAMPLES_H

#include "analyzer/record/launch/kernel_triggers.h"
#include "analyzer/record/launch/kernel_writer.h"

#include <linux/perf_event.h>
#include <stddef.h>

enum kernel_stacks {
  KERNEL_STACKS_NONE, /* where the thread was */
  KERNEL_STACKS_FP,   /* and the return addresses that frame pointers lead to */
  KERNEL_STACKS_COPY  /* and registers, and a copy of the stack; x86-64 alone */
};

struct kernel_sampling {
  struct kernel_triggers triggers; /* none: no samples */
  enum kernel_stacks stacks;
  uint32_t copy_bytes;                    /* of each copy, a multiple of 8, at most KERNEL_COPY_MOST */
  unsigned numbers[KERNEL_TRIGGERS_MOST]; /* of the triggers in the log, after kernel_samples_begin() */
};

/* Bytes of a stack that hold nearly all of what programs have, and of which buffers have room for many where samples
 * come often. */
uint32_t kernel_samples_copy(const struct kernel_triggers *triggers);

/* Makes the event of a trigger of one that is for context switches. */
void kernel_samples_event(const struct kernel_sampling *sampling, unsigned trigger, struct perf_event_attr *event);

/* Whether there is a trigger that the kernel did not refuse. */
bool kernel_samples_any(const struct kernel_sampling *sampling);

/* Numbers those, and writes which there are: before the first sample is taken. */
void kernel_samples_begin(struct kernel_sampling *sampling, struct kernel_writer *writer);

/* Takes a record of the kernel's, whole, with its header: PERF_RECORD_SAMPLE of an event of a trigger. Returns its
 * time, 0: it is none, or the trigger was refused somewhere. */
uint64_t kernel_samples_take(const struct kernel_sampling *sampling, unsigned trigger, const void *record, size_t size,
                             struct kernel_writer *writer);

#endif
