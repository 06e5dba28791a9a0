#include "analyzer/record/record_plan.h"

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/kernel_writer.h"
#include "analyzer/record/launch/processor_counters.h"
#include "common/recorder/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a library that is loaded into programs, to be freed. NULL: it is not installed, after a message. */
static char *find_tool(const char *sibling)
{
  char *tool = sibling_path(sibling);
  if (tool && access(tool, R_OK) == 0)
    return tool;
  command_error("record", "the tool %s is missing; is the installation complete?", tool ? tool : sibling);
  free(tool);
  return NULL;
}

/* An unfit program does not start, or its loader prints an error on stderr. */
static bool can_preload(const struct program_libraries *libraries)
{
  return !libraries || !libraries->executable || (libraries->kind == ELF_NATIVE && !libraries->other_loader);
}

/* gcc's AddressSanitizer ends a program with any preloaded library, unless this option allows it. */
static void allow_preload_with_address_sanitizer(struct record_plan *plan)
{
  environment_append(&plan->environment, "ASAN_OPTIONS", "verify_asan_link_order=0", ':');
}

/*
 * The library is preloaded even if the program does not link libgomp: a plug-in or a child process may use libgomp.
 * Without libgomp the library does nothing.
 */
static void add_preload(struct record_plan *plan)
{
  plan->gomp = sibling_path(SIBLING_GOMP);
  if (!plan->gomp || access(plan->gomp, R_OK) != 0)
    plan->preload = PRELOAD_ABSENT;
  else if (!can_preload(plan->libraries))
    plan->preload = PRELOAD_UNFIT;
  else if (!environment_preload(&plan->environment, plan->gomp))
    plan->preload = PRELOAD_UNNAMED;
  else
    plan->preload = PRELOAD_DONE;
  if (plan->preload == PRELOAD_DONE)
    allow_preload_with_address_sanitizer(plan);
}

/*
 * The layer that records waits of POSIX threads. The program need not call such functions: a library that it opens or a
 * program that it starts may do so. The layer does nothing in a process with one thread, and in a JVM unless the user
 * sets HEDDLE_PTHREAD=1: the agent reports a JVM's waits.
 */
static void add_pthread_layer(struct record_plan *plan)
{
  const char *setting = environment_get(&plan->environment, "HEDDLE_PTHREAD");
  bool runtime = plan->libraries && plan->libraries->inside != RUNTIME_NONE; /* whose waits look like the program's */
  if (!can_preload(plan->libraries) || (setting ? strcmp(setting, "0") == 0 : runtime))
    return;
  char *layer = sibling_path(SIBLING_PTHREAD);
  if (layer && access(layer, R_OK) == 0 && environment_preload(&plan->environment, layer)) {
    plan->waits = true;
    if (plan->preload != PRELOAD_DONE)
      allow_preload_with_address_sanitizer(plan);
  }
  free(layer);
}

/* The library with the functions that instrumented code calls. False: an error, after a message. */
static bool add_calls_layer(struct record_plan *plan)
{
  char *layer = find_tool(SIBLING_CALLS);
  bool good = layer && record_calls_find(&plan->calls, plan->libraries, &plan->environment);
  if (good && plan->libraries && !can_preload(plan->libraries))
    command_error("record", "--calls: %s cannot load libraries of this machine's kind: no calls are recorded",
                  plan->arguments[0]);
  else if (good && !environment_preload(&plan->environment, layer))
    command_error("record", "--calls: LD_PRELOAD cannot hold %s: no calls are recorded", layer);
  else if (good)
    allow_preload_with_address_sanitizer(plan);
  free(layer);
  return good;
}

/* Hands on whether the processors' counters agree, for this machine: the recorder alone cannot compare them. */
static void choose_clock(struct record_plan *plan)
{
  enum processor_counters counters;
  char id[40], text[64];
  kernel_writer_boot_id(id, sizeof id);
  if (environment_get(&plan->environment, "HEDDLE_CLOCK") || !*id ||
      (counters = processor_counters_compare()) == COUNTERS_UNKNOWN)
    return;
  snprintf(text, sizeof text, "%s%s", counters == COUNTERS_AGREE ? CLOCK_AGREE : CLOCK_DIFFER, id);
  environment_set(&plan->environment, "HEDDLE_CLOCK", text);
}

