/*
 * Return addresses that are not the caller's: libheddle-calls.so exchanges those of functions whose return it is to
 * learn of. A function that ends with a jump to another one leaves the exchanged address to that.
 */
#ifndef HEDDLE_COMMON_RECORDER_RETURNS_H
#define HEDDLE_COMMON_RECORDER_RETURNS_H

#include <stdint.h>

struct returns {
  uintptr_t exchanged; /* what stands there instead */
  /* The real one, for who was just called with the exchanged one; 0: unknown. No lock; any thread; keeps errno. */
  uintptr_t (*real)(void);
};

/* heddle_returns_1 of libheddle-calls.so. */
typedef const struct returns *heddle_returns_1_t(void);

static inline __attribute__((always_inline)) uintptr_t returns_real(const struct returns *returns, uintptr_t code)
{
  return __builtin_expect(returns && code == returns->exchanged, 0) ? returns->real() : code;
}

#endif
