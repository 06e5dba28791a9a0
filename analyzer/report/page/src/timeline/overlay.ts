// What lies over the lines: the selected segment, a measured stretch, arrows between threads.

import { themeColor } from '../look/colors'
import type { ChartView } from './chartview'

/** Among the kinds of arrows: the critical path. */
export const PATH = 'path'

/** Arrows in a frame, at most: beyond that nothing could be told apart. */
const MOST_ARROWS = 3000

export function drawOverlay(context: CanvasRenderingContext2D, chart: ChartView, top: number): void {
  context.save()
  if (chart.options.arrows.has(PATH)) paths(context, chart)
  if (chart.options.arrows.size > 0) arrows(context, chart)
  selection(context, chart)
  measure(context, chart)
  headings(context, chart, top)
  context.restore()
}

function selection(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { selected } = chart.mark
  if (!selected || selected.run !== chart.index) return
  const line = chart.lineOf(selected.location)
  if (!line) return
  const { dpr, state, construct } = chart.geometry
  const { begin, scale, width } = chart.window
  const x0 = (selected.begin - begin) / scale
  const x1 = Math.max(x0 + 1, (selected.end - begin) / scale)
  const left = Math.max(-4, x0)
  const right = Math.min(width + 4, x1)
  if (right < left) return
  const y = selected.lane === 0 ? line.y : line.y + state + (selected.lane - 1) * construct
  const height = selected.lane === 0 ? line.height : construct - 1
  context.strokeStyle = themeColor('ink')
  context.lineWidth = 2 * dpr
  context.strokeRect(left - dpr, y - dpr, right - left + 2 * dpr, height + 2 * dpr)
  context.strokeStyle = themeColor('paper')
  context.lineWidth = dpr
  context.strokeRect(left - 0.0, y, right - left, height)
}

function measure(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { measure: between } = chart.mark
  if (!between) return
  const { viewport } = chart
  const xs = between.map(time => (time - viewport.begin) / viewport.scale).sort((a, b) => a - b)
  const { height } = context.canvas
  context.globalAlpha = 0.14
  context.fillStyle = themeColor('accent')
  context.fillRect(xs[0], 0, xs[1] - xs[0], height)
  context.globalAlpha = 1
  for (const x of xs) context.fillRect(Math.round(x), 0, 1, height)
}

function arrows(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { run } = chart
  const { begin, scale, width } = chart.window
  const { dpr } = chart.geometry
  const { height } = context.canvas
  const end = begin + width * scale
  let left = MOST_ARROWS
  context.lineWidth = 1.25 * dpr
  const colors = new Map([...chart.options.arrows].map(kind => [kind, themeColor(`arrow-${kind}`) || themeColor('accent')]))
  for (const [kind, fromLocation, fromTime, toLocation, toTime] of run.timeline.arrows) {
    if (!chart.options.arrows.has(kind)) continue
    if (Math.max(fromTime, toTime) < begin || Math.min(fromTime, toTime) > end) continue
    const from = chart.lineOf(fromLocation)
    const to = chart.lineOf(toLocation)
    if (!from || !to) continue
    const y0 = from.y + from.height / 2
    const y1 = to.y + to.height / 2
    if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > height) continue
    if (left-- === 0) break
    const x0 = (fromTime - begin) / scale
    const x1 = (toTime - begin) / scale
    arrow(context, x0, y0, x1, y1, dpr, colors.get(kind) as string)
  }
}

/** Along the lower edge of the thread that the path is on, and down or up to the next one. */
function paths(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { begin, scale, width } = chart.window
  const { dpr } = chart.geometry
  const end = begin + width * scale
  const x = (time: number): number => Math.min(width + 9, Math.max(-9, (time - begin) / scale))
  const y = (location: number): number | null => {
    const line = chart.lineOf(location)
    return line ? line.y + line.height - 1.5 * dpr : null
  }
  context.beginPath()
  for (const path of chart.run.timeline.paths ?? [])
    path.forEach(([location, from, to], i) => {
      if (to < begin || from > end) return
      const own = y(location)
      if (own === null) return
      context.moveTo(x(from), own)
      context.lineTo(Math.max(x(to), x(from) + 1), own)
      const next = path[i + 1]
      const after = next && next[1] === to && to <= end ? y(next[0]) : null
      if (after !== null && after !== undefined) context.lineTo(x(to), after)
    })
  context.lineJoin = 'round'
  for (const [color, wide] of [['paper', 5], ['path', 3]] as const) {
    context.strokeStyle = themeColor(color)
    context.lineWidth = wide * dpr
    context.stroke()
  }
}

function arrow(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, dpr: number, color: string): void {
  // What is far outside the window is cut off: a canvas has no precision there.
  const far = 20_000
  const slope = (y1 - y0) / (x1 - x0 || 1)
  if (Math.abs(x0) > far) [x0, y0] = [Math.sign(x0) * far, y0 + (Math.sign(x0) * far - x0) * slope]
  if (Math.abs(x1) > far) [x1, y1] = [Math.sign(x1) * far, y1 + (Math.sign(x1) * far - x1) * slope]
  const angle = Math.atan2(y1 - y0, x1 - x0)
  const head = 5 * dpr
  context.strokeStyle = color
  context.fillStyle = color
  context.beginPath()
  context.moveTo(x0, y0)
  context.lineTo(x1, y1)
  context.stroke()
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x1 - head * Math.cos(angle - 0.45), y1 - head * Math.sin(angle - 0.45))
  context.lineTo(x1 - head * Math.cos(angle + 0.45), y1 - head * Math.sin(angle + 0.45))
  context.fill()
}

function headings(context: CanvasRenderingContext2D, chart: ChartView, top: number): void {
  if (chart.rows.headings.length === 0) return
  const { row } = chart.geometry
  const first = Math.max(0, Math.floor(top / row))
  const last = Math.min(chart.rows.order.length, Math.ceil((top + context.canvas.height) / row))
  context.fillStyle = themeColor('rule')
  for (let i = first; i < last; i++) if (chart.rows.order[i] < 0) context.fillRect(0, Math.round((i + 0.6) * row - top), context.canvas.width, 1)
}
