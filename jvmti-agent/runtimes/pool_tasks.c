/* Tasks of pools: places of submission, the tasks that a thread is in, submission and begin, classes of tasks. */
#include "jvmti-agent/runtimes/pool_tasks.h"

#include "base/count_of.h"
#include "common/budget/omitted_counts.h"
#include "common/profile/profile_origin.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_budget.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * Calls of execute() and submit() of any executor in the program's classes. A hook before the call notes its place,
 * which takes a tenth of the time to read the stack. The hook of the pool takes the place. If no pool is called (the
 * program's own executor runs the task at once), the place is forgotten when the call returns. If the call throws, the
 * next call forgets it; until then only a call near to it on the stack could take it. A call by the JDK itself
 * (CompletableFuture.runAsync()), in a task that the program's executor runs at once, takes it: its task has the
 * outer line.
 *
 * Other ways to a pool, as invokeAll(), a method reference, or another class of the JDK, have no hook. Their places are
 * read from the stack.
 */

#define SUBMISSIONS_CONCURRENT "java/util/concurrent/"

/* Not the thread's own call: a pool may wait or wake somebody before it takes the task. */
static __thread struct noted_call noted __attribute__((tls_model("initial-exec")));

/* Returns the place of the call to which the hook's method belongs. 0: the call has no hooks, or led to another task.
 */
static uint64_t submission_take(const struct hook *hook)
{
  uint64_t place = call_take(&noted, hook);
  return thread_self.mounted ? 0 : place;
}

static void submissions_remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* A virtual thread may go on elsewhere before the call has come to a pool. */
static void submissions_on_call(const struct hook *hook)
{
  call_note(&noted, thread_self.mounted ? 0 : hook->site->code, hook);
}

static void after_call(const struct hook *hook)
{
  (void)hook;
  noted.place = 0;
}

/* Callers of the place are found on the stack, if they are wanted. */
static bool submissions_places_are_single(void)
{
  return agent.options.stack == 1;
}

#define SUBMISSIONS_CALL(class, name)                                                                                  \
  {.target = {WEAVE_VIRTUAL, SUBMISSIONS_CONCURRENT class, name, .hooks = HOOK_BOTH, .guard = GUARD_SWITCH},           \
   .prepare = submissions_remember_place,                                                                              \
   .enter = submissions_on_call,                                                                                       \
   .exit = after_call,                                                                                                 \
   .wanted = submissions_places_are_single}

static const struct row submissions_rows[] = {
    SUBMISSIONS_CALL("Executor", "execute"),
    SUBMISSIONS_CALL("ExecutorService", "execute"),
    SUBMISSIONS_CALL("ExecutorService", "submit"),
    SUBMISSIONS_CALL("AbstractExecutorService", "execute"),
    SUBMISSIONS_CALL("AbstractExecutorService", "submit"),
    SUBMISSIONS_CALL("ThreadPoolExecutor", "execute"),
    SUBMISSIONS_CALL("ThreadPoolExecutor", "submit"),
};

static const char *const submissions_marks[] = {SUBMISSIONS_CONCURRENT "Executor",
                                                SUBMISSIONS_CONCURRENT "AbstractExecutorService",
                                                SUBMISSIONS_CONCURRENT "ThreadPoolExecutor", NULL};

const struct runtime runtime_submissions = {.needs = LIVE_NEED_TASKS,
                                            .marks = submissions_marks,
                                            .rows = submissions_rows,
                                            .count = COUNT_OF(submissions_rows)};

/* OMPT's numbers. */
enum { TASK_COMPLETE = 1, TASK_SWITCH = 7 };

/* On the heap: a library that a process loads later has little room for variables of threads. */
static __thread struct task_nest *task_nest_self __attribute__((tls_model("initial-exec")));

static struct task_nest *make_nest(const struct hook *hook)
{
  jthread thread;
  struct task_nest *nest = calloc(1, sizeof *nest);
  if (!nest || (*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE)
    return nest;
  nest->of_pool = runtimes_is_worker(agent.jvmti, hook->jni, thread);
  (*hook->jni)->DeleteLocalRef(hook->jni, thread);
  task_budget_time(task_budget_of_thread(hook->jni), task_nest_times(nest));
  return nest;
}

struct task_nest *task_nest(const struct hook *hook)
{
  if (thread_self.mounted || thread_stack_ends(hook))
    return NULL;
  if (!task_nest_self)
    task_nest_self = make_nest(hook);
  if (task_nest_self && task_nest_self->works &&
      task_nest_self->round != sites_round(task_nest_self->worked)) { /* its end had no hook */
    task_nest_self->works = false;
    task_nest_self->depth = 0;
  }
  return task_nest_self;
}

struct task_nest *task_nest_at_end(void)
{
  return thread_self.mounted ? NULL : task_nest_self;
}

void task_nest_thread_end(void)
{
  free(task_nest_self);
  task_nest_self = NULL;
}

enum task_times task_nest_times(const struct task_nest *nest)
{
  if (nest->depth == 0)
    return nest->of_pool || nest->waits[0] > 0 ? TIMES_ALL : TIMES_NOTHING;
  if (nest->depth > NESTING)
    return TIMES_NOTHING;
  return nest->waits[nest->depth] > 0 ? TIMES_ALL : TIMES_EACH;
}

/* What woven code omits begins anew in a recorded task, and goes on behind it. */
static struct task_state change_omitted(struct task_state state, enum task_times times)
{
  struct jomp_budget *budget = jomp_budget_self;
  struct task_state before = {0};
  if (!budget || !budget->has_slot)
    return before;
  before = (struct task_state){budget->guard.tasks, budget->guard.waits};
  task_budget_close(budget);
  budget->guard.tasks = state.tasks;
  budget->guard.waits = state.waits;
  budget->looks = TASK_BUDGET_LOOKS;
  task_budget_time(budget, times);
  return before;
}

/* Adds a task. False: too deep, nothing is to be recorded. */
static bool task_nest_enter(struct task_nest *nest, uint64_t id, uint64_t code)
{
  if (nest->depth++ >= NESTING)
    return false;
  nest->before[nest->depth - 1] = change_omitted((struct task_state){0}, TIMES_EACH);
  nest->tasks[nest->depth - 1] = id;
  nest->codes[nest->depth - 1] = code;
  nest->waits[nest->depth] = 0;
  nest->runs[nest->depth] = 0;
  nest->objects[nest->depth - 1] = (struct task_object){0};
  return true;
}

static struct task_object *task_nest_innermost(struct task_nest *nest)
{
  return nest->depth > 0 && nest->depth <= NESTING ? &nest->objects[nest->depth - 1] : NULL;
}

bool task_nest_goes_up(struct task_nest *nest, const struct site *site, uint32_t hash)
{
  struct task_object *in = task_nest_innermost(nest);
  bool goes_up = in && in->site && in->site != site && in->hash == hash;
  if (goes_up)
    in->above++;
  return goes_up;
}

bool task_nest_comes_down(struct task_nest *nest, const struct site *site)
{
  struct task_object *in = task_nest_innermost(nest);
  bool comes_down = in && in->above > 0 && in->site != site;
  if (comes_down)
    in->above--;
  return comes_down;
}

uint64_t task_nest_code(const struct task_nest *nest)
{
  return nest->depth > 0 && nest->depth <= NESTING ? nest->codes[nest->depth - 1] : 0;
}

static void task_nest_begin(uint64_t id)
{
  recorder_emit(RAW_TASK_SWITCH, TASK_SWITCH, id);
}

void task_nest_leave(struct task_nest *nest)
{
  if (nest->depth == 0 || --nest->depth >= NESTING)
    return;
  recorder_emit(RAW_TASK_SWITCH, TASK_COMPLETE, nest->depth > 0 ? nest->tasks[nest->depth - 1] : RAW_ID_IMPLICIT);
  change_omitted(nest->before[nest->depth], task_nest_times(nest));
}

void task_nest_unwind(struct task_nest *nest, uintptr_t here)
{
  if (nest->depth > NESTING && nest->objects[NESTING - 1].at != 0 && nest->objects[NESTING - 1].at <= here)
    nest->depth = NESTING;
  while (nest->depth > 0 && nest->depth <= NESTING && nest->objects[nest->depth - 1].at != 0 &&
         nest->objects[nest->depth - 1].at <= here)
    task_nest_leave(nest);
}

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

/* Gives a task an id. The thread that executes it needs its place if records are summed up. */
static void name(struct submitted *task)
{
  task->id = recorder_new_id();
  profile_origin_note(task->id, (struct profile_origin){.code = task->code});
}

/* Records that a task is made. A stretch of omitted ones ends before it, and goes on behind it. */
static void record_made(const struct submitted *task, uint32_t weight)
{
  omitted_emit_weight(RAW_TASK_CREATE, weight);
  recorder_emit3(RAW_TASK_CREATE, RAW_TASK_EXPLICIT, task->code, task->id);
}

void pool_task_submit_at(uint32_t hash, uint64_t code, uint32_t weight)
{
  struct jomp_budget *budget = jomp_budget_self;
  struct submitted task = {.code = code};
  bool timed = budget && budget->since != 0;
  name(&task);
  if (!submitted_add(hash, task))
    return;
  if (timed)
    task_budget_close(budget);
  record_made(&task, weight);
  if (timed)
    task_budget_time(budget, (enum task_times)budget->times);
}

void pool_task_submit(const struct hook *hook, uint32_t hash)
{
  struct submitted task = {0};
  uint64_t code = submission_take(hook);
  if (!submitted_take_unmade(hash, &task))
    task.code = code ? code : place_here(agent.jvmti, hook->jni, 0);
  pool_task_submit_at(hash, task.code, 1);
}

void pool_task_doubt(const struct hook *hook)
{
  submitted_doubt((uint32_t)hook->number);
}

void pool_task_begin(struct task_nest *nest, struct submitted task, uint32_t weight)
{
  bool is_made = task.id != 0;
  if (!is_made)
    name(&task);
  if (!task_nest_enter(nest, task.id, task.code))
    return;
  if (!is_made)
    record_made(&task, weight);
  task_nest_begin(task.id);
}

#define TASK_CLASSES_CONCURRENT "Ljava/util/concurrent/"

/* hash << 32, and below it the id of a place, or KINDS + the kind. */
enum { CLASSES = 256 };
#define KINDS 0xffffff00u
static _Atomic uint64_t classes[CLASSES];

static void release(void *memory)
{
  (*agent.jvmti)->Deallocate(agent.jvmti, memory);
}

static bool task_classes_begins_with(const char *string, const char *begin)
{
  return strncmp(string, begin, strlen(begin)) == 0;
}

/* True for classes whose compute() runs a task: forkjoin.c hooks it in their subclasses. */
static bool is_base(const char *signature)
{
  static const char *const bases[] = {TASK_CLASSES_CONCURRENT "RecursiveTask;",
                                      TASK_CLASSES_CONCURRENT "RecursiveAction;",
                                      TASK_CLASSES_CONCURRENT "CountedCompleter;", "Ljava/util/stream/AbstractTask;"};
  for (size_t i = 0; i < COUNT_OF(bases); i++)
    if (strcmp(signature, bases[i]) == 0)
      return true;
  return false;
}

/* True if the hooks of forkjoin.c are in a method. */
static bool is_compute(jmethodID method)
{
  enum { STATIC = 0x8, BRIDGE = 0x40, NATIVE = 0x100, ABSTRACT = 0x400, SYNTHETIC = 0x1000 };
  char *name, *type;
  jint access;
  if ((*agent.jvmti)->GetMethodName(agent.jvmti, method, &name, &type, NULL) != JVMTI_ERROR_NONE)
    return false;
  bool is = strcmp(name, "compute") == 0 && task_classes_begins_with(type, "()") &&
            (*agent.jvmti)->GetMethodModifiers(agent.jvmti, method, &access) == JVMTI_ERROR_NONE &&
            (access & (STATIC | BRIDGE | NATIVE | ABSTRACT | SYNTHETIC)) == 0;
  release(name);
  release(type);
  return is;
}

static jmethodID find_compute(jclass class)
{
  jint count;
  jmethodID *methods, found = NULL;
  if ((*agent.jvmti)->GetClassMethods(agent.jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
    return NULL;
  for (jint i = 0; i < count && !found; i++)
    if (is_compute(methods[i]))
      found = methods[i];
  release(methods);
  return found;
}

static struct task_class computed_by(JNIEnv *jni, jmethodID compute, bool of_jdk)
{
  if (of_jdk)
    return (struct task_class){TASKS_COMPUTED_BY_JDK, 0};
  return (struct task_class){TASKS_COMPUTED,
                             place_of_method(agent.jvmti, jni, compute, place_line(agent.jvmti, compute, 0))};
}

/* By the name of the class, if that is enough. */
static bool by_name(const char *signature, struct task_class *is)
{
  static const char *const adapters[] = {TASK_CLASSES_CONCURRENT "CompletableFuture$",
                                         TASK_CLASSES_CONCURRENT "ForkJoinTask$",
                                         TASK_CLASSES_CONCURRENT "ForkJoinPool$"};
  static const char virtual_thread[] = "Ljava/lang/VirtualThread"; /* its lambda, too */
  *is = (struct task_class){TASKS_OF_OTHERS, 0};
  for (size_t i = 0; i < COUNT_OF(adapters); i++)
    if (task_classes_begins_with(signature, adapters[i]))
      is->kind = TASKS_OF_JDK;
  if (task_classes_begins_with(signature, virtual_thread))
    is->kind = TASKS_OF_VIRTUAL_THREADS;
  return is->kind != TASKS_OF_OTHERS;
}

/* Goes up from the class to a base; the first compute() on this way is the one in use. */
static struct task_class look_at(JNIEnv *jni, jclass class)
{
  struct task_class is = {TASKS_OF_OTHERS, 0};
  jmethodID compute = NULL;
  bool of_jdk = false;
  jclass of = (*jni)->NewLocalRef(jni, class);
  char *signature = NULL, *above = NULL;
  if ((*agent.jvmti)->GetClassSignature(agent.jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
    signature = NULL;
  bool found = signature && by_name(signature, &is);
  while (signature && !found) {
    if (!compute && (compute = find_compute(of)) != NULL)
      of_jdk = place_is_in_jdk(signature + 1);
    jclass super = (*jni)->GetSuperclass(jni, of);
    if (!super || (*agent.jvmti)->GetClassSignature(agent.jvmti, super, &above, NULL) != JVMTI_ERROR_NONE)
      above = NULL;
    if (above && compute && is_base(above))
      is = computed_by(jni, compute, of_jdk);
    found = is.kind != TASKS_OF_OTHERS;
    (*jni)->DeleteLocalRef(jni, of);
    of = super;
    release(signature);
    signature = above;
  }
  release(signature);
  (*jni)->DeleteLocalRef(jni, of);
  return is;
}

static struct task_class unpack(uint32_t what)
{
  if (what >= KINDS)
    return (struct task_class){(enum task_class_kind)(what - KINDS), 0};
  return (struct task_class){TASKS_COMPUTED, RAW_CODE_PLACE | what};
}

/* class: NULL if only its hash is known yet. */
static struct task_class find(JNIEnv *jni, jobject task, jclass class, uint32_t hash)
{
  _Atomic uint64_t *place = &classes[hash % CLASSES];
  uint64_t known = atomic_load_explicit(place, memory_order_relaxed);
  if (known >> 32 == hash && (uint32_t)known != 0)
    return unpack((uint32_t)known);
  jclass looked_at = class ? class : (*jni)->GetObjectClass(jni, task);
  struct task_class is = look_at(jni, looked_at);
  uint32_t what = is.code ? (uint32_t)is.code : KINDS + is.kind;
  atomic_store_explicit(place, (uint64_t)hash << 32 | what, memory_order_relaxed);
  if (!class)
    (*jni)->DeleteLocalRef(jni, looked_at);
  return is;
}

struct task_class task_class_of(JNIEnv *jni, jobject task, uint32_t hash)
{
  if (hash)
    return find(jni, task, NULL, hash);
  struct task_class is = {TASKS_OF_OTHERS, 0};
  jclass class = (*jni)->GetObjectClass(jni, task);
  if (class && pool_task_hash(class, &hash))
    is = find(jni, task, class, hash);
  (*jni)->DeleteLocalRef(jni, class);
  return is;
}
