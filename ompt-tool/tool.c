/*
 * The OMPT tool: what the runtime finds and starts. A runtime that does not know a callback says so when it is set, and
 * the trace lacks these events; nothing else depends on it.
 */
#include "common/session.h"
#include "ompt-tool/callbacks.h"

static const struct {
  ompt_callbacks_t event;
  ompt_callback_t callback;
} callbacks[] = {
#define ON(event) {ompt_callback_##event, (ompt_callback_t)on_##event}
    ON(thread_begin),    ON(thread_end),    ON(parallel_begin), ON(parallel_end),   ON(implicit_task),
    ON(masked),          ON(work),          ON(dispatch),       ON(sync_region),    ON(sync_region_wait),
    ON(reduction),       ON(mutex_acquire), ON(mutex_acquired), ON(mutex_released), ON(lock_init),
    ON(lock_destroy),    ON(nest_lock),     ON(flush),          ON(task_create),    ON(dependences),
    ON(task_dependence), ON(task_schedule), ON(cancel),         ON(control_tool),   ON(error),
#undef ON
};

/* The runtime's own words about itself, from ompt_start_tool. */
static const char *runtime_version;

/* Returns 0 when the tool shall not be used. */
static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
  (void)initial_device;
  (void)tool_data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set_callback || !session_open("ompt", runtime_version))
    return 0;
  for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
    set_callback(callbacks[i].event, callbacks[i].callback);
  return 1;
}

/* Worker threads may still deliver their own ends after this: the session ends when the process exits. */
static void finalize(ompt_data_t *tool_data)
{
  (void)tool_data;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *version)
{
  (void)omp_version;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (session_is_off())
    return NULL;
  runtime_version = version ? version : "";
  return &result;
}
