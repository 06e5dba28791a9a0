#include "analyzer/import/names.h"

#include <stdlib.h>
#include <string.h>

bool import_names_number(struct import_names *names, unsigned kind, const char *text, uint32_t most, uint32_t *number,
                         struct error *error)
{
  uint64_t key = hash_text(kind, text);
  for (struct hash_link *link = hash_chain_first(&names->by_text, key); link; link = link->next) {
    struct import_name *name = (struct import_name *)link;
    if (name->kind == kind && strcmp(name->text, text) == 0) {
      *number = name->number;
      return true;
    }
  }
  if (names->items.count >= most)
    return error_set(error, "more than %u different names or texts", most);
  struct import_name *name = calloc(1, sizeof *name + strlen(text) + 1);
  if (!name || !vector_push(&names->items, name)) {
    free(name);
    return error_set(error, "out of memory");
  }
  *number = name->number = (uint32_t)(names->items.count - 1);
  name->kind = kind;
  strcpy(name->text, text);
  return hash_chain_add(&names->by_text, key, &name->link) || error_set(error, "out of memory");
}

void import_names_free(struct import_names *names)
{
  for (size_t i = 0; i < names->items.count; i++)
    free(names->items.items[i]);
  vector_free(&names->items);
  hash_free(&names->by_text);
}
