#include "common/settings.h"

#include "common/diag.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define PROFILE_WINDOW (416u * 1024) /* for the rows of a profile_table.h */

#define MOST_RATE 1000000000ull /* a second: nothing is quicker */

/* The number at the begin of a text; *end is what follows. */
static bool parse_number(const char *text, uint64_t *value, const char **end)
{
  uint64_t number = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; at++) {
    if (number > UINT64_MAX / 10 - 1)
      return false;
    number = number * 10 + (uint64_t)(*at - '0');
  }
  *value = number;
  *end = at;
  return at != text;
}

static bool parse_size(const char *text, uint64_t *size)
{
  uint64_t number, unit = 1;
  const char *at;
  if (!parse_number(text, &number, &at))
    return false;
  if (*at == 'k' || *at == 'K')
    unit = KIB, at++;
  else if (*at == 'm' || *at == 'M')
    unit = MIB, at++;
  else if (*at == 'g' || *at == 'G')
    unit = GIB, at++;
  if (*at != '\0' || number > UINT64_MAX / unit)
    return false;
  *size = number * unit;
  return true;
}

static void read_size(const char *name, uint64_t least, uint64_t most, uint64_t *size)
{
  const char *text = secure_getenv(name);
  uint64_t value;
  if (!text || !*text)
    return;
  if (!parse_size(text, &value) || (value != 0 && value < least) || value > most)
    diag_say(name, "=", text, " is not a usable size; using the default", NULL);
  else
    *size = value;
}

static void read_rate(const char *name, uint64_t *rate)
{
  const char *text = secure_getenv(name), *at;
  uint64_t number;
  if (!text || !*text)
    return;
  bool good = parse_number(text, &number, &at);
  uint64_t unit = !good ? 0 : *at == 'k' || *at == 'K' ? 1000 : *at == 'm' || *at == 'M' ? 1000000 : 1;
  at += good && unit > 1;
  if (!good || *at || number > MOST_RATE / unit)
    diag_say(name, "=", text, " is not a rate (instances a second); all instances are recorded", NULL);
  else
    *rate = number * unit;
}

static void read_switch(const char *name, bool *on)
{
  const char *text = secure_getenv(name);
  if (!text || !*text)
    return;
  if (!strcmp(text, "1") || !strcmp(text, "on") || !strcmp(text, "yes") || !strcmp(text, "true"))
    *on = true;
  else if (!strcmp(text, "0") || !strcmp(text, "off") || !strcmp(text, "no") || !strcmp(text, "false"))
    *on = false;
  else
    diag_say(name, "=", text, " is neither on nor off; using the default", NULL);
}

struct settings settings_read(void)
{
  struct settings settings = {.on = true, .convert = true, .max_size = 16 * GIB, .window = 128 * KIB};
  /* A program with more rights than its caller creates nothing, starts nothing and says nothing on the caller's behalf.
   */
  if (getauxval(AT_SECURE)) {
    settings.on = settings.convert = false;
    return settings;
  }
  uint64_t window = 0;
  read_switch("HEDDLE", &settings.on);
  read_switch("HEDDLE_CONVERT", &settings.convert);
  read_switch("HEDDLE_PAUSED", &settings.paused);
  read_switch("HEDDLE_PROFILE", &settings.profile);
  read_switch("HEDDLE_VERBOSE", &settings.verbose);
  read_size("HEDDLE_MAX_SIZE", 64 * KIB, UINT64_MAX, &settings.max_size);
  read_size("HEDDLE_RING", 64 * KIB, UINT64_MAX / 2, &settings.ring);
  read_size("HEDDLE_WINDOW", 16 * KIB, 16 * MIB, &window);
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (settings.profile) {
    settings.window = PROFILE_WINDOW;
    settings.ring = 0; /* there is one chunk a thread */
  }
  if (window)
    settings.window = (uint32_t)((window + page - 1) / page * page);
  read_rate("HEDDLE_MAX_RATE", &settings.max_rate);
  settings.directory = secure_getenv("HEDDLE_DIR");
  if (settings.directory && !*settings.directory)
    settings.directory = NULL;
  settings.converter = secure_getenv("HEDDLE_CONVERTER");
  return settings;
}
