// What lies over the lines: the selected segment, a selected stretch, the reader's marks, arrows between threads.

import { themeColor } from '../look/colors'
import type { ChartView } from './chartview'

/** Among the kinds of arrows: the critical path. */
export const PATH = 'path'

/** Arrows in a frame, at most: beyond that nothing could be told apart. */
const MOST_ARROWS = 3000

export function drawOverlay(context: CanvasRenderingContext2D, chart: ChartView): void {
  context.save()
  if (chart.options.arrows.has(PATH)) paths(context, chart)
  if (chart.options.arrows.size > 0) arrows(context, chart)
  selection(context, chart)
  area(context, chart)
  notes(context, chart)
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

/** The selected stretch, on the lines of its threads. */
function area(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { area: selected } = chart.mark
  if (!selected) return
  const { viewport } = chart
  const [x0, x1] = [selected.begin, selected.end].map(time => (time - viewport.begin) / viewport.scale)
  const { height } = context.canvas
  const { row } = chart.geometry
  context.fillStyle = themeColor('accent')
  context.globalAlpha = 0.14
  if (!selected.locations) context.fillRect(x0, 0, x1 - x0, height)
  else
    for (const location of selected.locations) {
      const line = chart.lineOf(location)
      if (line && line.y + row > 0 && line.y < height) context.fillRect(x0, line.y, x1 - x0, row)
    }
  context.globalAlpha = 1
  for (const x of [x0, x1]) context.fillRect(Math.round(x), 0, 1, height)
}

/** The reader's own marks. */
function notes(context: CanvasRenderingContext2D, chart: ChartView): void {
  const { viewport, geometry: { dpr } } = chart
  const { height } = context.canvas
  context.fillStyle = themeColor('path')
  for (const { begin, end } of chart.mark.notes) {
    const [x0, x1] = [begin, end].map(time => (time - viewport.begin) / viewport.scale)
    context.globalAlpha = 0.08
    context.fillRect(x0, 0, x1 - x0, height)
    context.globalAlpha = 0.8
    for (const x of new Set([Math.round(x0), Math.round(x1)])) context.fillRect(x, 0, dpr, height)
  }
  context.globalAlpha = 1
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
