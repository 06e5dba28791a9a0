// The part of the run that the chart shows. Two charts of a comparison share one.

import { coarsestScale, finestScale, type Scaling } from './scale'

export class Viewport {
  begin = 0
  /** ticks a pixel of the canvas */
  scale = 1
  width = 1000
  stepPercent = 50
  private readonly listeners: (() => void)[] = []
  private whole = true

  constructor(public duration: number, public ticksPerSecond: number) {
    this.duration = Math.max(1, duration)
  }

  get scaling(): Scaling {
    return { duration: this.duration, ticksPerSecond: this.ticksPerSecond, stepPercent: this.stepPercent }
  }

  get end(): number {
    return this.begin + this.width * this.scale
  }

  /** Whether the whole run is shown, as wide as the chart is. */
  get isWhole(): boolean {
    return this.whole
  }

  onchange(listener: () => void): void {
    this.listeners.push(listener)
  }

  set(begin: number, scale: number): void {
    this.whole = false
    this.scale = Math.min(Math.max(scale, finestScale(this.scaling)), coarsestScale(this.scaling))
    this.place(begin)
  }

  /** Zoom to `scale` while the time at pixel `x` stays where it is. */
  zoom(scale: number, x: number): void {
    const time = this.begin + x * this.scale
    const limited = Math.min(Math.max(scale, finestScale(this.scaling)), coarsestScale(this.scaling))
    this.set(time - x * limited, limited)
  }

  pan(pixels: number): void {
    this.set(this.begin + pixels * this.scale, this.scale)
  }

  show(begin: number, end: number): void {
    const length = Math.max(end - begin, 0)
    const scale = Math.max(length / (this.width * 0.8), finestScale(this.scaling))
    this.set(begin - (this.width * scale - length) / 2, scale)
  }

  /** Shows a stretch with what is around it: at the present scale, unless it is too short or too long to be seen there. */
  focus(begin: number, end: number): void {
    const length = end - begin
    const wanted = length / this.scale
    if (length > 0 && (wanted < 12 || wanted > this.width * 0.9)) this.scaleTo(Math.max(length / (this.width * 0.2), finestScale(this.scaling)))
    this.set((begin + end - this.width * this.scale) / 2, this.scale)
  }

  private scaleTo(scale: number): void {
    this.scale = Math.min(scale, coarsestScale(this.scaling))
  }

  /** Scroll, without zooming, so that a stretch can be seen. */
  reveal(begin: number, end: number): void {
    if (begin >= this.begin && end <= this.end) return
    if (begin < this.end && end > this.begin && end - begin > this.end - this.begin) return
    const middle = end - begin < this.end - this.begin ? (begin + end) / 2 : begin + (this.end - this.begin) / 2
    this.set(middle - (this.width * this.scale) / 2, this.scale)
  }

  fit(): void {
    this.scale = Math.max(this.duration / Math.max(1, this.width), finestScale(this.scaling))
    this.place(0)
    this.whole = true
  }

  resize(width: number): void {
    if (width === this.width || width < 1) return
    this.width = width
    if (this.whole) this.fit()
    else this.place(this.begin)
  }

  private place(begin: number): void {
    const last = Math.max(0, this.duration - this.width * this.scale)
    const limited = Math.min(Math.max(begin, 0), last)
    // A whole number of pixels: what is drawn does not flicker while it is moved.
    this.begin = limited === last ? last : Math.round(limited / this.scale) * this.scale
    for (const listener of this.listeners) listener()
  }
}
