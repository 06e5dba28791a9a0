#include "analyzer/commands/plain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int take_option(const struct plain *plain, void *own, enum print_format *format, char **argv, int code)
{
  switch (code) {
  case 'h':
    return command_help(plain->help);
  case OPTION_JSON:
  case OPTION_CSV:
    if (*format != PRINT_TEXT)
      return command_usage(argv[0], "one of --json and --csv is enough");
    *format = code == OPTION_JSON ? PRINT_JSON : PRINT_CSV;
    return -1;
  case '?':
  case ':':
    return command_bad_option(argv, code);
  default:
    return plain->take(own, argv[0], code);
  }
}

int plain_options(const struct plain *plain, void *own, enum print_format *format, int argc, char **argv)
{
  int code, status = -1;
  *format = PRINT_TEXT;
  opterr = 0;
  while (status < 0 && (code = getopt_long(argc, argv, ":ho:", plain->options, NULL)) != -1)
    status = take_option(plain, own, format, argv, code);
  if (status >= 0)
    return status;
  if (argc - optind < plain->least)
    return command_usage(argv[0], "give %s", plain->operands);
  if (plain->most > 0 && argc - optind > plain->most)
    return command_usage(argv[0], "give %s (%s is one too many)", plain->operands, argv[optind + plain->most]);
  return -1;
}

bool plain_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

bool plain_real(const char *text, double *number)
{
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*number) && *number >= 0;
}
