/*
 * Places of constructs that gcc compiled. The compiler makes the calls by which a construct begins. The line table
 * gives them the line of the construct, of the code before it, or of an inlined function there. The code after the
 * call, or the function that is outlined from the construct, shows the place better. See docs/otf2.md.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_LIBGOMP_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_LIBGOMP_H

#include "otf2-convert/symbols/symbols_tables.h"

/* Whether gcc outlined a function of that name from a construct. */
bool symbols_is_outlined(const char *function);

/*
 * The place of a construct at a call of libgomp that the compiler made, and for which the line table has another place.
 * `place` is that of the line table, and becomes the construct's. function: which has the call; NULL unknown.
 */
void symbols_libgomp(struct symbols *symbols, uint64_t after, const struct function *function,
                     struct source_place *place);

/*
 * The same for a construct whose outlined function begins at an address, on any processor. False: there is none, and
 * place is unchanged.
 */
bool symbols_outlined(struct symbols *symbols, uint64_t address, struct source_place *place);

#endif
