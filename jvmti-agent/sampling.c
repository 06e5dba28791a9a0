#include "jvmti-agent/sampling.h"

#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/call_trace.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/sample_calls.h"
#include "jvmti-agent/sample_timers.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SAMPLE_NAMES_TABLE_SIZE (1u << 19)
#define UNKNOWN                 UINT32_MAX /* the place of a call in a class that is gone */
#define LINE_MOST               64u

static struct {
  struct pair_table places; /* (method, index of a bytecode), and (method, LINES | line): number of a place */
  uint32_t next;            /* all calls below this have their lines */
} sample_names_state = {.next = RAW_CALL_FIRST};
#define LINES (1ull << 32)

static bool sample_names_open(void)
{
  return pair_table_open(&sample_names_state.places, SAMPLE_NAMES_TABLE_SIZE);
}

/* A line of a method is one place, whichever of its instructions are met. */
static uint32_t place_of_line(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, unsigned line)
{
  uint32_t place = pair_table_find(&sample_names_state.places, (uintptr_t)method, LINES | line);
  if (place)
    return place;
  uint64_t code = place_of_method(jvmti, jni, method, line);
  place = code ? (uint32_t)(code & ~RAW_CODE_PLACE) : UNKNOWN;
  pair_table_add(&sample_names_state.places, (uintptr_t)method, LINES | line, place);
  return place;
}

static uint32_t sample_names_place_of(jvmtiEnv *jvmti, JNIEnv *jni, const struct sample_call *call)
{
  jmethodID method = call->method;
  if (!method)
    return 0;
  uint32_t place = pair_table_find(&sample_names_state.places, (uintptr_t)method, (uint32_t)call->bytecode);
  if (!place) {
    place = place_of_line(jvmti, jni, method, place_line(jvmti, method, call->bytecode));
    pair_table_add(&sample_names_state.places, (uintptr_t)method, (uint32_t)call->bytecode, place);
  }
  return place == UNKNOWN ? 0 : place;
}

static void add_call(struct text *text, uint32_t number, uint32_t caller, uint32_t place)
{
  text_add(text, "call: ");
  text_add_number(text, number);
  text_add(text, " ");
  text_add_number(text, caller);
  text_add(text, " ");
  text_add_number(text, place);
  text_add(text, "\n");
}

/* The number of one that is being made comes again: it stops us, for the moment. */
static void sample_names_report(jvmtiEnv *jvmti, JNIEnv *jni)
{
  char bytes[4096];
  struct text text = TEXT_OVER(bytes);
  struct sample_call call;
  for (uint32_t end = sample_calls_end();
       sample_names_state.next < end && sample_calls_get(sample_names_state.next, &call); sample_names_state.next++) {
    add_call(&text, sample_names_state.next, call.caller, sample_names_place_of(jvmti, jni, &call));
    if (text.used + LINE_MOST > sizeof bytes) {
      session_describe(bytes, text.used);
      text.used = 0;
    }
  }
  if (text.used)
    session_describe(bytes, text.used);
}

#define DEPTH_MOST 512
#define STACKS     64u /* handlers that can be at work at one time */

static struct {
  atomic_bool on;
  call_trace_function *get_call_trace;
  uint64_t period; /* ns */
  int signal;
  atomic_uint at_work; /* handlers */
  _Atomic uint64_t due, taken, lost[RAW_SAMPLE_REASONS];
  uint64_t reported; /* `due` when the counts were reported last */
} sampling;

/* Memory for the stacks: a thread's own stack may be short. */
static struct {
  atomic_flag taken;
  struct call_frame frames[DEPTH_MOST + 1];
} stacks[STACKS];

static unsigned take_stack(void)
{
  unsigned i = 0;
  while (i < STACKS && atomic_flag_test_and_set(&stacks[i].taken))
    i++;
  return i;
}

