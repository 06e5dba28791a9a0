#include "jvmti-agent/natives.h"

#include "base/count_of.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/io.h"
#include "jvmti-agent/lock_names.h"
#include "jvmti-agent/monitors.h"
#include "jvmti-agent/native_methods.h"
#include "jvmti-agent/older_threads.h"
#include "jvmti-agent/virtual_threads.h"
#include "jvmti-agent/wait_owners.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define WORDS     4
#define MOST_GAP  100 /* us from one yield to the next of a burst */
#define WORTH_ONE 16  /* yields: from then on the stack is read for a burst */

/* The burst that is the newest record of the thread: where it is, and the thread and sequence of its chunk. */
static __thread struct {
  uint64_t *record;
  uint32_t thread, sequence;
} burst __attribute__((tls_model("initial-exec")));

static bool is_newest(const struct recorder *self)
{
  return burst.record && self->cursor == burst.record + WORDS && self->thread == burst.thread &&
         self->sequence == burst.sequence;
}

void spin_forget(void)
{
  burst.record = NULL;
}

static void start(struct recorder *self, uint64_t begin)
{
  uint64_t *record = self->cursor;
  record[1] = clock_ticks();
  record[2] = begin;
  record[3] = 1;
  burst.record = record;
  burst.thread = self->thread;
  burst.sequence = self->sequence;
  recorder_publish(self, WORDS, raw_head(RAW_SPIN, 0, 0));
}

static void set_place(uint64_t code)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  if (is_newest(self))
    __atomic_store_n(burst.record, raw_head(RAW_SPIN, 0, code), __ATOMIC_RELEASE);
  recorder_leave(self);
}

static void spin_add(JNIEnv *jni, uint64_t begin)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  if (!is_newest(self) || begin - burst.record[1] > MOST_GAP * agent.ticks_per_us) {
    start(self, begin);
    return;
  }
  burst.record[1] = clock_ticks();
  uint64_t count = ++burst.record[3];
  recorder_leave(self);
  if (count == WORTH_ONE)
    set_place(place_here(agent.jvmti, jni, 0));
}

/* A park that took less was none, and no other wait takes less: it is not worth the look at the stack. */
#define WORTH_NAMING 5 /* us */

/* The JVM's own. */
static struct {
  void(JNICALL *park)(JNIEnv *, jobject, jboolean, jlong);
  void(JNICALL *unpark)(JNIEnv *, jobject, jobject);
  void(JNICALL *wait)(JNIEnv *, jobject, jlong);
  void(JNICALL *notify)(JNIEnv *, jobject);
  void(JNICALL *notify_all)(JNIEnv *, jobject);
  void(JNICALL *start)(JNIEnv *, jobject);
  void(JNICALL *sleep)(JNIEnv *, jclass, jlong);
  void(JNICALL *yield)(JNIEnv *, jclass);
  void(JNICALL *interrupt)(JNIEnv *, jobject);
  void(JNICALL *set_name)(JNIEnv *, jobject, jstring);
  void(JNICALL *collect)(JNIEnv *, jobject);
} natives_jvm;

/* True if the recording in which the wait began goes on; round: thread_self's at that time. */
static bool still_live(uint32_t round)
{
  return atomic_load_explicit(&agent.live, memory_order_acquire) &&
         round == atomic_load_explicit(&agent.round, memory_order_relaxed);
}

/*
 * The place of a wait that began so and has ended; 0: it was short. The stack is the same as before, but nobody waits
 * for a look at it. What the wait threw is put aside meanwhile: few functions may be called under an exception.
 */
static uint64_t name_late(JNIEnv *jni, enum raw_block kind, uint64_t begin)
{
  if (clock_ticks() - begin <= WORTH_NAMING * agent.ticks_per_us)
    return 0;
  jthrowable thrown = (*jni)->ExceptionOccurred(jni);
  if (thrown)
    (*jni)->ExceptionClear(jni);
  uint64_t code = place_here(agent.jvmti, jni, kind);
  if (thrown) {
    (*jni)->Throw(jni, thrown);
    (*jni)->DeleteLocalRef(jni, thrown);
  }
  return code;
}

/* True if a park timed out. */
static bool park_timed_out(jboolean absolute, jlong time, uint64_t begin_ns)
{
  if (time == 0)
    return false;
  if (!absolute)
    return clock_monotonic_ns() - begin_ns >= (uint64_t)time;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (jlong)now.tv_sec * 1000 + now.tv_nsec / 1000000 >= time;
}

