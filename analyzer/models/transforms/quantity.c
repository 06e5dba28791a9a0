#include "analyzer/models/transforms/quantity.h"

#include "base/count_of.h"

#include <string.h>

enum { DIGITS_MAX = 18, DECIMALS_MAX = 9 };

static const struct {
  const char *name;
  enum quantity_unit unit;
  uint64_t divisor;
} units[] = {{"", QUANTITY_PLAIN, 1},
             {"%", QUANTITY_PERCENT, 100},
             {"ticks", QUANTITY_TICKS, 1},
             {"s", QUANTITY_SECONDS, 1},
             {"ms", QUANTITY_SECONDS, 1000},
             {"us", QUANTITY_SECONDS, 1000000},
             {"ns", QUANTITY_SECONDS, 1000000000}};

bool quantity_parse(const char *text, struct quantity *quantity, struct error *error)
{
  const char *at = text;
  unsigned digits = 0, decimals = 0;
  bool point = false;
  *quantity = (struct quantity){.divisor = 1};
  for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    decimals += point;
    digits += digits > 0 || *at != '0'; /* zeros in front don't count */
    if (digits > DIGITS_MAX || decimals > DECIMALS_MAX)
      return error_set(error, "%s has too many digits: at most %d in all and %d after the point", text, DIGITS_MAX,
                       DECIMALS_MAX);
    quantity->mantissa = 10 * quantity->mantissa + (uint64_t)(*at - '0');
    quantity->divisor *= point ? 10 : 1;
  }
  if (at == text || (point && at == text + 1))
    return error_set(error, "%s is not a number", *text ? text : "nothing");
  at += *at == ' ';
  for (size_t i = 0; i < COUNT_OF(units); i++) {
    if (strcmp(at, units[i].name) == 0) {
      quantity->unit = units[i].unit;
      quantity->divisor *= units[i].divisor;
      return true;
    }
  }
  return error_set(error, "%s: the unit is unknown; there are %%, ticks, ns, us, ms and s", text);
}

bool quantity_scale(const struct quantity *quantity, uint64_t whole, uint64_t ticks_per_second, uint64_t *scale,
                    struct error *error)
{
  *scale = quantity->unit == QUANTITY_TICKS ? 1 : quantity->unit == QUANTITY_SECONDS ? ticks_per_second : whole;
  if (quantity->unit == QUANTITY_SECONDS && ticks_per_second == 0)
    return error_set(error, "the length of a tick is unknown; give ticks or a percentage");
  return true;
}

typedef unsigned __int128 wide;

bool quantity_exceeds(const struct quantity *quantity, uint64_t scale, uint64_t ticks)
{
  return (wide)ticks * quantity->divisor < (wide)quantity->mantissa * scale;
}

static uint64_t clamp(wide ticks)
{
  return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

uint64_t quantity_floor(const struct quantity *quantity, uint64_t scale)
{
  return clamp((wide)quantity->mantissa * scale / quantity->divisor);
}

uint64_t quantity_ceiling(const struct quantity *quantity, uint64_t scale)
{
  return clamp(((wide)quantity->mantissa * scale + quantity->divisor - 1) / quantity->divisor);
}
