#include "calls-layer/thread.h"

struct calls_thread thread_new, thread_over;
__thread struct calls_thread *thread_self = &thread_new;
const struct heddle_calls_recorder *thread_recorder;
bool thread_traces;
uint32_t thread_depth = UINT32_MAX;