/* A virtual thread that can't let go of its carrier parks for a socket. False: it is no such park. */
static bool park_for_io(JNIEnv *jni, jobject unsafe, jboolean absolute, jlong time)
{
  uint64_t object;
  enum raw_block kind = thread_self.polled ? io_take_poll(&object) : 0;
  if (!kind)
    return false;
  uint32_t round = thread_self.round;
  block_begin(kind, place_here(agent.jvmti, jni, kind), object);
  natives_jvm.park(jni, unsafe, absolute, time);
  if (still_live(round)) {
    block_pinned(place_that_pins(agent.jvmti, jni));
    block_end(kind, 0, 0);
  }
  return true;
}

/* A virtual thread parks here only if it can't let go of its carrier. */
static void note_pinned_park(JNIEnv *jni)
{
  jthread thread;
  if ((*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE || !thread)
    return;
  jobject blocker = thread_park_blocker_of(jni, thread);
  if (owned_wait_is_lock(jni, blocker))
    virtual_wait_begins(jni, thread, thread_self.mounted, false, object_of(agent.jvmti, jni, blocker));
  (*jni)->DeleteLocalRef(jni, blocker);
  (*jni)->DeleteLocalRef(jni, thread);
}

static void JNICALL on_park(JNIEnv *jni, jobject unsafe, jboolean absolute, jlong time)
{
  if (!thread_measures(jni, LIVE_NEED_PARKS)) {
    natives_jvm.park(jni, unsafe, absolute, time);
    return;
  }
  if (park_for_io(jni, unsafe, absolute, time))
    return;
  uint32_t round = thread_self.round;
  uint64_t begin_ns = time && !absolute ? clock_monotonic_ns() : 0, begin = block_begin_timed(RAW_BLOCK_PARK);
  if (thread_self.mounted)
    note_pinned_park(jni);
  natives_jvm.park(jni, unsafe, absolute, time);
  if (thread_self.mounted)
    virtual_wait_ends(thread_self.mounted, false);
  if (!still_live(round))
    return;
  unsigned detail = RAW_BLOCK_PARK | (park_timed_out(absolute, time, begin_ns) ? RAW_BLOCK_TIMED_OUT : 0);
  if (block_end_if_short(detail, begin, WORTH_NAMING * agent.ticks_per_us))
    return;
  /* The blocker is still set, and the stack is the same: both cost more than a park that does not block. */
  jobject blocker = thread_park_blocker(jni);
  uint64_t object = object_of(agent.jvmti, jni, blocker), code = place_here(agent.jvmti, jni, RAW_BLOCK_PARK);
  lock_name(jni, object, RAW_BLOCK_PARK);
  (*jni)->DeleteLocalRef(jni, blocker);
  if (thread_self.mounted)
    block_pinned(place_that_pins(agent.jvmti, jni));
  block_end(detail, code, object);
}

static void JNICALL on_unpark(JNIEnv *jni, jobject unsafe, jobject thread)
{
  if (agent.late && atomic_load_explicit(&agent.live, memory_order_acquire))
    older_threads_unparked(thread_id_of(jni, thread));
  if (agent.options.notes && thread_measures(jni, LIVE_NEED_ALL))
    note_unpark(jni, thread);
  natives_jvm.unpark(jni, unsafe, thread);
}

/*
 * Where the program's calls have no hooks, the stack is read before a wait: the place of one that never ends is known
 * then, too.
 */
static bool has_no_hooks(void)
{
  return agent.late || agent.options.stack > 1;
}

/*
 * Such a place is named at once, even if it was never seen before. A wait that has to enter the monitor again begins
 * another one before it ends, and has no place of its own then.
 */
static uint64_t place_before(JNIEnv *jni, enum raw_block kind, struct place_stack *stack)
{
  uint64_t code = place_if_known(agent.jvmti, jni, kind, stack);
  return code ? code : place_of_stack(agent.jvmti, jni, stack);
}

/* A virtual thread joins a platform thread: that may be for ever. */
static void note_join(JNIEnv *jni, uint64_t joined)
{
  jthread thread;
  if ((*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) != JVMTI_ERROR_NONE || !thread)
    return;
  virtual_wait_begins(jni, thread, thread_self.mounted, false, VIRTUAL_JOINS | joined);
  (*jni)->DeleteLocalRef(jni, thread);
}

/*
 * On a virtual thread the JVM may take the thread off its carrier in the middle of Object.wait. The call returns at
 * once, without a stack to ask for. So everything is named before, and nothing asked after.
 */
static void wait_on_virtual(JNIEnv *jni, jobject object, jlong timeout, uint64_t code)
{
  uint64_t id = thread_self.mounted, joined = 0;
  struct place_stack stack = {0};
  if (!code)
    code = place_before(jni, RAW_BLOCK_WAIT, &stack);
  if (stack.in_join)
    joined = thread_id_if_thread(jni, object);
  enum raw_block kind = joined ? RAW_BLOCK_JOIN : RAW_BLOCK_WAIT;
  uint32_t round = thread_self.round;
  block_begin(kind, code, object_of(agent.jvmti, jni, object));
  if (joined)
    recorder_emit3(RAW_BLOCK_OWNER, 0, 0, joined);
  if (joined && timeout == 0)
    note_join(jni, joined);
  natives_jvm.wait(jni, object, timeout);
  if (joined && thread_self.mounted == id) /* it has kept its carrier */
    virtual_wait_ends(id, false);
  if (still_live(round))
    block_end(kind, 0, 0);
}

/* A wait without a hook: Thread.join waits for the thread's object. The stack says whether it is a join. */
static enum raw_block kind_of_wait(JNIEnv *jni, jobject object, uint64_t *code)
{
  struct place_stack stack;
  if (*code || (!has_no_hooks() && !thread_is_object(jni, object)))
    return RAW_BLOCK_WAIT;
  *code = place_before(jni, RAW_BLOCK_WAIT, &stack);
  return stack.in_join ? RAW_BLOCK_JOIN : RAW_BLOCK_WAIT;
}

static void JNICALL on_wait(JNIEnv *jni, jobject object, jlong timeout)
{
  if (!thread_records(jni) || !needs_any(LIVE_NEED_MONITORS | LIVE_NEED_PARKS)) { /* a join is a park */
    natives_jvm.wait(jni, object, timeout);
    return;
  }
  uint64_t code = thread_take_call(__builtin_frame_address(0));
  if (thread_self.mounted) {
    wait_on_virtual(jni, object, timeout, code);
    return;
  }
  enum raw_block kind = kind_of_wait(jni, object, &code);
  thread_self.timed_out = false;
  if (timeout > 0)
    monitors_ask_for_timeouts(jni);
  uint64_t number = object_of(agent.jvmti, jni, object);
  lock_name(jni, number, kind);
  block_begin(kind, code, number);
  if (kind == RAW_BLOCK_JOIN)
    recorder_emit3(RAW_BLOCK_OWNER, 0, 0, thread_id_if_thread(jni, object));
  uint32_t round = thread_self.round;
  uint64_t begin = clock_ticks();
  natives_jvm.wait(jni, object, timeout);
  if (!still_live(round))
    return;
  unsigned how = thread_self.timed_out ? RAW_BLOCK_TIMED_OUT : 0;
  if ((*jni)->ExceptionCheck(jni))
    how = RAW_BLOCK_INTERRUPTED;
  block_end(kind | how, code ? 0 : name_late(jni, kind, begin), 0);
}

static void emit_note(JNIEnv *jni, enum raw_note note, jobject object)
{
  if (!agent.options.notes || !thread_measures(jni, LIVE_NEED_ALL))
    return;
  uint64_t code = thread_take_call(__builtin_frame_address(0));
  if (note_is_taken(note, code))
    recorder_emit3(RAW_JAVA_NOTE, note, code, object_of(agent.jvmti, jni, object));
}

static void JNICALL on_notify(JNIEnv *jni, jobject object)
{
  emit_note(jni, RAW_NOTE_NOTIFY, object);
  natives_jvm.notify(jni, object);
}

static void JNICALL on_notify_all(JNIEnv *jni, jobject object)
{
  emit_note(jni, RAW_NOTE_NOTIFY_ALL, object);
  natives_jvm.notify_all(jni, object);
}

static void JNICALL on_start(JNIEnv *jni, jobject thread)
{
  if (thread_records(jni)) {
    uint64_t id = thread_id_of(jni, thread);
    if (needs_have(LIVE_NEED_ALL))
      recorder_emit3(RAW_JAVA_START, 0, place_here(agent.jvmti, jni, 0), id);
    threads_note_start(id);
  }
  natives_jvm.start(jni, thread);
}

static void JNICALL on_sleep(JNIEnv *jni, jclass class, jlong time)
{
  if (!thread_measures(jni, LIVE_NEED_PARKS)) {
    natives_jvm.sleep(jni, class, time);
    return;
  }
  struct place_stack stack;
  uint64_t code = thread_take_call(&stack);
  if (!code && has_no_hooks())
    code = place_before(jni, RAW_BLOCK_SLEEP, &stack);
  uint32_t round = thread_self.round;
  uint64_t begin = clock_ticks();
  block_begin(RAW_BLOCK_SLEEP, code, 0);
  natives_jvm.sleep(jni, class, time);
  if (!still_live(round))
    return;
  unsigned how = (*jni)->ExceptionCheck(jni) ? RAW_BLOCK_INTERRUPTED : RAW_BLOCK_TIMED_OUT;
  block_end(RAW_BLOCK_SLEEP | how, code ? 0 : name_late(jni, RAW_BLOCK_SLEEP, begin), 0);
}

static void JNICALL on_yield(JNIEnv *jni, jclass class)
{
  uint64_t begin = clock_ticks();
  natives_jvm.yield(jni, class);
  if (thread_measures(jni, LIVE_NEED_ALL)) /* sums have no yields */
    spin_add(jni, begin);
}

static void JNICALL on_interrupt(JNIEnv *jni, jobject thread)
{
  if (agent.options.notes && thread_measures(jni, LIVE_NEED_ALL))
    recorder_emit3(RAW_JAVA_NOTE, RAW_NOTE_INTERRUPT, place_here(agent.jvmti, jni, 0), thread_id_of(jni, thread));
  natives_jvm.interrupt(jni, thread);
}

static void JNICALL on_set_name(JNIEnv *jni, jobject thread, jstring name)
{
  natives_jvm.set_name(jni, thread, name);
  if (thread_records(jni))
    threads_renamed(jni, thread);
}

/* System.gc(), which waits for the collection. */
static void JNICALL on_collect(JNIEnv *jni, jobject runtime)
{
  if (!thread_measures(jni, LIVE_NEED_GC)) {
    natives_jvm.collect(jni, runtime);
    return;
  }
  uint32_t round = thread_self.round;
  block_begin(RAW_BLOCK_COLLECT, place_here(agent.jvmti, jni, RAW_BLOCK_COLLECT), 0);
  natives_jvm.collect(jni, runtime);
  if (still_live(round))
    block_end(RAW_BLOCK_COLLECT, 0, 0);
}

/* The replaced methods. Names differ between versions of the JDK; arguments and behaviour do not. */
#define THREAD  "Ljava/lang/Thread;"
#define UNSAFE  "Ljdk/internal/misc/Unsafe;"
#define OBJECT  "Ljava/lang/Object;"
#define RUNTIME "Ljava/lang/Runtime;"
static const struct native natives[] = {
    {UNSAFE, "park", "(ZJ)V", NULL, (void *)on_park, &natives_jvm.park},
    {UNSAFE, "unpark", "(Ljava/lang/Object;)V", NULL, (void *)on_unpark, &natives_jvm.unpark},
    {OBJECT, "wait", "(J)V", "JVM_MonitorWait", (void *)on_wait, &natives_jvm.wait},
    {OBJECT, "wait0", "(J)V", "JVM_MonitorWait", (void *)on_wait, &natives_jvm.wait},
    {OBJECT, "notify", "()V", "JVM_MonitorNotify", (void *)on_notify, &natives_jvm.notify},
    {OBJECT, "notifyAll", "()V", "JVM_MonitorNotifyAll", (void *)on_notify_all, &natives_jvm.notify_all},
    {THREAD, "start0", "()V", NULL, (void *)on_start, &natives_jvm.start},
    {THREAD, "sleep", "(J)V", NULL, (void *)on_sleep, &natives_jvm.sleep},
    {THREAD, "sleep0", "(J)V", NULL, (void *)on_sleep, &natives_jvm.sleep},
    {THREAD, "sleepNanos0", "(J)V", NULL, (void *)on_sleep, &natives_jvm.sleep},
    {THREAD, "yield", "()V", NULL, (void *)on_yield, &natives_jvm.yield},
    {THREAD, "yield0", "()V", NULL, (void *)on_yield, &natives_jvm.yield},
    {THREAD, "interrupt0", "()V", NULL, (void *)on_interrupt, &natives_jvm.interrupt},
    {THREAD, "setNativeName", "(Ljava/lang/String;)V", NULL, (void *)on_set_name, &natives_jvm.set_name},
    {RUNTIME, "gc", "()V", NULL, (void *)on_collect, &natives_jvm.collect},
};

static const struct native *find_by_address(const void *address)
{
  for (size_t i = 0; i < COUNT_OF(natives); i++)
    if (natives[i].symbol && dlsym(RTLD_DEFAULT, natives[i].symbol) == address)
      return &natives[i];
  return NULL;
}

static const struct native *find_in(const struct native *list, size_t count, const char *class_signature,
                                    const char *name, const char *signature)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(list[i].name, name) && !strcmp(list[i].signature, signature) &&
        !strcmp(list[i].class_signature, class_signature))
      return &list[i];
  return NULL;
}

