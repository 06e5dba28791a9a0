/* Explicit tasks: creation, execution in fragments, completion. */
#include "otf2-convert/timeline/timeline_records.h"

/* The implicit task that the thread is in; with no team it is the initial task. */
static struct task_name implicit_task(const struct timeline *t)
{
  if (t->team == NO_FRAME)
    return (struct task_name){.comm = OTF2_UNDEFINED_COMM};
  const struct frame *team = &t->frames.items[t->team];
  return (struct task_name){.comm = team->team.comm, .creator = team->team.index};
}

/* Returns the task's name in OTF2. Its team is the executing thread's, unless another team executes it. */
static struct task_name timeline_tasking_name_of(const struct timeline *t, const struct task *task)
{
  struct task_name name = implicit_task(t);
  if (task == NULL)
    return name;
  name.creator = task->creator;
  name.generation = task->generation;
  if (t->team == NO_FRAME || t->frames.items[t->team].key != task->parallel) {
    const struct team *team = timeline_team(t, task->parallel);
    if (team != NULL && team->comm != COMM_NONE)
      name.comm = team->comm;
  }
  return name;
}

void take_task_create(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t id = record[2] & RAW_VALUE_MASK;
  if ((raw_detail_of(record[0]) & RAW_TASK_TASKWAIT) != 0) {
    struct frame *frame = frame_enter(t, F_TASKWAIT, 0, C_TASKWAIT, raw_value_of(record[0]), time);
    if (frame != NULL)
      frame->key = id;
    return;
  }
  t->created_id = id;
  t->created_time = time;
  const struct task *task = task_table_find(t->location->tasks, id);
  t->created = timeline_tasking_name_of(t, task);
  t->created_weight = task != NULL ? task->weight : 1;
  timeline_count(t, RAW_TASK_CREATE, t->created_weight);
  t->attention |= ATTEND_CREATE;
}

/* A created task's dependences, if it has any, are the next record. */
void attend_create(struct timeline *t, const uint64_t *record)
{
  t->attention &= ~(unsigned)ATTEND_CREATE;
  if (raw_kind_of(record[0]) == RAW_TASK_DEPENDENCES && raw_value_of(record[0]) == t->created_id)
    for (unsigned i = 0; i < raw_detail_of(record[0]); i++) {
      uint32_t attribute = definitions_depend(t->on->definitions, (unsigned)record[2 + 2 * i], i + 1);
      archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, attribute, record[3 + 2 * i]));
    }
  timeline_weight(t, t->created_weight);
  sink_task_create(&t->sink, t->created_time, t->created);
}

static void task_is_over(struct timeline *t, uint64_t id)
{
  if (task_table_end(t->location->tasks, id) && !vector_push(&t->location->pages_done, id))
    t->out_of_memory = true;
}

/* The frame of a task that is on this thread's stack, in the team that it is in now. */
static uint32_t find_task(const struct timeline *t, uint64_t id)
{
  uint32_t frame = frame_find_key(t, F_TASK, id);
  return frame == NO_FRAME || (t->team != NO_FRAME && frame < t->team) ? NO_FRAME : frame;
}

/* Leaves the tasks above `depth`: they are suspended, and continue later, perhaps on another thread. */
static void suspend_to(struct timeline *t, uint32_t depth, uint64_t time)
{
  while (t->frames.count > depth)
    frame_close_top(t, time, CLOSED_BY_END);
}

/* The outermost task above the team's implicit task; what is above it belongs to explicit tasks. */
static uint32_t first_task(const struct timeline *t)
{
  uint32_t i = t->team == NO_FRAME ? 0 : t->team + 1;
  while (i < t->frames.count && t->frames.items[i].type != F_TASK)
    i++;
  return i;
}

