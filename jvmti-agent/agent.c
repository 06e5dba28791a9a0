#include "jvmti-agent/agent.h"

struct agent agent;
