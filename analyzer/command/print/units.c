#include "analyzer/command/print/units.h"

#include "analyzer/command/print/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *units_duration(unsigned __int128 ticks, uint64_t ticks_per_second, char text[UNITS_SIZE])
{
  if (ticks_per_second > 0)
    return units_mean((double)ticks, ticks_per_second, text);
  snprintf(text, UNITS_SIZE, "%" PRIu64, print_bounded(ticks));
  return text;
}

const char *units_mean(double ticks, uint64_t ticks_per_second, char text[UNITS_SIZE])
{
  static const struct {
    double limit; /* in seconds; shorter durations have a smaller unit, also after rounding */
    double scale;
    const char *name;
  } units[] = {{0.99995, 1, "s"}, {0.99995e-3, 1e3, "ms"}, {0.9995e-6, 1e6, "us"}, {0, 1e9, "ns"}};
  double seconds = fabs(ticks) / (double)ticks_per_second;
  const char *sign = ticks < 0 ? "-" : "";
  size_t unit = 0;
  if (ticks_per_second == 0) {
    snprintf(text, UNITS_SIZE, "%.6g", ticks);
    return text;
  }
  while (seconds < units[unit].limit)
    unit++;
  double value = seconds * units[unit].scale;
  if (ticks == 0)
    snprintf(text, UNITS_SIZE, "0");
  else if (unit == 3)
    snprintf(text, UNITS_SIZE, "%s%.*f ns", sign, value < 9.95 ? 1 : 0, value);
  else
    snprintf(text, UNITS_SIZE, "%s%.*f %s", sign, value < 9.9995 ? 3 : value < 99.995 ? 2 : 1, value, units[unit].name);
  return text;
}

const char *units_probability(double probability, char text[UNITS_SIZE])
{
  snprintf(text, UNITS_SIZE, probability > 0 && probability < 0.0001 ? "%.1e" : "%.4f", probability);
  return text;
}

const char *units_percent(double percent, char text[UNITS_SIZE])
{
  if (percent == 0)
    snprintf(text, UNITS_SIZE, "0 %%");
  else
    snprintf(text, UNITS_SIZE, "%.*f %%", percent < 0.095 ? 2 : 1, percent);
  return text;
}

const char *units_margin(double half_width, double estimate, char text[UNITS_SIZE])
{
  double percent = 100 * half_width / estimate;
  if (!isfinite(percent))
    snprintf(text, UNITS_SIZE, " ±?");
  else if (percent >= 1000)
    snprintf(text, UNITS_SIZE, " ±>999 %%");
  else
    snprintf(text, UNITS_SIZE, " ±%.*f %%", percent < 0.095 ? 2 : percent < 9.95 ? 1 : 0, percent);
  return text;
}

const char *units_count(uint64_t count, char text[UNITS_SIZE])
{
  char digits[UNITS_SIZE];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
  char *out = text;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      *out++ = ',';
    *out++ = digits[i];
  }
  *out = '\0';
  return text;
}
