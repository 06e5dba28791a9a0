/*
 * Prints the records of a process directory, a line each: thread, kind without RAW_, detail, value and further words in
 * hex. With -t the ticks follow the kind. For tests: raw-dump [-t] DIRECTORY.
 */
#include "common/raw/raw_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[256] = {
#define X(name, number, words) [number] = #name,
    RAW_KINDS(X)
#undef X
};

static void print_record(uint32_t thread, const uint64_t *record, bool ticks)
{
  unsigned words = raw_record_words(record[0]);
  printf("%" PRIu32 " %s", thread, kind_names[raw_kind_of(record[0])] + strlen("RAW_"));
  if (ticks)
    printf(" %" PRIu64, record[1]);
  printf(" %u %" PRIx64, raw_detail_of(record[0]), raw_value_of(record[0]));
  for (unsigned i = 2; i < words; i++)
    printf(" %" PRIx64, record[i]);
  putchar('\n');
}

int main(int count, char **arguments)
{
  static uint64_t buffer[RAW_ITER_WORDS];
  bool ticks = count == 3 && strcmp(arguments[1], "-t") == 0;
  if (count != (ticks ? 3 : 2))
    return fputs("Usage: raw-dump [-t] DIRECTORY\n", stderr), 2;
  struct raw_dir dir;
  if (raw_dir_open(&dir, AT_FDCWD, arguments[count - 1]) != 0)
    return fprintf(stderr, "raw-dump: %s: %s\n", arguments[count - 1], strerror(errno)), 1;
  for (uint32_t i = 0; i < dir.log_count; i++) {
    struct raw_iter iter;
    struct raw_mark start = {0};
    const uint64_t *record;
    raw_iter_start(&iter, &dir.logs[i], &start, UINT64_MAX, buffer);
    while ((record = raw_iter_next(&iter)) != NULL)
      print_record(dir.logs[i].thread, record, ticks);
    if (iter.bad_chunks != 0)
      fprintf(stderr, "raw-dump: thread %" PRIu32 ": %" PRIu64 " damaged chunks\n", dir.logs[i].thread,
              iter.bad_chunks);
  }
  raw_dir_close(&dir);
  return 0;
}
