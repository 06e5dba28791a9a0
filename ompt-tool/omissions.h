/*
 * Omission of instances where recording has a budget (common/budget/budget.h). It has the thread's stack of open
 * constructs (construct_stack.h), the records that sum omitted instances (RAW_OMITTED, RAW_CHUNKS), and the decisions
 * of a team.
 *
 * All of it is the calling thread's own, except for agreements. A NULL from omission_self means: record everything.
 */
#ifndef HEDDLE_OMPT_TOOL_OMISSIONS_H
#define HEDDLE_OMPT_TOOL_OMISSIONS_H

#include "common/budget/omitted_counts.h"
#include "common/recorder/construct_stack.h"
#include "common/recorder/ompt_extension.h"
#include "common/recorder/recorder.h"

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

/* A kind of BUDGET_CONSTRUCTS beside ompt_work_t. */
#define BUDGET_REGION 0u

/* Bit of the data word of an omitted region or task; no id has it. A region's other bits are its code, a task's a
 * number of its own, or what EXTENSION_UNREPORTED_TASK defines. */
#define OMITTED_DATA (1ull << 63)

static inline bool is_omitted(const ompt_data_t *data)
{
  return data && (data->value & OMITTED_DATA) != 0;
}

#define OMIT_WAITS 64u
#define OMIT_WORDS 6u /* of the record */

/* Events that are omitted inside of a construct. */
enum omission_mute {
  OMIT_NOTHING,
  OMIT_ALL_BUT_TASKS, /* they may be executed, and waited for, by threads that are elsewhere */
  OMIT_ALL
};

struct omission {
  uint32_t tasks; /* that were omitted; for their ids */
  bool waits;     /* in a barrier, a taskwait or a taskgroup's end, not in a task that it executes there */
  bool acquires;  /* a mutex, and that is omitted */
  struct extension_unreported *unreported; /* the thread's; NULL: not asked for */
  struct extension_unreported *unreported_tasks;
  struct extension_chunks *chunks; /* likewise */
  struct budget_row *lent;         /* to `chunks`; NULL: none */
  struct construct *counted;       /* the loop whose chunks are counted there; NULL: none */
  /* The wait ids that it has, of omitted acquisitions. A nested lock's inner acquisition: the id | 1. */
  uint32_t wait_count;
  uint32_t untimed_most; /* so many regions more that are omitted may be untimed */
  uint32_t untimed;      /* that were, since untimed_decide */
  uint64_t read_at;      /* ticks; when the clock was read last for what is omitted */
  uint64_t decided_at;   /* ticks; of the last untimed_decide */
  int64_t readings;      /* ticks that reading the clock may take */
  uint64_t random;
  uint64_t waits_omitted[OMIT_WAITS];
  /* The records that may grow, as long as they are the thread's newest: where they are, and the thread and sequence of
   * their chunk. */
  struct {
    uint64_t *first, *end;
    uint64_t anchor_ticks;
    uint32_t thread, sequence;
  } newest;
  struct construct_stack stack; /* last, so that all that is used as a rule fits a page; over: regions */
};

/* NULL: not made yet. */
extern __thread struct omission *omission_of_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct omission *omission_make(void);

/* There is a budget. Else no thread has a stack, and callbacks record without asking for it: they are as short as can
 * be. Constant once there are callbacks. */
extern bool omission_is_used __attribute__((visibility("hidden")));

/* The calling thread's; NULL: there is no budget or no memory, and nothing is omitted. */
static inline struct omission *omission_self(void)
{
  struct omission *omission = omission_of_thread;
  return __builtin_expect(omission != NULL, 1) || !omission_is_used ? omission : omission_make();
}
/* The thread has ended for the runtime; it may begin anew. */
void omission_end_thread(void);

/* Leaves frames that have ended. */
void omission_leave_over(struct omission *omission);

/* The same as omission_self, when something happens that does not belong to what has ended. */
static inline struct omission *omission_now(void)
{
  struct omission *omission = omission_self();
  if (omission && construct_top(&omission->stack)->over)
    omission_leave_over(omission);
  return omission;
}

/* Returns the events that are omitted where the thread is now. */
static inline enum omission_mute omitted_now(void)
{
  struct omission *omission = omission_now();
  return omission ? (enum omission_mute)construct_top(&omission->stack)->mute : OMIT_NOTHING;
}

/* The innermost frame of a team: a region, a member, or the base. */
static inline struct construct *omission_team(struct omission *omission)
{
  return &omission->stack.open[construct_find(&omission->stack, CONSTRUCT_TEAM, 0, 0)];
}

/* Fills a construct in. Field by field: all of it is several times as much. */
static inline void omission_set(struct construct *frame, unsigned kind, enum omission_mute mute, uint64_t code)
{
  frame->begin = frame->key = frame->end = 0;
  frame->code = code;
  frame->chunks = NULL;
  frame->works = frame->parts = 0;
  frame->kind = (uint8_t)kind;
  frame->mute = (uint8_t)mute;
  frame->number = 0;
  frame->omitted = frame->untimed = frame->over = frame->at_barrier = frame->alone = false;
}

