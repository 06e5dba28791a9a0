#include "jvmti-agent/runtimes/jomp_locks.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/opcodes.h"

#include <stdio.h>

/* A critical construct is a synchronized block on what this returns: the monitor gets the name of the construct. */
void jomp_after_lock(const struct hook *hook)
{
  if (!agent.options.jvm || !hook->first || !hook->second)
    return;
  const char *modified = (*hook->jni)->GetStringUTFChars(hook->jni, hook->second, NULL);
  if (!modified)
    return;
  char name[512];
  snprintf(name, sizeof name, "%s", modified);
  (*hook->jni)->ReleaseStringUTFChars(hook->jni, hook->second, modified);
  name_to_utf8(name);
  object_name(agent.jvmti, hook->jni, hook->first, name);
  if (hook->site->is_constant)
    sites_switch_off(hook->site);
}

/* The instruction before the call may load a constant: then it is the same monitor each time. */
void jomp_prepare_lock(struct site *site, const struct weave_match *match)
{
  const uint8_t *code = match->file->bytes + match->method->code;
  for (uint32_t pc = 0, length; (length = class_instruction(match->file, match->method, pc)) > 0; pc += length)
    if (pc + length == match->pc)
      site->is_constant = code[pc] == OP_LDC || code[pc] == OP_LDC_W;
}
