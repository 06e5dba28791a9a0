#include "analyzer/models/markov/random.h"

#include "base/hash.h"

static uint64_t rotate(uint64_t value, int bits)
{
  return value << bits | value >> (64 - bits);
}

void markov_random_seed(struct markov_random *random, uint64_t seed)
{
  for (int i = 0; i < 4; i++)
    random->word[i] = hash_draw(&seed);
}

uint64_t markov_random_next(struct markov_random *random)
{
  uint64_t *word = random->word;
  uint64_t result = rotate(word[1] * 5, 7) * 9, moved = word[1] << 17;
  word[2] ^= word[0];
  word[3] ^= word[1];
  word[1] ^= word[2];
  word[0] ^= word[3];
  word[2] ^= moved;
  word[3] = rotate(word[3], 45);
  return result;
}

uint64_t markov_random_below(struct markov_random *random, uint64_t limit)
{
  uint64_t uneven = -limit % limit; /* 2^64 mod limit: so many numbers are one too many */
  uint64_t drawn;
  do
    drawn = markov_random_next(random);
  while (drawn < uneven);
  return drawn % limit;
}