static const struct native *find_by_names(const char *class_signature, const char *name, const char *signature)
{
  const struct native *native = find_in(natives, COUNT_OF(natives), class_signature, name, signature);
  return native ? native : find_in(io_natives, io_native_count, class_signature, name, signature);
}

static const struct native *find_by_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
  const struct native *found = NULL;
  char *name = NULL, *signature = NULL, *class_signature = NULL;
  jclass class;
  if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) != JVMTI_ERROR_NONE ||
      (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
    return NULL;
  if ((*jvmti)->GetClassSignature(jvmti, class, &class_signature, NULL) == JVMTI_ERROR_NONE)
    found = find_by_names(class_signature, name, signature);
  (*jni)->DeleteLocalRef(jni, class);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)class_signature);
  return found;
}

/* Gives ours for the JVM's own, which ours will call. */
static void *exchange(const struct native *native, void *jvms)
{
  memcpy(native->jvms, &jvms, sizeof jvms);
  return native->ours;
}

void JNICALL natives_on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, void *address,
                             void **new_address)
{
  (void)thread;
  jvmtiPhase phase;
  if ((*jvmti)->GetPhase(jvmti, &phase) != JVMTI_ERROR_NONE)
    return;
  bool has_names = jni && (phase == JVMTI_PHASE_START || phase == JVMTI_PHASE_LIVE);
  const struct native *native = has_names ? find_by_method(jvmti, jni, method) : find_by_address(address);
  if (!native || address == native->ours)
    return;
  *new_address = exchange(native, address);
  if (native->ours == (void *)on_wait)
    atomic_store(&agent.sees_wait, true);
}

