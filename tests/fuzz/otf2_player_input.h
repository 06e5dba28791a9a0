/* Private to otf2_player*.c: the input's records, and what they are made of. */
#ifndef HEDDLE_TESTS_FUZZ_OTF2_PLAYER_INPUT_H
#define HEDDLE_TESTS_FUZZ_OTF2_PLAYER_INPUT_H

#include "tests/fuzz/otf2_player_kinds.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_MOST = 255, METRICS = 8 };

/* Bytes that are not taken yet. */
struct input {
  const uint8_t *at, *end;
};

/* The input from now on; the bytes must stay. */
void set_input(const uint8_t *data, size_t size);
/* All of it. */
struct input whole_input(void);
/* The next record: its kind, and its fields. False: there is none. */
bool next_record(struct input *input, enum played_kind *kind, struct input *fields);

uint8_t take(struct input *input);
uint32_t take_ref(struct input *input);
uint64_t take_number(struct input *input); /* of 8 bytes */
OTF2_AttributeValue take_value(struct input *input, OTF2_Type *type);

/* The name that string PLAYED_NAMES + i is, or NULL. */
const char *played_name(uint32_t i);

#endif
