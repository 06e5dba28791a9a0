/*
 * The profile of one thread: a table of sums, and the constructs that the thread is in. The table has a row a place and
 * kind of construct (raw_trace.h, "Profiles"). The thread alone changes it; the words of the rows are for any reader,
 * at any time.
 *
 * Times are ticks and given by the caller; they never decrease. Nothing here allocates, locks or fails. Without room
 * for a row, its sums go into one row for all others. A construct that is nested too deep counts as its parent.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_TABLE_H
#define HEDDLE_COMMON_PROFILE_PROFILE_TABLE_H

#include "common/raw/raw_record.h"
#include "common/recorder/construct_stack.h"

#include <stdbool.h>
#include <stddef.h>

#define PROFILE_ROWS    1024u
#define PROFILE_METRICS 512u /* of these at most */

/* Where a row's words are, and what only the thread needs. */
struct profile_row {
  uint64_t *words; /* as in the record */
  uint64_t head;   /* of the record */
  uint64_t object; /* of a metric */
  uint32_t where;  /* metric: the row around + 1; other rows: the number in the team + 1 */
  uint32_t open;   /* executions */
};

struct profile_table {
  /* Makes a record of that many words at `now`, zero but for head and time; false: no room. The last one asked for is
   * the row of all others, for which there must always be room. */
  uint64_t *(*make)(void *context, uint64_t head, unsigned words, uint64_t now, bool last);
  void *context;
  uint64_t *thread; /* words of RAW_PROFILE_THREAD */
  uint64_t last;    /* up to which time is in the rows */
  uint32_t rows;
  uint32_t metrics;      /* of the rows */
  uint32_t begun;        /* how often its rows were new */
  uint64_t refused;      /* metrics without room */
  bool partial;          /* profile_table_set_partial */
  uint16_t not_measured; /* its row, if partial */
  uint32_t first_index;
  bool full;
  uint16_t index[PROFILE_ROWS * 2]; /* row + 1 by hash; 0: none */
  struct profile_row row[PROFILE_ROWS];
  struct construct_stack stack;
};

/* The memory is zero, or a table that was used: its constructs and its time then go on in new rows. `from`: where the
 * time of a new table begins. False: there is no room for the first rows. */
bool profile_table_begin(struct profile_table *table, uint64_t from);

/* Not all is measured from now on: what a thread does is known only where it waits. Other time is UNMEASURED. */
void profile_table_set_partial(struct profile_table *table, bool partial, uint64_t now);

/* Nothing was measured since the last call: forgets what is open. */
void profile_table_resume(struct profile_table *table, uint64_t now);

/* A construct begins. code 0: the enclosing one's. NULL: it is nested too deep. */
struct construct *profile_open(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                               uint64_t now);
/* The same, as another member than the enclosing construct's. */
struct construct *profile_open_as(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                                  struct profile_member member, uint64_t now);
/* The innermost construct is one at that code: its time since it was booked last counts there. */
void profile_move(struct profile_table *table, uint64_t code, uint64_t now);
/* The innermost construct ends. executed: it counts as an execution; else only its time counts. */
void profile_close(struct profile_table *table, uint64_t now, bool executed);
/* Takes the innermost construct away: it is no execution, and what was booked to it stays there. */
void profile_drop(struct profile_table *table);
/* Ends constructs until so many are left; those are no executions. */
void profile_close_to(struct profile_table *table, uint32_t depth, uint64_t now);

/* Adds an execution that is no open construct, and stands for `weight` of them. */
void profile_add(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code, uint64_t ticks,
                 uint32_t weight, uint64_t now);
/* Adds executions that were counted, not measured: `ticks` is the time of all. */
void profile_add_counted(struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code,
                         uint64_t executions, uint64_t ticks, uint64_t now);
/* Moves a part of the time up to now from the construct that the thread is in to a row without executions. */
void profile_book_to(struct profile_table *table, enum raw_row kind, uint64_t ticks, uint64_t now);

/*
 * The words of a metric (enum raw_metric_word) in the row of the construct at `around`, counted from the thread itself
 * on: a number of `frame`. Valid until the rows are new. NULL: there is no room, which is counted.
 */
