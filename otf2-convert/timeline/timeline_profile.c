/*
 * A profile: sums of a thread's constructs in place of events. Each row becomes a region without length, with the sums
 * as its attributes; the self times of all rows add up to the thread's life.
 */
#include "otf2-convert/plan/module_map.h"
#include "otf2-convert/timeline/profile_rows.h"
#include "otf2-convert/timeline/timeline_records.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDED_NS 1000 /* the most that sums of converted ticks can be wrong by */

static void timeline_profile_add_number(struct timeline *t, uint32_t attribute, uint64_t number)
{
  if (number > 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, attribute, number));
}

/* How long ticks are, in the archive's, if they begin `since` ticks after the thread. */
static uint64_t duration_since(const struct timeline *t, uint64_t since, uint64_t ticks)
{
  const struct process *process = t->location->process;
  uint64_t first = t->location->facts.first_ticks, zero = first != 0 ? first : process->info.first.ticks;
  return process_duration(process, zero + since, ticks);
}

static uint64_t duration(const struct timeline *t, uint64_t ticks)
{
  return duration_since(t, 0, ticks);
}

/*
 * A row's part of the thread's life. Parts follow each other, so that they add up to what all of them are together.
 * Where the counter's rate changes, this may still be some ns more than the life.
 */
static uint64_t part_of_life(struct timeline *t, uint64_t ticks)
{
  uint64_t life = t->profile.last - t->location->facts.first_time;
  uint64_t part = duration_since(t, t->profile.self_ticks, ticks), end = t->profile.self + part;
  t->profile.self_ticks += ticks;
  if (t->location->process->clock != NULL && end > life && end - life < ROUNDED_NS)
    part -= end - life < part ? end - life : part;
  t->profile.self += part;
  return part;
}

static void add_text(struct timeline *t, uint32_t attribute, uint32_t ref)
{
  archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, attribute, ref));
}

static void add_construct(struct timeline *t, uint32_t attribute, enum construct construct, uint64_t code)
{
  if (construct == CONSTRUCT_COUNT)
    return;
  if (construct_is_user(construct))
    code = definitions_user_code(code);
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
  archive_check(t->sink.archive, OTF2_AttributeList_AddRegionRef(t->sink.attributes, attribute, region));
}

static void add_row(struct timeline *t, uint64_t head)
{
  enum construct construct;
  add_text(t, ATTRIBUTE_ROW, profile_row_means(t->on->definitions, t->location->process->index, head, &construct));
  add_construct(t, ATTRIBUTE_CONSTRUCT, construct, raw_value_of(head));
}

static void timeline_profile_put_row(struct timeline *t, uint64_t time)
{
  uint64_t code = 0;
  sink_zero_length_with(&t->sink, time,
                        definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index,
                                           C_PROFILE_ROW, &code, 0));
}

/* The tool prepares the table: the thread's rows begin behind that. */
void note_stall(struct timeline *t, uint64_t ticks, uint64_t time)
{
  if (t->profile.any || t->location->facts.profile_last == 0)
    return;
  archive_check(t->sink.archive, OTF2_AttributeList_AddStringRef(t->sink.attributes, ATTRIBUTE_ROW, STRING_ROW_TOOL));
  timeline_profile_add_number(t, ATTRIBUTE_SELF, ticks);
  timeline_profile_put_row(t, time);
  t->profile.self += ticks;
}

void take_profile_thread(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t last = process_time(t->location->process, record[2]);
  t->profile.any = true;
  t->profile.last = last > time ? last : time;
  t->profile.rows = 0;
  t->profile.around.count = 0;
  t->profile.inside = record[3];
}

static void note_row(struct timeline *t, struct profile_around row)
{
  t->out_of_memory |= !vector_push(&t->profile.around, row);
}

