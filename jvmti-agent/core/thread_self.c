#include "jvmti-agent/core/thread_self.h"

__thread struct thread_self thread_self;
