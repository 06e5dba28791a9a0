/*
 * A profile: sums of a thread's constructs in place of events. Each row becomes a region without length, with the sums
 * as its attributes; the self times of all rows add up to the thread's life.
 */
#include "otf2-convert/code_exchange.h"
#include "otf2-convert/profile_row.h"
#include "otf2-convert/timeline_records.h"

#include <stdlib.h>

static void add_number(struct timeline *t, uint32_t attribute, uint64_t number)
{
  if (number > 0)
    archive_check(t->sink.archive, OTF2_AttributeList_AddUint64(t->sink.attributes, attribute, number));
}

/* Ticks as long as those of the archive. */
static uint64_t duration(const struct timeline *t, uint64_t ticks)
{
  const struct process *process = t->location->process;
  if (process->keep_ticks)
    return ticks;
  uint64_t first = t->location->facts.first_ticks, zero = first != 0 ? first : process->info.first.ticks;
  return process_time(process, zero + ticks) - process_time(process, zero);
}

static void add_row(struct timeline *t, uint64_t head)
{
  enum construct construct;
  archive_check(t->sink.archive,
                OTF2_AttributeList_AddStringRef(
                    t->sink.attributes, ATTRIBUTE_ROW,
                    profile_row_means(t->on->definitions, t->location->process->index, head, &construct)));
  if (construct == CONSTRUCT_COUNT)
    return;
  uint64_t code = raw_value_of(head);
  if (construct_is_user(construct))
    code = definitions_user_code(code);
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
  archive_check(t->sink.archive, OTF2_AttributeList_AddRegionRef(t->sink.attributes, ATTRIBUTE_CONSTRUCT, region));
}

static void put_row(struct timeline *t, uint64_t time)
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
  add_number(t, ATTRIBUTE_SELF, ticks);
  put_row(t, time);
  t->profile.self += ticks;
}

void take_profile_thread(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t last = process_time(t->location->process, record[2]);
  t->profile.any = true;
  t->profile.last = last > time ? last : time;
  t->profile.rows = 0;
  t->profile.inside = record[3];
}

void take_profile_row(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t self = duration(t, record[RAW_ROW_SELF]);
  if (t->profile.rows++ == t->profile.inside)
    t->profile.head = record[0];
  t->profile.self += self;
  add_row(t, record[0]);
  add_number(t, ATTRIBUTE_INSTANCES, record[RAW_ROW_EXECUTIONS]);
  add_number(t, ATTRIBUTE_TIME, duration(t, record[RAW_ROW_INCLUSIVE]));
  add_number(t, ATTRIBUTE_SELF, self);
  add_number(t, ATTRIBUTE_LONGEST, duration(t, record[RAW_ROW_LONGEST]));
  add_number(t, ATTRIBUTE_CONTENDED, record[RAW_ROW_CONTENDED]);
  add_number(t, ATTRIBUTE_WAITING, duration(t, record[RAW_ROW_WAITING]));
  add_number(t, ATTRIBUTE_SINCE_BEGIN, duration(t, record[RAW_ROW_OFFSET]));
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    if (record[RAW_ROW_HISTOGRAM + i] > 0)
      add_number(t, definitions_duration(t->on->definitions, i), record[RAW_ROW_HISTOGRAM + i]);
  put_row(t, time);
}

/* What the rows lack of the thread's life up to `time`. Rows beside events end with what was folded into them. */
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
  add_row(t, unknown ? raw_head(RAW_PROFILE_ROW, raw_row_detail(RAW_ROW_UNMEASURED, 0), 0) : t->profile.head);
  add_number(t, ATTRIBUTE_SELF, life - t->profile.self);
  put_row(t, time);
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
    else if (raw_kind_of(record[0]) == RAW_PROFILE_ROW)
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
