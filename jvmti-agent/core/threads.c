#include "jvmti-agent/core/threads.h"

#include "common/budget/omitted_counts.h"
#include "common/java/java_calls.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"

#include <string.h>
#include <sys/prctl.h>

static struct {
  jfieldID id, blocker;
} fields;
static jclass thread_class;

/* When threads were started, by Thread.getId modulo the size. Who finds another's id there does not know. */
#define STARTS 1024u
static struct {
  atomic_uint_fast64_t id, ticks;
} starts[STARTS];

static thread_is_worker *is_worker;
static thread_begins *also_begin;
static thread_known_since *known_since; /* NULL: of none */
static void (*on_round)(void);          /* likewise */

void threads_forget_by(void (*forget)(void))
{
  on_round = forget;
}

bool threads_open(JNIEnv *jni, thread_is_worker *of_a_runtime, thread_begins *begins)
{
  is_worker = of_a_runtime;
  also_begin = begins;
  if (thread_class)
    return true;
  jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
  if (class) {
    fields.id = (*jni)->GetFieldID(jni, class, "tid", "J");
    fields.blocker = fields.id ? (*jni)->GetFieldID(jni, class, "parkBlocker", "Ljava/lang/Object;") : NULL;
    thread_class = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
  }
  (*jni)->ExceptionClear(jni);
  return fields.id && fields.blocker && thread_class;
}

void threads_ask_since(thread_known_since *since)
{
  known_since = since;
}

void threads_begin_main(void)
{
  thread_self.owns_recorder = (uintptr_t)recorder_self <= (uintptr_t)RECORDER_NONE;
  thread_self.begin = clock_ticks();
  recorder_thread_begin(0);
}

bool thread_is_object(JNIEnv *jni, jobject object)
{
  return object && (*jni)->IsInstanceOf(jni, object, thread_class);
}

uint64_t thread_id_of(JNIEnv *jni, jobject thread)
{
  return thread ? (uint64_t)(*jni)->GetLongField(jni, thread, fields.id) : 0;
}

uint64_t thread_id_if_thread(JNIEnv *jni, jobject object)
{
  return thread_is_object(jni, object) ? thread_id_of(jni, object) : 0;
}

jobject thread_park_blocker_of(JNIEnv *jni, jobject thread)
{
  return (*jni)->GetObjectField(jni, thread, fields.blocker);
}

