// The time axis above the lines. Dragging on it zooms to what was dragged over.

import { h } from '../parts/dom'
import { themeColor } from '../look/colors'
import { axisFor, type Axis } from '../time/axis'
import { sinceStart } from '../time/format'
import type { Viewport } from '../time/viewport'

export class AxisView {
  readonly element: HTMLElement
  readonly corner: HTMLElement
  private readonly canvas: HTMLCanvasElement
  private dragged: [number, number] | null = null
  /** called before another stretch is shown */
  onpick: () => void = () => undefined
  /** a stretch was selected by Shift: ticks of the viewport */
  onselect: (begin: number, end: number) => void = () => undefined
  axis: Axis = { unit: '', start: '', ticks: [] }

  constructor(private readonly viewport: Viewport) {
    this.canvas = h('canvas', { class: 'axis-canvas', title: 'Drag to zoom to a stretch of time; Shift + drag selects it on all threads' })
    this.corner = h('div', { class: 'axis-corner' })
    this.element = h('div', { class: 'axis' }, this.canvas)
    this.listen()
  }

  /** Pixel of the middle-most tick, for the one gridline. */
  get middle(): number {
    const { ticks } = this.axis
    return ticks.length > 0 ? Math.round(ticks[Math.floor(ticks.length / 2)].x) : -1
  }

  compute(): void {
    const context = this.canvas.getContext('2d')
    if (!context) return
    const dpr = window.devicePixelRatio || 1
    const nanoseconds = 1e9 / this.viewport.ticksPerSecond
    context.font = this.font(dpr)
    this.axis = axisFor(sinceStart(0) * 1e9 + this.viewport.begin * nanoseconds, this.viewport.width * this.viewport.scale * nanoseconds, this.viewport.width,
      text => context.measureText(text).width + 6 * dpr)
  }

  draw(): void {
    this.compute()
    const dpr = window.devicePixelRatio || 1
    const width = this.viewport.width
    const height = Math.round(24 * dpr)
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
      this.canvas.style.width = `${width / dpr}px`
      this.canvas.style.height = `${height / dpr}px`
    }
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D
    context.clearRect(0, 0, width, height)
    context.font = this.font(dpr)
    context.fillStyle = themeColor('soft')
    context.textBaseline = 'middle'
    for (const { x, label } of this.axis.ticks) {
      context.fillRect(Math.round(x), height - 6 * dpr, 1, 6 * dpr)
      const size = context.measureText(label).width
      const left = Math.min(Math.max(0, x - size / 2), width - size)
      context.fillText(label, left, height / 2 - 2 * dpr)
    }
    if (this.dragged) {
      const [a, b] = this.dragged
      context.globalAlpha = 0.25
      context.fillStyle = themeColor('accent')
      context.fillRect(Math.min(a, b), 0, Math.abs(b - a), height)
      context.globalAlpha = 1
    }
    this.corner.textContent = `${this.axis.unit}  ${this.axis.start} +`
    this.corner.title = 'Unit of the axis, and the time its labels count from'
  }

  private font(dpr: number): string {
    return `${11 * dpr}px system-ui, sans-serif`
  }

  private listen(): void {
    const dpr = (): number => window.devicePixelRatio || 1
    const { canvas } = this
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId)
      this.dragged = [event.offsetX * dpr(), event.offsetX * dpr()]
    })
    canvas.addEventListener('pointermove', event => {
      if (!this.dragged) return
      this.dragged[1] = event.offsetX * dpr()
      this.draw()
    })
    canvas.addEventListener('pointerup', event => {
      const dragged = this.dragged
      this.dragged = null
      if (dragged && Math.abs(dragged[1] - dragged[0]) > 4) {
        const [a, b] = [Math.min(...dragged), Math.max(...dragged)]
        const { begin, scale, width } = this.viewport
        if (event.shiftKey) return this.onselect(begin + a * scale, begin + b * scale)
        this.onpick()
        this.viewport.set(begin + a * scale, (b - a) * scale / width)
      } else this.draw()
    })
  }
}
