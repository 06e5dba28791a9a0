#include "jvmti-agent/allocations.h"

#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/recorder/live.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/agent.h"

#include <sys/mman.h>

/* By number in the trace. */
static struct {
  atomic_uint_fast64_t id;    /* Thread.getId; 0: it has ended, or is none of Java's */
  atomic_uint_fast64_t base;  /* its figure minus what counts, ... */
  atomic_uint_fast64_t round; /* ... if this is the present round */
} allocations_threads[LIVE_THREADS];

static struct {
  _Atomic(struct live_allocated *) file; /* NULL: there is none */
  struct live_allocated *before;         /* of the recording before: a thread may still end there */
  jclass class;                          /* NULL: not found yet */
  jmethodID figure; /* its static method: bytes by Thread.getId; 0: of the caller; -1: no such thread */
  atomic_bool watched;
  atomic_uint_fast64_t round; /* grows as counting begins and ends; odd: allocations are counted */
  atomic_uint used;           /* numbers of threads below this were used */
} allocations_counts;

/*
 * The native method that stands behind ThreadMXBean.getThreadAllocatedBytes. To get the bean itself would load some
 * hundred classes, and execute them. The JDK's native code is loaded as ManagementFactory is initialized, which
 * GetStaticMethodID does.
 */
static bool find_figure(JNIEnv *jni)
{
  jclass factory = (*jni)->FindClass(jni, "java/lang/management/ManagementFactory");
  jmethodID bean =
      factory ? (*jni)->GetStaticMethodID(jni, factory, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;")
              : NULL;
  jclass class = bean ? (*jni)->FindClass(jni, "sun/management/ThreadImpl") : NULL;
  allocations_counts.figure = class ? (*jni)->GetStaticMethodID(jni, class, "getThreadAllocatedMemory0", "(J)J") : NULL;
  if (allocations_counts.figure)
    (*jni)->CallStaticLongMethod(jni, class, allocations_counts.figure, (jlong)0);
  bool good = allocations_counts.figure && !(*jni)->ExceptionCheck(jni);
  (*jni)->ExceptionClear(jni);
  allocations_counts.class = good ? (*jni)->NewGlobalRef(jni, class) : NULL;
  (*jni)->DeleteLocalRef(jni, class);
  (*jni)->DeleteLocalRef(jni, factory);
  return allocations_counts.class != NULL;
}

/* -1: there is none. */
static jlong figure_of(JNIEnv *jni, uint64_t id)
{
  jlong figure = (*jni)->CallStaticLongMethod(jni, allocations_counts.class, allocations_counts.figure, (jlong)id);
  if (!(*jni)->ExceptionCheck(jni))
    return figure;
  (*jni)->ExceptionClear(jni);
  return -1;
}

static void allocations_count(struct live_allocated *file, uint32_t number, uint64_t figure)
{
  uint64_t *word = &file->bytes[number], now = __atomic_load_n(word, __ATOMIC_RELAXED),
           bytes = figure - atomic_load(&allocations_threads[number].base);
  while (bytes > now && !__atomic_compare_exchange_n(word, &now, bytes, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ; /* the thread itself, at its end, has a later figure than who looks at it meanwhile */
}

static void read_figure(JNIEnv *jni, uint32_t number, uint64_t round)
{
  struct live_allocated *file = atomic_load(&allocations_counts.file);
  uint64_t id = atomic_load(&allocations_threads[number].id);
  jlong figure = id ? figure_of(jni, id) : -1;
  if (figure < 0)
    return;
  if (atomic_load(&allocations_threads[number].round) != round) {
    atomic_store(&allocations_threads[number].base,
                 (uint64_t)figure - __atomic_load_n(&file->bytes[number], __ATOMIC_RELAXED));
    atomic_store(&allocations_threads[number].round, round);
  }
  allocations_count(file, number, (uint64_t)figure);
}

static void read_figures(JNIEnv *jni, uint64_t round)
{
  unsigned used = atomic_load(&allocations_counts.used);
  for (uint32_t i = 0; i < used; i++)
    read_figure(jni, i, round);
}

static unsigned allocations_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  (void)jvmti;
  uint64_t round = atomic_load(&allocations_counts.round);
  bool asked = live_asks(LIVE_NEED_ALLOCATED);
  if (asked && !allocations_counts.class && !find_figure(jni)) {
    live_withdraw(LIVE_NEED_ALLOCATED);
    diag_say("this JVM has no module java.management, or is unknown: `heddle live` does not show the bytes that "
             "threads allocate; tested are JDK 17 and 25",
             NULL);
    return 0;
  }
  if (asked != (round & 1))
    atomic_store(&allocations_counts.round, ++round);
  if (asked)
    read_figures(jni, round);
  live_report_done(LIVE_NEED_ALLOCATED, asked);
  return asked ? ALLOCATIONS_MS : 0;
}

/* On a thread that is none of the JVM's. */
static void allocations_hurry(void)
{
  if (atomic_load(&allocations_counts.watched))
    watch_hurry(allocations_look);
}

void allocations_offer(void)
{
  live_watch_asks(allocations_hurry);
  live_defer(LIVE_NEED_ALLOCATED);
  live_offer(LIVE_NEED_ALLOCATED);
}

/* A recording before, if there was one, has its own file and its own numbers of threads. */
static void allocations_forget(void)
{
  unsigned used = atomic_exchange(&allocations_counts.used, 0);
  for (unsigned i = 0; i < used; i++)
    atomic_store(&allocations_threads[i].id, 0);
  if (allocations_counts.before)
    munmap(allocations_counts.before, sizeof *allocations_counts.before);
  allocations_counts.before = atomic_exchange(&allocations_counts.file, NULL);
}

void allocations_open(void)
{
  int error;
  bool live = recording_config()->skip != NULL; /* else nobody can ask */
  allocations_forget();
  if (live)
    atomic_store(&allocations_counts.file, process_dir_map(LIVE_ALLOCATED_FILE, sizeof(struct live_allocated), &error));
  if (atomic_load(&allocations_counts.file))
    return;
  live_withdraw(LIVE_NEED_ALLOCATED);
  if (live)
    diag_say("cannot create ", process_dir_path(), "/" LIVE_ALLOCATED_FILE ": ", diag_reason(error),
             ": `heddle live` does not show the bytes that threads allocate", NULL);
}

void allocations_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!atomic_load(&allocations_counts.file))
    return;
  atomic_store(&allocations_counts.watched, true); /* the first look has what was asked for before */
  watch_begin(jvmti, jni, allocations_look);
}