/* Heddle's tool precedes the user's own: the runtime takes the first tool that accepts. */
static bool add_tool(struct record_plan *plan, const char *directory)
{
  char *tool = find_tool(SIBLING_OMPT_TOOL);
  if (!tool)
    return false;
  environment_set(&plan->environment, "HEDDLE", "on");
  environment_set(&plan->environment, "HEDDLE_DIR", directory);
  environment_set(&plan->environment, "HEDDLE_CONVERT", "0");
  choose_clock(plan);
  environment_set(&plan->environment, "OMP_TOOL", "enabled");
  environment_prepend(&plan->environment, "OMP_TOOL_LIBRARIES", tool, ':');
  free(tool);
  return true;
}

/* The agent samples the processor time of Java threads, whose code the kernel does not know. */
static void sample_java(struct record_plan *plan, struct record_sample *sample)
{
  char text[24];
  uint64_t period = record_sample_java_period(sample);
  snprintf(text, sizeof text, "%" PRIu64, period);
  if (period != 0)
    environment_set(&plan->environment, "HEDDLE_SAMPLE", text);
  plan->java_samples = period != 0;
}

/* Adds the agent to the command line of a JVM, or to all JVMs. False: an error, after a message. */
static bool add_agent(struct record_plan *plan, struct record_sample *sample)
{
  if (!plan->all_jvms && !launch_is_java(plan->arguments[0]))
    return true;
  char *agent = find_tool(SIBLING_AGENT);
  if (!agent)
    return false;
  plan->agent_option = launch_agent_option(agent);
  free(agent);
  if (plan->agent_option && plan->all_jvms)
    launch_java_everywhere(&plan->environment, plan->agent_option);
  else if (plan->agent_option)
    plan->made = plan->arguments = launch_java_arguments(plan->arguments, plan->agent_option);
  if (!plan->agent_option || !plan->arguments)
    plan->environment.failed = true;
  sample_java(plan, sample);
  return true;
}

static void set_samples(struct record_plan *plan, const struct record_sample *sample)
{
  char text[32];
  bool any = (sample->sampling.triggers.count > 0 || sample->timer_ns > 0) && !record_is_live(&plan->environment);
  snprintf(text, sizeof text, "%" PRIu64 "us", sample->timer_ns / 1000);
  if (sample->timer_ns > 0 && plan->agent_option)
    command_error("record", "no samples: --sample=timer takes none in a JVM");
  else if (sample->timer_ns > 0)
    environment_set(&plan->environment, "HEDDLE_SAMPLE_TIMER", text);
  if (any && !environment_get(&plan->environment, "HEDDLE_WAIT_STACKS"))
    environment_set(&plan->environment, "HEDDLE_WAIT_STACKS", "10ms");
}

bool record_plan_make(struct record_plan *plan, struct record_options *options, char **arguments, const char *directory)
{
  *plan =
      (struct record_plan){.arguments = arguments, .environment = options->environment, .all_jvms = options->all_jvms};
  plan->keep = options->keep;
  plan->calls = options->calls;
  options->environment = (struct environment){.failed = false};
  options->keep = (kept_places){0};
  options->calls = (struct record_calls){0};
  if (options->off) {
    environment_set(&plan->environment, "HEDDLE", "off");
  } else {
    plan->libraries = program_libraries_find(arguments[0]);
    if (!add_tool(plan, directory) || !add_agent(plan, &options->sample))
      return false;
    if (!record_keep_find(&plan->keep, plan->libraries))
      return false;
    record_keep_set(&plan->keep, &plan->environment);
    if (!record_calls_allow_sample(&plan->calls, &options->sample.sampling, plan->libraries, &plan->environment))
      return false;
    set_samples(plan, &options->sample);
    if (!plan->agent_option && !plan->calls.on && !record_is_live(&plan->environment))
      record_sample_default(&options->sample);
    if (plan->calls.on && !add_calls_layer(plan))
      return false;
    if (!options->no_preload)
      add_preload(plan);
    if (options->no_pthread)
      environment_set(&plan->environment, "HEDDLE_PTHREAD", "0");
    else if (!options->no_preload && !options->profile)
      add_pthread_layer(plan);
  }
  if (plan->environment.failed)
    command_error("record", "out of memory");
  return !plan->environment.failed;
}

void record_plan_free(struct record_plan *plan)
{
  environment_free(&plan->environment);
  record_keep_free(&plan->keep);
  record_calls_free(&plan->calls);
  program_libraries_free(plan->libraries);
  free(plan->made);
  free(plan->agent_option);
  free(plan->gomp);
}
