/* The page of `heddle live --web`, which is kept in the program: live.html, built from page/ and checked in. */
#ifndef HEDDLE_ANALYZER_REPORT_LIVE_PAGE_H
#define HEDDLE_ANALYZER_REPORT_LIVE_PAGE_H

#include <stddef.h>

struct live_page {
  const char *text;
  size_t size;
};

struct live_page live_page_get(void);

#endif
