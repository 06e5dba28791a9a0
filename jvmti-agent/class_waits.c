#include "jvmti-agent/class_waits.h"

#include "common/process/session.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/class_ids.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/lock_names.h"
#include "jvmti-agent/wait_owners.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/lock_code.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_LEAST   50u   /* ms from one look to the next */
#define LOOK_PART    500u  /* ... and so many times what a look takes, at least */
#define THREADS_KEPT 4096u /* whose kernel's id is kept, by Thread.getId; others with the same row are forgotten */
#define WAITS_MOST   64u   /* that are followed at a time */
#define FRAMES_DEEP  256   /* in which an initializer is looked for */
#define NAME_ROOM    1024u

/* The kernel's ids of threads. Who finds another's id there does not know. */
static struct {
  atomic_uint_fast64_t id;
  atomic_int tid;
} kernel_ids[THREADS_KEPT];

/* A thread that sleeps at an instruction which needs a class. */
struct class_wait {
  uint64_t id; /* Thread.getId */
  jmethodID method;
  jlocation location;
  bool met, reported;
};

static struct {
  struct class_wait list[WAITS_MOST];
  unsigned count;
} class_waits;

void class_waits_thread_begins(uint64_t id)
{
  atomic_store(&kernel_ids[id % THREADS_KEPT].id, 0);
  atomic_store(&kernel_ids[id % THREADS_KEPT].tid, (int)syscall(SYS_gettid));
  atomic_store(&kernel_ids[id % THREADS_KEPT].id, id);
}

