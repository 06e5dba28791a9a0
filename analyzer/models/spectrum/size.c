#include "analyzer/models/spectrum/size.h"

#define WORK_MAX (UINT64_C(1) << 31)

static uint64_t largest_prime(uint64_t number)
{
  uint64_t largest = 1;
  for (uint64_t factor = 2; factor * factor <= number; factor++) {
    while (number % factor == 0) {
      largest = factor;
      number /= factor;
    }
  }
  return number > 1 ? number : largest;
}

uint64_t spectrum_fast_size(uint64_t most)
{
  uint64_t best = 2;
  for (uint64_t fives = 2; fives <= most; fives *= 5) {
    for (uint64_t threes = fives; threes <= most; threes *= 3) {
      uint64_t twos = threes;
      while (twos <= most / 2)
        twos *= 2;
      best = twos > best ? twos : best;
    }
  }
  return best;
}

bool spectrum_size_is_fair(uint64_t size)
{
  return size * largest_prime(size) <= WORK_MAX;
}
