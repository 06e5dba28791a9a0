/* Numbers in as many bytes as they need: seven bits a byte, the lowest first. For the account's temporary files. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_PACKED_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_PACKED_H

#include <stdint.h>

#define PACKED_MOST 10u /* bytes of a number, at most */

/* Returns the place behind the number. */
static inline uint8_t *packed_put(uint8_t *to, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *to++ = (uint8_t)(number | 0x80);
  *to++ = (uint8_t)number;
  return to;
}

/* Likewise. The number must be one that packed_put() wrote. */
static inline const uint8_t *packed_get(const uint8_t *from, uint64_t *number)
{
  *number = *from & 0x7f;
  for (unsigned shift = 7; *from & 0x80; shift += 7)
    *number |= (uint64_t)(*++from & 0x7f) << shift;
  return from + 1;
}

#endif
