#include "jvmti-agent/capabilities.h"

#include <string.h>

/*
 * can_support_virtual_threads follows can_generate_sampled_object_alloc_events in the struct since JDK 21; headers of
 * older JDKs have no name for it.
 */
static void want_virtual_threads(jvmtiCapabilities *wanted)
{
  jvmtiCapabilities neighbour;
  unsigned char *to = (unsigned char *)wanted, from[sizeof neighbour];
  memset(&neighbour, 0, sizeof neighbour);
  neighbour.can_generate_sampled_object_alloc_events = 1;
  memcpy(from, &neighbour, sizeof from);
  for (size_t i = 0; i < sizeof from; i++) {
    to[i] |= (unsigned char)(from[i] << 1);
    if (from[i] & 0x80 && i + 1 < sizeof from)
      to[i + 1] |= 1;
  }
}

static void keep_possible(jvmtiCapabilities *wanted, const jvmtiCapabilities *possible)
{
  for (size_t i = 0; i < sizeof *wanted; i++)
    ((unsigned char *)wanted)[i] &= ((const unsigned char *)possible)[i];
}

static bool has_virtual_threads(const jvmtiCapabilities *possible)
{
  static const jvmtiCapabilities none;
  jvmtiCapabilities wanted = none;
  want_virtual_threads(&wanted);
  keep_possible(&wanted, possible);
  return memcmp(&wanted, &none, sizeof none) != 0;
}

jvmtiError capabilities_add(jvmtiEnv *jvmti, const struct agent_options *options)
{
  jvmtiCapabilities wanted, possible;
  memset(&wanted, 0, sizeof wanted);
  wanted.can_get_line_numbers = wanted.can_get_source_file_name = 1;
  wanted.can_tag_objects = options->jvm || *options->hold; /* classes have their numbers there */
  if (options->jvm) {
    wanted.can_generate_monitor_events = 1;
    wanted.can_generate_garbage_collection_events = 1;
    wanted.can_generate_native_method_bind_events = 1;
    wanted.can_generate_early_vmstart = 1;
    wanted.can_get_monitor_info = wanted.can_get_current_contended_monitor = 1;
  }
  if (options_want_mounts(options))
    want_virtual_threads(&wanted);
  /* With the second, the JVM keeps the classes as they were: other agents that transform them later start from those.
   */
  wanted.can_generate_all_class_hook_events = wanted.can_retransform_classes = options_want_classes(options);
  wanted.can_get_constant_pool = options->jvm || wanted.can_retransform_classes;
  wanted.can_get_bytecodes = options->jvm;
  /* One that can't be had would make the JVM refuse all of them. */
  jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &possible);
  if (error != JVMTI_ERROR_NONE)
    return error;
  keep_possible(&wanted, &possible);
  if (options->jvm && options->virtual_threads &&
      has_virtual_threads(&possible)) /* who has a monitor is not said of them */
    wanted.can_get_owned_monitor_info = possible.can_get_owned_monitor_info;
  return (*jvmti)->AddCapabilities(jvmti, &wanted);
}
