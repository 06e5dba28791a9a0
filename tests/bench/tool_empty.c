/* An OMPT tool whose callbacks do nothing: what the runtime's own OMPT path costs. */
#define EVENT(number, a, b)                                                                                            \
  do {                                                                                                                 \
    (void)(a);                                                                                                         \
    (void)(b);                                                                                                         \
  } while (0)
#include "tests/bench/callbacks.h"

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  return 0;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
  set_callbacks(lookup);
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
  return 1;
}

static void finish(ompt_data_t *tool)
{
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t result = {start, finish, {0}};
  return &result;
}
