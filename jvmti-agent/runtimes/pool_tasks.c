#include "jvmti-agent/runtimes/pool_tasks.h"

#include "common/profile/profile_origin.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/submissions.h"

bool pool_task_hash(jobject object, uint32_t *hash)
{
  jint found;
  if (!object || (*agent.jvmti)->GetObjectHashCode(agent.jvmti, object, &found) != JVMTI_ERROR_NONE)
    return false;
  *hash = (uint32_t)found;
  return true;
}

void pool_task_remember_method(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, 0);
}

/* It has an id. Who executes it needs its place, where records are added up. */
static void name(struct submitted *task)
{
  task->id = recorder_new_id();
  profile_origin_note(task->id, (struct profile_origin){.code = task->code});
}

void pool_task_submit_at(uint32_t hash, uint64_t code)
{
  struct submitted task = {.code = code};
  name(&task);
  if (submitted_add(hash, task))
    recorder_emit3(RAW_TASK_CREATE, RAW_TASK_EXPLICIT, task.code, task.id);
}

void pool_task_submit(const struct hook *hook, uint32_t hash)
{
  struct submitted task = {0};
  uint64_t code = submission_take(hook);
  if (!submitted_take_unmade(hash, &task))
    task.code = code ? code : place_here(agent.jvmti, hook->jni, 0);
  pool_task_submit_at(hash, task.code);
}

void pool_task_doubt(const struct hook *hook)
{
  submitted_doubt((uint32_t)hook->number);
}

void pool_task_begin(struct task_nest *nest, struct submitted task)
{
  bool is_made = task.id != 0;
  if (!is_made)
    name(&task);
  if (!task_nest_enter(nest, task.id, task.code))
    return;
  if (!is_made)
    recorder_emit3(RAW_TASK_CREATE, RAW_TASK_EXPLICIT, task.code, task.id);
  task_nest_begin(task.id);
}
