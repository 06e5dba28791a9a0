/*
 * Instances that were not recorded, because that would have cost too much. For constructs and for tasks in a wait,
 * records that follow each other report one stretch of time. It becomes a region of its own; inside it an event a
 * construct says what was omitted. For locks and tasks: the next one that is recorded has a weight.
 */
#include "otf2-convert/timeline/profile_rows.h"
#include "otf2-convert/timeline/record_details.h"
#include "otf2-convert/timeline/timeline_records.h"

void timeline_number(struct timeline *t, enum attribute attribute, uint64_t number)
{
  archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, attribute, number));
}

static uint32_t tool_region(struct timeline *t, enum construct construct)
{
  uint64_t code = 0;
  return definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
}

/*
 * Calls of the tool for an instance that is omitted, by the kind of its record. Calls for a barrier at its end are not
 * among them: there may be none. libgomp's provider counts locks, tasks and chunks itself and calls nobody, and in Java
 * woven code does; this takes about as much as one call.
 */
static uint64_t timeline_omitted_calls_of(const struct timeline *t, unsigned kind)
{
  bool runtime_calls = !t->location->process->info.libgomp;
  switch (kind) {
  case RAW_MUTEX_ACQUIRE: /* acquire, acquired, released */
  case RAW_TASK_CREATE:   /* create, and schedule at its begin and its end */
    return runtime_calls ? 3 : 1;
  case RAW_PARALLEL_BEGIN: /* parallel and implicit task, begin and end */
    return 4;
  case RAW_WORK_BEGIN:
    return 2;
  default:
    return 1;
  }
}

static void put_instances(struct timeline *t, const struct omitted *omitted, uint64_t time)
{
  unsigned work = omitted->detail & RAW_OMITTED_WORK;
  if (work == RAW_OMITTED_TASKS)
    return;
  bool member = (omitted->detail & RAW_OMITTED_MEMBER) != 0;
  uint64_t code = omitted->code;
  uint32_t construct = timeline_region(t, work == 0 ? C_PARALLEL : construct_of_work(work), &code);
  archive_check(t->sink.archive, OTF2_AttributeList_AddRegionRef(t->sink.attributes, ATTRIBUTE_CONSTRUCT, construct));
  timeline_number(t, member ? ATTRIBUTE_JOINED : ATTRIBUTE_INSTANCES, omitted->instances);
  timeline_number(t, ATTRIBUTE_TIME, omitted->time);
  if (omitted->chunks > 0)
    timeline_number(t, ATTRIBUTE_CHUNKS, omitted->chunks);
  if ((omitted->detail & RAW_OMITTED_INSIDE) != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint8(t->sink.attributes, ATTRIBUTE_INSIDE, 1));
  sink_zero_length_with(&t->sink, time, tool_region(t, C_SKIPPED_INSTANCES));
  if (!member)
    t->counts.instances_omitted += omitted->instances;
  t->counts.calls_omitted +=
      omitted->instances * timeline_omitted_calls_of(t, work == 0 ? RAW_PARALLEL_BEGIN : RAW_WORK_BEGIN);
  t->counts.calls_omitted += omitted->chunks;
}

/* The stretch of time that the omissions are about. */
static void put_stretch(struct timeline *t)
{
  uint64_t begin = UINT64_MAX, end = t->omitted_end, inside = 0;
  for (uint32_t i = 0; i < t->omitted_count; i++) {
    begin = t->omitted[i].begin < begin ? t->omitted[i].begin : begin;
    inside += (t->omitted[i].detail & RAW_OMITTED_INSIDE) != 0 ? 0 : t->omitted[i].time;
  }
  if (begin < t->sink.last)
    begin = t->sink.last;
  if (end < begin)
    end = begin;
  uint32_t region = tool_region(t, C_SKIPPED);
  timeline_number(t, ATTRIBUTE_TIME, inside < end - begin ? inside : end - begin);
  sink_enter_with(&t->sink, begin, region);
  for (uint32_t i = 0; i < t->omitted_count; i++)
    put_instances(t, &t->omitted[i], begin);
  sink_leave(&t->sink, end, region);
  t->omitted_count = 0;
  if (t->frames.count > 0 && frame_top(t)->type == F_WAIT) /* so long the thread did not only wait */
    frame_top(t)->wait.task_end = t->sink.last;
}