/* Puts our function into a method that a class registers. False: it is none of these methods. */
static bool natives_replace(JNINativeMethod *method)
{
  const struct native *native = find_by_names(UNSAFE, method->name, method->signature);
  if (!native)
    native = find_by_names(THREAD, method->name, method->signature);
  if (!native || method->fnPtr == native->ours)
    return false;
  method->fnPtr = exchange(native, method->fnPtr);
  return true;
}

/* Returns our functions for java.lang.Object, under all names that they have in some JDK, and how many. */
static jint natives_of_object(JNINativeMethod *methods, jint room)
{
  jint count = 0;
  for (size_t i = 0; i < COUNT_OF(natives) && count < room; i++) {
    void *jvms = natives[i].symbol ? dlsym(RTLD_DEFAULT, natives[i].symbol) : NULL;
    if (jvms)
      methods[count++] = (JNINativeMethod){(char *)(uintptr_t)natives[i].name, (char *)(uintptr_t)natives[i].signature,
                                           exchange(&natives[i], jvms)};
  }
  return count;
}

/*
 * The JDK registers its natives by a method of each class, registerNatives. It is called once more, and what it gives
 * to JNI's RegisterNatives is looked through on its way. Only our natives are registered anew, as ours.
 *
 * The JVM warns on its standard output if anything but the JDK registers natives of the JDK: it looks at the method
 * that called registerNatives. So the caller is a method of the JDK, MethodHandle.invokeWithArguments.
 */
