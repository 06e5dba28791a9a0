// Mouse, wheel and keys over a chart.

import { zoomedIn, zoomedOut } from '../time/scale'
import type { Chart } from './chart'

export interface Actions {
  pick(chart: Chart, location: number, lane: number, time: number): void
  /** whether there is one of the program's events */
  pickEvent(chart: Chart, x: number, y: number): boolean
  hover(chart: Chart, x: number, y: number): void
  leave(): void
  /** A stretch of time on the threads between two heights of the canvas. @param done the mouse was released */
  drag(chart: Chart, begin: number, end: number, y0: number, y1: number, done: boolean): void
  /** What is selected, or in sight, becomes a stretch that is selected; if there is one, it is forgotten. */
  mark(): void
  zoomToSelection(): void
  /** Called before the view becomes another one, which is not only adjusted. */
  leaveView(): void
  step(direction: 1 | -1): void
  hide(): void
  pin(): void
  fold(): void
  find(): void
  findNext(direction: 1 | -1): void
  note(): void
  escape(): void
  help(): void
}

const CLICK_PIXELS = 4
/** By how much w and s zoom. */
const KEY_ZOOM = 1.3

export function listenToMouse(chart: Chart, actions: Actions): void {
  const { scroller, viewport } = chart
  const dpr = (): number => window.devicePixelRatio || 1
  let drag: { x: number; y: number; begin: number; top: number; moved: boolean; selecting: boolean } | null = null

  scroller.addEventListener('wheel', event => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      viewport.zoom(viewport.scale * Math.pow(1.0022, event.deltaY), event.offsetX * dpr())
    } else if (event.shiftKey || event.deltaX !== 0) {
      event.preventDefault()
      viewport.pan((event.deltaX || event.deltaY) * dpr())
    }
  }, { passive: false })

  const point = (event: PointerEvent | MouseEvent): [number, number] => {
    const box = chart.canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  const timeAt = (event: PointerEvent | MouseEvent): number => viewport.begin + point(event)[0] * dpr() * viewport.scale

  scroller.addEventListener('pointerdown', event => {
    const [x, y] = point(event)
    if (x < 0 || x * dpr() > viewport.width) return // the scroll bar
    if (event.button === 1) {
      event.preventDefault()
      viewport.zoom(zoomedIn(viewport.scaling, viewport.scale), x * dpr())
    }
    if (event.button !== 0) return
    scroller.focus({ preventScroll: true })
    scroller.setPointerCapture(event.pointerId)
    drag = { x, y, begin: viewport.begin, top: scroller.scrollTop, moved: false, selecting: event.shiftKey }
  })
  scroller.addEventListener('pointermove', event => {
    const [x, y] = point(event)
    if (!drag) {
      actions.hover(chart, x, y)
      return
    }
    if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > CLICK_PIXELS) drag.moved = true
    if (!drag.moved) return
    if (drag.selecting) actions.drag(chart, drag.begin + drag.x * dpr() * viewport.scale, timeAt(event), drag.y, y, false)
    else {
      viewport.set(drag.begin - (x - drag.x) * dpr() * viewport.scale, viewport.scale)
      scroller.scrollTop = drag.top - (y - drag.y)
    }
  })
  scroller.addEventListener('pointerup', event => {
    if (!drag) return
    const { moved, selecting, begin, x, y } = drag
    drag = null
    if (selecting && moved) actions.drag(chart, begin + x * dpr() * viewport.scale, timeAt(event), y, point(event)[1], true)
    if (moved) return
    if (actions.pickEvent(chart, ...point(event))) return
    const hit = chart.hit(...point(event))
    if (hit) actions.pick(chart, hit.location, hit.lane, hit.time)
  })
  scroller.addEventListener('pointerleave', () => actions.leave())
  scroller.addEventListener('contextmenu', event => {
    event.preventDefault()
    viewport.zoom(zoomedOut(viewport.scaling, viewport.scale), point(event)[0] * dpr())
  })
  scroller.addEventListener('dblclick', event => {
    const hit = chart.hit(...point(event))
    const segment = hit && chart.segment(hit.location, hit.lane, hit.time)
    if (!segment) return
    actions.leaveView()
    viewport.show(segment.begin / chart.rate, segment.end / chart.rate)
  })
}

export function listenToKeys(chart: Chart, actions: Actions): void {
  const { scroller, viewport } = chart
  let pointer = -1
  scroller.addEventListener('pointermove', event => {
    pointer = (event.clientX - chart.canvas.getBoundingClientRect().left) * (window.devicePixelRatio || 1)
  })
  scroller.addEventListener('pointerleave', () => {
    pointer = -1
  })
  const at = (): number => pointer >= 0 && pointer <= viewport.width ? pointer : viewport.width / 2
  const increment = (event: KeyboardEvent): number => event.ctrlKey ? viewport.width : viewport.width * chart.options.incrementPercent / 100
  const keys: Record<string, (event: KeyboardEvent) => void> = {
    w: () => viewport.zoom(viewport.scale / KEY_ZOOM, at()),
    s: () => viewport.zoom(viewport.scale * KEY_ZOOM, at()),
    a: event => viewport.pan(-increment(event)),
    d: event => viewport.pan(increment(event)),
    i: () => viewport.zoom(zoomedIn(viewport.scaling, viewport.scale), at()),
    o: () => viewport.zoom(zoomedOut(viewport.scaling, viewport.scale), at()),
    ArrowLeft: event => viewport.pan(-increment(event)),
    ArrowRight: event => viewport.pan(increment(event)),
    ArrowUp: event => chart.scrollRows(event.ctrlKey ? -chart.visibleRows : -1),
    ArrowDown: event => chart.scrollRows(event.ctrlKey ? chart.visibleRows : 1),
    PageUp: () => chart.scrollRows(-chart.visibleRows),
    PageDown: () => chart.scrollRows(chart.visibleRows),
    Home: event => event.ctrlKey ? void (chart.scroller.scrollTop = 0) : viewport.set(0, viewport.scale),
    End: event => event.ctrlKey ? void (chart.scroller.scrollTop = chart.scroller.scrollHeight) : viewport.set(viewport.duration, viewport.scale),
    f: () => actions.zoomToSelection(),
    0: () => {
      actions.leaveView()
      viewport.fit()
    },
    Backspace: () => history.back(),
    n: () => actions.step(1),
    p: () => actions.step(-1),
    m: () => actions.mark(),
    h: () => actions.hide(),
    t: () => actions.pin(),
    g: () => actions.fold(),
    b: () => actions.note(),
    '/': () => actions.find(),
    '.': () => actions.findNext(1),
    ',': () => actions.findNext(-1),
    '?': () => actions.help(),
    Escape: () => actions.escape(),
  }
  keys['+'] = keys.i
  keys['-'] = keys.o
  scroller.addEventListener('keydown', event => {
    // Letters with Ctrl are the browser's.
    if (event.altKey || event.metaKey || (event.ctrlKey && event.key.length === 1)) return
    const act = keys[event.key]
    if (!act) return
    act(event)
    event.preventDefault()
  })
}
