/*
 * The OMPT tool: what the runtime finds and starts. A runtime that does not know a callback says so when it is set, and
 * the trace lacks these events; nothing else depends on it.
 */
#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/live.h"
#include "common/recorder/preloaded.h"
#include "common/recorder/recording.h"
#include "ompt-tool/callbacks.h"
#include "ompt-tool/gated_callbacks.h"
#include "ompt-tool/omissions.h"
#include "ompt-tool/profiled.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* profiled: where sums are recorded; NULL: it is not needed then. */
static const struct {
  ompt_callbacks_t event;
  ompt_callback_t callback, profiled;
} callbacks[] = {
#define SET(event, profiled) {ompt_callback_##event, (ompt_callback_t)on_##event, (ompt_callback_t)(profiled)}
#define EVENT(event)         SET(event, NULL)
#define SUMMED(event)        SET(event, profiled_##event)
    SUMMED(thread_begin),   SUMMED(thread_end),
    SUMMED(parallel_begin), SUMMED(parallel_end),
    SUMMED(implicit_task),  SUMMED(masked),
    SUMMED(work),           SUMMED(dispatch),
    SUMMED(sync_region),    SUMMED(sync_region_wait),
    SUMMED(reduction),      SUMMED(mutex_acquire),
    SUMMED(mutex_acquired), SUMMED(mutex_released),
    EVENT(lock_init),       EVENT(lock_destroy),
    SUMMED(nest_lock),      EVENT(flush),
    SUMMED(task_create),    EVENT(dependences),
    EVENT(task_dependence), SUMMED(task_schedule),
    EVENT(cancel),          SUMMED(control_tool),
    EVENT(error),
#undef SUMMED
#undef EVENT
#undef SET
};

/* What is registered, without the events that have no callback. */
static struct registered_callback registered[COUNT_OF(callbacks)];
_Static_assert(COUNT_OF(callbacks) <= REGISTERED_MOST, "registered.h knows how many there are");

extension_outlined_function *outlined_function;

/* The runtime's own words about itself, from ompt_start_tool. */
static const char *runtime_version;

static bool has_budget(void)
{
  if (!omitted_counts_begin())
    return false;
  if (agreement_begin())
    return true;
  diag_say("not enough memory for HEDDLE_BUDGET; everything is recorded", NULL);
  return false;
}

/* Returns 0 when the tool shall not be used. */
static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
  (void)initial_device;
  (void)tool_data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set_callback || !session_open("ompt", runtime_version))
    return 0;
  outlined_function = (extension_outlined_function *)lookup(EXTENSION_OUTLINED_FUNCTION);
  bool profile = session_profiles(), beside = session_profiles_beside();
  omission_is_used = !profile && has_budget();
  if (profile || beside)
    profiled_set_runtime((const void *)(uintptr_t)set_callback, strncmp(runtime_version, "LLVM", 4) == 0);
  callbacks_note_origins = beside;
  bool watched = !profile && waits_are_watched(), switched = session_is_switched() && !profile && !watched;
  size_t count = 0;
  for (size_t i = 0; i < COUNT_OF(callbacks); i++) {
    ompt_callbacks_t event = callbacks[i].event;
    ompt_callback_t callback = profile ? callbacks[i].profiled : callbacks[i].callback;
    ompt_callback_t before = watched ? watched_callback(event) : switched ? gated_callback(event) : NULL;
    if (callback)
      registered[count++] =
          (struct registered_callback){event, before ? before : callback, switched ? gated_groups(event) : 0};
  }
  if (omission_is_used) {
    runtime_unreported_mutexes = (extension_unreported_mutexes *)lookup(EXTENSION_UNREPORTED_MUTEXES);
    runtime_unreported_tasks = (extension_unreported_tasks *)lookup(EXTENSION_UNREPORTED_TASKS);
    runtime_unreported_chunks = (extension_unreported_chunks *)lookup(EXTENSION_UNREPORTED_CHUNKS);
  }
  if (switched && beside)
    live_offer(LIVE_NEED_LOCK_COUNTS);
  bool anytime = lookup(EXTENSION_CALLBACKS_GO) != NULL;
  if (switched)
    registered_start((struct registered_runtime){set_callback, lookup, anytime}, registered, count);
  else
    for (size_t i = 0; i < count; i++)
      set_callback(registered[i].event, registered[i].callback);
  extension_set_doacross_wait *set_wait = (extension_set_doacross_wait *)lookup(EXTENSION_SET_DOACROSS_WAIT);
  if (set_wait && !profile)
    set_wait(on_doacross_wait);
  return 1;
}

