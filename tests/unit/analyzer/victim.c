#include "tests/unit/analyzer/victim.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

void victim_write(const struct victim *victim, const unsigned char *bytes, size_t size)
{
  FILE *file = fopen(victim->path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

struct victim victim_take(const char *directory, const char *name)
{
  struct victim victim;
  snprintf(victim.path, sizeof victim.path, "%s/%s", directory, name);
  FILE *file = fopen(victim.path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  victim.size = (size_t)ftell(file);
  rewind(file);
  victim.bytes = malloc(victim.size);
  assert_non_null(victim.bytes);
  assert_int_equal(fread(victim.bytes, 1, victim.size, file), victim.size);
  fclose(file);
  return victim;
}

void victim_heal(struct victim *victim)
{
  victim_write(victim, victim->bytes, victim->size);
  free(victim->bytes);
}
