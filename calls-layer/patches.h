/* Where functions begin, as unwinders know it (.eh_frame_hdr). */
#ifndef HEDDLE_CALLS_LAYER_PATCHES_H
#define HEDDLE_CALLS_LAYER_PATCHES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a function of the module begins there. False also where the module does not say. */
bool function_starts_has(const struct dl_phdr_info *info, uintptr_t code);

/*
 * Functions with room for a hook at their begin (-fpatchable-function-entry=5): those that are to be recorded get a
 * call of __fentry__ there as the program starts, so others cost nothing. x86-64 alone.
 */

/* Once, after entries_begin(): patches the functions of what is loaded now that filter.h takes. NULL, or why some could
 * not be. */
const char *patches_begin(void);

#endif
