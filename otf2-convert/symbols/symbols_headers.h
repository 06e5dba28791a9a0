/* The system's headers; shared by symbols*.c alone. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_HEADERS_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_HEADERS_H

#include "otf2-convert/symbols/symbols_inlining.h"

/* Whether a source file is the system's or the compiler's, not the program's. */
bool symbols_is_header(const char *file);

/*
 * If the place is in a header of the system (std::mutex::lock), it becomes the call that was inlined from there into
 * the program's own source, as far as there is one.
 */
void symbols_leave_headers(struct symbols *symbols, const struct function *function, uint64_t address,
                           struct source_place *place);

#endif
