/* Private to spectrum/: how many samples are quick to transform. */
#ifndef HEDDLE_ANALYZER_SPECTRUM_SIZE_H
#define HEDDLE_ANALYZER_SPECTRUM_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The largest even number up to `most` (at least 2) with no prime factors but 2, 3 and 5. */
uint64_t spectrum_fast_size(uint64_t most);

/* Is the transform of that many samples done in seconds? It takes time as size times its largest prime factor. */
bool spectrum_size_is_fair(uint64_t size);

#endif
