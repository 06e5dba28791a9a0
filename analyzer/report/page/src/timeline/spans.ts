// The intervals of a specification over the threads' lines: drawn, and found again under the mouse.

import { bundles, type Bundled, type IntervalBundle } from '../intervals/bundles'
import { intervalsOf, type Intervals } from '../intervals/intervals'
import { intervalColor } from '../intervals/style'
import { inkOn, themeColor } from '../look/colors'
import { short } from '../parts/dom'
import { count, duration, moment } from '../time/format'
import { valueText } from '../events/number'
import { shortCount } from './marks'
import type { ChartView } from './chartview'

/** CSS pixels: ends that are that near count as one, the least of lines in which a number can be read, and how near the mouse must be. */
const CELL = 7
const READABLE = 11
const NEAR = 5

interface Shape { left: number; right: number; top: number; bottom: number; /** lines: from (x0, y0) to (x1, y1) */ y0: number; y1: number; rectangle: boolean }

export class Spans {
  readonly intervals: Intervals | null

  constructor(private readonly chart: ChartView) {
    this.intervals = intervalsOf(chart.run)
  }

  /** What is drawn now. */
  all(): Bundled {
    const { chart, intervals } = this
    if (!intervals) return { list: [], left: 0 }
    const { height } = chart.canvas
    const inSight = (location: number): number => {
      const line = chart.lineOf(location)
      return !line ? NaN : line.y + line.height < 0 ? -1 : line.y > height ? 1 : 0
    }
    // Both threads are shown, and what lies between them is in sight.
    return bundles(intervals, chart.options.intervals, chart.window, CELL * chart.geometry.dpr, (from, to) => {
      const [a, b] = [inSight(from), inSight(to)]
      return !Number.isNaN(a + b) && (a === 0 || b === 0 || a !== b)
    })
  }

  private shape({ kind, style, from, to, lane, x0, x1 }: IntervalBundle): Shape | null {
    const a = this.chart.lineOf(from)
    const b = this.chart.lineOf(to)
    if (!a || !b || !this.intervals) return null
    const { dpr } = this.chart.geometry
    const far = 20_000
    const left = Math.max(-far, x0)
    const right = Math.min(far, Math.max(x1, x0 + 2 * dpr))
    if (style.drawn === 'line') {
      const at = (line: { y: number; height: number }): number => line.y + line.height * (from === to ? 0.8 : 0.5)
      // Where an end is far outside, the line is cut off: a canvas has no precision there.
      const slope = (at(b) - at(a)) / (x1 - x0 || 1)
      const y0 = at(a) + (left - x0) * slope
      const y1 = x1 > far ? at(a) + (far - x0) * slope : at(b)
      return { left, right: Math.min(far, x1), top: Math.min(y0, y1), bottom: Math.max(y0, y1), y0, y1, rectangle: false }
    }
    let top = Math.min(a.y, b.y)
    let bottom = Math.max(a.y + a.height, b.y + b.height)
    if (from === to) {
      // In the lower half of the line, so that the states can be seen.
      const each = a.height / 2 / this.intervals.laneCount(kind, from)
      top = a.y + a.height / 2 + lane * each
      bottom = top + each
    }
    return { left, right, top, bottom, y0: top, y1: bottom, rectangle: true }
  }

  draw(context: CanvasRenderingContext2D): void {
    if (!this.intervals || ![...this.chart.options.intervals.values()].some(({ shown }) => shown)) return
    const { dpr } = this.chart.geometry
    const { list } = this.all()
    context.save()
    context.font = `600 ${9.5 * dpr}px system-ui, sans-serif`
    context.textBaseline = 'middle'
    context.lineCap = 'round'
    const shapes = list.map(bundle => ({ bundle, shape: this.shape(bundle) }))
    for (const { bundle, shape } of shapes) if (shape?.rectangle) this.rectangle(context, bundle, shape, dpr)
    for (const { bundle, shape } of shapes) if (shape && !shape.rectangle) this.line(context, bundle, shape, dpr)
    for (const { bundle, shape } of shapes) if (shape && bundle.count > 1) this.number(context, bundle, shape, dpr)
    context.restore()
  }

