#include "otf2-convert/plan/process_name.h"

#include "base/count_of.h"

#include <stdbool.h>
#include <string.h>

static const char *without_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Options of java whose value is the next argument. Those of the form --option=value have it in themselves. */
static bool takes_a_value(const char *option)
{
  static const char *const list[] = {"-cp",
                                     "-classpath",
                                     "--class-path",
                                     "-p",
                                     "--module-path",
                                     "--upgrade-module-path",
                                     "--add-modules",
                                     "--limit-modules",
                                     "--add-reads",
                                     "--add-exports",
                                     "--add-opens",
                                     "--patch-module",
                                     "--enable-native-access",
                                     "--source",
                                     "--describe-module",
                                     "-d"};
  for (size_t i = 0; i < COUNT_OF(list); i++)
    if (strcmp(option, list[i]) == 0)
      return true;
  return false;
}

/* What the java command runs; NULL: its command line does not say. */
static const char *java_name(const string_list *arguments)
{
  for (size_t i = 1; i < arguments->count; i++) {
    const char *argument = arguments->items[i], *next = i + 1 < arguments->count ? arguments->items[i + 1] : NULL;
    if (strcmp(argument, "-jar") == 0)
      return next != NULL ? without_folder(next) : NULL;
    if (strcmp(argument, "-m") == 0 || strcmp(argument, "--module") == 0)
      return next != NULL ? without_folder(next) : NULL; /* module/class, or a module */
    if (strncmp(argument, "--module=", 9) == 0)
      return without_folder(argument + 9);
    if (takes_a_value(argument))
      i++;
    else if (*argument != '-' && *argument != '@' && *argument != '\0')
      return without_folder(argument);
  }
  return NULL;
}

const char *process_name(const struct process_info *info)
{
  if (info->exe == NULL)
    return NULL;
  const char *name = without_folder(info->exe), *java = NULL;
  if (strcmp(name, "java") == 0)
    java = java_name(&info->arguments);
  return java != NULL && *java != '\0' ? java : name;
}
