/*
 * How many instances of a construct are recorded (HEDDLE_MAX_RATE): at most N in any second, of which a tenth may come
 * at once. A construct is a place in the program and a kind of construct there; the bound holds for the whole process.
 *
 * Any thread may call anything but rate_begin, at any time; nothing locks or allocates.
 */
#ifndef HEDDLE_OMPT_TOOL_RATE_H
#define HEDDLE_OMPT_TOOL_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of one construct. */
struct rate;

/* Sets the bound, instances a second, at least 1. Once, before the first construct; takes 2 ms to measure the clock.
 * False: there is no memory; nothing else is to be called then. */
bool rate_begin(uint64_t most);

/* The construct of a kind (below 2^16) at an address; NULL: there are too many, and all its instances are recorded. */
struct rate *rate_of(uint64_t code, unsigned kind);

/* Whether an instance that begins now (ticks) is recorded. */
bool rate_take(struct rate *rate, uint64_t now);

/*
 * The same for an instance that all threads of a team begin, each for itself: all of them get the same answer. team: a
 * number that no other team has; instance: the how many-th of the team's work-sharing constructs it is.
 */
bool rate_agree(struct rate *rate, uint64_t team, uint32_t instance, uint64_t now);

#endif