static __thread bool rebinding;
static jint(JNICALL *register_natives)(JNIEnv *, jclass, const JNINativeMethod *, jint);

/* Object has no registerNatives in some JDKs: its natives are registered with the first other class. */
static void register_of_object(JNIEnv *jni)
{
  JNINativeMethod methods[8];
  jint count = natives_of_object(methods, 8);
  jclass object = (*jni)->FindClass(jni, "java/lang/Object");
  for (jint i = 0; object && i < count; i++) { /* one by one: a JDK has one of a method's two names */
    if ((*jni)->GetMethodID(jni, object, methods[i].name, methods[i].signature) != NULL &&
        register_natives(jni, object, &methods[i], 1) == JNI_OK && !strncmp(methods[i].name, "wait", 4))
      atomic_store(&agent.sees_wait, true);
    (*jni)->ExceptionClear(jni);
  }
  (*jni)->DeleteLocalRef(jni, object);
}

static jint JNICALL on_register(JNIEnv *jni, jclass class, const JNINativeMethod *methods, jint count)
{
  /* The table of functions is every thread's. */
  if (!rebinding)
    return register_natives(jni, class, methods, count);
  if (!atomic_load(&agent.sees_wait))
    register_of_object(jni);
  for (jint i = 0; i < count; i++) {
    JNINativeMethod method = methods[i];
    if (natives_replace(&method))
      register_natives(jni, class, &method, 1);
  }
  return JNI_OK;
}

