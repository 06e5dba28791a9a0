/*
 * Budget of pools' tasks (common/budget/budget.h), in the threads' tables (jomp_budget.h). A thread forks a number of
 * tasks of a class without a record, and then a recorded one. The same holds for tasks that it computes itself, by the
 * site of compute(), and for waits for tasks. Woven code counts what is omitted, without a call (weaver/guards.h). The
 * next recorded task of the place has the omitted ones in its weight, so numbers of tasks are exact.
 *
 * Nobody asks for the hash of an omitted task's object. So woven code sees whether a task that a pool runs was forked
 * without a record. It omits such a task, and everything in it but recorded tasks.
 *
 * Stretches: the time of omitted tasks is recorded (RAW_OMITTED_TASKS). In a wait, or in a pool's worker outside of
 * recorded tasks, it begins with the first omitted task. Whatever else is recorded ends it. In a recorded
 * task each of the first TASK_BUDGET_LOOKS has one.
 *
 * All functions are for the calling thread, in its hooks. budget NULL: nothing is omitted.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_BUDGET_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_BUDGET_H

#include "jvmti-agent/runtimes/jomp_budget.h"

#define TASK_BUDGET_LOOKS 16u

enum task_times { TIMES_NOTHING, TIMES_ALL, TIMES_EACH /* in a recorded task */ };

/* Woven code knows omitted tasks: before the first class is woven. Without this call none are omitted. */
void task_budget_allow(void);
/* True if it was called, and there is a budget. */
bool task_budget_omits(void);
/* Returns the table of a thread whose woven code omits tasks; NULL: none. */
struct jomp_budget *task_budget_of_thread(JNIEnv *jni);

/* Returns the weight of the task that is forked; 0: it is omitted. class: identity hash of its class. */
uint32_t task_budget_fork(struct jomp_budget *budget, uint32_t class, uint64_t code);
/* The same of a task that the thread computes itself, or of a wait for tasks of this place. */
uint32_t task_budget_compute(struct jomp_budget *budget, const struct site *site);
uint32_t task_budget_wait(struct jomp_budget *budget, const struct site *site, uint64_t code);
/* True once tasks were forked without a record, by any thread. */
bool task_budget_forked(void);

/* The thread begins an omitted task. */
void task_budget_omit(struct jomp_budget *budget);
/* The same where the stack is about to end, `here`: no other hook of the task comes to C. */
void task_budget_omit_near(struct jomp_budget *budget, uintptr_t here);
/* The thread is `here`. Hooks may have failed where its stack ended: then it is not in what they would have ended.
 * True: that may be so. */
bool task_budget_come_back(struct jomp_budget *budget, uintptr_t here);
/* Ends the stretch, because something is about to be recorded. */
void task_budget_close(struct jomp_budget *budget);
/* The next omitted task begins a stretch; in an omitted task, the stretch begins now. */
void task_budget_time(struct jomp_budget *budget, enum task_times times);
/* The hook of a task's end was called. True: the task is an omitted one, whose stretch ends. */
bool task_budget_ends(struct jomp_budget *budget);

/* What block_in_omitted does (blocks.h): a wait is no part of a stretch. */
void task_budget_follow_block(bool begins);

#endif
