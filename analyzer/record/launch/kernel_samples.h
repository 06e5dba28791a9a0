/*
 * Samples of the code that threads run, from the kernel's buffers (perf events). Converts the users' triggers
 * to the kernel's events, and the kernel's records to the log.
 *
 * One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_SAMPLES_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_SAMPLES_H

#include "analyzer/record/launch/kernel_writer.h"
#include "base/hash.h"
#include "common/raw/kernel_log.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_trigger {
  const char *name; /* the kernel event's; static */
  uint32_t type;    /* of perf_event_open */
  uint64_t config;  /* likewise */
  uint64_t period;  /* events between two samples; of `cpu` ns of a thread's processor time */
  bool by_time;     /* it is `cpu` */
  int refused;      /* errno value with which the kernel refused the event; 0: it did not */
};

struct kernel_triggers {
  struct kernel_trigger list[KERNEL_TRIGGERS_MOST];
  unsigned count;
};

/*
 * Reads a list of triggers, with commas between them: NAME[:PERIOD], or a time alone, which is of `cpu`. NULL: the
 * list is good. Otherwise returns what is wrong, as a sentence about the part *wrong of *length bytes.
 */
const char *kernel_triggers_read(struct kernel_triggers *triggers, const char *text, const char **wrong, int *length);

/* A time that may be between two samples, 100us to 1s, in ns; 0: the text is none. */
uint64_t kernel_triggers_time(const char *text);

/* The names of all triggers, with spaces between them. */
const char *kernel_triggers_names(void);

enum kernel_stacks {
  KERNEL_STACKS_NONE, /* where the thread was */
  KERNEL_STACKS_FP,   /* and the return addresses that frame pointers lead to */
  KERNEL_STACKS_COPY  /* and registers, and a copy of the stack; x86-64 alone */
};

struct kernel_sampling {
  struct kernel_triggers triggers; /* none: no samples */
  enum kernel_stacks stacks;
  uint32_t copy_bytes;                    /* size of each copy, a multiple of 8, at most KERNEL_COPY_MOST */
  unsigned numbers[KERNEL_TRIGGERS_MOST]; /* numbers of the triggers in the log, after kernel_samples_begin() */
  unsigned looks; /* number in the log of looks at threads that wait for a futex; + 1: in another call */
  bool beside;    /* nobody asked: one trigger, whose event has the switches, too; the log stays small */
};

/* Samples of processor time that nobody asked for: seldom, with short stacks. */
void kernel_samples_default(struct kernel_sampling *sampling);

/* Returns the size of stack copies in bytes: nearly all stacks fit, and buffers have room for many copies if samples
 * are frequent. */
uint32_t kernel_samples_copy(const struct kernel_triggers *triggers);

/* Changes an event for context switches into the event of a trigger. */
void kernel_samples_event(const struct kernel_sampling *sampling, unsigned trigger, struct perf_event_attr *event);

/* True if the kernel did not refuse all triggers. */
bool kernel_samples_any(const struct kernel_sampling *sampling);

/* Numbers the accepted triggers and writes them to the log. Call it before the first sample. */
void kernel_samples_begin(struct kernel_sampling *sampling, struct kernel_writer *writer);

/* Writes a whole record of the kernel with its header, PERF_RECORD_SAMPLE of a trigger's event, to the log. Returns its
 * time; 0: it is no sample, or the trigger was refused. */
uint64_t kernel_samples_take(const struct kernel_sampling *sampling, unsigned trigger, const void *record, size_t size,
                             struct kernel_writer *writer);

/*
 * Threads that wait: one is looked at in each round, once a wait, as far as it is in a system call just then. Without
 * its stack nobody knows what for. A look takes some 50 us.
 */
struct kernel_looks {
  struct hash waiting; /* process << 32 | thread -> 1 */
  size_t next;         /* entry of it that is asked next */
};
/* The thread waits, or has a processor again. */
void kernel_looks_out(struct kernel_looks *looks, uint64_t who);
void kernel_looks_in(struct kernel_looks *looks, uint64_t who);
/* Ends a round. */
void kernel_looks_round(struct kernel_looks *looks, const struct kernel_sampling *sampling,
                        struct kernel_writer *writer);
void kernel_looks_free(struct kernel_looks *looks);

#endif
