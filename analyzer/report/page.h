/* Pages that are parts of the program. The build makes them from page/. */
#ifndef HEDDLE_ANALYZER_REPORT_PAGE_H
#define HEDDLE_ANALYZER_REPORT_PAGE_H

#include <stddef.h>

#define PAGE_MARKER "<!--HEDDLE-BUNDLE-->" /* once in the page: the place of the bundle */

/* The page before the marker, and after it. */
struct page {
  const char *head, *tail;
  size_t head_size, tail_size;
};

/* The page of `heddle report` and `heddle view`, and the page of `heddle report --pes`. */
struct page page_get(void);
struct page page_sequences(void);

struct live_page {
  const char *text;
  size_t size;
};

/* The page of `heddle live --web`. */
struct live_page live_page_get(void);

#endif
