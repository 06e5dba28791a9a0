/* raw-count FILE...: how many records the logs (thread-*.log) of a raw trace have, and in how many bytes. */
#include "common/raw_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned char words_of[256] = {
#define X(name, number, words) [number] = words,
    RAW_KINDS(X)
#undef X
};

static uint64_t count(const uint64_t *words, size_t n)
{
  uint64_t records = 0;
  for (size_t at = 0; at < n && words[at]; records++) {
    unsigned kind = words[at] >> 56, detail = words[at] >> 48 & 0xff;
    at += words_of[kind] ? words_of[kind] : 2 + detail * RAW_EXTRA;
  }
  return records;
}

int main(int argc, char **argv)
{
  uint64_t records = 0, bytes = 0;
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    struct raw_header header;
    while (file && fread(&header, sizeof header, 1, file) == 1) {
      uint64_t *words = malloc(header.used + 8);
      if (!words || fread(words, 1, header.used, file) != header.used) {
        fprintf(stderr, "raw-count: %s is cut off\n", argv[i]);
        return 1;
      }
      records += count(words, header.used / 8);
      bytes += sizeof header + header.used;
      free(words);
    }
    if (!file)
      return 1;
    fclose(file);
  }
  printf("%" PRIu64 " %" PRIu64 "\n", records, bytes);
  return 0;
}
