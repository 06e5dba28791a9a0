/*
 * Profiles beside events (common/profile_beside.h): the callbacks that begin what other threads take part in note where
 * that is from, besides what they do otherwise.
 */
#ifndef HEDDLE_OMPT_TOOL_BESIDE_H
#define HEDDLE_OMPT_TOOL_BESIDE_H

#include "ompt-tool/callbacks.h"

/* Which ones: of limited.h, or those of callbacks.h. Once, before the first callback. */
void beside_set(bool limited);
extern __typeof__(on_parallel_begin) beside_parallel_begin;
extern __typeof__(on_task_create) beside_task_create;

#endif
