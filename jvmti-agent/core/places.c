#include "jvmti-agent/core/places.h"

#include "base/count_of.h"
#include "common/budget/keep.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/call_trace.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/thread_self.h"

#include <pthread.h>
#include <string.h>
#include <ucontext.h>

static call_trace_function *get_call_trace; /* in less than half of the time that GetStackTrace takes */

/*
 * Lets AsyncGetCallTrace read the calling thread's own frames, if the JVM has it. The event ClassLoad must be enabled
 * then; otherwise the JVM refuses, and the frames are read as other threads' frames.
 */
static void frames_open(void)
{
  get_call_trace = call_trace_find();
}

/* 0: not this way. */
static jint read_own(JNIEnv *jni, jint most, jvmtiFrameInfo *frames)
{
  /* Registers of a thread that runs Java; ours does not, and the JVM knows where it left Java. */
  static ucontext_t no_registers;
  struct call_frame found[FRAMES_MOST];
  struct call_trace trace = {.jni = jni, .frames = found};
  get_call_trace(&trace, most, &no_registers);
  for (jint i = 0; i < trace.count; i++) {
    if (!found[i].method)
      return 0; /* the method has no id yet: GetStackTrace gives it one */
    frames[i] =
        (jvmtiFrameInfo){.method = found[i].method, .location = found[i].bytecode >= 0 ? found[i].bytecode : -1};
  }
  return trace.count == most ? most : 0; /* fewer: the stack ends there, or could not be walked further */
}

/* Reads up to `most` frames of a thread, NULL: the calling one. Returns how many; 0 also if they can't be read. */
static jint frames_read(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jint most, jvmtiFrameInfo *frames)
{
  jint count = 0;
  if (!thread && get_call_trace && !thread_self.mounted && (count = read_own(jni, most, frames)) > 0)
    return count;
  return (*jvmti)->GetStackTrace(jvmti, thread, 0, most, frames, &count) == JVMTI_ERROR_NONE ? count : 0;
}

void JNICALL frames_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
  (void)jvmti, (void)jni, (void)thread, (void)class;
}

#define FIRST_FRAMES 4  /* read at first: frames cost, and most waits are called by the program itself */
#define MOST_FIRST   16 /* ... and later as many as the thread needed for such a wait before, up to this */
#define TABLE_SIZE   65536u
#define FAILED       UINT32_MAX /* the number of a place whose line could not be written */

/* Whose code a method is. */
enum method_kind {
  METHOD_WAITS = 1, /* it is a way to wait: LockSupport, Object.wait, ReentrantLock.lock, ... */
  METHOD_JOINS,     /* Thread.join */
  METHOD_SLEEPS,    /* a virtual thread's Thread.sleep */
  METHOD_IDLES,     /* a thread of an executor waits there for work */
  METHOD_OF_JDK,
  METHOD_OF_PROGRAM
};

