#include "common/profile/profile_table.h"

#include "common/budget/mix.h"

#include <string.h>

#define INDEX_SIZE (PROFILE_ROWS * 2u)

#define ROW_WORDS (RAW_ROW_MEMBER_NUMBER + 1u)

_Static_assert(RAW_ROW_HISTOGRAM + RAW_ROW_BUCKETS == RAW_ROW_MEMBER_NUMBER && ROW_WORDS == 50 &&
                   RAW_METRIC_LAST + 1 == 12,
               "RAW_KINDS has the words of rows");
_Static_assert(PROFILE_ROWS <= UINT16_MAX, "an index has 16 bits");

/* What a row is found by. */
struct key {
  uint64_t head, object;
  uint32_t where;
};

static uint32_t place_of(struct key key)
{
  uint64_t mixed = (key.head ^ key.object * 0xbf58476d1ce4e5b9u) + ((uint64_t)key.where << 20);
  return (uint32_t)(mix_upper(mixed) >> 40) % INDEX_SIZE;
}

static struct profile_row *find_row(struct profile_table *table, struct key key)
{
  for (uint32_t at = place_of(key); table->index[at] != 0; at = (at + 1) % INDEX_SIZE) {
    struct profile_row *row = &table->row[table->index[at] - 1];
    if (row->head == key.head && row->object == key.object && row->where == key.where)
      return row;
  }
  return NULL;
}

/* Puts a row into the table. NULL: no room, but for the last one. */
static struct profile_row *add_row(struct profile_table *table, struct key key, uint64_t now, bool last)
{
  if (table->rows == PROFILE_ROWS - !last)
    return NULL;
  uint64_t *words = table->make(table->context, key.head, raw_words_of_kind[raw_kind_of(key.head)], now, last);
  if (!words)
    return NULL;
  struct profile_row *row = &table->row[table->rows++];
  *row = (struct profile_row){.words = words, .head = key.head, .object = key.object, .where = key.where};
  uint32_t at = place_of(key);
  while (table->index[at] != 0)
    at = (at + 1) % INDEX_SIZE;
  table->index[at] = (uint16_t)table->rows;
  return row;
}

static struct profile_row *other_rows(struct profile_table *table, uint64_t now)
{
  struct key key = {.head = raw_head(RAW_PROFILE_ROW, raw_row_detail(RAW_ROW_OTHER, 0), 0)};
  if (table->full)
    return &table->row[table->rows - 1];
  struct profile_row *row = add_row(table, key, now, true);
  table->full = true;
  return row ? row : &table->row[table->rows - 1];
}

/* The row of a construct that the thread executes as that member of its innermost team. */
static struct profile_row *row_of_member(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                                         uint32_t member, uint64_t now)
{
  unsigned record = member > 0 ? RAW_PROFILE_TEAM_ROW : RAW_PROFILE_ROW;
  struct key key = {.head = raw_head(record, raw_row_detail(kind, number), code), .where = member};
  struct profile_row *row = find_row(table, key);
  if (row)
    return row;
  row = table->full ? NULL : add_row(table, key, now, false);
  if (row && member > 0)
    __atomic_store_n(&row->words[RAW_ROW_MEMBER_NUMBER], member - 1, __ATOMIC_RELAXED);
  return row ? row : other_rows(table, now);
}

static struct profile_row *row_of(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                                  uint64_t now)
{
  return row_of_member(table, kind, number, code, profile_top(table)->member.number, now);
}

uint64_t *profile_metric(struct profile_table *table, enum raw_metric metric, unsigned number, uint64_t code,
                         uint64_t object, uint32_t around, uint64_t now)
{
  struct key key = {.head = raw_head(RAW_PROFILE_METRIC, raw_metric_detail(metric, number), code),
                    .object = object,
                    .where = table->stack.open[around].row + 1u};
  struct profile_row *row = find_row(table, key);
  if (row)
    return row->words;
  row = table->full || table->metrics == PROFILE_METRICS ? NULL : add_row(table, key, now, false);
  if (!row) {
    table->refused++;
    return NULL;
  }
  table->metrics++;
  __atomic_store_n(&row->words[RAW_METRIC_OBJECT], object, __ATOMIC_RELAXED);
  __atomic_store_n(&row->words[RAW_METRIC_AROUND], key.where, __ATOMIC_RELAXED);
  return row->words;
}

static uint16_t number_of(const struct profile_table *table, const struct profile_row *row)
{
  return (uint16_t)(row - table->row);
}

struct profile_execution profile_execution_of(struct profile_table *table, enum raw_row kind, unsigned number,
                                              uint64_t code, uint64_t now)
{
  return (struct profile_execution){number_of(table, row_of(table, kind, number, code, now)), kind, (uint8_t)number};
}

static void tell_row(struct profile_table *table)
{
  __atomic_store_n(&table->thread[3], profile_top(table)->row, __ATOMIC_RELAXED);
}

/* The code of a frame's row. */
static uint64_t code_of(const struct construct *frame)
{
  return frame->kind == RAW_ROW_USER ? frame->key : frame->kind == RAW_ROW_OUTSIDE ? 0 : frame->code;
}

static void find_not_measured(struct profile_table *table)
{
  table->not_measured = number_of(table, row_of(table, RAW_ROW_NOT_MEASURED, 0, 0, table->last));
}

/* The rows are new: what is open goes on in them. */
static void find_rows_again(struct profile_table *table)
{
  if (table->partial)
    find_not_measured(table);
  for (uint32_t i = 0; i < table->stack.depth; i++) {
    struct construct *frame = &table->stack.open[i];
    struct profile_row *row = row_of_member(table, (enum raw_row)frame->kind, frame->number, code_of(frame),
                                            frame->member.number, table->last);
    frame->row = number_of(table, row);
    frame->arrived = 0;
    row->open++;
  }
}

