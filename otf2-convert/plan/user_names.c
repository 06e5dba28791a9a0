#include "otf2-convert/plan/user_names.h"

#include "common/raw/archive_names.h"
#include "otf2-convert/text_fields.h"

#include <string.h>

bool user_names_add(struct user_names *names, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  if (*value != ' ' || id < 1 || id > USER_NAMES_MAX)
    return true;
  while (names->items.count < id)
    if (!vector_push(&names->items, (char *)NULL))
      return false;
  if (names->items.items[id - 1] != NULL)
    return true;
  field_unescape(++value);
  return (names->items.items[id - 1] = strdup(value)) != NULL;
}

void user_names_free(struct user_names *names)
{
  for (size_t i = 0; i < names->items.count; i++)
    free(names->items.items[i]);
  vector_free(&names->items);
}

const char *user_name(const struct user_names *names, uint64_t id)
{
  return id - 1 < names->items.count ? names->items.items[id - 1] : NULL;
}

bool user_name_is_built(const struct user_names *names, uint64_t id)
{
  const char *name = user_name(names, id);
  return name != NULL && strncmp(name, NAME_BUILT, strlen(NAME_BUILT)) == 0;
}
