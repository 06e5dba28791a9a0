/*
 * What a thread is in, where recording has a budget, and what it leaves out: a stack of frames, each open instance one,
 * and the records that sum what was not recorded (RAW_SKIPPED, RAW_CHUNKS).
 *
 * All of it is the calling thread's own.
 */
#ifndef HEDDLE_OMPT_TOOL_SKIP_H
#define HEDDLE_OMPT_TOOL_SKIP_H

#include "common/budget/left_out.h"
#include "common/recorder/construct_stack.h"
#include "common/recorder/ompt_extension.h"
#include "common/recorder/recorder.h"

#include <omp-tools.h>

/* A kind of BUDGET_CONSTRUCTS beside ompt_work_t. */
#define BUDGET_REGION 0u

/* The data word of what is left out, region or task; of a region the rest is its code, of a task
 * a number of its own, or what EXTENSION_UNREPORTED_TASK says. No id has this bit. */
#define BUDGET_SKIPPED (1ull << 63)

static inline bool is_skipped(const ompt_data_t *data)
{
  return data && (data->value & BUDGET_SKIPPED) != 0;
}

#define SKIP_WAITS 64u
#define SKIP_WORDS 6u /* of the record */

/* What is left out inside of a frame. */
enum skip_mute {
  SKIP_NOTHING,
  SKIP_ALL_BUT_TASKS, /* they may be executed, and waited for, by threads that are elsewhere */
  SKIP_ALL
};

struct skip {
  uint32_t tasks; /* that were left out; for their ids */
  bool waits;     /* in a barrier, a taskwait or a taskgroup's end, not in a task that it executes there */
  bool acquires;  /* a mutex, and that is left out */
  struct extension_unreported *unreported; /* the thread's; NULL: not asked for */
  struct extension_unreported *unreported_tasks;
  struct extension_chunks *chunks; /* likewise */
  struct budget_row *lent;         /* to `chunks`; NULL: none */
  struct construct *counted;       /* the loop whose chunks are counted there; NULL: none */
  /* Those that it has, and that are left out. A nested lock's inner acquisition: the id | 1. */
  uint32_t wait_count;
  uint32_t untimed_most; /* so many regions more that are left out may be untimed */
  uint32_t untimed;      /* that were, since untimed.h has decided that */
  uint64_t read_at;      /* ticks; when the clock was read last for what is left out */
  uint64_t decided_at;   /* ticks; when untimed.h has decided */
  int64_t readings;      /* ticks that reading the clock may take */
  uint64_t random;
  uint64_t waits_left_out[SKIP_WAITS];
  /* The records that may grow, as long as they are the thread's newest: where, and in which chunk of which thread. */
  struct {
    uint64_t *first, *end;
    uint64_t anchor_ticks;
    uint32_t thread, sequence;
  } newest;
  struct construct_stack stack; /* last, so that all that is used as a rule fits a page; over: regions */
};

/* NULL: not made yet. */
extern __thread struct skip *skip_of_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct skip *skip_make(void);

/* There is a budget. Else no thread has a stack, and callbacks record without asking for it: they are as short as can
 * be. Constant once there are callbacks. */
extern bool skip_is_used __attribute__((visibility("hidden")));

/* The calling thread's; NULL: there is no budget or no memory, and nothing is left out. */
static inline struct skip *skip_self(void)
{
  struct skip *skip = skip_of_thread;
  return __builtin_expect(skip != NULL, 1) || !skip_is_used ? skip : skip_make();
}
/* The thread has ended for the runtime; it may begin anew. */
void skip_end_thread(void);

/* Leaves frames that are over. */
void skip_leave_over(struct skip *skip);

/* The same as skip_self, when something happens that does not belong to what is over. */
static inline struct skip *skip_now(void)
{
  struct skip *skip = skip_self();
  if (skip && construct_top(&skip->stack)->over)
    skip_leave_over(skip);
  return skip;
}

/* What is left out where the thread is now. */
static inline enum skip_mute skip_muted(void)
{
  struct skip *skip = skip_now();
  return skip ? (enum skip_mute)construct_top(&skip->stack)->mute : SKIP_NOTHING;
}

/* The innermost frame of a team: a region, a member, or the base. */
static inline struct construct *skip_team(struct skip *skip)
{
  return &skip->stack.open[construct_find(&skip->stack, CONSTRUCT_TEAM, 0, 0)];
}

