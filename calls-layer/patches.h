/*
 * Functions with room for a hook at their begin (-fpatchable-function-entry=5). Recorded functions get a call of
 * __fentry__ there when the program starts; others cost nothing. x86-64 alone.
 */
#ifndef HEDDLE_CALLS_LAYER_PATCHES_H
#define HEDDLE_CALLS_LAYER_PATCHES_H

/* Patches the functions of loaded modules that the filter takes. Returns NULL, or why some were not patched. Once,
 * after entries_begin(). */
const char *patches_begin(void);

#endif
