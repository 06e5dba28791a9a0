#include "jvmti-agent/runtimes/task_budget.h"

#include "common/budget/budget.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"

#include <stdatomic.h>

/* In words' worth of others: a task has hooks, and a look into the table of submitted ones. */
#define FORK_RECORDS    60u
#define COMPUTE_RECORDS 40u
#define WAIT_RECORDS    16u

#define FAR_BYTES 16384u /* so far from where hooks were near the stack's end, all of them have ended */

/* Kinds of rows in BUDGET_TASKS; OMPT's tasks are 0. */
enum { ROW_FORK = 1, ROW_COMPUTE, ROW_WAIT };

static atomic_bool forked;

static bool allowed;

void task_budget_allow(void)
{
  allowed = true;
}

bool task_budget_omits(void)
{
  return allowed && jomp_budget_omits();
}

bool task_budget_forked(void)
{
  return atomic_load_explicit(&forked, memory_order_relaxed);
}

struct jomp_budget *task_budget_of_thread(JNIEnv *jni)
{
  struct jomp_budget *budget = task_budget_omits() ? jomp_budget_of_thread(jni) : NULL;
  return budget && budget->has_slot ? budget : NULL;
}

static struct budget_row *row_of_tasks(uint64_t code, unsigned kind, unsigned records)
{
  return recording_state() == RECORDING_PAUSED ? NULL
                                               : budget_row(code & (RAW_CODE_PLACE - 1), BUDGET_TASKS, kind, records);
}

/* Chooses the next recorded one of a row, behind the rest of the block; returns how many are omitted before it. */
static uint32_t choose_next(const struct budget_row *row, uint32_t *rest)
{
  uint32_t size = budget_every(row), at = budget_choose(size), before = *rest + at - 1;
  *rest = size - at;
  return before;
}

uint32_t task_budget_fork(struct jomp_budget *budget, uint32_t class, uint64_t code)
{
  struct budget_row *row = budget ? row_of_tasks(code, ROW_FORK, FORK_RECORDS) : NULL;
  if (!row)
    return 1;
  struct guard_fork *fork = &budget->forks[class % GUARD_FORKS];
  if (fork->class == 0) {
    fork->class = class;
    fork->code = code;
  }
  if (fork->class != class) /* woven code cannot distinguish the two */
    return 1;
  if (fork->left > 0) {
    fork->left--;
    return 0;
  }
  uint32_t omitted = fork->lent;
  budget_count(row, 1, omitted);
  if (fork->code != code && omitted > 0) { /* another operation of the JDK */
    recorder_emit3(RAW_COUNTED, RAW_TASK_CREATE, fork->code, omitted);
    omitted = 0;
  }
  fork->code = code;
  fork->left = fork->lent = choose_next(row, &fork->rest);
  if (fork->left > 0)
    atomic_store_explicit(&forked, true, memory_order_relaxed);
  return 1 + omitted;
}

/* Returns the weight of what happens at a site. */
static uint32_t take_at(struct jomp_budget *budget, const struct site *site, struct budget_row *row)
{
  struct jomp_budget_site *entry = &budget->site[site->index];
  if (entry->count.left > 0) {
    entry->count.left--;
    return 0;
  }
  uint32_t omitted = entry->lent, rest = entry->rest;
  budget_count(row, 1, omitted);
  entry->count.left = entry->lent = choose_next(row, &rest);
  entry->rest = rest & INT32_MAX;
  return 1 + omitted;
}

uint32_t task_budget_compute(struct jomp_budget *budget, const struct site *site)
{
  if (!budget || site->index >= (int32_t)GUARD_SITES || site->kind != JOMP_BUDGET_COMPUTE)
    return 1;
  if (atomic_load_explicit(&site->is_above, memory_order_relaxed))
    return budget->guard.tasks == 0; /* else an omitted task calls the method of its superclass */
  struct budget_row *row = row_of_tasks(site->code, ROW_COMPUTE, COMPUTE_RECORDS);
  return row ? take_at(budget, site, row) : 1;
}

uint32_t task_budget_wait(struct jomp_budget *budget, const struct site *site, uint64_t code)
{
  if (!budget || site->index >= (int32_t)GUARD_SITES)
    return 1;
  struct budget_row *row = row_of_tasks(code, ROW_WAIT, WAIT_RECORDS);
  return row ? take_at(budget, site, row) : 1;
}

void task_budget_omit(struct jomp_budget *budget)
{
  if (budget->guard.timed) {
    budget->guard.timed = 0;
    budget->guard.ends = budget->times == TIMES_EACH;
    budget->since = clock_ticks();
    thread_self.in_omitted = true;
  }
  budget->guard.tasks++;
}

void task_budget_omit_near(struct jomp_budget *budget, uintptr_t here)
{
  if (budget->near == 0) {
    budget->near = here;
    budget->before = budget->guard.tasks;
  }
  budget->guard.tasks++;
}

bool task_budget_come_back(struct jomp_budget *budget, uintptr_t here)
{
  if (__builtin_expect(budget->near == 0, 1) || here < budget->near + FAR_BYTES)
    return false;
  budget->near = 0;
  if (budget->guard.tasks > budget->before)
    budget->guard.tasks = budget->before;
  return true;
}

void task_budget_close(struct jomp_budget *budget)
{
  if (!budget || budget->since == 0)
    return;
  struct recorder *recorder = recorder_enter_list(BATCH_PAIRS);
  uint64_t begin = budget->since;
  budget->since = 0;
  thread_self.in_omitted = false;
  if (!recorder)
    return;
  uint64_t *record = recorder->cursor, now = clock_ticks();
  record[1] = now;
  record[2] = begin;
  record[3] = 1;
  record[4] = now - begin;
  record[5] = 0;
  recorder_put(recorder, 6, raw_head(RAW_OMITTED, RAW_OMITTED_TASKS, 0));
  recorder_leave(recorder);
}

void task_budget_follow_block(bool begins)
{
  struct jomp_budget *budget = jomp_budget_self;
  if (!budget)
    return;
  if (begins) {
    task_budget_close(budget);
    thread_self.in_omitted = true; /* so the wait's end comes here */
  } else {
    task_budget_time(budget, (enum task_times)budget->times);
  }
}

void task_budget_time(struct jomp_budget *budget, enum task_times times)
{
  if (!budget)
    return;
  bool now = times != TIMES_NOTHING && budget->guard.tasks > 0;
  budget->times = (uint8_t)times;
  budget->guard.timed = times != TIMES_NOTHING && !now;
  budget->guard.ends = now && times == TIMES_EACH;
  budget->since = now ? clock_ticks() : 0;
  thread_self.in_omitted = now;
}

bool task_budget_ends(struct jomp_budget *budget)
{
  if (!budget || !budget->guard.ends)
    return false;
  budget->guard.ends = 0;
  task_budget_close(budget);
  if (budget->looks > 0) {
    budget->looks--;
    budget->guard.timed = 1;
  }
  return true;
}
