/* Private to pes/: unsigned numbers of as many bytes as they need, seven bits a byte, the lowest first. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_LEB128_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_LEB128_H

#include <stdint.h>

enum { LEB128_MOST = 10 /* bytes of 64 bits */ };

/* Returns where the number ends. */
static inline unsigned char *leb128_put(unsigned char *to, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *to++ = (unsigned char)(number | 0x80);
  *to++ = (unsigned char)number;
  return to;
}

/* For bytes that leb128_put() wrote: nothing is checked. Moves *at behind the number. */
static inline uint64_t leb128_take(const unsigned char **at)
{
  uint64_t number = 0;
  unsigned shift = 0;
  for (; **at >= 0x80; shift += 7)
    number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
  return number | (uint64_t)*(*at)++ << shift;
}

#endif
