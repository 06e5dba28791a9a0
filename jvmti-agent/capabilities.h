/* What the agent needs of the JVM. */
#ifndef HEDDLE_JVMTI_AGENT_CAPABILITIES_H
#define HEDDLE_JVMTI_AGENT_CAPABILITIES_H

#include "jvmti-agent/core/options.h"

#include <jvmti.h>

/* Adds what the options need, as far as this JVM has it now: it has less when the agent comes late. */
jvmtiError capabilities_add(jvmtiEnv *jvmti, const struct agent_options *options);

#endif