void take_profile_row(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t self = part_of_life(t, record[RAW_ROW_SELF]);
  if (t->profile.rows++ == t->profile.inside)
    t->profile.head = record[0];
  bool member = raw_kind_of(record[0]) == RAW_PROFILE_TEAM_ROW;
  note_row(t, (struct profile_around){record[0], member ? record[RAW_ROW_MEMBER_NUMBER] + 1 : 0});
  add_row(t, record[0]);
  if (member)
    archive_check(t->sink.archive,
                  OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_NUMBER, record[RAW_ROW_MEMBER_NUMBER]));
  timeline_profile_add_number(t, ATTRIBUTE_INSTANCES, record[RAW_ROW_EXECUTIONS]);
  timeline_profile_add_number(t, ATTRIBUTE_TIME, duration(t, record[RAW_ROW_INCLUSIVE]));
  timeline_profile_add_number(t, ATTRIBUTE_SELF, self);
  timeline_profile_add_number(t, ATTRIBUTE_LONGEST, duration(t, record[RAW_ROW_LONGEST]));
  timeline_profile_add_number(t, ATTRIBUTE_CONTENDED, record[RAW_ROW_CONTENDED]);
  timeline_profile_add_number(t, ATTRIBUTE_WAITING, duration(t, record[RAW_ROW_WAITING]));
  timeline_profile_add_number(t, ATTRIBUTE_SINCE_BEGIN, duration(t, record[RAW_ROW_OFFSET]));
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    if (record[RAW_ROW_HISTOGRAM + i] > 0)
      timeline_profile_add_number(t, definitions_duration(t->on->definitions, i), record[RAW_ROW_HISTOGRAM + i]);
  timeline_profile_put_row(t, time);
}

/* The construct that a metric is in. */
static void add_around(struct timeline *t, uint64_t row)
{
  enum construct construct;
  if (row == 0 || row > t->profile.around.count)
    return;
  struct profile_around around = t->profile.around.items[row - 1];
  profile_row_means(t->on->definitions, t->location->process->index, around.head, &construct);
  add_construct(t, ATTRIBUTE_AROUND, construct, raw_value_of(around.head));
  if (around.member > 0)
    archive_check(t->sink.archive,
                  OTF2_AttributeList_AddUint64(t->sink.attributes, ATTRIBUTE_NUMBER, around.member - 1));
}

static void add_signed(struct timeline *t, uint32_t attribute, uint64_t word)
{
  if (word != 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddInt64(t->sink.attributes, attribute, (int64_t)word));
}

static void add_real(struct timeline *t, uint32_t attribute, uint64_t word)
{
  double real;
  memcpy(&real, &word, sizeof real);
  archive_check(t->sink.archive, OTF2_AttributeList_AddDouble(t->sink.attributes, attribute, real));
}

static void add_values(struct timeline *t, const uint64_t *record)
{
  unsigned metric = raw_detail_of(record[0]) >> 4;
  uint64_t last = record[RAW_METRIC_LAST];
  if (profile_metric_is_real(record)) {
    add_real(t, ATTRIBUTE_REAL_SUM, record[RAW_METRIC_SUM]);
    add_real(t, ATTRIBUTE_REAL_LAST, last);
    return;
  }
  add_signed(t, ATTRIBUTE_SUM, record[RAW_METRIC_SUM]);
  add_signed(t, ATTRIBUTE_LAST, metric == RAW_METRIC_GC ? duration(t, last) : last);
}

static void add_names(struct timeline *t, const uint64_t *record)
{
  char name[DEFINITIONS_TEXT_MAX];
  struct definitions *definitions = t->on->definitions;
  uint32_t process = t->location->process->index;
  const char *attribute = profile_metric_attribute(definitions, process, record);
  profile_metric_object(definitions, process, record, name, sizeof name);
  if (name[0] != 0)
    add_text(t, ATTRIBUTE_ABOUT, definitions_string(definitions, name));
  if (attribute[0] != 0)
    add_text(t, ATTRIBUTE_VALUE_OF, definitions_string(definitions, attribute));
}