/* The JVM's numbers (forte.cpp): reasons why there are no frames. */
static enum raw_sample_lost reason_of(int32_t count)
{
  static const uint8_t reasons[] = {
      [0] = RAW_SAMPLE_NO_JAVA, [1] = RAW_SAMPLE_REFUSED, [2] = RAW_SAMPLE_GC,         [3] = RAW_SAMPLE_NATIVE,
      [4] = RAW_SAMPLE_NATIVE,  [5] = RAW_SAMPLE_UNKNOWN, [6] = RAW_SAMPLE_UNWALKABLE, [7] = RAW_SAMPLE_REFUSED,
      [8] = RAW_SAMPLE_EXIT,    [9] = RAW_SAMPLE_DEOPT};
  return count <= 0 && -count < (int32_t)sizeof reasons ? (enum raw_sample_lost)reasons[-count] : RAW_SAMPLE_REFUSED;
}

/* Puts a sample into the recorder. It is no border of a construct: no reading goes with it. */
static bool sampling_put(uint32_t call)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return false;
  recorder_put_at(self, 2, raw_head(RAW_JAVA_SAMPLE, 0, call), 0, clock_ticks());
  recorder_leave(self);
  return true;
}

#if defined(__x86_64__)
/* The registers as the caller of the code has them once the code has returned. `at` is the place of the return address,
 * in words from the stack pointer on. The saved frame pointer is before it, unless it is first. */
static void return_from(ucontext_t *context, const greg_t *stack, size_t at)
{
  greg_t *registers = context->uc_mcontext.gregs;
  registers[REG_RIP] = stack[at];
  if (at > 0)
    registers[REG_RBP] = stack[at - 1];
  registers[REG_RSP] = (greg_t)(uintptr_t)(stack + at + 1);
}

/*
 * The JVM does not know how to leave code that has no frame, as the stubs of virtual calls, or has none yet. The same
 * holds for the stubs that copy arrays. The return address is the first word of the stack then, or the second, or above
 * the frame pointer. The JVM checks whether the result is a stack of calls. The caller represents the skipped frames.
 */
static void read_from_caller(struct call_trace *trace, const ucontext_t *context)
{
  const size_t frame_most = 256; /* words */
  const greg_t *registers = context->uc_mcontext.gregs;
  const greg_t *stack = (const greg_t *)(uintptr_t)registers[REG_RSP]; // NOLINT(performance-no-int-to-ptr)
  size_t above = (size_t)(registers[REG_RBP] - registers[REG_RSP]) / sizeof *stack + 1;
  const size_t places[] = {0, 1, above > 1 && above < frame_most ? above : 0};
  int32_t why = trace->count;
  for (size_t i = 0; i < COUNT_OF(places) && trace->count <= 0; i++) {
    ucontext_t caller = *context;
    return_from(&caller, stack, places[i]);
    sampling.get_call_trace(trace, DEPTH_MOST + 1, &caller);
  }
  if (trace->count <= 0)
    trace->count = why;
}
#else
static void read_from_caller(struct call_trace *trace, const void *context)
{
  (void)trace, (void)context;
}
#endif

/* Returns the call that the thread is in; 0: none, *why. */
static uint32_t read_call(void *jni, void *ucontext, enum raw_sample_lost *why)
{
  unsigned stack = take_stack();
  uint32_t call = 0;
  *why = RAW_SAMPLE_NO_ROOM;
  if (stack == STACKS)
    return 0;
  struct call_trace trace = {.jni = jni, .frames = stacks[stack].frames};
  sampling.get_call_trace(&trace, DEPTH_MOST + 1, ucontext);
  enum raw_sample_lost reason = reason_of(trace.count);
  if (trace.count <= 0 && (reason == RAW_SAMPLE_UNKNOWN || reason == RAW_SAMPLE_UNWALKABLE))
    read_from_caller(&trace, ucontext);
  if (trace.count <= 0)
    *why = reason_of(trace.count);
  else
    call = sample_calls_add(trace.frames, trace.count > DEPTH_MOST ? DEPTH_MOST : (uint32_t)trace.count,
                            trace.count > DEPTH_MOST);
  atomic_flag_clear(&stacks[stack].taken);
  return call;
}