static void resume(struct timeline *t, uint64_t id, uint64_t time)
{
  if (id == RAW_ID_NONE)
    return;
  if (id == RAW_ID_IMPLICIT) {
    if (t->open[F_TASK] > 0)
      suspend_to(t, first_task(t), time);
    sink_task_switch(&t->sink, time, implicit_task(t));
    return;
  }
  uint32_t frame = find_task(t, id);
  if (frame != NO_FRAME) {
    uint32_t end = frame + 1; /* up to the next task on the stack */
    while (end < t->frames.count && t->frames.items[end].type != F_TASK)
      end++;
    suspend_to(t, end, time);
    sink_task_switch(&t->sink, time, t->frames.items[frame].task);
    return;
  }
  const struct task *task = task_table_find(t->location->tasks, id);
  struct task_name name = timeline_tasking_name_of(t, task);
  bool untied = task != NULL && (task->flags & RAW_TASK_UNTIED) != 0;
  sink_task_switch(&t->sink, time, name);
  enum construct construct = untied ? C_TASK_UNTIED : C_TASK;
  if (task != NULL)
    timeline_weight(t, task->weight);
  struct frame *new = task != NULL ? frame_enter(t, F_TASK, 0, construct, task->code, time)
                                   : frame_enter_nowhere(t, F_TASK, 0, construct, time);
  if (new == NULL)
    return;
  new->key = id;
  new->task = name;
}

/* The task's body is left; it stays incomplete for now when it is detached. */
static void leave_task(struct timeline *t, uint64_t id, uint64_t time, bool complete)
{
  uint32_t frame = find_task(t, id);
  if (frame == NO_FRAME) {
    if (t->hidden[F_TASK] > 0)
      t->hidden[F_TASK]--;
    const struct task *task = task_table_find(t->location->tasks, id);
    if (complete && task != NULL) /* it was discarded before it began, or completes after its body */
      sink_task_complete(&t->sink, time, timeline_tasking_name_of(t, task));
    else if (complete)
      t->counts.ends_unmatched++;
    return;
  }
  struct task_name name = t->frames.items[frame].task;
  frames_close_to(t, frame + 1, time, CLOSED_LOST);
  frame_close_top(t, time, CLOSED_BY_END);
  if (complete)
    sink_task_complete(&t->sink, time, name);
  if (t->frames.count > 0 && frame_top(t)->type == F_WAIT)
    frame_top(t)->wait.task_end = t->sink.last;
}

static void schedule(struct timeline *t, unsigned status, uint64_t prior, uint64_t next, uint64_t time)
{
  switch (status) {
  case TASK_STATUS_COMPLETE:
  case TASK_STATUS_CANCEL:
    leave_task(t, prior, time, true);
    task_is_over(t, prior);
    break;
  case TASK_STATUS_DETACH:
    leave_task(t, prior, time, false);
    break;
  case TASK_STATUS_LATE_FULFILL: {
    const struct task *task = task_table_find(t->location->tasks, prior);
    if (task != NULL)
      sink_task_complete(&t->sink, time, timeline_tasking_name_of(t, task));
    task_is_over(t, prior);
    break;
  }
  case TASK_STATUS_TASKWAIT_COMPLETE:
    frame_end(t, F_TASKWAIT, frame_find_key(t, F_TASKWAIT, prior), time);
    task_is_over(t, prior);
    break;
  default:
    break;
  }
  resume(t, next, time);
}

void take_task_switch(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint32_t current = frame_find(t, F_TASK);
  bool in_team = current != NO_FRAME && (t->team == NO_FRAME || current > t->team);
  unsigned status = raw_detail_of(record[0]);
  if (!in_team && (status == TASK_STATUS_COMPLETE || status == TASK_STATUS_CANCEL)) {
    t->counts.ends_unmatched += t->hidden[F_TASK] == 0;
    t->hidden[F_TASK] -= t->hidden[F_TASK] > 0;
    resume(t, raw_value_of(record[0]), time);
    return;
  }
  schedule(t, status, in_team ? t->frames.items[current].key : RAW_ID_IMPLICIT, raw_value_of(record[0]), time);
}

void take_task_status(struct timeline *t, const uint64_t *record, uint64_t time)
{
  schedule(t, raw_detail_of(record[0]), record[2] & RAW_VALUE_MASK, raw_value_of(record[0]), time);
}
