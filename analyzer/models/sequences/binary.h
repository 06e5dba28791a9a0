/*
 * Private to sequences/: the compact form of a file. heddle-pes(1) refers to this description.
 *
 *     "HDLPES1\n"
 *     records    for each: entry - the entry before (of the first: entry), state
 *     tail       program: name, ticks per second.
 *                parameters: how many, for each name, value.
 *                sets: how many, for each how many values, for each id (zigzag), name, code.
 *                components: how many, for each name, set.
 *                states: how many, for each its kind, then
 *                    0 basic    the index of each component's value
 *                    1 filter   name, before + 1, after + 1 (0: none), runs
 *                    2 pattern  name, runs
 *                  runs: how many, for each count, length, states (before this one), then how often another.
 *                records: how many, entry of the last; end, its terminal state + 1 (0: unknown)
 *     footer     8 bytes: where the tail begins, little endian; "HDLPESE\n"
 *
 * Numbers are unsigned LEB128, texts a length and bytes.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_BINARY_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_BINARY_H

#include "analyzer/models/sequences/input.h"
#include "analyzer/models/sequences/stream.h"

#include <stdint.h>

#define BINARY_MAGIC  "HDLPES1\n"
#define BINARY_FOOTER "HDLPESE\n"

enum { BINARY_MAGIC_LENGTH = 8, BINARY_FOOTER_LENGTH = 16 };

/* Takes over the input, also on an error. */
struct pes_stream *binary_open(struct input *input, struct error *error);

/* As pes_write(). */
bool binary_write(struct pes_stream *stream, const char *path, struct error *error);

/* Private to sequences/. Unsigned numbers in LEB128: seven bits a byte, the lowest first. */

enum { LEB128_MOST = 10 /* bytes of 64 bits */ };

/* Returns the end of the number. */
static inline unsigned char *leb128_put(unsigned char *to, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *to++ = (unsigned char)(number | 0x80);
  *to++ = (unsigned char)number;
  return to;
}

/* Reads a number that leb128_put() wrote, without checks, and moves *at behind it. */
static inline uint64_t leb128_take(const unsigned char **at)
{
  uint64_t number = 0;
  unsigned shift = 0;
  for (; **at >= 0x80; shift += 7)
    number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
  return number | (uint64_t)*(*at)++ << shift;
}

#endif
