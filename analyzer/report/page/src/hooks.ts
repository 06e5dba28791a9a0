// What tests and curious people can ask the page: heddle.view(), heddle.setView(), heddle.drawn(), heddle.marks(), heddle.frames.

import type { App } from './app'
import { Chart } from './timeline/chart'

export function installHooks(app: App): void {
  const { timeline } = app
  const hooks = {
    view: () => {
      const { begin, end, scale, width, stepPercent } = timeline.viewport
      return { begin, end, ticksPerPixel: scale, width, stepPercent, selected: timeline.selected, measured: timeline.area && [timeline.area.begin, timeline.area.end], area: timeline.area, matches: timeline.finder.matches }
    },
    setView: (begin: number, ticksPerPixel: number) => timeline.viewport.set(begin, ticksPerPixel),
    fit: () => timeline.viewport.fit(),
    drawn: (location: number, lane = 0, run = 0) => timeline.charts[run].drawn(location, lane),
    /** what each pixel of a lane holds */
    held: (location: number, lane = 0, run = 0) => Array.from({ length: timeline.viewport.width }, (_, x) => timeline.charts[run].held(location, lane, x)),
    /** the marks of the program's events on a thread's line */
    marks: (location: number, run = 0) => timeline.charts[run].marks.of(location),
    /** the intervals of a specification, as they are drawn */
    spans: (run = 0) => timeline.charts[run].spans.all(),
    rows: (run = 0) => [...timeline.charts[run].rows.order],
    lineOf: (location: number, run = 0) => timeline.charts[run].lineOf(location),
    redraw: () => timeline.charts.forEach(chart => chart.invalidate()),
    frames: Chart.frames,
    flame: (run = 0) => app.calls[run]?.frames(),
    bundle: app.bundle,
  }
  Object.assign(window, { heddle: hooks })
}
