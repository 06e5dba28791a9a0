/*
 * Stands in for libotf2's reader: plays an archive that a fuzzer's input describes, as the library would deliver it,
 * but with refs that nothing defines, names of any bytes, times that run backwards. Without files, and without what the
 * library itself does not survive. What an input is: otf2_player_kinds.h.
 */
#ifndef HEDDLE_TESTS_FUZZ_OTF2_PLAYER_H
#define HEDDLE_TESTS_FUZZ_OTF2_PLAYER_H

#include <stddef.h>
#include <stdint.h>

/* What is played from now on; the bytes must stay. */
void player_load(const uint8_t *data, size_t size);

/* A directory for what a target writes, with an empty anchor file "traces.otf2" in it; removed at the program's end. */
const char *player_directory(void);

#endif
