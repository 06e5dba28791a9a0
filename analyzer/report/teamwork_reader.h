/* Private to report/: what one location does together with others, in order of time. */
#ifndef HEDDLE_ANALYZER_REPORT_TEAMWORK_READER_H
#define HEDDLE_ANALYZER_REPORT_TEAMWORK_READER_H

#include "analyzer/report/chunk_maps.h"
#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"

/* The arrows of locks come from locks/. */
#define WORK_EDGES (EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN) | EDGE_BIT(EDGE_TASK))

enum work_kind {
  WORK_STEP,
  /* Of locations that are looked at: */
  WORK_LOOP_BEGIN,
  WORK_LOOP_END,
  WORK_CHUNK /* has ended */
};

struct work {
  enum work_kind kind;
  uint32_t region; /* LOOP_... */
  uint64_t time;
  union {
    struct edge_step step; /* STEP */
    struct chunk chunk;    /* CHUNK */
  };
};

struct work_reader;

/* `rules` from machine_rules(); these and `error` outlive it. NULL: an error. */
struct work_reader *work_reader_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                                     struct error *error);
void work_reader_close(struct work_reader *reader);

/* Takes the next event of the location. False: an error. */
bool work_reader_event(struct work_reader *reader, const struct trace_event *event);
/* The work of the events so far: struct work, in order of time. */
struct item_queue *work_reader_queue(struct work_reader *reader);

#endif
