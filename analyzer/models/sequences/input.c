#include "analyzer/models/sequences/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

/* Copies what can't be read twice into a file that nobody else sees. */
static bool spool(struct input *input, struct error *error)
{
  FILE *copy = tmpfile();
  if (!copy)
    return error_set(error, "%s: cannot copy to a temporary file: %s", input->path, strerror(errno));
  size_t count;
  while ((count = fread(input->bytes, 1, PIECE, input->file)) > 0)
    if (fwrite(input->bytes, 1, count, copy) != count)
      break;
  bool good = !ferror(input->file) && !ferror(copy) && fflush(copy) == 0;
  if (!good)
    error_set(error, "%s: cannot copy to a temporary file: %s", input->path, strerror(errno));
  if (input->file != stdin)
    fclose(input->file);
  input->file = copy;
  rewind(copy);
  return good;
}

bool input_open(struct input *input, const char *path, struct error *error)
{
  bool standard = strcmp(path, "-") == 0;
  *input = (struct input){.path = strdup(standard ? "standard input" : path), .bytes = malloc(PIECE)};
  if (!input->path || !input->bytes)
    return error_set(error, "%s: out of memory", path);
  input->file = standard ? stdin : fopen(path, "re");
  if (!input->file)
    return error_set(error, "%s: cannot open: %s", path, strerror(errno));
  return fseek(input->file, 0, SEEK_SET) == 0 || spool(input, error);
}

void input_close(struct input *input)
{
  if (input->file && input->file != stdin)
    fclose(input->file);
  free(input->path);
  free(input->bytes);
  *input = (struct input){0};
}

bool input_fill(struct input *input)
{
  input->offset += input->count;
  input->at = 0;
  input->count = fread(input->bytes, 1, PIECE, input->file);
  return input->count > 0;
}

bool input_seek(struct input *input, uint64_t offset, struct error *error)
{
  if (offset > INT64_MAX || fseeko(input->file, (off_t)offset, SEEK_SET) != 0)
    return error_set(error, "%s: cannot read at byte %llu", input->path, (unsigned long long)offset);
  input->offset = offset;
  input->at = input->count = 0;
  return true;
}

bool input_failed(const struct input *input, struct error *error)
{
  if (ferror(input->file))
    return error_set(error, "%s: cannot read: %s", input->path, strerror(errno));
  return error_set(error, "%s: ends too early", input->path);
}
