/* Private to spectrum/: which numbers of samples are fast to transform. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_SIZE_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The largest even number up to `most` (at least 2) with no prime factors but 2, 3 and 5. */
uint64_t spectrum_fast_size(uint64_t most);

/* Whether the transform of `size` samples takes seconds at most. Its time grows with size * its largest prime factor.
 */
bool spectrum_size_is_fair(uint64_t size);

#endif
