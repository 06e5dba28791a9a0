/*
 * What the threads of a team agree on: whether an instance of a work-sharing construct is recorded. The first thread to
 * come decides. Any thread may call anything but agreement_begin, at any time; nothing locks or allocates.
 */
#ifndef HEDDLE_OMPT_TOOL_AGREEMENT_H
#define HEDDLE_OMPT_TOOL_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before the first construct. False: there is no memory; nothing else is to be called then. */
bool agreement_begin(void);

enum agreement { AGREEMENT_NO, AGREEMENT_YES, AGREEMENT_OPEN };

/* What was decided. team: a number that no other team has; instance: the how many-th of its work-sharing constructs. */
enum agreement agreement_of(uint64_t team, uint32_t instance);

/* Decides, unless another thread was quicker. Returns what holds. */
bool agreement_decide(uint64_t team, uint32_t instance, bool recorded);

#endif
