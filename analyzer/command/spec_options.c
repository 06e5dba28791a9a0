#include "analyzer/command/spec_options.h"

#include "analyzer/analyses/intervals/plan.h"

int spec_take_define(const struct option_given *given, void *into)
{
  struct spec_asked *asked = (void *)((char *)into + given->option->at);
  if (asked->define_count == SPEC_DEFINES_MOST)
    return command_usage(given->command, "--define: more than %d", SPEC_DEFINES_MOST);
  asked->defines[asked->define_count++] = given->value;
  return -1;
}

bool specified_read(const struct spec_asked *asked, struct specified *specified, struct error *error)
{
  *specified = (struct specified){0};
  if (!asked->file)
    return true;
  specified->spec = spec_read(asked->file, error);
  bool good = specified->spec;
  for (unsigned i = 0; good && i < asked->define_count; i++)
    good = spec_define(specified->spec, asked->defines[i], error);
  if (!good || !spec_check(specified->spec, error))
    return false;
  specified->plan = plan_create(specified->spec);
  return specified->plan || error_set(error, "out of memory");
}

void specified_free(struct specified *specified)
{
  plan_free(specified->plan);
  spec_free(specified->spec);
  *specified = (struct specified){0};
}
