/*
 * Inside a timeline, for timeline*.c only: its state, the stack of open frames, and functions that open and close them.
 * Calls go one way: timeline -> timeline_records -> timeline_{worksharing, sync, tasking, java, user,
 * omitted, profile} -> timeline_frames.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_FRAMES_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_FRAMES_H

#include "base/vector.h"
#include "otf2-convert/scan/counters.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/conversion.h"
#include "otf2-convert/timeline/record_details.h"

#define FRAMES_MAX  16384u /* deeper frames are only counted */
#define HELD_MAX    16u    /* records that wait for the next one */
#define OMITTED_MAX 64u    /* constructs in one stretch of omitted instances */

enum frame_type {
  F_THREAD,
  F_INITIAL,  /* the initial task; no events */
  F_PARALLEL, /* on the encountering thread */
  F_TEAM,     /* an implicit task */
  F_WORK,
  F_SBLOCK, /* of a single */
  F_CHUNK,
  F_SECTION,
  F_SYNC,
  F_WAIT,
  F_REDUCTION,
  F_MUTEX, /* from the request on */
  F_HOLD,  /* inside a critical or ordered */
  F_DOACROSS,
  F_MASKED,
  F_TASK,
  F_TASKWAIT, /* with depend */
  F_BLOCK,    /* Java: waits */
  F_PTHREAD,  /* waits of POSIX threads */
  F_GC,
  F_VIRTUAL, /* a virtual thread on its carrier */
  F_USER,    /* a region of the user's */
  F_PHASE,   /* likewise */
  F_CALL,    /* a function of instrumented code */
  FRAME_TYPES
};

/* Reason why a frame was closed. */
enum closed {
  CLOSED_BY_END,
  CLOSED_KILLED,
  CLOSED_ENDED,
  CLOSED_CANCELLED,
  CLOSED_LOST,
  CLOSED_UNMOUNTED,
  CLOSED_NOT_LEFT
};

struct frame {
  uint8_t type;   /* enum frame_type */
  uint8_t detail; /* of the record that opened it */
  bool cancelled;
  uint8_t flags;   /* F_BLOCK, F_PTHREAD: result, enum raw_block */
  uint32_t region; /* to leave */
  uint64_t code;   /* the construct's, or the enclosing one's */
  uint64_t key;    /* id of region or task, wait id, kind of block, address of an object */
  union {
    struct {
      uint32_t index, size, comm;
      uint32_t outer; /* frame of the enclosing team, or NO_FRAME */
    } team;
    struct {
      uint64_t count;
      uint64_t first, iterations; /* of the first chunk */
      uint32_t chunks;
      bool dispatched; /* the chunks are a work-sharing loop's */
    } work;
    struct {
      uint64_t begin, task_end; /* end of the last task executed inside */
    } wait;
    struct task_name task;
    struct {
      struct acquisition acquisition;
      bool acquired;
    } mutex;
    uint64_t thread; /* F_PTHREAD: kernel's id of the awaited thread; 0 unknown */
  };
};
#define NO_FRAME UINT32_MAX

struct held_lock {
  uint64_t wait_id;
  struct acquisition acquisition;
};

/* A Java monitor that the thread acquired; again: it held it already. */
struct held_monitor {
  uint64_t wait_id;
  struct acquisition acquisition;
  bool again;
};

/* Pending decisions, which are made before the next record is processed. */
enum attention {
  ATTEND_CREATE = 1,
  ATTEND_TEST = 2,
  ATTEND_BARRIER = 4,
  ATTEND_GAP = 8,
  ATTEND_LOOP = 16,
  ATTEND_BLOCK = 32,
  ATTEND_GC = 64, /* for a slice: it has pauses, or they follow soon */
  ATTEND_OMITTED = 128,
  ATTEND_RESUMED = 256 /* the record is the first one after a gap */
};

/* ATTEND_BLOCK: begin of a wait. */
struct held_block {
  uint8_t kind; /* enum raw_block */
  bool stalled; /* the tool stopped the thread meanwhile */
  uint64_t time, code, object;
  uint64_t owner_code, owner;
  uint64_t pinned; /* code; 0: it is not */
  uint64_t stall_begin, stall_end;
};

/* ATTEND_OMITTED: omitted instances of a construct; archive time. */
struct omitted {
  uint64_t code, begin, time, instances, chunks;
  uint16_t untimed; /* instances after the end */
  uint8_t detail;   /* enum raw_omitted */
};

/* Reading of the thread's time without a processor (RAW_READING), held until earlier events are decided. */
struct held_reading {
  bool waits;
  unsigned undecided;   /* enum attention, or'ed: decisions of before that are still pending */
  uint64_t since, time; /* archive time */
  uint64_t off, ready;  /* ns */
};

/* Reading of its counters (RAW_COUNTERS), likewise. */
struct held_counters {
  unsigned undecided;
  uint64_t time;
  uint64_t value[COUNTER_NAMES_MOST];
};

/* Row of a profile, for its metrics. */
struct profile_around {
  uint64_t head;
  uint64_t member; /* number in the team + 1; 0: none */
};