bool profile_table_begin(struct profile_table *table, uint64_t from)
{
  table->rows = table->metrics = 0;
  table->begun++;
  table->full = false;
  memset(table->index, 0, sizeof table->index);
  if (table->stack.depth == 0) {
    table->stack.depth = 1;
    table->stack.open[0] = (struct construct){.kind = RAW_ROW_OUTSIDE, .begin = from};
    table->last = from;
  }
  table->thread = table->make(table->context, raw_head(RAW_PROFILE_THREAD, 0, table->first_index),
                              raw_words_of_kind[RAW_PROFILE_THREAD], from, false);
  if (!table->thread)
    return false;
  find_rows_again(table);
  __atomic_store_n(&table->thread[2], table->last, __ATOMIC_RELAXED);
  tell_row(table);
  return true;
}

void profile_table_set_partial(struct profile_table *table, bool partial, uint64_t now)
{
  profile_table_book(table, now);
  table->partial = partial;
  if (partial)
    find_not_measured(table);
}

void profile_table_resume(struct profile_table *table, uint64_t now)
{
  struct profile_row *row = row_of_member(table, RAW_ROW_NOT_MEASURED, 0, 0, 0, now);
  for (uint32_t i = 1; i < table->stack.depth; i++)
    table->row[table->stack.open[i].row].open--;
  table->stack.depth = 1;
  table->stack.over = 0;
  table->stack.open[0].arrived = 0;
  profile_count(&row->words[RAW_ROW_SELF], now - table->last);
  __atomic_store_n(&table->thread[2], now, __ATOMIC_RELAXED);
  table->last = now;
  tell_row(table);
}

struct construct *profile_open_as(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                                  struct profile_member member, uint64_t now)
{
  profile_table_book(table, now);
  if (!profile_has_room(table)) {
    table->stack.over++;
    return NULL;
  }
  uint64_t around = profile_top(table)->code;
  if (code == 0)
    code = around;
  struct profile_row *row = row_of_member(table, kind, number, code, member.number, now);
  struct construct *frame = &table->stack.open[table->stack.depth++];
  frame->inner = 0;
  frame->key = kind == RAW_ROW_USER ? code : 0;
  frame->row = number_of(table, row);
  frame->arrived = 0;
  frame->kind = (uint8_t)kind;
  frame->number = (uint8_t)number;
  frame->weight = 1;
  frame->member = member;
  __atomic_store_n(&frame->begin, now, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->code, kind == RAW_ROW_USER ? around : code, __ATOMIC_RELAXED);
  row->open++;
  tell_row(table);
  return frame;
}

struct construct *profile_open(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                               uint64_t now)
{
  return profile_open_as(table, kind, number, code, profile_top(table)->member, now);
}

void profile_move(struct profile_table *table, uint64_t code, uint64_t now)
{
  struct construct *frame = profile_top(table);
  struct profile_row *row = row_of(table, (enum raw_row)frame->kind, frame->number, code, now);
  table->row[frame->row].open--;
  row->open++;
  frame->row = number_of(table, row);
  frame->code = code;
  tell_row(table);
}

void profile_close(struct profile_table *table, uint64_t now, bool executed)
{
  if (table->stack.depth <= 1)
    return;
  profile_table_book(table, now);
  struct construct *frame = &table->stack.open[--table->stack.depth];
  struct profile_row *row = &table->row[frame->row];
  uint64_t ticks = now - frame->begin;
  if (--row->open == 0)
    profile_count(&row->words[RAW_ROW_INCLUSIVE], ticks);
  if (executed)
    profile_count_execution(row->words, (enum raw_row)frame->kind, frame->number, frame->weight, ticks,
                            ticks - frame->inner);
  profile_top(table)->inner += ticks;
  tell_row(table);
}

void profile_drop(struct profile_table *table)
{
  if (table->stack.depth <= 1)
    return;
  const struct construct *frame = &table->stack.open[--table->stack.depth];
  table->row[frame->row].open--;
  profile_top(table)->inner += frame->inner;
  tell_row(table);
}

void profile_close_to(struct profile_table *table, uint32_t depth, uint64_t now)
{
  while (table->stack.depth > depth && table->stack.depth > 1)
    profile_close(table, now, false);
}

void profile_add(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code, uint64_t ticks,
                 uint32_t weight, uint64_t now)
{
  struct profile_row *row = row_of(table, kind, number, code != 0 ? code : profile_top(table)->code, now);
  profile_count(&row->words[RAW_ROW_INCLUSIVE], ticks);
  profile_count_execution(row->words, kind, number, weight, ticks, ticks);
}

void profile_add_counted(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                         uint64_t executions, uint64_t ticks, uint64_t now)
{
  struct profile_row *row = row_of(table, kind, number, code != 0 ? code : profile_top(table)->code, now);
  profile_count(&row->words[RAW_ROW_EXECUTIONS], executions);
  profile_count(&row->words[RAW_ROW_INCLUSIVE], ticks);
}

void profile_book_to(struct profile_table *table, enum raw_row kind, uint64_t ticks, uint64_t now)
{
  uint64_t passed = now - table->last;
  ticks = ticks < passed ? ticks : passed;
  profile_table_book(table, now - ticks);
  struct profile_row *row = row_of_member(table, kind, 0, 0, 0, now);
  profile_count(&row->words[RAW_ROW_SELF], ticks);
  profile_top(table)->inner += ticks;
  __atomic_store_n(&table->thread[2], now, __ATOMIC_RELAXED);
  table->last = now;
}