/* A recorder that the handler gets its thread is the agent's, as one that begins with the thread. */
static bool is_attached(void)
{
  if ((uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE)
    return true;
  if (recorder_self == RECORDER_NONE)
    return false;
  recorder_thread_begin(0);
  thread_self.owns_recorder = (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE;
  return thread_self.owns_recorder;
}

static bool sampling_take(void *jni, void *ucontext, enum raw_sample_lost *why)
{
  struct recorder *self = recorder_self;
  bool records = recording_state() == RECORDING_OPEN, counts = sample_counts_wanted();
  *why = RAW_SAMPLE_OFF;
  if ((!records && !counts) || thread_self.state == THREAD_SILENT)
    return false;
  *why = RAW_SAMPLE_BUSY;
  if ((uintptr_t)self > (uintptr_t)RECORDER_NONE && atomic_load(&self->busy) != 0)
    return false;
  uint32_t call = read_call(jni, ucontext, why);
  if (call == 0 && (*why != RAW_SAMPLE_NO_ROOM || !counts))
    return false;
  *why = call == 0 ? RAW_SAMPLE_NO_ROOM : RAW_SAMPLE_OFF;
  bool taken = is_attached() && call != 0 && records && sampling_put(call);
  if (counts && (taken || !records || call == 0) && (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE)
    sample_counts_add(recorder_self->thread, call);
  return taken;
}

/* The JVM's name of a thread that was there before the agent. False: it runs no Java, and needs no timer. */
static bool is_java(struct sample_timer *timer)
{
  void *jni;
  if (timer->context)
    return true;
  if ((*agent.vm)->GetEnv(agent.vm, &jni, JNI_VERSION_1_8) == JNI_OK)
    timer->context = jni;
  else
    sample_timers_drop(timer);
  return timer->context != NULL;
}

static void sample(struct sample_timer *timer, uint64_t more, void *ucontext)
{
  enum raw_sample_lost why;
  if (!atomic_load(&sampling.on) || !is_java(timer))
    return;
  atomic_fetch_add(&sampling.due, 1 + more);
  atomic_fetch_add(&sampling.lost[RAW_SAMPLE_LATE], more);
  if (sampling_take(timer->context, ucontext, &why))
    atomic_fetch_add(&sampling.taken, 1);
  else
    atomic_fetch_add(&sampling.lost[why], 1);
}

/* A process that sends such a signal, and not to us, means what it does where nobody handles it. */
static void pass_on(int signal)
{
  struct sigaction none = {.sa_handler = SIG_DFL};
  sigaction(signal, &none, NULL);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
  int kept = errno;
  bool foreign;
  struct sample_timer *timer = sample_timers_of(info, &foreign);
  if (foreign) {
    pass_on(signal);
  } else if (timer) {
    atomic_fetch_add(&sampling.at_work, 1);
    sample(timer, info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0, ucontext);
    atomic_fetch_sub(&sampling.at_work, 1);
  }
  errno = kept;
}

/* A real-time signal that nobody handles: SIGPROF is the program's, and other profilers'. 0: there is none. */
static int claim_signal(void)
{
  struct sigaction old, ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&ours.sa_mask);
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; signal--)
    if (sigaction(signal, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL &&
        sigaction(signal, &ours, NULL) == 0)
      return signal;
  return 0;
}

/* Threads without a timer are said once. */
static void begin_timer(pid_t thread, JNIEnv *jni)
{
  static atomic_bool said;
  if (!sample_timers_has(thread) && sample_timers_begin(thread, sampling.signal, sampling.period, jni) == EAGAIN &&
      !atomic_exchange(&said, true))
    diag_say("the kernel has no more timers for this user: some Java threads have no samples; raise ulimit -i", NULL);
}

void sampling_thread_begin(JNIEnv *jni)
{
  sigset_t signals;
  if (!atomic_load(&sampling.on))
    return;
  sigemptyset(&signals);
  sigaddset(&signals, sampling.signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  begin_timer((pid_t)syscall(SYS_gettid), jni);
}

void sampling_thread_end(void)
{
  if (sampling.signal)
    sample_timers_end((pid_t)syscall(SYS_gettid));
}

/* The threads of a JVM that runs already. The handler finds out which of them run Java. */
static void begin_all_threads(void)
{
  DIR *list = opendir("/proc/self/task");
  const struct dirent *entry;
  while (list && (entry = readdir(list)) != NULL)
    if (entry->d_name[0] != '.')
      begin_timer((pid_t)strtol(entry->d_name, NULL, 10), NULL);
  if (list)
    closedir(list);
}

static void ask_for_ids(jvmtiEnv *jvmti, jclass class)
{
  jint count;
  jmethodID *methods;
  if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) == JVMTI_ERROR_NONE)
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

void JNICALL sampling_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
  (void)jni, (void)thread;
  ask_for_ids(jvmti, class);
}

static void ask_for_all_ids(jvmtiEnv *jvmti, JNIEnv *jni)
{
  jint count;
  jclass *classes;
  if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; i < count; i++) {
    ask_for_ids(jvmti, classes[i]);
    (*jni)->DeleteLocalRef(jni, classes[i]);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static void report_counts(void)
{
  char line[512];
  struct text text = TEXT_OVER(line);
  sampling.reported = atomic_load(&sampling.due);
  text_add(&text, "java-samples: ");
  text_add_number(&text, sampling.reported);
  text_add(&text, " ");
  text_add_number(&text, atomic_load(&sampling.taken));
  for (unsigned i = 0; i < RAW_SAMPLE_REASONS; i++) {
    text_add(&text, " ");
    text_add_number(&text, atomic_load(&sampling.lost[i]));
  }
  text_add(&text, "\n");
  session_describe(line, text.used);
}

/* Names must be read before classes are unloaded. The counts are reported less and less often: each is a line of the
 * file.
 */
static unsigned sampling_look(jvmtiEnv *jvmti, JNIEnv *jni)
{
  sample_names_report(jvmti, jni);
  if (atomic_load(&sampling.due) / 2 >= sampling.reported && atomic_load(&sampling.due) > 0)
    report_counts();
  return WATCH_MS;
}

static uint64_t possible_period(uint64_t wanted)
{
  uint64_t tick = clock_kernel_tick_ns();
  char number[24];
  struct text text = TEXT_OVER(number);
  if (wanted >= tick)
    return wanted;
  text_add_number(&text, tick / 1000);
  diag_say("HEDDLE_SAMPLE: Java threads have a sample every ", number,
           " us of processor time: timers are no finer than the kernel's tick", NULL);
  return tick;
}

static void forget_counts(void)
{
  sampling.reported = 0;
  atomic_store(&sampling.due, 0);
  atomic_store(&sampling.taken, 0);
  for (unsigned i = 0; i < RAW_SAMPLE_REASONS; i++)
    atomic_store(&sampling.lost[i], 0);
}

static void report_period(void)
{
  char line[64];
  struct text text = TEXT_OVER(line);
  text_add(&text, "java-sampling: ");
  text_add_number(&text, sampling.period);
  text_add(&text, "\n");
  session_describe(line, text.used);
}

/* False: there can be no samples; why was said. */
static bool prepare(void)
{
  sampling.get_call_trace = call_trace_find();
  if (!sampling.get_call_trace || recording_config()->sums_only) {
    diag_say(sampling.get_call_trace ? "HEDDLE_SAMPLE takes no samples with HEDDLE_PROFILE"
                                     : "this JVM has no AsyncGetCallTrace: Java threads have no samples",
             NULL);
    return false;
  }
  static bool opened; /* in a recording before: numbers stay, and the counts begin anew */
  if (!opened &&
      (!sample_calls_open(SAMPLE_CALLS_MOST) || !sample_names_open() || (sampling.signal = claim_signal()) == 0)) {
    diag_say("out of memory, or all real-time signals are in use: Java threads have no samples", NULL);
    return false;
  }
  return opened = true;
}

void sampling_open(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!agent.options.sample)
    return;
  if (!prepare()) {
    sample_counts_withdraw();
    return;
  }
  forget_counts();
  sampling.period = possible_period(agent.options.sample);
  report_period();
  ask_for_all_ids(jvmti, jni);
  atomic_store(&sampling.on, true);
  if (agent.late)
    begin_all_threads();
  watch_begin(jvmti, jni, sampling_look);
}

/* Handlers that are at work end soon, unless their thread gets no processor. */
static void wait_for_handlers(void)
{
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int i = 0; i < 100 && atomic_load(&sampling.at_work) > 0; i++)
    nanosleep(&moment, NULL);
}

void sampling_close(jvmtiEnv *jvmti, JNIEnv *jni)
{
  if (!atomic_exchange(&sampling.on, false))
    return;
  sample_timers_end_all();
  wait_for_handlers();
  sample_names_report(jvmti, jni);
  report_counts();
}