jobject thread_park_blocker(JNIEnv *jni)
{
  jthread thread;
  if ((*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE || !thread)
    return NULL;
  jobject blocker = thread_park_blocker_of(jni, thread);
  (*jni)->DeleteLocalRef(jni, thread);
  return blocker;
}

void threads_note_start(uint64_t id)
{
  atomic_store(&starts[id % STARTS].id, 0);
  atomic_store(&starts[id % STARTS].ticks, clock_ticks());
  atomic_store(&starts[id % STARTS].id, id);
}

static uint64_t start_of(uint64_t id)
{
  if (atomic_load(&starts[id % STARTS].id) != id)
    return 0;
  uint64_t ticks = atomic_load(&starts[id % STARTS].ticks);
  return atomic_load(&starts[id % STARTS].id) == id ? ticks : 0;
}

static uint32_t hash_of(const char *text)
{
  uint32_t hash = 2166136261u;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

/* As much of a text as one record holds, cut between two characters. */
static void emit_text(enum raw_text what, const char *text)
{
  uint64_t elements[RECORDER_MOST][RAW_EXTRA];
  size_t size = strlen(text);
  if (size > sizeof elements)
    for (size = sizeof elements; size && ((unsigned char)text[size] & 0xc0) == 0x80;)
      size--;
  unsigned n = (unsigned)((size + sizeof *elements - 1) / sizeof *elements);
  memset(elements, 0, n * sizeof *elements);
  memcpy(elements, text, size);
  recorder_emit_list(RAW_THREAD_TEXT, (uint64_t)size | (uint64_t)what << 16, n, (const uint64_t(*)[RAW_EXTRA])elements);
}

static void emit_name(const char *name)
{
  uint32_t hash = hash_of(name);
  if (hash == thread_self.name_hash)
    return;
  thread_self.name_hash = hash;
  emit_text(RAW_TEXT_NAME, name);
}

/* A Thread runs a Runnable, if it has one. JDK 18 and before; later. */
static struct jdk_field target = JDK_FIELD("java/lang/Thread", "target", "Ljava/lang/Runnable;");
static struct jdk_field holder = JDK_FIELD("java/lang/Thread", "holder", "Ljava/lang/Thread$FieldHolder;");
static struct jdk_field task = JDK_FIELD("java/lang/Thread$FieldHolder", "task", "Ljava/lang/Runnable;");

static jobject runnable_of(JNIEnv *jni, jthread thread)
{
  jobject held = jdk_field_object(jni, &holder, thread);
  jobject runnable = held ? jdk_field_object(jni, &task, held) : jdk_field_object(jni, &target, thread);
  (*jni)->DeleteLocalRef(jni, held);
  return runnable;
}

/* What the thread executes: threads that run the same are a team. A plain Thread without a Runnable executes nothing.
 */
static void emit_class(JNIEnv *jni, jthread thread)
{
  jclass class = (*jni)->GetObjectClass(jni, thread);
  jobject runs = (*jni)->IsSameObject(jni, class, thread_class) ? runnable_of(jni, thread) : thread;
  const char *name = runs ? object_class((uint64_t)class_id_of(agent.jvmti, jni, runs) << 32) : NULL;
  if (name)
    emit_text(RAW_TEXT_CLASS, name);
  if (runs != thread)
    (*jni)->DeleteLocalRef(jni, runs);
  (*jni)->DeleteLocalRef(jni, class);
}

/* Reads a thread's properties. */
struct description {
  jvmtiThreadInfo info; /* name in UTF-8; to be deallocated by the JVM */
  char *group;
  bool internal;
};

static bool threads_describe(JNIEnv *jni, jthread thread, struct description *description)
{
  jvmtiEnv *jvmti = agent.jvmti;
  jvmtiThreadInfo *info = &description->info;
  jvmtiThreadGroupInfo group = {0};
  *description = (struct description){0};
  if ((*jvmti)->GetThreadInfo(jvmti, thread, info) != JVMTI_ERROR_NONE)
    return false;
  name_to_utf8(info->name);
  if (info->thread_group && (*jvmti)->GetThreadGroupInfo(jvmti, info->thread_group, &group) == JVMTI_ERROR_NONE &&
      group.name) {
    name_to_utf8(group.name);
    description->group = group.name;
  }
  (*jni)->DeleteLocalRef(jni, group.parent);
  (*jni)->DeleteLocalRef(jni, info->thread_group);
  (*jni)->DeleteLocalRef(jni, info->context_class_loader);
  /* The JVM's own threads are in groups of its own, except the thread that waits for the others at the end. */
  const char *name = description->group;
  description->internal = (name && (!strcmp(name, "system") || !strcmp(name, "InnocuousThreadGroup"))) ||
                          !strcmp(info->name, "DestroyJavaVM");
  return true;
}

static void description_free(struct description *description)
{
  (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)description->info.name);
  (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)description->group);
}

/* Begins the calling thread's recording with what it is; bits: enum raw_java_thread beside what it says itself. */
static void begin(JNIEnv *jni, jthread thread, unsigned bits)
{
  struct description description;
  uint64_t id = thread_id_of(jni, thread), started = thread_self.begin ? thread_self.begin : start_of(id);
  if (!started && known_since)
    started = known_since(id);
  /* Silent meanwhile: what it takes to ask must not record itself. */
  thread_self.state = THREAD_SILENT;
  thread_self.name_hash = 0;
  if (!threads_describe(jni, thread, &description))
    return;
  bits |= description.info.is_daemon ? RAW_JAVA_DAEMON : 0;
  bits |= description.internal ? RAW_JAVA_INTERNAL : 0;
  bits |= agent.options.jomp && !(bits & RAW_JAVA_VIRTUAL) && is_worker(agent.jvmti, jni, thread) ? RAW_JAVA_WORKER : 0;
  if (!description.internal || agent.options.internal) {
    if ((uintptr_t)recorder_self <= (uintptr_t)RECORDER_NONE) {
      thread_self.owns_recorder = true;
      recorder_thread_begin(0);
    }
    recorder_emit3(RAW_JAVA_THREAD, bits, id, started);
    if (java_calls_wanted() && !(bits & RAW_JAVA_BY_OTHER))
      java_calls_wanted()->begin();
    if (*description.info.name || !(bits & RAW_JAVA_VIRTUAL)) /* most virtual threads have no name */
      emit_name(description.info.name);
    if (description.group)
      emit_text(RAW_TEXT_GROUP, description.group);
    if (!(bits & RAW_JAVA_VIRTUAL))
      emit_class(jni, thread);
    thread_self.state = THREAD_RECORDS;
    if (!(bits & RAW_JAVA_BY_OTHER))
      also_begin(jni, id);
  }
  thread_self.begin = 0;
  description_free(&description);
}

