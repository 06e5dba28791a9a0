/* The agent: what the JVM loads (java -agentpath:libheddle-jvmti.so), which events it asks for, and its end. */
#include "jvmti-agent/core/agent.h"

#include "common/budget/omitted_counts.h"
#include "common/process/diag.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/statuses.h"
#include "jvmti-agent/allocations.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/class_waits.h"
#include "jvmti-agent/classes.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/io_names.h"
#include "jvmti-agent/jvm_pauses.h"
#include "jvmti-agent/jvmti_events.h"
#include "jvmti-agent/method_calls.h"
#include "jvmti-agent/monitors.h"
#include "jvmti-agent/natives.h"
#include "jvmti-agent/older_threads.h"
#include "jvmti-agent/runtimes/executors.h"
#include "jvmti-agent/runtimes/jomp_budget.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_budget.h"
#include "jvmti-agent/sample_calls.h"
#include "jvmti-agent/sampling.h"
#include "jvmti-agent/stuck_threads.h"
#include "jvmti-agent/virtual_threads.h"
#include "jvmti-agent/wait_owners.h"

#include <stdlib.h>

static struct clock_anchor loaded; /* when the agent was */

static void measure_clock(void)
{
  struct clock_anchor now = clock_anchor_take(10);
  uint64_t us = (now.monotonic_ns - loaded.monotonic_ns) / 1000;
  agent.ticks_per_us = us && now.ticks > loaded.ticks ? (now.ticks - loaded.ticks) / us : 1000;
  blocks_long = BLOCKS_LONG * agent.ticks_per_us;
}

static void begin_thread(JNIEnv *jni, uint64_t id)
{
  sampling_thread_begin(jni);
  allocations_thread_begin(jni, id);
  class_waits_thread_begins(id);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  (void)thread;
  if (!threads_open(jni, runtimes_is_worker, begin_thread)) {
    diag_say("cannot distinguish the threads of this JVM: Java is not recorded; tested are JDK 17 and 25", NULL);
    return;
  }
  measure_clock();
  if (options_want_mounts(&agent.options))
    virtual_threads_open(jvmti);
  if (!agent.late) /* classes that are loaded can't be woven: it would be half of the truth */
    classes_start(jvmti, jni);
  else
    older_threads_begin(jvmti, jni);
  atomic_store(&agent.live, true);
  sampling_open(jvmti, jni);
  allocations_begin(jvmti, jni);
  needed_follow(jvmti, jni);
  thread_records(jni);
  if (agent.options.jvm) {
    stuck_begin(jvmti, jni);
    class_waits_begin(jvmti, jni);
    jvm_log_begin(jni);
  }
  if (agent.options.jvm && agent.options.sampled_owners)
    owners_begin(jvmti, jni);
}

static void record_at_end(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted)
{
  threads_record_end();
  omitted_counts_report(place, class, kind, omitted);
}

/* Records what all threads omitted since the last record of its kind. */
static void record_omitted(void)
{
  jomp_budget_end();
  budget_end_all(record_at_end);
  executors_end();
  io_names_end();
}

/* Threads may run on for a while, also in our callbacks and native methods: nothing is freed. */
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
  watch_end_soon();
  sampling_close(jvmti, jni);
  allocations_end(jni);
  if (atomic_load(&agent.live)) {
    older_threads_end(jni);
    record_omitted();
    method_calls_end();
  }
  atomic_store(&agent.live, false);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
  sampling_thread_end();
  if (agent.late) /* one that is older than the agent, and has done nothing since */
    thread_records(jni);
  if (thread_is_recorded()) {
    task_budget_close(jomp_budget_self);
    jomp_budget_thread_end();
    allocations_thread_end(jni);
    if (thread_self.owns_recorder)
      budget_end_thread(omitted_counts_report);
  }
  threads_on_end(jvmti, jni, thread);
  runtimes_thread_end();
}

static const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
                                              .VMDeath = on_vm_death,
                                              .ThreadStart = threads_on_start,
                                              .ThreadEnd = on_thread_end,
                                              .ClassLoad = frames_on_class_load,
                                              .ClassPrepare = sampling_on_class_prepare,
                                              .ClassFileLoadHook = classes_on_load,
                                              .NativeMethodBind = natives_on_bind,
                                              .MonitorContendedEnter = monitors_on_enter,
                                              .MonitorContendedEntered = monitors_on_entered,
                                              .MonitorWait = monitors_on_wait,
                                              .MonitorWaited = monitors_on_waited,
                                              .GarbageCollectionStart = gc_on_start,
                                              .GarbageCollectionFinish = gc_on_finish};

