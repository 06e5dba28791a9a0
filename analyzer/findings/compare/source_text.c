#include "analyzer/findings/compare/source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MOST = 200, FILE_MOST = 16 << 20 }; /* bytes */

/* A regular file that is older than the run. */
static FILE *open_source(const struct run_figures *run, const char *path)
{
  struct stat status;
  if (*path != '/' || run->began == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > FILE_MOST || (uint64_t)status.st_mtim.tv_sec >= run->began / 1000000000)
    return NULL;
  return fopen(path, "re");
}

/* NULL: no memory. */
static char *without_blanks(const char *line)
{
  char *text = calloc(1, TEXT_MOST + 1);
  for (size_t length = 0; text && *line && length < TEXT_MOST; line++)
    if (!isspace((unsigned char)*line))
      text[length++] = *line;
  return text;
}

/* All rows of the file. */
static bool read_source(struct run_figures *run, const char *path)
{
  FILE *file = open_source(run, path);
  char *line = NULL;
  size_t room = 0;
  bool good = true;
  for (uint32_t number = 1; file && good && getline(&line, &room, file) >= 0; number++)
    for (size_t i = 0; i < run->rows.count && good; i++) {
      struct run_row *row = &run->rows.items[i];
      if (row->line != number || strcmp(row->file, path) != 0)
        continue;
      free(row->text);
      row->text = without_blanks(line);
      good = row->text;
    }
  free(line);
  if (file)
    fclose(file);
  return good;
}

bool source_texts(struct run_figures *run)
{
  bool good = true;
  for (size_t i = 0; i < run->rows.count && good; i++) {
    size_t before = 0; /* each file once */
    while (before < i && strcmp(run->rows.items[before].file, run->rows.items[i].file) != 0)
      before++;
    if (before == i && run->rows.items[i].line > 0)
      good = read_source(run, run->rows.items[i].file);
  }
  return good;
}