static struct {
  pthread_mutex_t lock;
  struct pair_table methods; /* (method, 0): enum method_kind */
  struct pair_table places;  /* (method, caller << 32 | location): id of a place */
  uint32_t last_id;
  unsigned chain;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool places_open(unsigned chain)
{
  places.chain = chain;
  if (chain == 1)
    frames_open();
  if (places.methods.entries && places.places.entries) /* numbers stay, and their names (process_lines.h) */
    return true;
  return pair_table_open(&places.methods, TABLE_SIZE) && pair_table_open(&places.places, TABLE_SIZE);
}

static bool begins_with(const char *name, const char *begin)
{
  return !strncmp(name, begin, strlen(begin));
}

bool place_is_in_jdk(const char *class_name)
{
  static const char *const jdk[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
  for (size_t i = 0; i < COUNT_OF(jdk); i++) {
    size_t n = 0;
    while (jdk[i][n] && (class_name[n] == jdk[i][n] || (class_name[n] == '/' && jdk[i][n] == '.')))
      n++;
    if (!jdk[i][n])
      return true;
  }
  return false;
}

static enum method_kind kind_by_name(const char *class_name, const char *method)
{
  static const char *const waits[] = {"java.lang.Object",
                                      "java.lang.Thread",
                                      "java.lang.VirtualThread",
                                      "jdk.internal.misc.Unsafe",
                                      "java.lang.BaseVirtualThread",
                                      "java.lang.HeddleHook"};
  if (!strcmp(class_name, "java.lang.Thread") && !strcmp(method, "join"))
    return METHOD_JOINS;
  if (!strcmp(class_name, "java.lang.VirtualThread") && begins_with(method, "sleep"))
    return METHOD_SLEEPS;
  if (!strcmp(class_name, RAW_IDLE_CLASS) && !strcmp(method, RAW_IDLE_METHOD))
    return METHOD_IDLES;
  for (size_t i = 0; i < COUNT_OF(waits); i++)
    if (!strcmp(class_name, waits[i]))
      return METHOD_WAITS;
  if (begins_with(class_name, "java.util.concurrent.locks."))
    return METHOD_WAITS;
  if (strstr(class_name, "$$Lambda")) /* the JVM made it; it has no line, and calls what has one */
    return METHOD_OF_JDK;
  return place_is_in_jdk(class_name) ? METHOD_OF_JDK : METHOD_OF_PROGRAM;
}

static void free_jvmti(jvmtiEnv *jvmti, void *memory)
{
  (*jvmti)->Deallocate(jvmti, memory);
}

/* Names of a method; read while it is on the stack, so that its class is loaded. */
struct method_names {
  char class_name[1024], method[512], file[256];
};

static bool read_names(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, struct method_names *names)
{
  jclass class;
  char *text;
  memset(names, 0, sizeof *names);
  if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
    return false;
  if ((*jvmti)->GetClassSignature(jvmti, class, &text, NULL) == JVMTI_ERROR_NONE) {
    name_of_signature(text, names->class_name, sizeof names->class_name);
    free_jvmti(jvmti, text);
  }
  if ((*jvmti)->GetSourceFileName(jvmti, class, &text) == JVMTI_ERROR_NONE) {
    strncpy(names->file, text, sizeof names->file - 1);
    name_to_utf8(names->file);
    free_jvmti(jvmti, text);
  }
  if ((*jvmti)->GetMethodName(jvmti, method, &text, NULL, NULL) == JVMTI_ERROR_NONE) {
    strncpy(names->method, text, sizeof names->method - 1);
    name_to_utf8(names->method);
    free_jvmti(jvmti, text);
  }
  (*jni)->DeleteLocalRef(jni, class);
  return *names->class_name && *names->method;
}

unsigned place_line(jvmtiEnv *jvmti, jmethodID method, jlocation location)
{
  jint count;
  jvmtiLineNumberEntry *lines;
  if (location < 0 || (*jvmti)->GetLineNumberTable(jvmti, method, &count, &lines) != JVMTI_ERROR_NONE)
    return 0;
  jlocation nearest = -1;
  unsigned line = 0;
  for (jint i = 0; i < count; i++)
    if (lines[i].start_location <= location && lines[i].start_location > nearest) {
      nearest = lines[i].start_location;
      line = lines[i].line_number > 0 ? (unsigned)lines[i].line_number : 0;
    }
  free_jvmti(jvmti, lines);
  return line;
}

static enum method_kind kind_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
  uint32_t kind = pair_table_find(&places.methods, (uintptr_t)method, 0);
  if (kind)
    return (enum method_kind)kind;
  struct method_names names;
  kind = read_names(jvmti, jni, method, &names) ? kind_by_name(names.class_name, names.method) : METHOD_OF_JDK;
  pthread_mutex_lock(&places.lock);
  pair_table_add(&places.methods, (uintptr_t)method, 0, kind);
  pthread_mutex_unlock(&places.lock);
  return (enum method_kind)kind;
}

static uint32_t places_describe(uint32_t caller, unsigned line, const char *class_name, const char *method,
                                const char *file)
{
  char bytes[8192];
  struct text text = TEXT_OVER(bytes);
  text_add(&text, "place: ");
  text_add_number(&text, places.last_id + 1);
  text_add(&text, " ");
  text_add_number(&text, caller);
  text_add(&text, " ");
  text_add_number(&text, line);
  const char *const words[] = {class_name, method, file && *file ? file : "-"};
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    text_add(&text, " ");
    text_add_word(&text, words[i], strlen(words[i]));
  }
  text_add(&text, "\n");
  if (text.cut || !session_describe(bytes, text.used))
    return FAILED;
  keep_add_java(++places.last_id, &(struct keep_java){class_name, method, file, line});
  return places.last_id;
}

/* The hooks of classes: with other hooks, a method has other locations, and the same jmethodID. */
static _Atomic uint32_t code_state;

void places_follow_code(uint32_t state)
{
  atomic_store(&code_state, state);
}

/* For locations up to 65,535, or no location. */
static uint64_t key_of(uint32_t caller, jlocation location)
{
  uint32_t at = (uint32_t)location;
  if (location >= 0)
    at |= atomic_load_explicit(&code_state, memory_order_relaxed) << 16;
  return (uint64_t)caller << 32 | at;
}

/* A line is one place, whichever of its instructions waits: it has a key of its own beside the locations' keys. */
static uint64_t key_of_line(uint32_t caller, unsigned line)
{
  return (uint64_t)caller << 32 | 0x40000000u | line;
}

