/*
 * From a compiler's name of a function to its name in the source.
 */
#ifndef HEDDLE_OTF2_CONVERT_SOURCE_NAME_H
#define HEDDLE_OTF2_CONVERT_SOURCE_NAME_H

/* Written over it: without what compilers add for outlined parts, Fortran's decorations undone. Any thread. */
void source_name(char *name);

#endif