/* java.lang.invoke's lookup that may find everything, and a handle of a class' static registerNatives() by it. */
static jobject find_handle(JNIEnv *jni, jclass class)
{
  jclass lookup = (*jni)->FindClass(jni, "java/lang/invoke/MethodHandles$Lookup");
  jclass type = (*jni)->FindClass(jni, "java/lang/invoke/MethodType");
  jclass void_class = (*jni)->FindClass(jni, "java/lang/Void");
  if (!lookup || !type || !void_class)
    return NULL;
  jfieldID trusted = (*jni)->GetStaticFieldID(jni, lookup, "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;");
  jfieldID primitive = (*jni)->GetStaticFieldID(jni, void_class, "TYPE", "Ljava/lang/Class;");
  jmethodID make =
      (*jni)->GetStaticMethodID(jni, type, "methodType", "(Ljava/lang/Class;)Ljava/lang/invoke/MethodType;");
  jmethodID find = (*jni)->GetMethodID(
      jni, lookup, "findStatic",
      "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;");
  if (!trusted || !primitive || !make || !find)
    return NULL;
  jobject void_type = (*jni)->GetStaticObjectField(jni, void_class, primitive);
  jobject takes_none = (*jni)->CallStaticObjectMethod(jni, type, make, void_type);
  jstring name = (*jni)->ExceptionCheck(jni) ? NULL : (*jni)->NewStringUTF(jni, "registerNatives");
  if (!takes_none || !name)
    return NULL;
  jobject finder = (*jni)->GetStaticObjectField(jni, lookup, trusted);
  jobject handle = (*jni)->CallObjectMethod(jni, finder, find, class, name, takes_none);
  return (*jni)->ExceptionCheck(jni) ? NULL : handle;
}

static void register_again(JNIEnv *jni, const char *class_name)
{
  jclass class = (*jni)->FindClass(jni, class_name), object = (*jni)->FindClass(jni, "java/lang/Object");
  jobject handle = class ? find_handle(jni, class) : NULL;
  if (handle) {
    jclass handle_class = (*jni)->FindClass(jni, "java/lang/invoke/MethodHandle");
    jmethodID invoke =
        (*jni)->GetMethodID(jni, handle_class, "invokeWithArguments", "([Ljava/lang/Object;)Ljava/lang/Object;");
    jobjectArray none = invoke ? (*jni)->NewObjectArray(jni, 0, object, NULL) : NULL;
    if (none) {
      rebinding = true;
      (*jni)->CallObjectMethod(jni, handle, invoke, none);
      rebinding = false;
    }
  }
  (*jni)->ExceptionClear(jni);
}

void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni)
{
  static const char *const classes[] = {"jdk/internal/misc/Unsafe", "java/lang/Thread"};
  jniNativeInterface *functions;
  if ((*jvmti)->GetJNIFunctionTable(jvmti, &functions) != JVMTI_ERROR_NONE)
    return;
  register_natives = functions->RegisterNatives;
  functions->RegisterNatives = on_register;
  if ((*jvmti)->SetJNIFunctionTable(jvmti, functions) == JVMTI_ERROR_NONE) {
    for (size_t i = 0; i < COUNT_OF(classes); i++)
      if ((*jni)->PushLocalFrame(jni, 32) == 0) {
        register_again(jni, classes[i]);
        (*jni)->PopLocalFrame(jni, NULL);
      }
    functions->RegisterNatives = register_natives;
    (*jvmti)->SetJNIFunctionTable(jvmti, functions);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
}
