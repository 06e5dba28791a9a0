/* Work-sharing constructs and their parts: chunks and sections. */
#include "ompt-tool/callbacks.h"

#include "ompt-tool/omissions.h"

/* Records of a construct on a thread, with its barrier. */
#define WORK_RECORDS 4u

CALLBACK_REST void record_work_slowly(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count,
                                      const void *code)
{
  if (endpoint != ompt_scope_end)
    recorder_emit3(RAW_WORK_BEGIN, type, code_of_construct(code), count);
  if (endpoint != ompt_scope_begin)
    recorder_emit(RAW_WORK_END, type, 0);
}

CALLBACK_PART void record_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, const void *code)
{
  if (endpoint == ompt_scope_end)
    recorder_emit(RAW_WORK_END, type, 0);
  else if (endpoint == ompt_scope_begin && construct_needs_no_lookup(code))
    recorder_emit3(RAW_WORK_BEGIN, type, (uintptr_t)code, count);
  else
    record_work_slowly(type, endpoint, count, code);
}

/* A range of iterations, in two words where it is small enough. */
static void emit_chunk(ompt_dispatch_t kind, uint64_t first, uint64_t iterations)
{
  if ((uint64_t)(int64_t)(int32_t)first == first && iterations <= 0xffff)
    recorder_emit(RAW_CHUNK, kind, (first & 0xffffffffu) << 16 | iterations);
  else
    recorder_emit4(RAW_CHUNK_WIDE, kind, 0, first, iterations);
}

CALLBACK_PART void record_part(ompt_dispatch_t kind, ompt_data_t instance)
{
  switch (kind) {
  case ompt_dispatch_section:
    recorder_emit(RAW_SECTION, kind, code_of(instance.ptr));
    break;
  case ompt_dispatch_ws_loop_chunk:
  case ompt_dispatch_taskloop_chunk:
  case ompt_dispatch_distribute_chunk: {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    if (chunk)
      emit_chunk(kind, chunk->start, chunk->iterations);
    break;
  }
  default:
    emit_chunk(kind, instance.value, 1);
  }
}

/* Threads of a team execute the same single construct in different ways. */
static inline unsigned kind_of_row(ompt_work_t type)
{
  return type == ompt_work_single_other ? ompt_work_single_executor : type;
}

static bool is_loop(ompt_work_t type)
{
  return type == ompt_work_loop || (type >= ompt_work_loop_static && type <= ompt_work_loop_other);
}

extension_unreported_chunks *runtime_unreported_chunks;

void chunks_take_back(struct omission *omission)
{
  struct extension_chunks *chunks = omission->chunks;
  if (__builtin_expect(!omission->lent && !omission->counted, 1))
    return;
  if (omission->lent)
    budget_take_back(omission->lent);
  else
    chunks->place.left = 0;
  if (omission->counted)
    omission->counted->parts += chunks->count;
  else if (chunks->count > 0)
    omission_chunks(omission, ompt_dispatch_ws_loop_chunk, chunks->first, chunks->iterations, chunks->count);
  omission->lent = NULL;
  omission->counted = NULL;
  chunks->count = 0;
  chunks->iterations = 0;
}

/* The rest of the chunks of an omitted loop need only be counted. */
static void count_chunks(struct omission *omission, struct construct *work)
{
  if (!omission->chunks)
    omission->chunks = runtime_unreported_chunks();
  omission->chunks->place = (struct extension_unreported){(const void *)work->code, UINT32_MAX};
  omission->counted = work;
}

static void lend_chunks(struct omission *omission, struct budget_row *row)
{
  if (!runtime_unreported_chunks || row->until < BUDGET_LOAN)
    return;
  if (!omission->chunks)
    omission->chunks = runtime_unreported_chunks();
  budget_lend(row, &omission->chunks->place);
  omission->lent = row->borrower ? row : NULL;
}

/* Distribute and taskloop have parts that other teams and tasks execute. */
static bool is_bounded(ompt_work_t type)
{
  return type != ompt_work_distribute && type != ompt_work_taskloop;
}

/* True if the team's next instance of a work-sharing construct is recorded. row: NULL: there is no memory. */
static bool is_taken(struct budget_row *row, struct construct *frame)
{
  if (frame->alone)
    return !row || budget_take(row) > 0;
  uint64_t team = frame->key;
  uint32_t instance = frame->works++;
  enum agreement agreement = agreement_of(team, instance);
  if (agreement == AGREEMENT_OPEN)
    return agreement_decide(team, instance, !row || budget_take(row) > 0);
  if (row)
    budget_join(row, agreement == AGREEMENT_YES);
  return agreement == AGREEMENT_YES;
}

/* Begins a work-sharing construct; returns whether it is recorded. */
static bool begin_work(struct omission *omission, ompt_work_t type, uint64_t code)
{
  chunks_take_back(omission);
  struct construct *team = omission_team(omission);
  bool inside = construct_top(&omission->stack)->mute != OMIT_NOTHING;
  struct construct *work = omission->stack.over > 0 ? NULL : omission_push(omission, RAW_ROW_WORK, code);
  if (!work)
    return !inside;
  unsigned kind = kind_of_row(type);
  if (inside) {
    frame_omit(omission, work, work->mute, kind);
    return false;
  }
  struct budget_row *row = budget_row(code, BUDGET_CONSTRUCTS, kind, WORK_RECORDS);
  if (!is_taken(row, team)) {
    untimed_take(omission, work);
    frame_omit(omission, work, OMIT_ALL_BUT_TASKS, kind);
    return false;
  }
  work->chunks = is_loop(type) ? budget_row(code, BUDGET_CHUNKS, 0, 1) : NULL;
  return true;
}

