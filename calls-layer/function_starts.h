/* Where functions begin, as unwinders know it (.eh_frame_hdr). */
#ifndef HEDDLE_CALLS_LAYER_FUNCTION_STARTS_H
#define HEDDLE_CALLS_LAYER_FUNCTION_STARTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a function of the module begins there. False also where the module does not say. */
bool function_starts_has(const struct dl_phdr_info *info, uintptr_t code);

#endif