/* True if the kernel lets the thread sleep; false also if its id in the kernel is unknown. */
static bool sleeps_in_kernel(uint64_t id)
{
  char path[64], stat[512];
  int tid = atomic_load(&kernel_ids[id % THREADS_KEPT].tid);
  if (atomic_load(&kernel_ids[id % THREADS_KEPT].id) != id)
    return false;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read(fd, stat, sizeof stat - 1);
  if (fd >= 0)
    close(fd);
  stat[size > 0 ? size : 0] = 0;
  const char *name_end = strrchr(stat, ')');
  return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

static bool is_runnable(jvmtiEnv *jvmti, jthread thread)
{
  const jint mask = JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_RUNNABLE | JVMTI_THREAD_STATE_IN_NATIVE |
                    JVMTI_THREAD_STATE_SUSPENDED;
  jint state;
  return (*jvmti)->GetThreadState(jvmti, thread, &state) == JVMTI_ERROR_NONE &&
         (state & mask) == (JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_RUNNABLE);
}

/* The class that an instruction may have to initialize. */
static struct span class_of_instruction(const struct class_file *file, const struct class_method *method, uint32_t pc)
{
  const uint8_t *at = file->bytes + method->code + pc;
  struct class_method_ref ref = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  uint16_t constant = pc + 2 < method->code_size ? class_u2(at + 1) : 0;
  if (constant == 0)
    return ref.owner;
  switch (*at) {
  case OP_NEW:
    return class_name(file, constant);
  case OP_GETSTATIC:
  case OP_PUTSTATIC:
    return class_field_ref(file, constant, &ref) ? ref.owner : (struct span){NULL, 0};
  case OP_INVOKESTATIC:
    return class_call_ref(file, constant, &ref) ? ref.owner : (struct span){NULL, 0};
  default:
    return ref.owner;
  }
}

/* Writes the name of the class that a frame needs, with '/' between packages. False: it needs none. */
static bool needs_class(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frame, char name[NAME_ROOM])
{
  jclass class;
  struct class_file file;
  struct class_method method;
  size_t size, code;
  if (frame->location < 0 || (*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) != JVMTI_ERROR_NONE)
    return false;
  uint8_t *bytes = lock_names_read_method(jvmti, class, frame->method, &size, &code);
  (*jni)->DeleteLocalRef(jni, class);
  *name = 0;
  if (bytes && lock_field_open(&file, &method, bytes, size, code)) {
    struct span needed = frame->location < (jlocation)method.code_size
                             ? class_of_instruction(&file, &method, (uint32_t)frame->location)
                             : (struct span){NULL, 0};
    if (needed.bytes && needed.size < NAME_ROOM) {
      memcpy(name, needed.bytes, needed.size);
      name[needed.size] = 0;
    }
    class_file_free(&file);
  }
  free(bytes);
  return *name != 0;
}

/* True if a native method may have to initialize a class: Class.forName, reflection, lookups of methods. */
static bool is_native_that_needs(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
  static const char *const natives[] = {"forName0", "ensureClassInitialized0", "newInstance0", "invoke0"};
  char *name;
  bool is = false;
  if (frame->location >= 0 || (*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
    return false;
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
    is |= strcmp(name, natives[i]) == 0;
  (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
  return is;
}

/* Writes the name of the class if the frame is its initializer. */
static bool initializes(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frame, char name[NAME_ROOM])
{
  jclass class;
  char *text;
  *name = 0;
  if ((*jvmti)->GetMethodName(jvmti, frame->method, &text, NULL, NULL) != JVMTI_ERROR_NONE)
    return false;
  bool is = strcmp(text, "<clinit>") == 0;
  (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
  if (!is || (*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) != JVMTI_ERROR_NONE)
    return false;
  if ((*jvmti)->GetClassSignature(jvmti, class, &text, NULL) == JVMTI_ERROR_NONE) {
    size_t size = strlen(text);
    if (size > 2 && size - 2 < NAME_ROOM) {
      memcpy(name, text + 1, size - 2); /* Lcom/acme/Server; */
      name[size - 2] = 0;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
  }
  (*jni)->DeleteLocalRef(jni, class);
  return *name != 0;
}

/* How sure it is that a thread initializes a class. */
enum fits { FITS_NOT, FITS_ANY, FITS_CALLER, FITS_CLASS };

/*
 * Whether a thread is in the initializer of a class, "": of any one. It may be in the initializer of a superclass: then
 * the code that called it needs the class. `found`: the class whose innermost initializer it is in.
 */
static enum fits stack_fits(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const char *wanted, char found[NAME_ROOM])
{
  static jvmtiFrameInfo frames[FRAMES_DEEP];
  enum fits best = FITS_NOT;
  char name[NAME_ROOM];
  jint count = 0;
  if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES_DEEP, frames, &count) != JVMTI_ERROR_NONE)
    return FITS_NOT;
  for (jint i = 0; i < count && best < FITS_CLASS; i++) {
    if (!initializes(jvmti, jni, &frames[i], name))
      continue;
    if (best == FITS_NOT)
      strcpy(found, name);
    enum fits fits = strcmp(name, wanted) == 0 ? FITS_CLASS : FITS_ANY;
    if (fits == FITS_ANY && i + 1 < count && needs_class(jvmti, jni, &frames[i + 1], name) && strcmp(name, wanted) == 0)
      fits = FITS_CALLER;
    best = fits > best ? fits : best;
  }
  return best;
}

/*
 * Returns the thread that initializes a class, one of the list; NULL: none, or it is not certain. An empty name becomes
 * the name of the class.
 */
static jthread find_initializer(jvmtiEnv *jvmti, JNIEnv *jni, const jthread *threads, jint count, jthread waits,
                                char wanted[NAME_ROOM])
{
  enum fits best = FITS_NOT;
  unsigned fitting = 0;
  jthread found = NULL;
  char name[NAME_ROOM] = "", first[NAME_ROOM] = "";
  for (jint i = 0; i < count; i++) {
    if ((*jni)->IsSameObject(jni, threads[i], waits))
      continue;
    enum fits fits = stack_fits(jvmti, jni, threads[i], wanted, name);
    if (fits == FITS_NOT || fits < best)
      continue;
    fitting = fits > best ? 1 : fitting + 1;
    best = fits;
    found = threads[i];
    strcpy(first, name);
  }
  if (fitting != 1)
    return NULL;
  if (!*wanted)
    strcpy(wanted, first);
  return found;
}

/* The class, as an object without a number: records have its name. */
static uint64_t object_of_class_name(const char *name)
{
  char text[NAME_ROOM + sizeof RAW_INITIALIZER];
  snprintf(text, sizeof text, "%s%s", RAW_INITIALIZER, name);
  for (char *at = text + sizeof RAW_INITIALIZER - 1; *at; at++)
    *at = *at == '/' ? '.' : *at;
  name_to_utf8(text);
  return (uint64_t)class_id_of_name(text) << 32;
}

static bool report_class_wait(jvmtiEnv *jvmti, JNIEnv *jni, const jthread *threads, jint count, jthread thread,
                              const jvmtiFrameInfo *frame)
{
  char wanted[NAME_ROOM] = "";
  (void)needs_class(jvmti, jni, frame, wanted);
  struct owned_wait wait = {.thread = thread, .id = thread_id_of(jni, thread), .kind = RAW_BLOCK_CLASS};
  wait.owner = find_initializer(jvmti, jni, threads, count, thread, wanted);
  if (!wait.owner)
    return false;
  wait.object = object_of_class_name(wanted);
  return owned_wait_report(jvmti, jni, &wait);
}

/* The wait that is followed, or a new one; NULL: there are too many. */
static struct class_wait *class_wait_of(uint64_t id, const jvmtiFrameInfo *frame, bool *again)
{
  struct class_wait *wait = NULL;
  for (unsigned i = 0; i < class_waits.count && !wait; i++)
    wait = class_waits.list[i].id == id ? &class_waits.list[i] : NULL;
  *again = wait && wait->method == frame->method && wait->location == frame->location;
  if (!wait && class_waits.count < WAITS_MOST)
    wait = &class_waits.list[class_waits.count++];
  if (wait && !*again)
    *wait = (struct class_wait){.id = id, .method = frame->method, .location = frame->location};
  return wait;
}

static void look_for_class_wait(jvmtiEnv *jvmti, JNIEnv *jni, const jthread *threads, jint count, jthread thread)
{
  jvmtiFrameInfo frame;
  jint frames;
  char name[NAME_ROOM];
  uint64_t id = is_runnable(jvmti, thread) ? thread_id_of(jni, thread) : 0;
  bool again;
  if (id == 0 || !sleeps_in_kernel(id) ||
      (*jvmti)->GetStackTrace(jvmti, thread, 0, 1, &frame, &frames) != JVMTI_ERROR_NONE || frames == 0 ||
      (!needs_class(jvmti, jni, &frame, name) && !is_native_that_needs(jvmti, &frame)))
    return;
  struct class_wait *wait = class_wait_of(id, &frame, &again);
  if (!wait)
    return;
  wait->met = true;
  if (again && !wait->reported)
    wait->reported = report_class_wait(jvmti, jni, threads, count, thread, &frame);
}

/* Waits that were not met have ended. The trace hears of the reported ones: no later record might say it. */
static void forget_ended(void)
{
  char line[64];
  unsigned kept = 0;
  for (unsigned i = 0; i < class_waits.count; i++) {
    struct class_wait wait = class_waits.list[i];
    if (wait.met) {
      wait.met = false;
      class_waits.list[kept++] = wait;
    } else if (wait.reported) {
      int size = snprintf(line, sizeof line, "stuck: %llu %llu 0 0 0 0 0\n", (unsigned long long)clock_ticks(),
                          (unsigned long long)wait.id);
      session_describe(line, (size_t)size);
    }
  }
  class_waits.count = kept;
}

static unsigned class_waits_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count;
  jthread *threads;
  uint64_t begin = clock_ticks();
  if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
    return WATCH_MS;
  for (jint i = 0; i < count; i++)
    look_for_class_wait(jvmti, jni, threads, count, threads[i]);
  forget_ended();
  for (jint i = 0; i < count; i++)
    (*jni)->DeleteLocalRef(jni, threads[i]);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
  uint64_t ms = (clock_ticks() - begin) / (agent.ticks_per_us * 1000 / LOOK_PART);
  return ms < LOOK_LEAST ? LOOK_LEAST : ms < WATCH_MS ? (unsigned)ms : WATCH_MS;
}

void class_waits_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
  class_waits.count = 0;
  watch_begin(jvmti, jni, class_waits_look);
}
