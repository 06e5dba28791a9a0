/*
 * From a compiler's name of a function to its name in the source.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SOURCE_NAME_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SOURCE_NAME_H

#include <stdbool.h>

/* Written over it: without what compilers add for outlined parts, Fortran's decorations undone. Any thread. */
void source_name(char *name);

/* Whether a compiler's name is that of a function which it took out of another one for a construct of OpenMP. */
bool source_name_is_outlined(const char *name);

#endif
