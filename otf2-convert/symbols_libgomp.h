/*
 * Where a construct is that gcc compiled. The calls by which it begins are the compiler's own: in the line table they
 * have the line of the construct, of what is executed before it, or of an inlined function there. What the program does
 * behind the call, or the function that is outlined from the construct, tells it better. See docs/otf2.md.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_LIBGOMP_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_LIBGOMP_H

#include "otf2-convert/symbols_tables.h"

/* Whether gcc outlined a function of that name from a construct. */
bool symbols_is_outlined(const char *function);

/*
 * The place of a construct at a call of libgomp's that the compiler made, of which the line table
 * tells the place of something else. `place` is what it tells, and becomes the construct's. function: the one that the
 * call is in, NULL unknown.
 */
void symbols_libgomp(struct symbols *symbols, uint64_t after, const struct function *function,
                     struct source_place *place);

/*
 * The same of the construct from which the function was outlined that begins at an address, whatever the processor.
 * False: none was, and place is as it was.
 */
bool symbols_outlined(struct symbols *symbols, uint64_t address, struct source_place *place);

#endif
