/* raw-count DIRECTORY...: how many records the chunks of these process directories have, and in how many bytes. */
#include "common/raw/raw_reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  static uint64_t buffer[RAW_ITER_WORDS];
  uint64_t records = 0, bytes = 0;
  for (int i = 1; i < argc; i++) {
    struct raw_dir dir;
    if (raw_dir_open(&dir, AT_FDCWD, argv[i]) != 0) {
      perror(argv[i]);
      return 1;
    }
    for (uint32_t log = 0; log < dir.log_count; log++) {
      struct raw_mark mark = {0};
      struct raw_iter iter;
      raw_iter_start(&iter, &dir.logs[log], &mark, UINT64_MAX, buffer);
      while (raw_iter_next(&iter))
        records++;
      bytes += dir.logs[log].bytes + dir.logs[log].chunk_count * sizeof(struct raw_header);
    }
    raw_dir_close(&dir);
  }
  printf("%" PRIu64 " %" PRIu64 "\n", records, bytes);
  return 0;
}
