#include "analyzer/analyses/waits/results.h"

static uint64_t length(const struct path_stretch *stretch)
{
  return stretch->end - stretch->begin;
}

/* Each stretch but the last becomes as long as the whole line has room for. */
void line_shorten(struct path_line *line)
{
  struct path_stretch *list = line->stretches.items;
  size_t count = line->stretches.count, kept = 0;
  if (count <= LINE_MOST)
    return;
  uint64_t least = (list[count - 1].end - list[0].begin) / (LINE_MOST - 1) + 1, longest = 0;
  for (size_t i = 0; i < count; i++) {
    struct path_stretch stretch = list[i];
    if (kept > 0 && stretch.end - list[kept - 1].begin <= least) {
      if (length(&stretch) > longest) {
        longest = length(&stretch);
        list[kept - 1].location = stretch.location;
      }
      list[kept - 1].end = stretch.end;
      continue;
    }
    longest = length(&stretch);
    list[kept++] = stretch;
  }
  line->stretches.count = kept;
}

bool line_add(struct path_line *line, struct path_stretch stretch)
{
  size_t count = line->stretches.count;
  struct path_stretch *last = count ? &line->stretches.items[count - 1] : NULL;
  if (stretch.begin >= stretch.end)
    return true;
  if (last && last->location == stretch.location && last->end == stretch.begin) {
    last->end = stretch.end;
    return true;
  }
  if (count >= 2 * LINE_MOST)
    line_shorten(line);
  return vector_push(&line->stretches, stretch);
}

bool line_append(struct path_line *line, const struct path_line *later)
{
  for (size_t i = 0; i < later->stretches.count; i++)
    if (!line_add(line, later->stretches.items[i]))
      return false;
  return true;
}

void line_free(struct path_line *line)
{
  vector_free(&line->stretches);
}
