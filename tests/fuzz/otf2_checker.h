/*
 * otf2_checker*.c replace the writing half of libotf2: they take the converter's calls, write nothing, and end the
 * program if the archive would contradict docs/otf2.md:
 *   - the events of a location are balanced and monotonic, and lie within the run's time;
 *   - all refs of events and definitions are defined: once, and before their use if a reader needs that;
 *   - strings are UTF-8 without control characters (unless the target takes them);
 *   - attributes go to the event that they were added for.
 * One archive at a time, with one beside it; one thread. This header is private to these files.
 */
#ifndef HEDDLE_TESTS_OTF2_CHECKER_H
#define HEDDLE_TESTS_OTF2_CHECKER_H

#include "base/vector.h"

#include <inttypes.h>
#include <otf2/otf2.h>

/* What refs refer to. */
enum checked_kind {
  STRING,
  ATTRIBUTE,
  REGION,
  GROUP,
  COMM,
  NODE,
  PROCESS,
  LOCATION,
  METRIC_MEMBER,
  METRIC_CLASS,
  LINE,
  CONTEXT,
  TRIGGER,
  CHECKED_KINDS
};
enum { USED = 1, DEFINED = 2 };

/* What an event opens and another closes. */
enum opened { OPEN_REGION, OPEN_TEAM, OPEN_FORK, OPEN_THREAD };

struct opening {
  enum opened what;
  uint32_t ref;
};

struct turn {
  uint32_t lock, order;
};

/* The events of a location. */
struct OTF2_EvtWriter_struct {
  struct OTF2_Archive_struct *archive;
  uint64_t location, events, first, last;
  bool off; /* measurement */
  bool closed;
  VECTOR(struct opening) open;
  VECTOR(struct turn) held;
};

struct OTF2_Archive_struct {
  char path[4096], name[16];
  VECTOR(struct OTF2_EvtWriter_struct *) writers;
  VECTOR(uint8_t) refs[CHECKED_KINDS]; /* USED, DEFINED */
  uint64_t offset, length;             /* of the clock */
  bool has_clock;
  uint32_t all; /* members of the group that has all locations */
  void (*release_locking)(void *locking);
  void *locking; /* the archive's */
};

/* The archive at work, and the archive that was opened first; NULL: there is none. */
extern struct OTF2_Archive_struct *checked, *checked_first;

/* The archive of a handle is at work from now on. */
static inline void checker_turn_to(void *handle)
{
  checked = handle;
}

/* Strings may have them: the converter replaces them, `heddle import` does not. */
extern bool checker_takes_control_characters;

/* An archive that is open will not be closed: its writing failed. */
void checker_forget(void);

/* Ends the program. */
void checker_broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Notes that a ref is USED or DEFINED; it may be defined but once. */
void checker_mark(enum checked_kind kind, uint64_t ref, uint8_t how);
/* It must have been defined already. */
void checker_need(enum checked_kind kind, uint64_t ref);
void checker_need_text(const char *text);
/* At the archive's end. */
void checker_end_of_events(const struct OTF2_EvtWriter_struct *writer);

#endif