bool work_end(struct omission *omission)
{
  chunks_take_back(omission);
  uint32_t i = construct_find(&omission->stack, CONSTRUCT_TEAM | CONSTRUCT_BIT(RAW_ROW_WORK), 0, 0);
  struct construct *work = &omission->stack.open[i];
  if (work->kind != RAW_ROW_WORK || omission->stack.over > 0)
    return construct_top(&omission->stack)->mute == OMIT_NOTHING;
  omission->stack.depth = i;
  if (!work->omitted)
    return true;
  omission_end(omission, work);
  if (!(work->number & RAW_OMITTED_INSIDE)) {
    if (!work->untimed)
      untimed_decide(omission, omission->read_at);
    work->kind = CONSTRUCT_AFTER;
    work->over = true;
    construct_set_depth(&omission->stack, i + 1);
  }
  return false;
}

CALLBACK_REST void take_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, const void *code)
{
  struct omission *omission = omission_now();
  if (omission && !is_bounded(type)) {
    if (construct_top(&omission->stack)->mute == OMIT_NOTHING)
      record_work(type, endpoint, count, code);
    return;
  }
  if (!omission || (endpoint != ompt_scope_end && begin_work(omission, type, code_of_construct(code))))
    record_work(type, omission && endpoint == ompt_scope_beginend ? ompt_scope_begin : endpoint, count, code);
  if (omission && endpoint != ompt_scope_begin && work_end(omission))
    record_work(type, ompt_scope_end, count, code);
}

/*
 * The construct that the thread left last begins again, and neither that time nor this one needs the clock: its frame
 * is taken up again. False: it is another one, or is to be recorded. A handler of a signal may take the frame away,
 * once it has ended.
 */
static inline bool omit_again(struct omission *omission, ompt_work_t type, uint64_t place)
{
  uint32_t depth = omission->stack.depth;
  struct construct *frame = construct_top(&omission->stack);
  unsigned kind = kind_of_row(type);
  if (frame->kind != CONSTRUCT_AFTER || !frame->over || !frame->untimed || frame->code != place ||
      frame->number != kind || !frame[-1].alone || omission->untimed_most == 0)
    return false;
  struct budget_row *row = budget_row_known(place, BUDGET_CONSTRUCTS, kind);
  if (!row || row->until <= 1)
    return false;
  frame->over = false;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (*(volatile uint32_t *)&omission->stack.depth != depth)
    return false;
  row->until--;
  omission->untimed_most--;
  omission->untimed++;
  frame->kind = RAW_ROW_WORK;
  return true;
}

/* It ends, as the construct in which the thread is. */
static inline bool end_omitted(struct omission *omission)
{
  struct construct *frame = construct_top(&omission->stack);
  if (frame->kind != RAW_ROW_WORK || !frame->untimed || frame->number & RAW_OMITTED_INSIDE || omission->lent ||
      omission->counted || omission->stack.over > 0 || !omission_count(omission, frame))
    return false;
  frame->kind = CONSTRUCT_AFTER;
  frame->over = true;
  return true;
}

CALLBACK_REST void begin_unsure_work(ompt_work_t type, uint64_t count, const void *code)
{
  if (!omit_again(omission_of_thread, type, code_of_construct(code) & RAW_VALUE_MASK))
    take_work(type, ompt_scope_begin, count, code);
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
             const void *code)
{
  (void)parallel;
  (void)task;
  struct omission *omission = omission_of_thread;
  if (!omission_is_used)
    record_work(type, endpoint, count, code);
  else if (!omission || endpoint == ompt_scope_beginend)
    take_work(type, endpoint, count, code);
  else if (endpoint == ompt_scope_end) {
    if (!end_omitted(omission))
      take_work(type, endpoint, count, code);
  } else if (construct_top(&omission->stack)->kind != CONSTRUCT_AFTER)
    take_work(type, endpoint, count, code);
  else if (!construct_needs_no_lookup(code))
    begin_unsure_work(type, count, code);
  else if (!omit_again(omission, type, (uintptr_t)code))
    take_work(type, endpoint, count, code);
}

CALLBACK_REST void take_part(ompt_dispatch_t kind, ompt_data_t instance)
{
  struct omission *omission = omission_now();
  struct construct *top = omission ? construct_top(&omission->stack) : NULL;
  if (top && top->mute != OMIT_NOTHING) {
    if (top->kind != RAW_ROW_WORK)
      return;
    chunks_take_back(omission);
    top->parts++;
    if (runtime_unreported_chunks && kind == ompt_dispatch_ws_loop_chunk)
      count_chunks(omission, top);
    return;
  }
  const ompt_dispatch_chunk_t *chunk = kind == ompt_dispatch_ws_loop_chunk ? instance.ptr : NULL;
  if (omission)
    chunks_take_back(omission);
  if (chunk && top && top->kind == RAW_ROW_WORK && top->chunks && !budget_take(top->chunks)) {
    omission_chunks(omission, kind, chunk->start, chunk->iterations, 1);
    lend_chunks(omission, top->chunks);
  } else {
    record_part(kind, instance);
  }
}

void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  (void)parallel;
  (void)task;
  if (!omission_is_used)
    record_part(kind, instance);
  else
    take_part(kind, instance);
}
