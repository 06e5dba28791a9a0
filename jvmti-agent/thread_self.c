#include "jvmti-agent/thread_self.h"

__thread struct thread_self thread_self;
