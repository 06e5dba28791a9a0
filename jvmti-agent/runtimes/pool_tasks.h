/*
 * Tasks that are submitted to a pool, from submission to run: what executors, CompletableFuture and fork-join tasks
 * have in common. All functions are about the calling thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H

#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/submitted.h"
#include "jvmti-agent/runtimes/task_nest.h"

/* The identity hash of a task's object. False: there is no object. */
bool pool_task_hash(jobject object, uint32_t *hash);

/* The place of the hook's method: of tasks whose submission was not seen. A row's `prepare`. */
void pool_task_remember_method(struct site *site, const struct weave_match *match);

/* It is submitted. Its place is where its stage was made, if that is known, else the program's on the stack. */
void pool_task_submit(const struct hook *hook, uint32_t hash);

/* ... and its place is known. */
void pool_task_submit_at(uint32_t hash, uint64_t code);

/* A task is cancelled, whose hash is the hook's number (HOOK_HASH). A worker may still begin it: then it ends at once.
 * A row's `enter`. */
void pool_task_doubt(const struct hook *hook);

/* A task begins. It is made, too, if its submission was not seen (id 0). */
void pool_task_begin(struct task_nest *nest, struct submitted task);

#endif
