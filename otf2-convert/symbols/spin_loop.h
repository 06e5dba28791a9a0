/*
 * Machine code that waits for another thread: a short loop without a call that only a value which it loads again can
 * end. x86-64 alone; code of other processors is never such a loop.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SPIN_LOOP_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SPIN_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPIN_LOOP_AROUND 256u /* bytes before and after an instruction that matter */

/* True if the instruction at bytes[at] is in such a loop: it pauses, exchanges or compares and exchanges, or only loads
 * and compares. No byte is trusted. */
bool spin_loop_has(const uint8_t *bytes, size_t count, size_t at);

/* True if the instruction at bytes[at], or the one before it, changes memory atomically. A timer stops a thread behind
 * an instruction that takes long. */
bool spin_loop_is_atomic(const uint8_t *bytes, size_t count, size_t at);

#endif
