/*
 * What a thread is in, where instances are bounded (rate.h), and what it leaves out: a stack of frames, each open
 * instance one, and the records that sum what was not recorded (RAW_SKIPPED, RAW_CHUNKS).
 *
 * All of it is the calling thread's own.
 */
#ifndef HEDDLE_OMPT_TOOL_SKIP_H
#define HEDDLE_OMPT_TOOL_SKIP_H

#include "common/recorder.h"
#include "ompt-tool/rate.h"

#define SKIP_FRAMES 60u /* so that all fits a page; what is nested deeper is as what it is in */

enum skip_kind {
  SKIP_BASE,   /* outside of all */
  SKIP_REGION, /* a parallel region, on the thread that encountered it */
  SKIP_MEMBER, /* the same on a thread that joined it */
  SKIP_WORK,   /* a work-sharing construct */
  SKIP_AFTER,  /* ... that was skipped is over, but its barrier may follow */
  SKIP_TASK    /* a task that is recorded, although the thread is in a skipped work-sharing construct */
};

/* What is left out inside of a frame. */
enum skip_mute {
  SKIP_NOTHING,
  SKIP_ALL_BUT_TASKS, /* they may be executed, and waited for, by threads that are elsewhere */
  SKIP_ALL
};

struct skip_frame {
  uint64_t code;
  uint64_t begin;      /* ticks; what was before is noted */
  uint64_t id;         /* REGION, MEMBER, BASE: of the team; TASK: of the task that was suspended for it */
  struct rate *chunks; /* WORK: their bound; NULL: none */
  uint32_t works;      /* REGION, MEMBER, BASE: work-sharing constructs begun */
  uint32_t parts;      /* WORK: chunks and sections left out */
  uint8_t kind;        /* enum skip_kind */
  uint8_t mute;        /* enum skip_mute */
  uint8_t detail;      /* enum raw_skipped */
  bool skipped;        /* it is an instance that is not recorded */
  bool waits;          /* AFTER: in the barrier */
  bool arrived;        /* MEMBER: at the last barrier */
};

struct skip {
  uint32_t depth; /* of frames; at least the base */
  uint32_t over;  /* regions beyond SKIP_FRAMES */
  /* The records that may grow, as long as they are the thread's newest: where, and in which chunk of which thread. */
  struct {
    uint64_t *first, *end;
    uint64_t anchor_ticks;
    uint32_t thread, sequence;
  } newest;
  struct skip_frame frames[SKIP_FRAMES];
};

/* The calling thread's; NULL: there is no memory, and nothing is left out. */
struct skip *skip_self(void);
/* The thread has ended for the runtime; it may begin anew. */
void skip_end_thread(void);

static inline struct skip_frame *skip_top(struct skip *skip)
{
  return &skip->frames[skip->depth - 1];
}

/* The same, when something happens that is not the barrier of a skipped construct that is over. */
static inline struct skip *skip_now(void)
{
  struct skip *skip = skip_self();
  if (skip && skip_top(skip)->kind == SKIP_AFTER && !skip_top(skip)->waits)
    skip->depth--;
  return skip;
}

/* What is left out where the thread is now. */
static inline enum skip_mute skip_muted(void)
{
  struct skip *skip = skip_now();
  return skip ? (enum skip_mute)skip_top(skip)->mute : SKIP_NOTHING;
}

/* The innermost frame of a team: a region, a member, or the base. */
static inline struct skip_frame *skip_team(struct skip *skip)
{
  uint32_t i = skip->depth - 1;
  while (skip->frames[i].kind > SKIP_MEMBER)
    i--;
  return &skip->frames[i];
}

/* A new frame on top, muted as the one below; NULL: it is too deep. */
struct skip_frame *skip_push(struct skip *skip, enum skip_kind kind, uint64_t code);
/* Makes a frame an instance that is not recorded. detail: enum raw_skipped. */
void skip_this(struct skip *skip, struct skip_frame *frame, enum skip_mute mute, unsigned detail);

/* Adds the frame's time up to now to what was left out of its construct, and so many instances that ended. */
void skip_note(struct skip *skip, struct skip_frame *frame, uint64_t now, unsigned instances);
/* Adds a chunk of the loop that the thread is in, which is recorded, to those before it. */
void skip_chunk(struct skip *skip, unsigned kind, uint64_t first, uint64_t iterations);

#endif
