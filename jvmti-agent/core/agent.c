#include "jvmti-agent/core/agent.h"

struct agent agent;