uint64_t *profile_metric(struct profile_table *table, enum raw_metric metric, unsigned number, uint64_t code,
                         uint64_t object, uint32_t around, uint64_t now);

static inline struct construct *profile_top(struct profile_table *table)
{
  return construct_top(&table->stack);
}

/* True if a construct can begin that has a frame of its own. */
static inline bool profile_has_room(const struct profile_table *table)
{
  return table->stack.depth < CONSTRUCTS_MOST;
}

/* Adds to a word of a row. */
static inline void profile_count(uint64_t *word, uint64_t more)
{
  __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + more, __ATOMIC_RELAXED);
}

/* True if a construct's self time is waiting. */
static inline bool profile_waits(enum raw_row kind, unsigned number)
{
  enum { TASKGROUP = 6, REDUCTION = 7 }; /* ompt_sync_region_t: between their begin and end the program works */
  return kind == RAW_ROW_SYNC_WAIT || kind == RAW_ROW_ACQUIRE || kind == RAW_ROW_BLOCK ||
         (kind == RAW_ROW_SYNC && number != TASKGROUP && number != REDUCTION);
}

/* Gives the time up to now to the construct that the thread is in. */
static inline void profile_table_book(struct profile_table *table, uint64_t now)
{
  const struct construct *top = profile_top(table);
  uint32_t row = __builtin_expect(table->partial, 0) && !profile_waits((enum raw_row)top->kind, top->number)
                     ? table->not_measured
                     : top->row;
  profile_count(&table->row[row].words[RAW_ROW_SELF], now - table->last);
  __atomic_store_n(&table->thread[2], now, __ATOMIC_RELAXED);
  table->last = now;
}

/* In a row's words: an execution of that kind, which stands for `weight`; self: without the constructs inside. */
static inline void profile_count_execution(uint64_t *words, enum raw_row kind, unsigned number, uint32_t weight,
                                           uint64_t ticks, uint64_t self)
{
  profile_count(&words[RAW_ROW_EXECUTIONS], weight);
  profile_count(&words[RAW_ROW_HISTOGRAM + raw_row_bucket(ticks)], 1);
  if (ticks > words[RAW_ROW_LONGEST])
    __atomic_store_n(&words[RAW_ROW_LONGEST], ticks, __ATOMIC_RELAXED);
  if (self > RAW_CONTENDED && profile_waits(kind, number)) {
    profile_count(&words[RAW_ROW_CONTENDED], 1);
    profile_count(&words[RAW_ROW_WAITING], self);
  }
}

/* What an execution counts as, where the thread is now. Valid until the rows are new. */
struct profile_execution {
  uint16_t row;
  enum raw_row kind;
  uint8_t number;
};
struct profile_execution profile_execution_of(struct profile_table *table, enum raw_row kind, unsigned number,
                                              uint64_t code, uint64_t now);

/* What profile_open and profile_close do, where profile_has_room, for one that began and ended, with nothing inside. */
static inline void profile_pass(struct profile_table *table, const struct profile_execution *of, uint64_t begin,
                                uint64_t end)
{
  struct profile_row *row = &table->row[of->row];
  uint64_t ticks = end - begin;
  profile_table_book(table, begin);
  profile_count(&row->words[RAW_ROW_SELF], ticks);
  if (row->open == 0)
    profile_count(&row->words[RAW_ROW_INCLUSIVE], ticks);
  profile_count_execution(row->words, of->kind, of->number, 1, ticks, ticks);
  profile_top(table)->inner += ticks;
  __atomic_store_n(&table->thread[2], end, __ATOMIC_RELAXED);
  table->last = end;
}

/* What profile_add does for one. */
static inline void profile_add_to(struct profile_table *table, const struct profile_execution *of, uint64_t ticks)
{
  uint64_t *words = table->row[of->row].words;
  profile_count(&words[RAW_ROW_INCLUSIVE], ticks);
  profile_count_execution(words, of->kind, of->number, 1, ticks, ticks);
}

#endif
