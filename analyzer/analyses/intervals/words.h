/* Private to intervals/: Heddle's own events, and attributes that every event has. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_WORDS_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_WORDS_H

#include "analyzer/analyses/intervals/spec.h"

/* What Heddle's own events are in an archive. */
enum own_kind { OWN_BEGIN, OWN_END, OWN_ACQUIRE, OWN_RELEASE, OWN_TASK_CREATE, OWN_TASK_SWITCH, OWN_TASK_END };

struct own_event {
  const char *name;
  enum own_kind kind;
  const char *region; /* of BEGIN and END: its name, without the place; NULL: any */
};

/* NULL: the name is none of them. */
const struct own_event *own_event_find(const char *name);
/* "unpark, chunk, ...", for messages. */
const char *own_event_names(void);

/* Quoted names: "begin of NAME", "end of NAME", and "NAME" alone, which is its begin. */
struct own_event own_event_of_quoted(const char *quoted);

/* Attributes that every event has. */
enum intrinsic {
  INTRINSIC_THREAD,
  INTRINSIC_TIME,
  INTRINSIC_PROCESS,
  INTRINSIC_MEMBER,
  INTRINSIC_CONSTRUCT,
  INTRINSIC_LINE,
  INTRINSIC_FILE,
  INTRINSIC_FUNCTION,
  INTRINSIC_THREAD_NAME,
  INTRINSIC_TARGET, /* these three: of Heddle's own events, in an attribute of the archive or in the event itself */
  INTRINSIC_LOCK,
  INTRINSIC_TASK,
  INTRINSICS
};

struct intrinsic_word {
  const char *name;
  enum spec_type type;
};
extern const struct intrinsic_word intrinsics[INTRINSICS];

#endif
