#include "jvmti-agent/core/agent.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct agent agent;

#define NEVER          UINT64_MAX
#define AT_END_SECONDS 2

static struct {
  pthread_mutex_t lock;   /* the thread has it while it looks */
  _Atomic uint32_t wakes; /* the thread sleeps while this stays as it is (futex) */
  bool begun;
  atomic_bool ended;
  uintptr_t round; /* of watches: the thread of one before ends */
  watch_look *_Atomic looks[WATCH_SUBJECTS];
  uint64_t due[WATCH_SUBJECTS]; /* CLOCK_MONOTONIC, in ms; 0: at once */
  atomic_bool hurries[WATCH_SUBJECTS];
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Calls the looks that are due. Returns when the next one is. */
static uint64_t call_looks(jvmtiEnv *jvmti, JNIEnv *jni)
{
  uint64_t now = now_ms(), next = now + WATCH_MS; /* others may begin meanwhile */
  watch_look *look;
  for (unsigned i = 0; i < WATCH_SUBJECTS && !watch.ended && (look = atomic_load(&watch.looks[i])); i++) {
    if (atomic_exchange(&watch.hurries[i], false) || watch.due[i] <= now) {
      unsigned again = look(jvmti, jni);
      watch.due[i] = again ? now + again : NEVER;
    }
    next = watch.due[i] < next ? watch.due[i] : next;
  }
  return next;
}

/* Until something is due, or somebody has woken the thread since there were so many wakes. */
static void sleep_until(uint64_t due, uint32_t wakes)
{
  uint64_t now = now_ms(), ms = due > now ? due - now : 0;
  struct timespec most = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  syscall(SYS_futex, &watch.wakes, FUTEX_WAIT_PRIVATE, wakes, &most, NULL, 0);
}

static void wake(void)
{
  atomic_fetch_add(&watch.wakes, 1);
  syscall(SYS_futex, &watch.wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void JNICALL keep_watch(jvmtiEnv *jvmti, JNIEnv *jni, void *round)
{
  pthread_mutex_lock(&watch.lock);
  while (!watch.ended && (uintptr_t)round == watch.round) {
    uint32_t wakes = atomic_load(&watch.wakes);
    uint64_t next = call_looks(jvmti, jni);
    pthread_mutex_unlock(&watch.lock);
    sleep_until(next, wakes);
    pthread_mutex_lock(&watch.lock);
  }
  pthread_mutex_unlock(&watch.lock);
}

/* The thread is of the JVM's own group: the program does not meet it among its own. */
static jobject new_thread(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count = 0;
  jthreadGroup *groups;
  jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
  jmethodID create =
      class ? (*jni)->GetMethodID(jni, class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V") : NULL;
  jstring name = create ? (*jni)->NewStringUTF(jni, "Heddle") : NULL;
  if (!name || (*jvmti)->GetTopThreadGroups(jvmti, &count, &groups) != JVMTI_ERROR_NONE || count == 0)
    return NULL;
  jobject thread = (*jni)->NewObject(jni, class, create, groups[0], name);
  for (jint i = 0; i < count; i++)
    (*jni)->DeleteLocalRef(jni, groups[i]);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
  (*jni)->DeleteLocalRef(jni, name);
  (*jni)->DeleteLocalRef(jni, class);
  return thread;
}

static void begin_thread(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jobject thread = new_thread(jvmti, jni);
  (*jni)->ExceptionClear(jni);
  if (thread)
    (*jvmti)->RunAgentThread(jvmti, thread, keep_watch, (void *)watch.round, JVMTI_THREAD_NORM_PRIORITY);
  (*jni)->DeleteLocalRef(jni, thread);
}

void watch_begin(jvmtiEnv *jvmti, JNIEnv *jni, watch_look *look)
{
  unsigned i = 0;
  pthread_mutex_lock(&watch.lock);
  while (i < WATCH_SUBJECTS && atomic_load(&watch.looks[i]))
    i++;
  if (i < WATCH_SUBJECTS)
    atomic_store(&watch.looks[i], look);
  bool first = !watch.begun || watch.ended;
  watch.begun = true;
  if (watch.ended)
    watch.round++;
  watch.ended = false;
  pthread_mutex_unlock(&watch.lock);
  if (first)
    begin_thread(jvmti, jni);
}

void watch_hurry(watch_look *look)
{
  for (unsigned i = 0; i < WATCH_SUBJECTS; i++)
    if (atomic_load(&watch.looks[i]) == look)
      atomic_store(&watch.hurries[i], true);
  wake();
}

/* With the lock, which it releases. */
static void end_locked(void)
{
  watch.ended = true;
  for (unsigned i = 0; i < WATCH_SUBJECTS; i++) { /* of another watch they begin anew */
    atomic_store(&watch.looks[i], NULL);
    watch.due[i] = 0;
  }
  pthread_mutex_unlock(&watch.lock);
  wake();
}

void watch_end(void)
{
  pthread_mutex_lock(&watch.lock);
  end_locked();
}

void watch_end_soon(void)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += AT_END_SECONDS;
  if (pthread_mutex_timedlock(&watch.lock, &until) == 0) {
    end_locked();
    return;
  }
  watch.ended = true;
  wake();
}