  private rectangle(context: CanvasRenderingContext2D, { from, to, kind, style, count: number }: IntervalBundle, { left, right, top, bottom }: Shape, dpr: number): void {
    const color = intervalColor(style.color)
    context.globalAlpha = from === to ? 0.85 : 0.16
    context.fillStyle = color
    context.fillRect(left, top, right - left, bottom - top)
    context.globalAlpha = 1
    context.lineWidth = dpr
    context.strokeStyle = from === to ? themeColor('paper') : color
    context.strokeRect(left, top, right - left, bottom - top)
    const name = this.intervals?.kinds[kind].name ?? ''
    const room = Math.min(right, this.chart.canvas.width) - Math.max(0, left) - 8 * dpr
    if (number > 1 || bottom - top < READABLE * dpr || context.measureText(short(name, 40)).width > room) return
    context.textAlign = 'left'
    context.fillStyle = from === to ? inkOn(color) : color
    context.fillText(short(name, 40), Math.max(0, left) + 4 * dpr, from === to ? (top + bottom) / 2 : top + 7 * dpr)
  }

  private line(context: CanvasRenderingContext2D, { style }: IntervalBundle, { left, right, y0, y1 }: Shape, dpr: number): void {
    const color = intervalColor(style.color)
    const angle = Math.atan2(y1 - y0, right - left)
    const head = 5 * dpr
    context.beginPath()
    context.moveTo(left, y0)
    context.lineTo(right, y1)
    context.moveTo(right - head * Math.cos(angle - 0.5), y1 - head * Math.sin(angle - 0.5))
    context.lineTo(right, y1)
    context.lineTo(right - head * Math.cos(angle + 0.5), y1 - head * Math.sin(angle + 0.5))
    context.strokeStyle = themeColor('paper')
    context.lineWidth = 3 * dpr
    context.stroke()
    context.strokeStyle = color
    context.lineWidth = 1.5 * dpr
    context.stroke()
  }

  /** How many lie upon each other. */
  private number(context: CanvasRenderingContext2D, { style, count: number }: IntervalBundle, { left, right, top, bottom, y0, y1, rectangle }: Shape, dpr: number): void {
    if (this.chart.geometry.state < READABLE * dpr || (rectangle && bottom - top < READABLE * dpr / 2)) return
    const text = shortCount(number)
    const half = (text.length * 6 + 7) * dpr / 2
    const x = (Math.max(0, left) + Math.min(this.chart.canvas.width, right)) / 2
    const y = rectangle ? (top + bottom) / 2 : (y0 + y1) / 2
    const color = intervalColor(style.color)
    context.beginPath()
    context.roundRect(x - half, y - 6 * dpr, 2 * half, 12 * dpr, 4 * dpr)
    context.strokeStyle = themeColor('paper')
    context.lineWidth = 2 * dpr
    context.stroke()
    context.fillStyle = color
    context.fill()
    context.textAlign = 'center'
    context.fillStyle = inkOn(color)
    context.fillText(text, x, y + 0.5 * dpr)
  }

  /** What is at a point of the canvas, in device pixels. */
  at(x: number, y: number): IntervalBundle | null {
    const near = NEAR * this.chart.geometry.dpr
    let found: IntervalBundle | null = null
    let least = near
    for (const bundle of this.all().list) {
      const shape = this.shape(bundle)
      if (!shape || x < shape.left - near || x > shape.right + near || y < shape.top - near || y > shape.bottom + near) continue
      const away = shape.rectangle ? outside(shape, x, y) : distance(shape, x, y)
      if (away > least || (found && away === least)) continue
      least = away
      found = bundle
    }
    return found
  }

  /** One line about it. */
  text({ kind, index, from, to, count: number }: IntervalBundle): string {
    const { intervals } = this
    if (!intervals) return ''
    const { ticks_per_second: rate, locations } = this.chart.run.timeline
    const name = short(intervals.kinds[kind].name, 80)
    const threads = from === to ? `on ${short(locations[from].name, 60)}` : `from ${short(locations[from].name, 60)} to ${short(locations[to].name, 60)}`
    const length = duration(intervals.kinds[kind].length[index] / rate)
    if (number > 1) return `${count(number)} × ${name} ${threads} · the longest ${length} · zoom in to see single ones`
    const values = intervals.values(kind, index).map(([key, value]) => `${short(key, 40)} = ${valueText(value)}`).join(', ')
    return [`${name} ${threads}`, length, values, `at ${moment(intervals.begins[kind][index], rate)}`].filter(Boolean).join(' · ')
  }
}

/** How far a point is outside of a rectangle. */
function outside({ left, right, top, bottom }: Shape, x: number, y: number): number {
  return Math.max(0, left - x, x - right, top - y, y - bottom)
}

/** From a point to a line between two others. */
function distance({ left, right, y0, y1 }: Shape, x: number, y: number): number {
  const [dx, dy] = [right - left, y1 - y0]
  const part = Math.max(0, Math.min(1, ((x - left) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)))
  return Math.hypot(x - left - part * dx, y - y0 - part * dy)
}