struct timeline {
  const struct conversion *on;
  struct location *location;
  struct worker *worker; /* of this slice */
  struct sink sink;
  struct timeline_counts counts;
  VECTOR(struct frame) frames; /* open, innermost last */
  uint32_t team;               /* frame of the innermost team, or NO_FRAME */
  uint32_t open[FRAME_TYPES];
  uint32_t hidden[FRAME_TYPES]; /* begun beyond FRAMES_MAX */
  unsigned attention;           /* enum attention, or'ed */
  uint64_t (*held)[4];          /* ATTEND_BARRIER: records; [1] is archive time */
  uint32_t held_count;
  uint64_t created_id; /* ATTEND_CREATE */
  uint64_t created_time;
  uint32_t created_weight;
  struct task_name created;
  VECTOR(struct held_lock) locks;
  VECTOR(struct held_lock) mutexes;     /* POSIX threads', by address */
  VECTOR(struct held_monitor) monitors; /* innermost last */
  uint32_t hidden_monitors;             /* taken beyond FRAMES_MAX */
  const acquisitions *acquired;         /* of this slice */
  size_t acquired_next;
  uint64_t last_record;     /* archive time */
  bool ended;               /* that was the thread's end */
  uint64_t last_of_program; /* of the last record that is not the tool's own */
  struct held_reading reading;
  unsigned counter_count;         /* of the process */
  unsigned counters_held;         /* HELD_MAX at most */
  struct held_counters *counters; /* NULL: none yet */
  uint64_t gap_end;
  uint64_t lasting;     /* id of the last region that continued after a gap; RAW_ID_NONE: none yet */
  bool regions_over;    /* all open parallel regions ended in the gap before the record */
  unsigned weight_kind; /* the next record of this kind represents `weight` instances; 0: none does */
  uint64_t counted_of;  /* the next RAW_COUNTED is for the thread with this Java id; 0: for this thread */
  uint32_t weight;
  uint64_t work_ended; /* code of the work-sharing construct whose barrier may follow; 0: it may not */
  struct held_block block;
  struct omitted *omitted; /* OMITTED_MAX; NULL: none yet */
  uint32_t omitted_count;
  uint64_t omitted_end;
  struct {
    bool any, beside;                     /* beside: it is not in the thread's records */
    uint64_t last;                        /* archive time: end of the time in its rows */
    uint64_t self;                        /* of all rows so far */
    uint64_t self_ticks;                  /* likewise, as recorded */
    uint64_t rows, inside;                /* of the chunk: number of rows so far; number of the thread's current one */
    uint64_t head;                        /* of the current one */
    VECTOR(struct profile_around) around; /* of all rows; zero for a metric */
  } profile;
  uint64_t pauses_passed;         /* number of the next one */
  const struct jvm_stall *stalls; /* the thread's own, all of the run; looked up for each slice */
  size_t stall_count, stalls_passed;
  bool out_of_memory;
  struct raw_mark mark;
};

static inline struct frame *frame_top(struct timeline *t)
{
  return t->frames.count == 0 ? NULL : &t->frames.items[t->frames.count - 1];
}

/* True if the program opened the frame by its own call, or it is a function of the program. */
static inline bool frame_is_users(const struct frame *frame)
{
  return frame->type == F_USER || frame->type == F_PHASE || frame->type == F_CALL;
}

static inline uint64_t frame_enclosing_code(const struct timeline *t)
{
  return t->frames.count == 0 ? 0 : t->frames.items[t->frames.count - 1].code;
}

/* Returns the region of a construct at *code; an unusable *code becomes the enclosing construct's. */
static inline uint32_t timeline_region(struct timeline *t, enum construct construct, uint64_t *code)
{
  return definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, code,
                            frame_enclosing_code(t));
}

/* Returns the team of a region of the thread's process; NULL: unknown. */
static inline const struct team *timeline_team(const struct timeline *t, uint64_t id)
{
  return teams_find(t->on->teams, team_key(t->location->process->index, id));
}

/* Reports that the thread no longer needs a region. */
void timeline_region_done(struct timeline *t, uint64_t id);

/* Pushes a frame without an event. NULL: too deep, or out of memory. */
struct frame *frame_push(struct timeline *t, enum frame_type type, unsigned detail, uint32_t region, uint64_t code);
/* Enters a construct's region and pushes its frame. NULL: as above; nothing was entered. */
struct frame *frame_enter(struct timeline *t, enum frame_type type, unsigned detail, enum construct construct,
                          uint64_t code, uint64_t time);
/* The same for a construct with an unknown place, which may be far from the enclosing one. */
struct frame *frame_enter_nowhere(struct timeline *t, enum frame_type type, unsigned detail, enum construct construct,
                                  uint64_t time);
/* Closes the top frame. */
void frame_close_top(struct timeline *t, uint64_t time, enum closed why);
/* Closes all except the outermost `depth` frames; parts of constructs get no mark. With CLOSED_LOST right after a gap,
 * they end at the gap's end. CLOSED_LOST becomes CLOSED_CANCELLED if a cancellation was seen. */
void frames_close_to(struct timeline *t, uint32_t depth, uint64_t time, enum closed why);
/* Return the innermost (or outermost) frame of a type (and key, detail); NO_FRAME: there is none. */
uint32_t frame_find(const struct timeline *t, enum frame_type type);
uint32_t frame_find_outermost(const struct timeline *t, enum frame_type type);
uint32_t frame_find_key(const struct timeline *t, enum frame_type type, uint64_t key);
uint32_t frame_find_detail(const struct timeline *t, enum frame_type type, unsigned detail);
/* Reports that the tool stopped the thread for a while. */
void timeline_stall(struct timeline *t, uint64_t from, uint64_t time);
/* Processes an end record: closes the frame and all above it. NO_FRAME: counts the record as unmatched. */
void frame_end(struct timeline *t, enum frame_type type, uint32_t frame, uint64_t time);
/* The same for a type of frames without a key. */
static inline void frame_end_innermost(struct timeline *t, enum frame_type type, uint64_t time)
{
  frame_end(t, type,
            t->frames.count > 0 && t->frames.items[t->frames.count - 1].type == type ? t->frames.count - 1
                                                                                     : frame_find(t, type),
            time);
}

#endif
