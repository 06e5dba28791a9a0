/*
 * An OMPT tool that registers no callback: what the runtime takes as soon as there is any tool. And the least that any
 * tool has to do for locks. LEAST=called: it is called for each acquisition, and does nothing. LEAST=clocked: it reads
 * the processor's clock at each request, acquisition and release.
 */
#include <omp-tools.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t last;

static void read_clock(void)
{
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  last = (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  last = now;
#endif
}

static void called(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
}

static void clocked(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  read_clock();
}

static void requested(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  read_clock();
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  const char *least = getenv("LEAST");
  if (least && strcmp(least, "called") == 0)
    set_callback(ompt_callback_mutex_acquired, (ompt_callback_t)called);
  if (least && strcmp(least, "clocked") == 0) {
    set_callback(ompt_callback_mutex_acquire, (ompt_callback_t)requested);
    set_callback(ompt_callback_mutex_acquired, (ompt_callback_t)clocked);
    set_callback(ompt_callback_mutex_released, (ompt_callback_t)clocked);
  }
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