/* A new frame on top, omitted in the same way as the frame below; NULL: it is too deep. */
struct construct *omission_push(struct omission *omission, unsigned kind, uint64_t code);
/* Marks the frame as omitted. It stays untimed if it or an enclosing frame is untimed. detail: enum raw_omitted. */
void frame_omit(struct omission *omission, struct construct *frame, enum omission_mute mute, unsigned detail);

/* Adds the frame's time up to now to what was omitted of its construct, and so many instances that ended. The time of
 * an untimed one is what may be its. */
void omission_note(struct omission *omission, struct construct *frame, uint64_t now, unsigned instances);

/* True if the records noted last are still the thread's newest. The anchor distinguishes a fork's child. */
static inline bool omission_newest(const struct omission *omission, const struct recorder *recorder)
{
  return omission->newest.first && recorder->cursor == omission->newest.end &&
         recorder->thread == omission->newest.thread && recorder->sequence == omission->newest.sequence &&
         recorder->window->anchor_ticks == omission->newest.anchor_ticks;
}

/* The record of that construct among the newest; NULL: there is none. */
static inline uint64_t *omission_find(const struct omission *omission, uint64_t head)
{
  for (uint64_t *record = omission->newest.first; record < omission->newest.end; record += OMIT_WORDS)
    if (record[0] == head)
      return record;
  return NULL;
}

/* The thread's newest record has the time from which on instances are omitted. */
void omission_begin_group(struct omission *omission);
/* What omission_count does with the first one since then; it lets go of the recorder. */
bool omission_count_first(struct omission *omission, struct construct *frame, struct recorder *recorder);

/* An untimed instance has ended: counts it. False: there is no record for that, so omission_note must do it. */
static inline bool omission_count(struct omission *omission, struct construct *frame)
{
  struct recorder *recorder = recorder_ready();
  if (!recorder)
    return false;
  bool newest = omission_newest(omission, recorder), inside = (frame->number & RAW_OMITTED_INSIDE) != 0;
  uint64_t *record = newest ? omission_find(omission, raw_head(RAW_OMITTED, frame->number, frame->code)) : NULL;
  if (newest && !inside && omission->newest.first == omission->newest.end)
    return omission_count_first(omission, frame, recorder);
  if (record) {
    record[5] += frame->parts;
    record[3] += inside ? 1 : 1 + RAW_OMITTED_UNTIMED;
    frame->parts = 0;
  }
  recorder_leave(recorder);
  return record != NULL;
}

/* The same of any instance. */
static inline void omission_end(struct omission *omission, struct construct *frame)
{
  if (!frame->untimed || !omission_count(omission, frame))
    omission_note(omission, frame, clock_ticks(), 1);
}

/* Something is recorded, perhaps inside of what is not: the time up to now comes before it. */
static inline void omission_note_up_to_now(struct omission *omission)
{
  if (construct_top(&omission->stack)->omitted)
    omission_note(omission, construct_top(&omission->stack), clock_ticks(), 0);
}

/* Ends the work-sharing construct in which the thread is; returns whether it was recorded. */
bool work_end(struct omission *omission);
/* Something else happens in a loop's chunk: what was lent to the runtime comes back. */
void chunks_take_back(struct omission *omission);

/* Functions of a runtime that need not report all: it reports nothing of what is lent there. NULL: it reports all. */
extern extension_unreported_mutexes *runtime_unreported_mutexes;
extern extension_unreported_tasks *runtime_unreported_tasks;
extern extension_unreported_chunks *runtime_unreported_chunks;

/* Adds chunks of the loop that the thread is in, which is recorded, to those before them. */
void omission_chunks(struct omission *omission, unsigned kind, uint64_t first, uint64_t iterations, uint32_t count);

/*
 * Untimed instances: the short way of omitted regions and work-sharing constructs. Where they follow each other at
 * once, reading the clock costs as much as recording them. So the clock is read as long as this takes a small part of
 * the thread's time. Then it is read for one of some, chosen at random. Instances between two readings are counted;
 * raw_trace.h says which time they get (RAW_UNTIMED_NS).
 */

/* The thread has left an instance that was omitted, at `now`: decides how many of the next ones are untimed. */
void untimed_decide(struct omission *omission, uint64_t now);

/* The thread enters one that is omitted: it is untimed, if it may be. */
static inline void untimed_take(struct omission *omission, struct construct *frame)
{
  if (omission->untimed_most == 0)
    return;
  omission->untimed_most--;
  omission->untimed++;
  frame->untimed = true;
}

/*
 * Agreement of a team's threads on whether an instance of a work-sharing construct is recorded. The first thread to
 * come decides. Any thread may call anything but agreement_begin, at any time; nothing locks or allocates.
 */

/* Once, before the first construct. False: there is no memory; nothing else is to be called then. */
bool agreement_begin(void);

enum agreement { AGREEMENT_NO, AGREEMENT_YES, AGREEMENT_OPEN };

/* Returns the decision. team: a number that no other team has; instance: number of its work-sharing construct. */
enum agreement agreement_of(uint64_t team, uint32_t instance);

/* Decides, unless another thread was quicker. Returns what holds. */
bool agreement_decide(uint64_t team, uint32_t instance, bool recorded);

#endif
