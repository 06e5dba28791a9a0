/*
 * libFuzzer target: any bytes as the files of a trace (packed as fuzz_trace.h says), converted. The archive must be
 * sound (otf2_checker), or the trace refused, within libFuzzer's limits of memory and time.
 */
#include "tests/fuzz/fuzz_trace.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_trace_begin();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_trace_unpack(data, size);
  fuzz_trace_convert();
  fuzz_trace_clear();
  return 0;
}
