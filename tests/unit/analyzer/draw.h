/* Random numbers for populations of tests; a state is a seed at first. */
#ifndef HEDDLE_TESTS_UNIT_ANALYZER_DRAW_H
#define HEDDLE_TESTS_UNIT_ANALYZER_DRAW_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A whole number below `end`. */
static inline uint64_t draw_below(uint64_t *state, uint64_t end)
{
  return draw(state) % end;
}

/* In (0, 1). */
static inline double uniform(uint64_t *state)
{
  return ((double)(draw(state) >> 11) + 0.5) * 0x1p-53;
}

#endif
