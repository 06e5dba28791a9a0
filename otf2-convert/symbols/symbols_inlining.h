/* Which functions code was inlined from, and its lines as these functions have them; shared by symbols*.c alone. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_INLINING_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_INLINING_H

#include "otf2-convert/symbols/symbols_tables.h"

/* The functions that code was inlined from, each into the one before it, the first into `function`. */
#define INLINING_MAX 16u
struct inlining {
  unsigned depth;
  Dwarf_Die functions[INLINING_MAX];
};
struct inlining inlining_at(const struct function *function, uint64_t address);
/* How deep two places are in the same functions. */
unsigned inlining_common(struct inlining *a, struct inlining *b);
/*
 * The line of a row in the function that is `depth` deep: its own, or that of the call that was inlined into it. False:
 * unknown, and place is unchanged.
 */
bool inlining_line(struct symbols *symbols, struct inlining *inlining, unsigned depth, const struct line_row *row,
                   struct source_place *place);

#endif