/* Worker threads may still deliver their own ends after this: the session ends when the process exits. */
static void finalize(ompt_data_t *tool_data)
{
  (void)tool_data;
  registered_stop();
}

/*
 * A program with ThreadSanitizer has false races, unless libomp can load libarcher.so, which reports to the sanitizer
 * how threads wait for each other. There is one tool a runtime: where that one would be loaded, it has the place.
 */
static bool race_detector_needs_place(const char *runtime)
{
  const char *options = secure_getenv("ARCHER_OPTIONS");
  if (strncmp(runtime, "LLVM", 4) != 0 || !dlsym(RTLD_DEFAULT, "__tsan_init") ||
      (options && strstr(options, "enable=0")))
    return false;
  void *archer = dlopen("libarcher.so", RTLD_LAZY | RTLD_LOCAL);
  if (archer)
    dlclose(archer);
  return archer;
}

/* Returns what is recorded about the runtime. A libgomp that starts tools itself has no help of libheddle-gomp.so's. */
static const char *described(const char *version, const void *caller)
{
  enum { VERSION_MOST = 60 }; /* bytes; the rest is cut off */
  static char with_tools[VERSION_MOST + sizeof RAW_RUNTIME_WITH_TOOLS];
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname)
    return version;
  const char *slash = strrchr(info.dli_fname, '/');
  if (strncmp(slash ? slash + 1 : info.dli_fname, "libgomp", strlen("libgomp")) != 0)
    return version;
  struct text text = TEXT_OVER(with_tools);
  text_add_bytes(&text, version, strnlen(version, VERSION_MOST));
  text_add(&text, RAW_RUNTIME_WITH_TOOLS);
  return with_tools;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *version)
{
  (void)omp_version;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (session_is_off())
    return NULL;
  if (version && race_detector_needs_place(version)) {
    diag_say("not recorded: ThreadSanitizer's libarcher.so is an OMPT tool, too, and a runtime loads only one; set "
             "ARCHER_OPTIONS=enable=0 to record (ThreadSanitizer may then report false races)",
             NULL);
    return NULL;
  }
  runtime_version = described(version ? version : "", __builtin_return_address(0));
  return &result;
}

/* Returns what omp_control_tool returns to the program: 0 done, 1 (omp_control_tool_ignored) not a command of ours. */
static int obey(uint64_t command)
{
  switch (command) {
  case omp_control_tool_start:
    return omp_control_tool_success;
  case omp_control_tool_pause:
    recording_pause();
    return omp_control_tool_success;
  case omp_control_tool_flush:
    recorder_flush();
    return omp_control_tool_success;
  case omp_control_tool_end:
    recording_stop();
    return omp_control_tool_success;
  default:
    return omp_control_tool_ignored;
  }
}

int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)argument;
  (void)code;
  if (command == omp_control_tool_start)
    recording_resume();
  recorder_emit3(RAW_CONTROL, 0, command, modifier);
  return obey(command);
}

/* A profile is in its file at any time, so there is nothing to flush. */
int profiled_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)modifier;
  (void)argument;
  (void)code;
  if (command == omp_control_tool_start || command == omp_control_tool_pause)
    profile_measure(command == omp_control_tool_start);
  return command == omp_control_tool_flush ? omp_control_tool_success : obey(command);
}

void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
  (void)message;
  (void)length;
  recorder_emit(RAW_ERROR, severity, code_of(code));
}
