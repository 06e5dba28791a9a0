/*
 * Packs the files of a process directory into an input of fuzz_reader and fuzz_convert (fuzz_trace.h): make_corpus
 * OUTPUT DIRECTORY. Long files are cut, because small inputs mutate better.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 6000u

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
    int kind = strcmp(entry->d_name, "process") == 0                   ? 'P'
               : strcmp(entry->d_name, "topology.xml") == 0            ? 'T'
               : sscanf(entry->d_name, "thread-%u.log", &number) == 1  ? 'L'
               : sscanf(entry->d_name, "slot-%u.window", &number) == 1 ? 'W'
                                                                       : 0;
    snprintf(path, sizeof path, "%s/%s", arguments[2], entry->d_name);
    FILE *input = kind == 0 ? NULL : fopen(path, "rb");
    if (input == NULL)
      continue;
    size_t n = fread(bytes, 1, sizeof bytes, input);
    fclose(input);
    putc(kind, output);
    putc((int)number, output);
    putc((int)(n & 0xff), output);
    putc((int)(n >> 8 & 0xff), output);
    putc((int)(n >> 16), output);
    fwrite(bytes, 1, n, output);
  }
  closedir(directory);
  return fclose(output) == 0 ? 0 : 1;
}
