#include "common/process/lines.h"

#include "common/process/process_dir.h"

void lines_begin(struct lines *lines)
{
  lines->text = TEXT_OVER(lines->bytes);
  lines->error = 0;
}

static void lines_write(struct lines *lines)
{
  if (lines->text.used && !lines->error)
    lines->error = process_dir_append(lines->bytes, lines->text.used);
  lines->text.used = 0;
}

int lines_end(struct lines *lines)
{
  lines_write(lines);
  return lines->error;
}

void lines_reserve(struct lines *lines, size_t n)
{
  if (lines->text.used + n * 4 + 128 > sizeof lines->bytes)
    lines_write(lines);
}