void take_profile_metric(struct timeline *t, const uint64_t *record, uint64_t time)
{
  enum construct construct;
  t->profile.rows++;
  note_row(t, (struct profile_around){0, 0});
  add_text(t, ATTRIBUTE_ROW, STRING_ROW_METRIC);
  add_text(t, ATTRIBUTE_METRIC,
           profile_metric_means(t->on->definitions, t->location->process->index, record, &construct));
  add_construct(t, ATTRIBUTE_CONSTRUCT, construct, raw_value_of(record[0]));
  add_around(t, record[RAW_METRIC_AROUND]);
  add_names(t, record);
  timeline_profile_add_number(t, ATTRIBUTE_INSTANCES, record[RAW_METRIC_COUNT]);
  timeline_profile_add_number(t, ATTRIBUTE_CONTENDED, record[RAW_METRIC_CONTENDED]);
  timeline_profile_add_number(t, ATTRIBUTE_TIME, duration(t, record[RAW_METRIC_TICKS]));
  timeline_profile_add_number(t, ATTRIBUTE_WAITING, duration(t, record[RAW_METRIC_WAITING]));
  timeline_profile_add_number(t, ATTRIBUTE_HELD, duration(t, record[RAW_METRIC_HELD]));
  timeline_profile_add_number(t, ATTRIBUTE_LONGEST, duration(t, record[RAW_METRIC_LONGEST]));
  add_values(t, record);
  timeline_profile_put_row(t, time);
}

/* Returns the part of the thread's life up to `time` that its rows lack. Rows beside events end with the last folded
 * record. */
static void put_rest(struct timeline *t, uint64_t time)
{
  if (!t->profile.any)
    return;
  t->profile.any = false;
  time = sink_time(&t->sink, time > t->profile.last ? time : t->profile.last);
  uint64_t life = time - t->location->facts.first_time;
  if (life <= t->profile.self)
    return;
  bool unknown = t->profile.beside && (!t->location->process->info.ended || t->profile.head == 0);
  add_row(t, unknown ? raw_head(RAW_PROFILE_ROW, raw_row_detail(RAW_ROW_NOT_MEASURED, 0), 0) : t->profile.head);
  timeline_profile_add_number(t, ATTRIBUTE_SELF, life - t->profile.self);
  timeline_profile_put_row(t, time);
}

static void put_beside(struct timeline *t, struct raw_log *log, uint64_t *buffer, uint64_t time)
{
  const struct module_map *modules = &t->location->process->info.modules.map;
  struct raw_iter iter;
  const uint64_t *record;
  uint64_t copy[CODE_EXCHANGE_WORDS];
  raw_iter_start(&iter, log, &(struct raw_mark){.consumed = 0}, UINT64_MAX, buffer);
  while ((record = raw_iter_next(&iter)) != NULL) {
    if (raw_kind_of(record[0]) == RAW_PROFILE_THREAD)
      take_profile_thread(t, record, time);
    else if (raw_kind_of(record[0]) == RAW_PROFILE_METRIC)
      take_profile_metric(t, code_exchange(modules, record, copy), time);
    else if (raw_kind_of(record[0]) == RAW_PROFILE_ROW || raw_kind_of(record[0]) == RAW_PROFILE_TEAM_ROW)
      take_profile_row(t, code_exchange(modules, record, copy), time);
  }
  raw_log_rest(log);
}

void finish_profile(struct timeline *t, uint64_t time)
{
  struct raw_log *log = raw_dir_profile(&t->location->process->raw, t->location->log->thread);
  if (t->location->process->raw.profile_count > 0 && !t->profile.beside) {
    uint64_t *buffer = malloc(RAW_ITER_WORDS * sizeof *buffer);
    t->out_of_memory |= buffer == NULL;
    t->profile.beside = t->profile.any = true;
    time = sink_time(&t->sink, time);
    if (log != NULL && buffer != NULL)
      put_beside(t, log, buffer, time);
    t->profile.last = time;
    free(buffer);
  }
  put_rest(t, time);
}