static void record_for(JNIEnv *jni, jthread thread, uint64_t since, unsigned bits)
{
  struct recorder *recorder = recorder_self;
  struct thread_self self = thread_self;
  recorder_self = NULL;
  thread_self = (struct thread_self){.begin = since, .round = self.round};
  begin(jni, thread, RAW_JAVA_LATE | RAW_JAVA_BY_OTHER | bits);
  recorder_thread_end();
  recorder_self = recorder;
  thread_self = self;
}

void threads_record_for(JNIEnv *jni, jthread thread, uint64_t since)
{
  record_for(jni, thread, since, 0);
}

void threads_record_virtual(JNIEnv *jni, jthread thread, uint64_t since)
{
  record_for(jni, thread, since, RAW_JAVA_VIRTUAL);
}

/* The rest belongs to the thread itself, or to a thread that waits for it. */
void thread_begin_round(void)
{
  thread_self = (struct thread_self){.round = atomic_load(&agent.round),
                                     .owns_recorder = thread_self.owns_recorder,
                                     .asked_for_timeouts = thread_self.asked_for_timeouts,
                                     .owner_slot = thread_self.owner_slot,
                                     .stack_end = thread_self.stack_end};
  places_forget_last();
  if (on_round)
    on_round();
}

bool thread_describe(JNIEnv *jni)
{
  jthread thread;
  /* A virtual thread's carrier is unknown here: the carrier is described when it starts. */
  if (thread_self.mounted || (*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE || !thread)
    return false;
  begin(jni, thread, thread_self.begin ? 0 : RAW_JAVA_LATE);
  (*jni)->DeleteLocalRef(jni, thread);
  return thread_self.state == THREAD_RECORDS;
}

void threads_describe_jvms(void)
{
  char name[17] = {0};
  prctl(PR_GET_NAME, name);
  recorder_emit3(RAW_JAVA_THREAD, RAW_JAVA_INTERNAL | RAW_JAVA_LATE, 0, 0);
  emit_name(name);
  thread_self.state = THREAD_RECORDS;
}

void threads_record_end(void)
{
  if ((uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE)
    return;
  recorder_thread_begin(0);
  threads_describe_jvms();
}

static void read_name_again(JNIEnv *jni, jthread thread)
{
  struct description description;
  if (threads_describe(jni, thread, &description)) {
    emit_name(description.info.name);
    description_free(&description);
  }
}

void threads_renamed(JNIEnv *jni, jobject thread)
{
  jthread self;
  if ((*agent.jvmti)->GetCurrentThread(agent.jvmti, &self) != JVMTI_ERROR_NONE)
    return;
  if ((*jni)->IsSameObject(jni, self, thread))
    read_name_again(jni, thread);
  (*jni)->DeleteLocalRef(jni, self);
}

void JNICALL threads_on_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti;
  if (thread_is_recorded()) /* the main thread: it was described at VMInit */
    return;
  thread_self = (struct thread_self){.round = atomic_load(&agent.round)};
  if (atomic_load(&agent.live))
    begin(jni, thread, 0);
}

void JNICALL threads_on_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)jvmti;
  if (thread_is_recorded())
    read_name_again(jni, thread);
  /* Also after the recording: another one may have the memory. */
  if (thread_self.owns_recorder && (thread_is_recorded() || !recording_goes_on()))
    recorder_thread_end();
  objects_thread_end(jni);
  thread_self.state = THREAD_SILENT;
}

bool note_is_taken(enum raw_note note, uint64_t code)
{
  struct budget_row *row =
      budget_is_on() ? budget_row(code & (RAW_CODE_PLACE - 1), BUDGET_MUTEXES, OMITTED_NOTE | note, 1) : NULL;
  uint32_t weight = row ? budget_take(row) : 1;
  omitted_emit_weight(RAW_JAVA_NOTE, weight);
  return weight > 0;
}

void note_unpark(JNIEnv *jni, jobject thread)
{
  if (note_is_taken(RAW_NOTE_UNPARK, 0))
    recorder_emit3(RAW_JAVA_NOTE, RAW_NOTE_UNPARK, 0, thread_id_of(jni, thread));
}
