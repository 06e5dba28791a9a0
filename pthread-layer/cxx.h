/* Functions of libstdc++ that call the wrapped ones on behalf of the program. */
#ifndef HEDDLE_PTHREAD_LAYER_CXX_H
#define HEDDLE_PTHREAD_LAYER_CXX_H

#include <stdint.h>

/* What the std::thread that this thread is making executes; 0: it makes none. Once. */
uintptr_t cxx_started(void);

#endif
