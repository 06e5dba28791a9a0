// Mouse, wheel and keys over a chart.

import { zoomedIn, zoomedOut } from '../time/scale'
import type { Chart } from './chart'

export interface Actions {
  pick(chart: Chart, location: number, lane: number, time: number): void
  /** whether there is one of the program's events */
  pickEvent(chart: Chart, x: number, y: number): boolean
  hover(chart: Chart, x: number, y: number): void
  leave(): void
  measure(between: [number, number] | null): void
  step(direction: 1 | -1): void
  hide(): void
  escape(): void
  help(): void
}

const CLICK_PIXELS = 4

export function listenToMouse(chart: Chart, actions: Actions): void {
  const { scroller, viewport } = chart
  const dpr = (): number => window.devicePixelRatio || 1
  let drag: { x: number; y: number; begin: number; top: number; moved: boolean; measuring: boolean } | null = null

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
    drag = { x, y, begin: viewport.begin, top: scroller.scrollTop, moved: false, measuring: event.shiftKey }
    if (drag.measuring) actions.measure([timeAt(event), timeAt(event)])
  })
  scroller.addEventListener('pointermove', event => {
    const [x, y] = point(event)
    if (!drag) {
      actions.hover(chart, x, y)
      return
    }
    if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > CLICK_PIXELS) drag.moved = true
    if (drag.measuring) actions.measure([drag.begin + drag.x * dpr() * viewport.scale, timeAt(event)])
    else if (drag.moved) {
      viewport.set(drag.begin - (x - drag.x) * dpr() * viewport.scale, viewport.scale)
      scroller.scrollTop = drag.top - (y - drag.y)
    }
  })
  scroller.addEventListener('pointerup', event => {
    if (!drag) return
    const { moved, measuring } = drag
    drag = null
    if (measuring && !moved) actions.measure(null)
    if (moved || measuring) return
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
    if (segment) viewport.show(segment.begin / chart.rate, segment.end / chart.rate)
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
  scroller.addEventListener('keydown', event => {
    if (event.altKey || event.metaKey) return
    const x = pointer >= 0 && pointer <= viewport.width ? pointer : viewport.width / 2
    const increment = event.ctrlKey ? viewport.width : viewport.width * chart.options.incrementPercent / 100
    switch (event.key) {
      case 'i': case '+': viewport.zoom(zoomedIn(viewport.scaling, viewport.scale), x); break
      case 'o': case '-': viewport.zoom(zoomedOut(viewport.scaling, viewport.scale), x); break
      case 'ArrowLeft': viewport.pan(-increment); break
      case 'ArrowRight': viewport.pan(increment); break
      case 'ArrowUp': chart.scrollRows(event.ctrlKey ? -chart.visibleRows : -1); break
      case 'ArrowDown': chart.scrollRows(event.ctrlKey ? chart.visibleRows : 1); break
      case 'PageUp': chart.scrollRows(-chart.visibleRows); break
      case 'PageDown': chart.scrollRows(chart.visibleRows); break
      case 'Home': event.ctrlKey ? chart.scroller.scrollTop = 0 : viewport.set(0, viewport.scale); break
      case 'End': event.ctrlKey ? chart.scroller.scrollTop = chart.scroller.scrollHeight : viewport.set(viewport.duration, viewport.scale); break
      case 'f': viewport.fit(); break
      case 'n': actions.step(1); break
      case 'p': actions.step(-1); break
      case 'm': actions.measure(null); break
      case 'h': actions.hide(); break
      case '?': actions.help(); break
      case 'Escape': actions.escape(); break
      default: return
    }
    event.preventDefault()
  })
}
