/* The memory of a thread's tree: segments of the file, and the table of its nodes. Mappings only; errno may change. */
#ifndef HEDDLE_CALLS_LAYER_MEMORY_H
#define HEDDLE_CALLS_LAYER_MEMORY_H

#include "calls-layer/thread.h"

#include <stddef.h>

/* Adds a segment for the next nodes, of so many bytes, to the tree of the thread with this number. */
bool memory_add_segment(struct calls_thread *thread, uint32_t number, size_t size);
/* Sets an empty table of 1 << bits places; that of before is let go. */
bool memory_set_table(struct calls_thread *thread, unsigned bits);
/* Lets go of all of it. */
void memory_let_go(struct calls_thread *thread);

#endif
