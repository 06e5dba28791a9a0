// Segments -> pieces of a line in pixels. A segment shorter than a pixel cannot be seen: such segments in a row become one
// elided piece. If that is shorter than a pixel, it takes what it lacks from the front of the next segment that can be seen; if
// that then cannot be seen any more, it joins. A line so never becomes longer than its time.

import { ELIDED } from '../bundle/types'

/** Pieces of one line: piece i covers the pixels [x0[i], x1[i]). */
export class Pieces {
  x0 = new Int32Array(256)
  x1 = new Int32Array(256)
  code = new Int32Array(256)
  count = 0

  clear(): void {
    this.count = 0
  }

  push(x0: number, x1: number, code: number): void {
    const i = this.count++
    if (i === this.x0.length) this.grow()
    this.x0[i] = x0
    this.x1[i] = x1
    this.code[i] = code
  }

  private grow(): void {
    for (const name of ['x0', 'x1', 'code'] as const) {
      const larger = new Int32Array(this[name].length * 2)
      larger.set(this[name])
      this[name] = larger
    }
  }
}

export class Elider {
  private run = -1 // begin of the elided stretch before `now`, or -1
  private now = 0

  /** @param begin time at pixel 0 @param scale ticks a pixel @param width pixels */
  constructor(private readonly begin: number, private readonly scale: number, private readonly width: number, private readonly out: Pieces) {}

  start(time: number): void {
    this.run = -1
    this.now = time
  }

  /** The next segment, which ends at `end`. */
  segment(end: number, code: number): void {
    if (code === ELIDED || end - this.now < this.scale) {
      this.elided(end)
      return
    }
    let from = this.now
    if (this.run >= 0) {
      if (from - this.run < this.scale) {
        from = this.run + this.scale
        if (end - from < this.scale) {
          this.now = end
          return
        }
      }
      this.emit(this.run, from, ELIDED)
      this.run = -1
    }
    this.emit(from, end, code)
    this.now = end
  }

  /** Segments up to `end`, none of which can be seen. */
  elided(end: number): void {
    if (this.run < 0) this.run = this.now
    this.now = end
  }

  finish(): void {
    if (this.run >= 0) this.emit(this.run, this.now, ELIDED)
    this.run = -1
  }

  private emit(from: number, to: number, code: number): void {
    const x0 = Math.max(0, Math.floor((from - this.begin) / this.scale))
    const x1 = Math.min(this.width, Math.floor((to - this.begin) / this.scale))
    if (x1 > x0) this.out.push(x0, x1, code)
  }
}
