#include "jvmti-agent/runtimes/task_classes.h"

#include "base/count_of.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/runtimes/pool_tasks.h"

#include <stdatomic.h>
#include <string.h>

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

/* Those whose compute() runs a task: forkjoin.c hooks it in their subclasses. */
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

/* Whether the hooks of forkjoin.c are in a method. */
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

/* Goes up from the class to a base; the first compute() on this way is the one that runs. */
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
