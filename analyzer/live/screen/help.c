#include "analyzer/live/screen/help.h"

#include "base/count_of.h"

void help_draw(struct canvas *canvas)
{
  static const struct {
    const char *key, *what;
  } lines[] = {{"1 2 3 4, tab", "constructs, locks, metrics over time, threads"},
               {"w, 5", "why threads do not do more; what is ruled out"},
               {"arrows, page up, ...", "choose a line; left, right: sort by another column"},
               {"s", "sort by the next column"},
               {"/, n", "search for a name, and for the next one"},
               {"t", "the chosen thread alone; again: all threads"},
               {"T", "trace what the line is about alone; again: no longer"},
               {"+, -", "show a metric of the line over time; no longer"},
               {"a, d", "show a metric of a place over time, chosen from a list"},
               {"m", "measure what is shown over time alone; all again"},
               {"f", "show a focus alone: thread=w*,construct=a.c:12"},
               {"c", "sums since the begin, or since the last reading"},
               {"r", "sums begin now"},
               {"space", "freeze, and go on; metrics over time go on meanwhile"},
               {"h, ?; q", "this help; quit: the program goes on"},
               {"", ""},
               {"Could be won", "mean wait of the threads, as a part of the time: won"},
               {"", "at most, if all of them come at the same time"},
               {"Self", "in the construct itself, a part of all threads' time"},
               {"Waiting", "at its barrier, its end, or for its lock; likewise"},
               {"Held", "lock, a part of the time"},
               {"Longest", "execution since the thread began"}};
  int width = 2 * canvas->columns / 5 < 24 ? 2 * canvas->columns / 5 : 24;
  canvas_put(canvas, 0, 1, canvas->columns - 2, "Keys of heddle live. Any key goes back.", STYLE_STRONG);
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    int row = (int)i + (canvas->rows > (int)COUNT_OF(lines) + 2 ? 2 : 1);
    canvas_put(canvas, row, 1, width - 2, lines[i].key, STYLE_KEYS);
    canvas_put(canvas, row, width, canvas->columns - width - 1, lines[i].what, STYLE_TEXT);
  }
}
