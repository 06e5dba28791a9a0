#include "analyzer/exchange/generate/languages.h"

#include "analyzer/exchange/generate/fits.h"
#include "common/raw/archive_names.h"

const char *built_event(const struct spec *spec, char text[BUILT_SIZE])
{
  char hash[SPEC_HASH_SIZE];
  spec_hash_text(spec_hash(spec), hash);
  snprintf(text, BUILT_SIZE, "%s%s %s %s", NAME_BUILT, spec->name, hash, HEDDLE_VERSION);
  return text;
}
