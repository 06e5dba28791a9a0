/*
 * Replaces libotf2's reader. Plays an archive that a fuzzer's input describes, as the library would deliver it. But it
 * has undefined refs, names of any bytes, and times that run backwards. It uses no files, and omits what makes the
 * library itself crash. The format of an input: otf2_player_kinds.h.
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
