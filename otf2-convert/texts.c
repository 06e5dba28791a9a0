#include "otf2-convert/texts.h"

#include <string.h>

uint32_t texts_number(struct texts *texts, const char *text)
{
  uint64_t key = hash_text(0, text), *known;
  for (; (known = hash_find(&texts->numbers, key)) != NULL; key++)
    if (strcmp(texts->items.items[*known], text) == 0)
      return (uint32_t)*known;
  char *copy = strdup(text);
  if (copy == NULL || !vector_push(&texts->items, copy)) {
    free(copy);
    return TEXTS_NONE;
  }
  if (hash_add(&texts->numbers, key, texts->items.count - 1) == NULL) {
    free(texts->items.items[--texts->items.count]);
    return TEXTS_NONE;
  }
  return (uint32_t)(texts->items.count - 1);
}

void texts_free(struct texts *texts)
{
  for (size_t i = 0; i < texts->items.count; i++)
    free(texts->items.items[i]);
  vector_free(&texts->items);
  hash_free(&texts->numbers);
}
