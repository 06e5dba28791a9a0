#include "analyzer/exchange/import/names.h"

#include "analyzer/command/print/escape.h"

#include <stdlib.h>
#include <string.h>

static bool find(const struct import_names *names, uint64_t key, unsigned kind, const char *text, uint32_t *number)
{
  for (struct hash_link *link = hash_chain_first(&names->by_text, key); link; link = link->next) {
    const struct import_name *name = (const struct import_name *)link;
    if (name->kind == kind && strcmp(name->text, text) == 0) {
      *number = name->number;
      return true;
    }
  }
  return false;
}

static bool add(struct import_names *names, uint64_t key, unsigned kind, const char *text, uint32_t most,
                uint32_t *number, struct error *error)
{
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

bool import_names_number(struct import_names *names, unsigned kind, const char *text, uint32_t most, uint32_t *number,
                         struct error *error)
{
  uint64_t key = hash_text(kind, text);
  if (find(names, key, kind, text, number))
    return true;
  char *valid = escape_invalid(text);
  if (!valid)
    return error_set(error, "out of memory");
  key = hash_text(kind, valid);
  bool good = find(names, key, kind, valid, number) || add(names, key, kind, valid, most, number, error);
  free(valid);
  return good;
}

void import_names_free(struct import_names *names)
{
  for (size_t i = 0; i < names->items.count; i++)
    free(names->items.items[i]);
  vector_free(&names->items);
  hash_free(&names->by_text);
}