/* Where untimed instances are the last of a stretch: it goes on for as long as they may have taken. */
static void add_untimed(struct timeline *t, uint64_t until)
{
  const struct process *process = t->location->process;
  double frequency = process->frequency != 0 ? process->frequency : 1e9;
  uint64_t count = 0, rest = until > t->omitted_end ? until - t->omitted_end : 0;
  for (uint32_t i = 0; i < t->omitted_count; i++)
    count += t->omitted[i].untimed;
  uint64_t ticks = (uint64_t)((double)count * RAW_UNTIMED_NS * frequency / 1e9);
  uint64_t most = process_duration(process, process->info.first.ticks, ticks);
  rest = rest < most ? rest : most;
  for (uint32_t i = 0; count > 0 && i < t->omitted_count; i++)
    t->omitted[i].time += rest * t->omitted[i].untimed / count;
  t->omitted_end += rest;
}

void attend_omitted(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned kind = raw_kind_of(record[0]);
  if (kind == RAW_OMITTED)
    return;
  t->attention &= ~(unsigned)ATTEND_OMITTED;
  bool told_later = kind == RAW_STALL || kind == RAW_GAP || kind == RAW_SPIN; /* word 2 is when it began */
  add_untimed(t, told_later ? process_time_before(t->location->process, record[2], time) : time);
  put_stretch(t);
}

void take_omitted(struct timeline *t, const uint64_t *record, uint64_t time)
{
  const struct process *process = t->location->process;
  if (t->omitted == NULL && (t->omitted = calloc(OMITTED_MAX, sizeof *t->omitted)) == NULL) {
    t->out_of_memory = true;
    return;
  }
  if (t->omitted_count == OMITTED_MAX)
    put_stretch(t);
  uint64_t begin = process_time_before(process, record[2], time),
           lasted = process_duration(process, record[2], record[4]);
  begin = begin < time ? begin : time;
  t->omitted[t->omitted_count++] = (struct omitted){.code = raw_value_of(record[0]),
                                                    .detail = (uint8_t)raw_detail_of(record[0]),
                                                    .begin = begin,
                                                    .time = lasted < time - begin ? lasted : time - begin,
                                                    .instances = record[3] % RAW_OMITTED_UNTIMED,
                                                    .untimed = (uint16_t)(record[3] / RAW_OMITTED_UNTIMED),
                                                    .chunks = record[5]};
  t->omitted_end = time;
  t->attention |= ATTEND_OMITTED;
}

void take_weight(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)time;
  t->weight_kind = raw_detail_of(record[0]);
  t->weight = weight_of(record);
}

static void count_omitted(struct timeline *t, unsigned kind, uint64_t instances)
{
  t->counts.omitted_by_weight += instances;
  t->counts.calls_omitted += instances * timeline_omitted_calls_of(t, kind);
}

void timeline_count(struct timeline *t, unsigned kind, uint32_t weight)
{
  count_omitted(t, kind, weight - (weight > 0));
}

void timeline_weight(struct timeline *t, uint32_t weight)
{
  if (weight > 1)
    timeline_number(t, ATTRIBUTE_WEIGHT, weight);
}

void attend_weight(struct timeline *t, unsigned kind)
{
  if (t->weight_kind != kind)
    return;
  t->weight_kind = 0;
  timeline_weight(t, t->weight);
  timeline_count(t, kind, t->weight);
}

void take_counted_of(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)time;
  t->counted_of = raw_value_of(record[0]);
}

/* Instances behind the last recorded one, at the thread's end. */
void take_counted(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t code = raw_value_of(record[0]);
  unsigned kind = raw_detail_of(record[0]), detail = (unsigned)(record[2] >> RAW_VALUE_BITS) & 0xff;
  enum construct construct = kind == RAW_MUTEX_ACQUIRE ? construct_of_mutex(detail)
                             : kind == RAW_BLOCK_BEGIN
                                 ? construct_of_block(t->on->definitions, t->location->process->index, detail, code, 0)
                             : kind == RAW_JAVA_NOTE ? construct_of_note(detail)
                                                     : C_TASK;
  bool user = kind == RAW_USER_ENTER || kind == RAW_USER_EVENT;
  uint32_t region = user ? timeline_user_region(t, kind, code) : timeline_region(t, construct, &code);
  archive_check(t->sink.archive, OTF2_AttributeList_AddRegionRef(t->sink.attributes, ATTRIBUTE_CONSTRUCT, region));
  timeline_number(t, ATTRIBUTE_INSTANCES, record[2] & RAW_VALUE_MASK);
  if (t->counted_of != 0)
    timeline_number(t, ATTRIBUTE_THREAD, t->counted_of);
  t->counted_of = 0;
  sink_zero_length_with(&t->sink, time, tool_region(t, C_SKIPPED_INSTANCES));
  count_omitted(t, kind, record[2] & RAW_VALUE_MASK);
}