static void add_property(struct text *text, const char *name)
{
  char *value;
  if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, name, &value) != JVMTI_ERROR_NONE)
    return;
  text_add(text, value);
  (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

/* Opens the session and asks for everything. False: nothing is recorded; why was said. */
static bool load_begin(JavaVM *vm)
{
  char runtime[128];
  struct text text = TEXT_OVER(runtime);
  agent.vm = vm;
  if (*agent.options.directory)
    session_set_directory(agent.options.directory);
  if (agent.options.live)
    session_set_live();
  if (!session_is_off() && !session_fold_profiles()) {
    diag_say("HEDDLE_PROFILE: OpenMP's profile began before the JVM: Java is not recorded", NULL);
    return false;
  }
  if (!agent.jvmti && (*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_11) != JNI_OK) {
    diag_say("this JVM has no tool interface (JVMTI): Java is not recorded; tested are JDK 17 and 25", NULL);
    return false;
  }
  if (capabilities_add(agent.jvmti, &agent.options) != JVMTI_ERROR_NONE ||
      (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      !places_open(agent.options.stack)) {
    diag_say("this JVM refuses the agent, or is out of memory: Java is not recorded", NULL);
    return false;
  }
  add_property(&text, "java.vm.name");
  text_add(&text, " ");
  add_property(&text, "java.vm.version");
  allocations_offer();
  if (agent.options.sample)
    sample_counts_offer();
  if (!session_open("jvmti", runtime))
    return false;
  allocations_open();
  if (agent.options.sample)
    sample_counts_open();
  io_names_open();
  omitted_counts_begin();
  return true;
}

static struct agent_options read_options(const char *text)
{
  struct agent_options options = options_default();
  options_read_period(&options, getenv("HEDDLE_SAMPLE"));
  options_read(&options, getenv("HEDDLE_JAVA"));
  options_read(&options, text);
  options.calls = method_calls_wanted();
  return options;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
  (void)reserved;
  if (session_is_off() || agent.vm)
    return 0;
  agent.options = read_options(text);
  if (!load_begin(vm))
    return 0;
  loaded = clock_anchor_take(10);
  threads_begin_main();
  jvm_events_begin();
  return 0;
}

/* The JVM continues without us: our natives remain bound, and only call the JVM's. */
static jint detach(JavaVM *vm)
{
  JNIEnv *jni;
  if (!atomic_exchange(&agent.live, false))
    return AGENT_NOT_RECORDED;
  watch_end();
  bool has_jni = (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) == JNI_OK;
  if (has_jni) {
    sampling_close(agent.jvmti, jni);
    allocations_end(jni);
    jvm_log_end(jni);
  }
  jvm_events_end();
  if (!agent.late && has_jni)
    classes_stop(agent.jvmti, jni);
  if (has_jni)
    older_threads_end(jni);
  record_omitted();
  session_end();
  return 0;
}

/* What the recording before omitted was recorded at its end. */
static void forget_recording(void)
{
  spin_forget();
  budget_end_thread(omitted_counts_report);
}

/* In the live phase: what VMInit would have begun is begun here, and what was bound is bound again. */
static jint attach(JavaVM *vm)
{
  JNIEnv *jni;
  agent.late = true;
  if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK || !load_begin(vm))
    return JNI_ERR;
  loaded = clock_anchor_take(10);
  threads_forget_by(forget_recording);
  static bool bound; /* natives stay ours */
  if (agent.options.jvm && !bound)
    natives_rebind(agent.jvmti, jni);
  bound |= agent.options.jvm;
  jvm_events_begin();
  on_vm_init(agent.jvmti, jni, NULL);
  return atomic_load(&agent.live) ? 0 : JNI_ERR;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
  (void)reserved;
  struct agent_options options = read_options(text);
  if (options.detach)
    return detach(vm);
  if (session_is_off())
    return AGENT_OFF;
  if (agent.vm && !agent.late)
    return atomic_load(&agent.live) ? AGENT_AGAIN : AGENT_STARTED;
  if (atomic_load(&agent.live))
    return AGENT_AGAIN;
  if (agent.vm && !session_renew())
    return AGENT_BUSY;
  agent.options = options;
  atomic_fetch_add(&agent.round, agent.vm != NULL);
  return attach(vm);
}
