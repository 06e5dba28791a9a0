#include "common/raw/raw_record.h"

const uint8_t raw_words_of_kind[256] = {
#define X(name, number, words) [number] = (words) != 0 ? (words) : RAW_WORDS_VARY,
    RAW_KINDS(X)
#undef X
};