/* The id of one frame, made if it has none; FAILED. */
static uint32_t place_of_frame(jvmtiEnv *jvmti, JNIEnv *jni, uint32_t caller, const jvmtiFrameInfo *frame)
{
  uintptr_t method = (uintptr_t)frame->method;
  uint32_t id = pair_table_find(&places.places, method, key_of(caller, frame->location));
  if (id)
    return id;
  struct method_names names;
  if (!read_names(jvmti, jni, frame->method, &names))
    return FAILED;
  unsigned line = place_line(jvmti, frame->method, frame->location);
  pthread_mutex_lock(&places.lock);
  uint64_t line_key = key_of_line(caller, line);
  id = pair_table_find(&places.places, method, line_key);
  if (!id) {
    id = FAILED;
    if (places.places.used < places.places.size / 4 * 3 - 1)
      id = places_describe(caller, line, names.class_name, names.method, names.file);
    pair_table_add(&places.places, method, line_key, id);
  }
  pair_table_add(&places.places, method, key_of(caller, frame->location), id);
  pthread_mutex_unlock(&places.lock);
  return id;
}

static uint64_t places_code_of(uint32_t id)
{
  return id && id != FAILED ? RAW_CODE_PLACE | id : 0;
}

/* A frame and its callers, outermost first: each place names its caller. */
static uint64_t place_of_frames(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frames, int count)
{
  uint32_t id = 0;
  int chain = (unsigned)count < places.chain ? count : (int)places.chain;
  for (int i = chain; i-- > 0;) {
    uint32_t made = place_of_frame(jvmti, jni, id, &frames[i]);
    id = made == FAILED ? 0 : made;
  }
  return places_code_of(id);
}

static uint64_t find_frames(const jvmtiFrameInfo *frames, int count)
{
  uint32_t id = 0;
  int chain = (unsigned)count < places.chain ? count : (int)places.chain;
  for (int i = chain; i-- > 0;) {
    uint32_t found = pair_table_find(&places.places, (uintptr_t)frames[i].method, key_of(id, frames[i].location));
    if (!found)
      return 0;
    id = found == FAILED ? 0 : found;
  }
  return places_code_of(id);
}

/* The first frame of the program, or where an executor's thread waits for work. Else the first frame of the JDK that is
 * no mere way to wait. True: look no further down. */
static bool choose(jvmtiEnv *jvmti, JNIEnv *jni, struct place_stack *stack)
{
  stack->chosen = stack->count;
  stack->in_program = stack->in_join = stack->in_sleep = false;
  for (int i = 0; i < stack->count; i++) {
    enum method_kind kind = kind_of(jvmti, jni, stack->frames[i].method);
    if (kind == METHOD_OF_PROGRAM || kind == METHOD_IDLES) {
      stack->chosen = i;
      return stack->in_program = true;
    }
    if (kind == METHOD_OF_JDK && stack->chosen == stack->count)
      stack->chosen = i;
    stack->in_join |= kind == METHOD_JOINS;
    stack->in_sleep |= kind == METHOD_SLEEPS;
  }
  return false;
}

/* True if the stack has all of a place: its frame, for certain, and as many callers as are wanted. */
static bool is_enough(const struct place_stack *stack, bool certain, jint wanted)
{
  return stack->count < wanted || (certain && (unsigned)(stack->count - stack->chosen) >= places.chain);
}

/* The frames that the thread read last, if few were enough, and what was found then: waits come again and again. */
static __thread struct {
  jvmtiFrameInfo frames[FIRST_FRAMES];
  uint64_t code;
  uint32_t code_state;
  int8_t count, chosen, in_program, in_join, in_sleep;
} last __attribute__((tls_model("initial-exec")));

static bool is_last(struct place_stack *stack)
{
  if (last.count == 0 || last.count != stack->count || last.code_state != atomic_load(&code_state) ||
      memcmp(last.frames, stack->frames, (size_t)stack->count * sizeof *last.frames) != 0)
    return false;
  stack->chosen = last.chosen;
  stack->in_program = last.in_program;
  stack->in_join = last.in_join;
  stack->in_sleep = last.in_sleep;
  return true;
}

void places_forget_last(void)
{
  last.count = 0;
}

static void remember(const struct place_stack *stack, uint64_t code)
{
  if (!code || stack->count > FIRST_FRAMES)
    return;
  memcpy(last.frames, stack->frames, (size_t)stack->count * sizeof *last.frames);
  last.code = code;
  last.code_state = atomic_load(&code_state);
  last.count = (int8_t)stack->count;
  last.chosen = (int8_t)stack->chosen;
  last.in_program = stack->in_program;
  last.in_join = stack->in_join;
  last.in_sleep = stack->in_sleep;
}

/*
 * A thread that enters a monitor in the interpreter is behind the instruction, which is one byte: perhaps on the next
 * line. In compiled code it is at the instruction, and those before it are of the same line.
 */
static void read_frames(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, bool enters, jint wanted,
                        struct place_stack *stack)
{
  stack->count = frames_read(jvmti, jni, thread, wanted, stack->frames);
  if (enters && stack->count > 0 && stack->frames[0].location > 0)
    stack->frames[0].location--;
}

