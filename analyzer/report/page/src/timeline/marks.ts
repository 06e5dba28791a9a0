// The program's events on the threads' lines: drawn, and found again under the mouse.

import { Chosen, eventColor, tracePath, type EventStyle } from '../events/style'
import { clusters, type Cluster } from '../events/clusters'
import { pointsOf, type Points } from '../events/points'
import { inkOn, themeColor } from '../look/colors'
import type { ChartView } from './chartview'

/** CSS pixels: of a symbol's half, and the least of lines in which a number can be read. */
const RADIUS = 4.5
const READABLE = 11

/** 37, 1.2k, 35k, 4M */
export function shortCount(count: number): string {
  if (count < 1000) return String(count)
  const [unit, letter] = count < 999_500 ? [1000, 'k'] : [1_000_000, 'M']
  const value = count / unit
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${letter}`
}

const numberWidth = (count: number, dpr: number): number => (shortCount(count).length * 6 + 7) * dpr

export class Marks {
  readonly points: Points | null
  private readonly chosen: Chosen | null

  constructor(private readonly chart: ChartView) {
    this.points = pointsOf(chart.run)
    this.chosen = this.points && new Chosen(this.points)
  }

  /** Whether an event is among those that are chosen. */
  isDrawn(style: EventStyle, list: number, index: number): boolean {
    if (!style.shown) return false
    const mask = this.chosen?.mask(style, list)
    return !mask || mask[index] === 1
  }

  private get radius(): number {
    const { state, dpr } = this.chart.geometry
    return Math.max(1.5 * dpr, Math.min(RADIUS * dpr, state * 0.36))
  }

  /** A thread's marks, as they are drawn now. */
  of(location: number): Cluster[] {
    if (!this.points || !this.chosen) return []
    const { dpr } = this.chart.geometry
    const readable = this.chart.geometry.state >= READABLE * dpr
    const wide = (count: number): number => readable && count > 1 ? numberWidth(count, dpr) : 0
    return clusters(this.points, this.chosen, this.chart.options.events, location, this.chart.window, this.radius, wide)
  }

  /** The mark at a point of the canvas, in device pixels. */
  at(location: number, x: number, y: number): Cluster | null {
    const line = this.chart.lineOf(location)
    if (!line || !this.points) return null
    const near = 2 * (window.devicePixelRatio || 1)
    const inside = ({ x0, x1, offset }: Cluster): boolean => x >= x0 - near && x <= x1 + near && Math.abs(y - this.middle(line, offset)) <= this.radius + near
    return this.of(location).reverse().find(inside) ?? null
  }

  private middle(line: { y: number; height: number }, offset: number): number {
    return line.y + line.height / 2 + offset * line.height / 4
  }

  draw(context: CanvasRenderingContext2D, locations: number[]): void {
    if (!this.points || ![...this.chart.options.events.values()].some(({ shown }) => shown)) return
    const { dpr } = this.chart.geometry
    const paper = themeColor('paper')
    context.save()
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.font = `600 ${9.5 * dpr}px system-ui, sans-serif`
    for (const location of locations) {
      const line = this.chart.lineOf(location)
      if (!line) continue
      for (const cluster of this.of(location)) {
        const y = this.middle(line, cluster.offset)
        if (cluster.count > 1) this.crowd(context, cluster, y, paper, dpr)
        else this.symbol(context, cluster, y, paper, dpr)
      }
    }
    context.restore()
  }

  private symbol(context: CanvasRenderingContext2D, { x, style }: Cluster, y: number, paper: string, dpr: number): void {
    context.beginPath()
    tracePath(context, style.symbol, x, y, this.radius - dpr)
    context.lineJoin = 'round'
    context.lineCap = 'round'
    context.strokeStyle = paper
    context.lineWidth = 4.4 * dpr
    context.stroke()
    context.strokeStyle = eventColor(style.color)
    context.lineWidth = 2 * dpr
    context.stroke()
  }

  /** Several events, which would lie upon each other: a bar from the first to the last one, and on it their number. */
  private crowd(context: CanvasRenderingContext2D, { x0, x1, count, style, mixed }: Cluster, y: number, paper: string, dpr: number): void {
    const color = mixed ? themeColor('soft') : eventColor(style.color)
    const middle = (x0 + x1) / 2
    const readable = this.chart.geometry.state >= READABLE * dpr
    const half = readable ? Math.min(x1 - x0, numberWidth(count, dpr)) / 2 : 0
    const thin = Math.max(1, Math.min(this.radius / 3, 1.5 * dpr))
    context.beginPath()
    context.rect(x0, y - thin, x1 - x0, 2 * thin)
    if (readable) context.roundRect(middle - half, y - this.radius - dpr, 2 * half, 2 * (this.radius + dpr), Math.min(this.radius, half))
    context.strokeStyle = paper
    context.lineWidth = 2 * dpr
    context.stroke()
    context.fillStyle = color
    context.fill()
    if (!readable) return
    context.fillStyle = inkOn(color)
    context.fillText(shortCount(count), middle, y + 0.5 * dpr)
  }
}
