/* An OMPT tool that registers no callback: what the runtime takes as soon as there is any tool. */
#include <omp-tools.h>
#include <stddef.h>

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
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
