/* The page of `heddle report` and `heddle view`, a part of the program: page.html, which the build makes from page/. */
#ifndef HEDDLE_ANALYZER_REPORT_PAGE_H
#define HEDDLE_ANALYZER_REPORT_PAGE_H

#include <stddef.h>

#define PAGE_MARKER "<!--HEDDLE-BUNDLE-->" /* once in the page: where the bundle goes */

/* What stands before the marker, and what behind it. */
struct page {
  const char *head, *tail;
  size_t head_size, tail_size;
};

struct page page_get(void);

/* Another page that is kept in the program, from its first byte to behind its last one. */
struct page page_split(const char *begin, const char *end);

#endif
