#include "analyzer/findings/suggest/patch_text.h"

#include <string.h>

#define AROUND 3 /* lines before and after */

/* Lines, each with a mark. The last line of a file may have no end. */
static void put_lines(FILE *file, char mark, const char *text, size_t size)
{
  while (size > 0) {
    const char *end = memchr(text, '\n', size);
    size_t length = end ? (size_t)(end - text) + 1 : size;
    putc(mark, file);
    fwrite(text, 1, length, file);
    if (!end)
      fputs("\n\\ No newline at end of file\n", file);
    text += length;
    size -= length;
  }
}

static void put_source(FILE *file, char mark, const struct code_text *source, size_t from, size_t to)
{
  put_lines(file, mark, source->text + source->lines[from], source->lines[to] - source->lines[from]);
}

static size_t count_lines(const char *text)
{
  size_t lines = 0;
  for (const char *at = text; *at; at++)
    lines += *at == '\n' || at[1] == '\0';
  return lines;
}

static size_t end_of(const struct code_text *source, const struct edit *edit)
{
  size_t end = edit->line + edit->count + AROUND;
  return end < source->line_count ? end : source->line_count;
}

void patch_text_write(FILE *file, const char *name, const struct code_text *source, const struct edit *edits,
                      size_t count)
{
  const char *end = strchr(name, ' ') ? "\t" : ""; /* else the name would end there */
  fprintf(file, "--- a/%s%s\n+++ b/%s%s\n", name, end, name, end);
  size_t added = 0, removed = 0;
  for (size_t i = 0, last; i < count; i = last + 1) {
    size_t from = edits[i].line > AROUND ? edits[i].line - AROUND : 0, new_lines = 0, old_lines = 0;
    for (last = i; last + 1 < count && edits[last + 1].line <= end_of(source, &edits[last]) + AROUND;)
      last++;
    size_t to = end_of(source, &edits[last]), at = from;
    for (size_t k = i; k <= last; k++) {
      new_lines += count_lines(edits[k].text);
      old_lines += edits[k].count;
    }
    fprintf(file, "@@ -%zu,%zu +%zu,%zu @@\n", from + 1, to - from, from + 1 + added - removed,
            to - from + new_lines - old_lines);
    for (size_t k = i; k <= last; k++) {
      put_source(file, ' ', source, at, edits[k].line);
      at = edits[k].line + edits[k].count;
      put_source(file, '-', source, edits[k].line, at);
      put_lines(file, '+', edits[k].text, strlen(edits[k].text));
    }
    put_source(file, ' ', source, at, to);
    added += new_lines;
    removed += old_lines;
  }
}