void allocations_end(JNIEnv *jni)
{
  uint64_t round = atomic_load(&allocations_counts.round);
  if (!atomic_exchange(&allocations_counts.watched, false) || !(round & 1))
    return;
  read_figures(jni, round);
  atomic_store(&allocations_counts.round, round + 1);
}

/* The number of the calling thread in the trace; LIVE_THREADS: it has none, or one that is too large. */
static uint32_t own_number(void)
{
  bool has = (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE;
  return has && recorder_self->thread < LIVE_THREADS ? recorder_self->thread : LIVE_THREADS;
}

/* Earlier allocations do not count. */
void allocations_thread_begin(JNIEnv *jni, uint64_t id)
{
  uint32_t number = own_number();
  if (!atomic_load(&allocations_counts.file) || number == LIVE_THREADS)
    return;
  uint64_t round = atomic_load(&allocations_counts.round);
  jlong figure = round & 1 ? figure_of(jni, 0) : -1;
  atomic_store(&allocations_threads[number].base, (uint64_t)figure);
  atomic_store(&allocations_threads[number].round, figure >= 0 ? round : 0);
  atomic_store(&allocations_threads[number].id, id);
  unsigned used = atomic_load(&allocations_counts.used);
  while (used <= number && !atomic_compare_exchange_weak(&allocations_counts.used, &used, number + 1))
    ;
}

void allocations_thread_end(JNIEnv *jni)
{
  uint32_t number = own_number();
  struct live_allocated *file = atomic_load(&allocations_counts.file);
  if (!file || number == LIVE_THREADS || !atomic_exchange(&allocations_threads[number].id, 0))
    return;
  uint64_t round = atomic_load(&allocations_counts.round);
  jlong figure = round & 1 && atomic_load(&allocations_threads[number].round) == round ? figure_of(jni, 0) : -1;
  if (figure >= 0)
    allocations_count(file, number, (uint64_t)figure);
}
