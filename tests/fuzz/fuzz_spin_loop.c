/*
 * libFuzzer target: any bytes as machine code around a sample. The first two bytes say where the sample is. Nothing
 * outside of the bytes is read, and the answer is the same for the same bytes.
 */
#include "otf2-convert/symbols/spin_loop.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 8 * SPIN_LOOP_AROUND)
    return 0;
  size_t count = size - 2, at = (size_t)(data[0] | data[1] << 8);
  uint8_t *code = malloc(count ? count : 1); /* the sanitizer sees a read beyond it */
  if (!code)
    return 0;
  memcpy(code, data + 2, count);
  bool spins = spin_loop_has(code, count, at), atomic = spin_loop_is_atomic(code, count, at);
  if (spins != spin_loop_has(code, count, at) || atomic != spin_loop_is_atomic(code, count, at) ||
      ((spins || atomic) && at > count))
    abort();
  free(code);
  return 0;
}
