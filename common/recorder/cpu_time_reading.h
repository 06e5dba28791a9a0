/*
 * Readings at borders of constructs: counters (counters.h), and how long a thread had no processor. The latter is read
 * where nobody asks the kernel for context switches (kernel_log.h). For it the thread compares its time on the
 * processor with the time that went by, at a border of a construct. It does so at most once in a millisecond, and for a
 * hundredth of its time. A reading is a sum: where in the time since the last one the thread had no processor is not
 * known.
 *
 * The thread could have run for its time in the run queue, as the kernel's schedstat reports; for all of it, if it
 * never blocked.
 *
 * The calls are the thread's own, while it is busy or not attached yet. They allocate nothing, and keep errno. They are
 * no points of cancellation.
 */
#ifndef HEDDLE_COMMON_RECORDER_CPU_TIME_READING_H
#define HEDDLE_COMMON_RECORDER_CPU_TIME_READING_H

#include "common/recorder/counters.h"
#include "common/recorder/recorder_slots.h"

#define READING_OF_TIME_WORDS 4u

/* Words of a reading at most; the same for the whole process. */
static inline unsigned reading_words(void)
{
  return READING_OF_TIME_WORDS + counters_words();
}

/* A thread begins to record at `now` (ticks): from here on readings become due, if the recording has any. */
void cpu_reading_begin(struct recorder *self, uint64_t now);

/* Reads what is due, and puts what there is to say into the window, which has room for reading_words() words. Sets when
 * the next one is due. */
void cpu_reading_put(struct recorder *self, uint64_t now);

/* The same at the thread's end, where all is due. */
void cpu_reading_put_last(struct recorder *self, uint64_t now);

/* Sets self->due anew, after the time of something that is due has changed. */
void cpu_reading_set_next(struct recorder *self);

/* Ticks of so many ms; fewer, as long as the clock's rate is not measured. */
uint64_t cpu_reading_ticks_of_ms(unsigned ms);

/*
 * To which processors a thread is bound (OMP_PLACES, OMP_PROC_BIND, taskset), where these are not all of the machine. A
 * runtime may bind a thread after its first event, so this is said again when it has changed.
 *
 * The call is the thread's own, while it is busy or not attached yet. It allocates nothing, and is no point of
 * cancellation.
 */

#define CPU_AFFINITY_SETS  2u /* of 64 processors; a thread that is bound to more counts as not bound */
#define CPU_AFFINITY_WORDS (2u + 2u * CPU_AFFINITY_SETS) /* at most */

/* Writes a record of what has changed since the last one: its head to *head, word 1 and the following to `words`. How
 * many words it has in all; 0: nothing has changed. */
unsigned cpu_affinity_record(struct recorder *self, uint64_t now, uint64_t *head,
                             uint64_t words[CPU_AFFINITY_WORDS - 1]);

#endif