/* Reads more frames until there are enough. Returns how many that is; 0: all are needed. */
static jint read_stack(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, bool enters, jint wanted,
                       struct place_stack *stack)
{
  for (;;) {
    bool certain = choose(jvmti, jni, stack);
    if (is_enough(stack, certain, wanted) || wanted == PLACES_FRAMES)
      return certain ? stack->chosen + (jint)places.chain : 0;
    wanted = wanted * 4 < PLACES_FRAMES ? wanted * 4 : PLACES_FRAMES;
    read_frames(jvmti, jni, thread, enters, wanted, stack);
  }
}

/* Number of frames that the thread needed last, by kind of wait. */
static __thread uint8_t needed[PLACE_USES] __attribute__((tls_model("initial-exec")));

uint64_t place_if_known(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use, struct place_stack *stack)
{
  jint wanted = needed[use] ? needed[use] : FIRST_FRAMES;
  bool enters = use == RAW_BLOCK_ENTER;
  read_frames(jvmti, jni, NULL, enters, wanted, stack);
  if (is_last(stack))
    return last.code;
  jint enough = read_stack(jvmti, jni, NULL, enters, wanted, stack);
  needed[use] = enough <= MOST_FIRST ? (uint8_t)enough : MOST_FIRST;
  uint64_t code = find_frames(stack->frames + stack->chosen, stack->count - stack->chosen);
  if (enough)
    remember(stack, code);
  return code;
}

uint64_t place_of_stack(jvmtiEnv *jvmti, JNIEnv *jni, const struct place_stack *stack)
{
  return place_of_frames(jvmti, jni, stack->frames + stack->chosen, stack->count - stack->chosen);
}

uint64_t place_here(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use)
{
  struct place_stack stack;
  uint64_t code = place_if_known(jvmti, jni, use, &stack);
  return code ? code : place_of_stack(jvmti, jni, &stack);
}

uint64_t place_in_program(jvmtiEnv *jvmti, JNIEnv *jni, unsigned use)
{
  struct place_stack stack;
  uint64_t code = place_if_known(jvmti, jni, use, &stack);
  if (!stack.in_program)
    return 0;
  return code ? code : place_of_stack(jvmti, jni, &stack);
}

uint64_t place_of_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, bool *in_join)
{
  struct place_stack stack;
  jint state;
  bool enters = (*jvmti)->GetThreadState(jvmti, thread, &state) == JVMTI_ERROR_NONE &&
                (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0;
  read_frames(jvmti, jni, thread, enters, FIRST_FRAMES, &stack);
  read_stack(jvmti, jni, thread, enters, FIRST_FRAMES, &stack);
  if (in_join)
    *in_join = stack.in_join;
  return place_of_stack(jvmti, jni, &stack);
}

static bool pins(jvmtiEnv *jvmti, jmethodID method)
{
  jboolean native;
  char *name;
  if ((*jvmti)->IsMethodNative(jvmti, method, &native) == JVMTI_ERROR_NONE && native)
    return true;
  if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
    return false;
  bool initializes = strcmp(name, "<clinit>") == 0;
  free_jvmti(jvmti, name);
  return initializes;
}

uint64_t place_that_pins(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jvmtiFrameInfo frames[PLACES_FRAMES];
  jint count = 0;
  /* Not as frames_read() does it: that would show the carrier's frames, too. */
  if ((*jvmti)->GetStackTrace(jvmti, NULL, 1, PLACES_FRAMES, frames, &count) != JVMTI_ERROR_NONE)
    return 0;
  for (jint i = 0; i < count; i++)
    if (pins(jvmti, frames[i].method))
      return place_of_frames(jvmti, jni, &frames[i], count - i);
  return 0;
}

uint64_t place_of_caller(jvmtiEnv *jvmti, JNIEnv *jni, int depth)
{
  jvmtiFrameInfo frames[16];
  jint count = 0, wanted = places.chain < 16 ? (jint)places.chain : 16;
  if ((*jvmti)->GetStackTrace(jvmti, NULL, depth, wanted, frames, &count) != JVMTI_ERROR_NONE)
    return 0;
  uint64_t code = find_frames(frames, count);
  return code ? code : place_of_frames(jvmti, jni, frames, count);
}

uint64_t place_by_name(const char *class_name, const char *method, const char *file, unsigned line)
{
  pthread_mutex_lock(&places.lock);
  uint32_t id = places_describe(0, line, class_name, method, file);
  pthread_mutex_unlock(&places.lock);
  return places_code_of(id);
}

uint64_t place_of_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, unsigned line)
{
  struct method_names names;
  return read_names(jvmti, jni, method, &names) ? place_by_name(names.class_name, names.method, names.file, line) : 0;
}