/* Fills a construct in. Field by field: all of it is several times as much. */
static inline void skip_set(struct construct *frame, unsigned kind, enum skip_mute mute, uint64_t code)
{
  frame->begin = frame->key = frame->end = 0;
  frame->code = code;
  frame->chunks = NULL;
  frame->works = frame->parts = 0;
  frame->kind = (uint8_t)kind;
  frame->mute = (uint8_t)mute;
  frame->number = 0;
  frame->skipped = frame->untimed = frame->over = frame->at_barrier = frame->alone = false;
}

/* A new frame on top, muted as the one below; NULL: it is too deep. */
struct construct *skip_push(struct skip *skip, unsigned kind, uint64_t code);
/* Makes a frame an instance that is not recorded; untimed where it is so already, or what it is in is.
 * detail: enum raw_skipped. */
void skip_this(struct skip *skip, struct construct *frame, enum skip_mute mute, unsigned detail);

/* Adds the frame's time up to now to what was left out of its construct, and so many instances that ended. Of one that
 * is untimed the time is what may be its. */
void skip_note(struct skip *skip, struct construct *frame, uint64_t now, unsigned instances);

/* Whether the records noted last are still the thread's newest. The anchor tells a fork's child from its parent. */
static inline bool skip_newest(const struct skip *skip, const struct recorder *recorder)
{
  return skip->newest.first && recorder->cursor == skip->newest.end && recorder->thread == skip->newest.thread &&
         recorder->sequence == skip->newest.sequence && recorder->window->anchor_ticks == skip->newest.anchor_ticks;
}

/* The record of that construct among the newest; NULL: there is none. */
static inline uint64_t *skip_find(const struct skip *skip, uint64_t head)
{
  for (uint64_t *record = skip->newest.first; record < skip->newest.end; record += SKIP_WORDS)
    if (record[0] == head)
      return record;
  return NULL;
}

/* The thread's newest record has the time from which on instances are left out. */
void skip_begin_group(struct skip *skip);
/* What skip_count does with the first one since then; it lets go of the recorder. */
bool skip_count_first(struct skip *skip, struct construct *frame, struct recorder *recorder);

/* An untimed instance has ended: counts it. False: there is no record for that, so skip_note must do it. */
static inline bool skip_count(struct skip *skip, struct construct *frame)
{
  struct recorder *recorder = recorder_ready();
  if (!recorder)
    return false;
  bool newest = skip_newest(skip, recorder), inside = (frame->number & RAW_SKIPPED_INSIDE) != 0;
  uint64_t *record = newest ? skip_find(skip, raw_head(RAW_SKIPPED, frame->number, frame->code)) : NULL;
  if (newest && !inside && skip->newest.first == skip->newest.end)
    return skip_count_first(skip, frame, recorder);
  if (record) {
    record[5] += frame->parts;
    record[3] += inside ? 1 : 1 + RAW_SKIPPED_UNTIMED;
    frame->parts = 0;
  }
  recorder_leave(recorder);
  return record != NULL;
}

/* The same of any instance. */
static inline void skip_end(struct skip *skip, struct construct *frame)
{
  if (!frame->untimed || !skip_count(skip, frame))
    skip_note(skip, frame, clock_ticks(), 1);
}

/* Something is recorded, perhaps inside of what is not: the time up to now comes before it. */
static inline void skip_note_up_to_now(struct skip *skip)
{
  if (construct_top(&skip->stack)->skipped)
    skip_note(skip, construct_top(&skip->stack), clock_ticks(), 0);
}

/* Ends the work-sharing construct in which the thread is; returns whether it was recorded. */
bool work_end(struct skip *skip);
/* Something else happens in a loop's chunk: what was lent to the runtime comes back. */
void chunks_take_back(struct skip *skip);

/* Of a runtime that need not report all: it reports nothing to the thread of what is lent there. NULL: it reports all.
 */
extern extension_unreported_mutexes *runtime_unreported_mutexes;
extern extension_unreported_tasks *runtime_unreported_tasks;
extern extension_unreported_chunks *runtime_unreported_chunks;

/* Adds chunks of the loop that the thread is in, which is recorded, to those before them. */
void skip_chunks(struct skip *skip, unsigned kind, uint64_t first, uint64_t iterations, uint32_t count);

#endif
