/* The page of `heddle live --web`, a part of the program: live.html, which the build makes from page/. */
#ifndef HEDDLE_ANALYZER_REPORT_LIVE_PAGE_H
#define HEDDLE_ANALYZER_REPORT_LIVE_PAGE_H

#include <stddef.h>

struct live_page {
  const char *text;
  size_t size;
};

struct live_page live_page_get(void);

#endif
