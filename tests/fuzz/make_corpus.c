/*
 * Packs the files of a process directory into an input of fuzz_reader and fuzz_convert (fuzz_trace.h): make_corpus
 * OUTPUT DIRECTORY. Make the trace with HEDDLE_WINDOW=16K. Long files are cut, because small inputs mutate better.
 */
#include "common/raw/raw_trace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST  6000u
#define CHUNK 4096u /* the window size of inputs */

static void pack(FILE *output, int kind, unsigned number, const void *bytes, size_t n)
{
  putc(kind, output);
  putc((int)number, output);
  putc((int)(n & 0xff), output);
  putc((int)(n >> 8 & 0xff), output);
  putc((int)(n >> 16), output);
  fwrite(bytes, 1, n, output);
}

/* Each chunk becomes one of the least window size: records behind that are cut off. */
static void pack_chunks(FILE *output, FILE *input, int kind, unsigned number)
{
  static unsigned char bytes[CHUNK];
  struct raw_header header;
  for (long at = 0; fseek(input, at, SEEK_SET) == 0 && fread(bytes, 1, CHUNK, input) >= sizeof header;) {
    memcpy(&header, bytes, sizeof header);
    long step = header.window_size ? (long)header.window_size : (long)CHUNK;
    header.window_size = CHUNK;
    if (header.used > CHUNK - sizeof header)
      header.used = CHUNK - sizeof header;
    memcpy(bytes, &header, sizeof header);
    if (header.owner)
      pack(output, kind, kind == 'W' ? (unsigned)(at / step) : number, bytes,
           kind == 'W' ? CHUNK : sizeof header + header.used);
    at += step;
  }
}

int main(int count, char **arguments)
{
  if (count != 3)
    return fputs("Usage: make_corpus OUTPUT DIRECTORY\n", stderr), 2;
  FILE *output = fopen(arguments[1], "wb");
  DIR *directory = opendir(arguments[2]);
  struct dirent *entry;
  if (output == NULL || directory == NULL)
    return perror(arguments[1]), 1;
  while ((entry = readdir(directory)) != NULL) {
    static unsigned char bytes[MOST];
    char path[4096];
    unsigned number = 0;
    int kind = strcmp(entry->d_name, "process") == 0                  ? 'P'
               : strcmp(entry->d_name, "topology.xml") == 0           ? 'T'
               : strcmp(entry->d_name, "jvm.log") == 0                ? 'J'
               : sscanf(entry->d_name, "chunks-%u.log", &number) == 1 ? 'L'
               : strcmp(entry->d_name, "windows") == 0                ? 'W'
                                                                      : 0;
    snprintf(path, sizeof path, "%s/%s", arguments[2], entry->d_name);
    FILE *input = kind == 0 ? NULL : fopen(path, "rb");
    if (input == NULL)
      continue;
    if (kind == 'L' || kind == 'W')
      pack_chunks(output, input, kind, number);
    else
      pack(output, kind, 0, bytes, fread(bytes, 1, sizeof bytes, input));
    fclose(input);
  }
  closedir(directory);
  return fclose(output) == 0 ? 0 : 1;
}
