/* Parts and times as users write them, kept exactly: "0.147", "14.7%", "2.5ms", "31ticks". */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_QUANTITY_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_QUANTITY_H

#include "base/error.h"

#include <stdint.h>

enum quantity_unit { QUANTITY_PLAIN, QUANTITY_PERCENT, QUANTITY_TICKS, QUANTITY_SECONDS };

/* mantissa / divisor: of a whole (PLAIN; PERCENT, with its hundredth), ticks, or seconds. */
struct quantity {
  enum quantity_unit unit;
  uint64_t mantissa, divisor; /* divisor: a power of ten, at most 10^18 */
};

/* Units are %, ticks, ns, us, ms and s. */
bool quantity_parse(const char *text, struct quantity *quantity, struct error *error);

/*
 * In ticks, as a fraction: mantissa * scale / divisor. `whole` is what PLAIN and PERCENT are a part of. False: seconds
 * are asked for, and ticks_per_second is 0, unknown.
 */
bool quantity_scale(const struct quantity *quantity, uint64_t whole, uint64_t ticks_per_second, uint64_t *scale,
                    struct error *error);

/* Exactly: is ticks < quantity? And the quantity in whole ticks, not more than 2^64-1. */
bool quantity_exceeds(const struct quantity *quantity, uint64_t scale, uint64_t ticks);
uint64_t quantity_floor(const struct quantity *quantity, uint64_t scale);
uint64_t quantity_ceiling(const struct quantity *quantity, uint64_t scale);

#endif
