// The whole run in a strip: how many threads are in which state. A frame marks what the chart shows; it can be
// dragged, and dragging elsewhere picks another stretch.

import type { Run } from '../bundle/types'
import { h } from '../parts/dom'
import { stateColor, themeColor } from '../look/colors'
import type { Viewport } from '../time/viewport'
import type { Options } from './options'
import { stateKeys } from './paint'

export class Strip {
  readonly element: HTMLElement
  private readonly canvas: HTMLCanvasElement
  private picture: HTMLCanvasElement | null = null
  private grab: { x: number; begin: number } | null = null
  private picked: [number, number] | null = null
  private pending = false
  /** called before another stretch is picked */
  onpick: () => void = () => undefined
  /** seconds of matches, and the reader's marks */
  private marks: [seconds: Float64Array, notes: number[]] = [new Float64Array(0), []]

  constructor(private readonly run: Run, private readonly viewport: Viewport, private readonly options: Options) {
    this.canvas = h('canvas', { class: 'strip-canvas', title: 'The whole run: how many threads are in which state. Drag the frame, or drag over a stretch to show it' })
    this.element = h('div', { class: 'strip' }, this.canvas)
    this.listen()
  }

  recolor(): void {
    this.picture = null
  }

  /** Marks times, in seconds of the run. */
  mark(matches: Float64Array, notes: number[]): void {
    this.marks = [matches, notes]
    this.draw()
  }

  /** Draws with the next frame, once for all that changed until then. */
  draw(): void {
    if (this.pending) return
    this.pending = true
    requestAnimationFrame(() => {
      this.pending = false
      this.drawNow()
    })
  }

  private drawNow(): void {
    const dpr = window.devicePixelRatio || 1
    const { width } = this.viewport
    const height = Math.round(40 * dpr)
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
      this.canvas.style.width = `${width / dpr}px`
      this.canvas.style.height = `${height / dpr}px`
      this.picture = null
    }
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D
    this.picture ??= this.paint(width, height)
    context.clearRect(0, 0, width, height)
    context.drawImage(this.picture, 0, 0)
    const perPixel = this.viewport.duration / width
    let x0 = this.viewport.begin / perPixel
    let x1 = Math.min(width, this.viewport.end / perPixel)
    if (this.picked) [x0, x1] = [Math.min(...this.picked), Math.max(...this.picked)]
    context.fillStyle = themeColor('veil')
    context.fillRect(0, 0, x0, height)
    context.fillRect(x1, 0, width - x1, height)
    context.strokeStyle = themeColor('ink')
    context.lineWidth = dpr
    // However small the frame is, it can be found.
    if (x1 - x0 < 3) [x0, x1] = [(x0 + x1) / 2 - 1.5, (x0 + x1) / 2 + 1.5]
    context.strokeRect(Math.round(x0) + 0.5, 0.5, Math.max(2, Math.round(x1 - x0) - 1), height - 1)
    this.drawMarks(context, width, height, dpr)
  }

  private drawMarks(context: CanvasRenderingContext2D, width: number, height: number, dpr: number): void {
    const pixels = width / (this.viewport.duration / this.viewport.ticksPerSecond)
    const [matches, notes] = this.marks
    context.fillStyle = themeColor('path')
    let last = -1
    for (const seconds of matches) {
      const x = Math.min(width - 1, Math.floor(seconds * pixels))
      if (x > last) context.fillRect(x, 0, 1, 8 * dpr)
      last = Math.max(x, last)
    }
    for (const seconds of notes) {
      const x = seconds * pixels
      context.beginPath()
      context.moveTo(x, height)
      context.lineTo(x - 5 * dpr, height - 9 * dpr)
      context.lineTo(x + 5 * dpr, height - 9 * dpr)
      context.fill()
    }
  }

  private paint(width: number, height: number): HTMLCanvasElement {
    const picture = h('canvas')
    picture.width = width
    picture.height = height
    const context = picture.getContext('2d') as CanvasRenderingContext2D
    const { bins, duration, locations } = this.run.timeline
    const keys = stateKeys(this.run)
    const ratio = duration / this.run.timeline.ticks_per_second * this.viewport.ticksPerSecond / this.viewport.duration
    // A full column is every thread in some state for the whole bin. Processors are no threads.
    const full = duration / bins.count * Math.max(1, locations.filter(({ kind }) => kind === undefined).length)
    for (let x = 0; x < width; x++) {
      const first = Math.floor(x / width / ratio * bins.count)
      const last = Math.max(first + 1, Math.floor((x + 1) / width / ratio * bins.count))
      if (first >= bins.count) break
      let y = height
      bins.ticks.forEach((states, state) => {
        if (this.options.hidden.has(keys[state])) return
        let sum = 0
        for (let i = first; i < last && i < bins.count; i++) sum += states[i]
        const size = sum / full / (last - first) * height
        if (size <= 0) return
        context.fillStyle = stateColor(keys[state], state)
        context.fillRect(x, y - size, 1, size)
        y -= size
      })
    }
    return picture
  }

  private listen(): void {
    const { canvas, viewport } = this
    const at = (event: PointerEvent): number => event.offsetX * (window.devicePixelRatio || 1)
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId)
      const x = at(event)
      const perPixel = viewport.duration / viewport.width
      const inside = x >= viewport.begin / perPixel - 3 && x <= viewport.end / perPixel + 3
      if (inside && !viewport.isWhole) this.grab = { x, begin: viewport.begin }
      else this.picked = [x, x]
    })
    canvas.addEventListener('pointermove', event => {
      const perPixel = viewport.duration / viewport.width
      if (this.grab) viewport.set(this.grab.begin + (at(event) - this.grab.x) * perPixel, viewport.scale)
      else if (this.picked) {
        this.picked[1] = at(event)
        this.draw()
      }
    })
    canvas.addEventListener('pointerup', () => {
      const perPixel = viewport.duration / viewport.width
      const picked = this.picked
      this.grab = null
      this.picked = null
      if (!picked) return
      this.onpick()
      const [a, b] = [Math.min(...picked), Math.max(...picked)]
      if (b - a > 3) viewport.set(a * perPixel, (b - a) * perPixel / viewport.width)
      else viewport.set(a * perPixel - viewport.width * viewport.scale / 2, viewport.scale)
    })
    canvas.addEventListener('dblclick', () => {
      this.onpick()
      viewport.fit()
    })
  }
}
