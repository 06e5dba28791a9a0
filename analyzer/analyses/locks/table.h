/* Private to locks/: all locks so far, their holders and sums. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_TABLE_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_TABLE_H

#include "analyzer/analyses/locks/lane.h"

struct lock_table;

/* The sink (may be NULL) gets each wait. NULL: no memory. */
struct lock_table *lock_table_create(const struct trace *trace, lock_sink *sink, void *context);
void lock_table_destroy(struct lock_table *table);

/* Takes the next event of all locations, in order of time. False: no memory. */
bool lock_table_take(struct lock_table *table, uint32_t location, const struct lock_event *event);

/* Moves the sums into `locks`, sorted. False: no memory. */
bool lock_table_finish(struct lock_table *table, struct locks *locks);

#endif
