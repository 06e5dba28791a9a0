#include "common/process/settings.h"

#include "common/process/diag.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define PROFILE_WINDOW (416u * 1024) /* for the rows of a profile_table.h */

#define MILLION       1000000u
#define SECOND        1000000000u /* ns */
#define DEFAULT_SHARE (5 * MILLION / 100)
#define MOST_EVERY    MILLION

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

/* "5%", "0.5 %", "1/64", "none": *share in millionths, or *every. */
static bool parse_budget(const char *text, struct budget_settings *budget)
{
  uint64_t number, part = 0, parts = MILLION / 100;
  const char *at;
  *budget = (struct budget_settings){0};
  if (!strcmp(text, "none"))
    return true;
  if (!parse_number(text, &number, &at) || number > MILLION)
    return false;
  if (number == 1 && *at == '/') {
    bool good = parse_number(at + 1, &number, &at) && !*at && number >= 1 && number <= MOST_EVERY;
    budget->every = good ? (uint32_t)number : 0;
    return good;
  }
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9'; at++) {
      parts /= 10;
      part += (uint64_t)(*at - '0') * parts;
    }
  while (*at == ' ')
    at++;
  uint64_t share = number * (MILLION / 100) + part;
  if (*at != '%' || at[1] || share > MILLION)
    return false;
  budget->share = (uint32_t)share;
  return share > 0;
}

static void read_budget(struct budget_settings *budget)
{
  const char *text = secure_getenv("HEDDLE_BUDGET"), *end;
  *budget = (struct budget_settings){.share = DEFAULT_SHARE};
  if (text && *text && !parse_budget(text, budget)) {
    diag_say("HEDDLE_BUDGET=", text, " is not a share such as 5%, nor 1/64, nor none; using 5%", NULL);
    *budget = (struct budget_settings){.share = DEFAULT_SHARE};
  }
  text = secure_getenv("HEDDLE_MAX_RATE");
  if (text && *text && strcmp(text, "0") != 0)
    diag_say("HEDDLE_MAX_RATE is no longer known: HEDDLE_BUDGET limits what recording costs", NULL);
  uint64_t price;
  text = secure_getenv("HEDDLE_SEED");
  if (text && *text && (!parse_number(text, &budget->seed, &end) || *end))
    diag_say("HEDDLE_SEED=", text, " is not a number; the choice differs each time", NULL);
  text = secure_getenv("HEDDLE_PRICE");
  if (text && *text && parse_number(text, &price, &end) && !*end)
    budget->price = (double)price;
  else if (text && *text)
    diag_say("HEDDLE_PRICE=", text, " is not a number of ns; the price is measured", NULL);
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

static void read_profile(struct settings *settings)
{
  const char *text = secure_getenv("HEDDLE_PROFILE");
  settings->beside = text && !strcmp(text, "beside");
  if (!settings->beside)
    read_switch("HEDDLE_PROFILE", &settings->profile);
}

void settings_set_live(struct settings *settings)
{
  settings->profile = false;
  settings->live = settings->beside = true;
}

static void read_live(struct settings *settings)
{
  bool live = false;
  read_switch("HEDDLE_LIVE", &live);
  if (live && settings->profile)
    diag_say("HEDDLE_PROFILE=1 is ignored: HEDDLE_LIVE=1 keeps sums beside events", NULL);
  if (live)
    settings_set_live(settings);
}

static void read_time(const char *name, uint64_t *ns)
{
  const char *text = secure_getenv(name), *end;
  uint64_t number;
  if (!text || !*text || !strcmp(text, "off"))
    return;
  bool good = parse_number(text, &number, &end) && number <= SECOND;
  uint64_t unit = !good ? 0 : !strcmp(end, "us") ? 1000 : !strcmp(end, "ms") ? MILLION : !strcmp(end, "s") ? SECOND : 0;
  if (unit == 0 || number * unit < SECOND / 10000 || number > SECOND / unit)
    diag_say(name, "=", text, " is not a time from 100us to 1s, nor off; it is off", NULL);
  else
    *ns = number * unit;
}

struct settings settings_read(void)
{
  struct settings settings = {
      .on = true, .convert = true, .switches = true, .command = true, .max_size = 16 * GIB, .window = 128 * KIB};
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
  read_switch("HEDDLE_SWITCHES", &settings.switches);
  read_switch("HEDDLE_COMMAND", &settings.command);
  read_profile(&settings);
  read_live(&settings);
  read_time("HEDDLE_WAIT_STACKS", &settings.wait_stacks);
  read_time("HEDDLE_SAMPLE_TIMER", &settings.sample_timer);
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
  read_budget(&settings.budget);
  settings.keep = secure_getenv("HEDDLE_KEEP");
  settings.directory = secure_getenv("HEDDLE_DIR");
  if (settings.directory && !*settings.directory)
    settings.directory = NULL;
  settings.converter = secure_getenv("HEDDLE_CONVERTER");
  return settings;
}
