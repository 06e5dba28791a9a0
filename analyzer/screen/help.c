#include "analyzer/screen/help.h"

#include "base/count_of.h"

void help_draw(struct canvas *canvas)
{
  static const struct {
    const char *key, *what;
  } lines[] = {{"1 2 3 4, tab", "constructs, locks, metrics over time, threads"},
               {"up, down, page up, page down, home, end", "choose a line"},
               {"s, left, right", "sort by another column"},
               {"/, n", "search for a name, and for the next one"},
               {"t", "constructs and locks of the chosen thread; again: of all"},
               {"+", "show a metric of the chosen line over time"},
               {"-", "no longer"},
               {"c", "sums since the begin, or what came since the reading before"},
               {"r", "sums begin now"},
               {"space", "freeze the figures, and go on; metrics over time go on meanwhile"},
               {"h, ?", "this help"},
               {"q", "quit; the program goes on"},
               {"", ""},
               {"Could be won", "the mean wait of the threads there, as a part of the time: what would be"},
               {"", "won at most if all threads came at the same time, and locks were free"},
               {"Self", "time in the construct itself, as a part of all threads' time"},
               {"Waiting", "at its barrier, at its end, or for its lock, as a part of all threads' time"},
               {"Longest", "execution since the thread began"}};
  int width = 2 * canvas->columns / 5 < 41 ? 2 * canvas->columns / 5 : 41;
  canvas_put(canvas, 0, 1, canvas->columns - 2, "Keys of heddle live. Any key goes back.", STYLE_STRONG);
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    int row = (int)i + (canvas->rows > (int)COUNT_OF(lines) + 2 ? 2 : 1);
    canvas_put(canvas, row, 1, width - 2, lines[i].key, STYLE_KEYS);
    canvas_put(canvas, row, width, canvas->columns - width - 1, lines[i].what, STYLE_TEXT);
  }
}
