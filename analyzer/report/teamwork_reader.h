/* Private to report/: what one location does together with others, in order of time. */
#ifndef HEDDLE_ANALYZER_REPORT_TEAMWORK_READER_H
#define HEDDLE_ANALYZER_REPORT_TEAMWORK_READER_H

#include "analyzer/pass/pass.h"
#include "analyzer/report/chunk_maps.h"
#include "analyzer/states/states.h"

enum work_kind {
  WORK_FORK,       /* index: the region that forks, or TRACE_NONE */
  WORK_JOIN,       /* of the innermost fork */
  WORK_TEAM_BEGIN, /* index: the team */
  WORK_TEAM_END,
  WORK_LOOP_BEGIN, /* index: the region */
  WORK_LOOP_END,
  WORK_CHUNK, /* is over */
  WORK_TASK_CREATE,
  WORK_TASK_SWITCH /* to this task */
};

struct work {
  enum work_kind kind;
  uint32_t index;
  uint64_t time;
  struct chunk chunk;                 /* CHUNK */
  uint32_t team, creator, generation; /* TASK_... */
};

struct work_reader;

/* `rules` from machine_rules(); these and `error` outlive it. NULL: an error. */
struct work_reader *work_reader_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                                     struct error *error);
void work_reader_close(struct work_reader *reader);

/* Takes the next event of the location. False: an error. */
bool work_reader_event(struct work_reader *reader, const struct trace_event *event);
/* What the events made: struct work, in order of time. */
struct item_queue *work_reader_queue(struct work_reader *reader);

#endif
