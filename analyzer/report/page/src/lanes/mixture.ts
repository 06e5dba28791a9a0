// What the pixels of one line hold: for each, how long what is drawn alike was shown in it.

import { ELIDED } from '../bundle/types'
import { WHOLE, type Segments } from './segments'

export class Mixture {
  /** ticks of slot s in pixel x: ticks[s * width + x] */
  ticks = new Float64Array(0)
  /** slots that the line has, in their order */
  readonly used: number[] = []
  width = 0
  private begin = 0
  private scale = 1

  /** Another line. @param slots number of slots */
  start(begin: number, scale: number, width: number, slots: number): void {
    if (this.ticks.length < slots * width) this.ticks = new Float64Array(slots * width)
    else for (const slot of this.used) this.ticks.fill(0, slot * this.width, (slot + 1) * this.width)
    this.used.length = 0
    this.begin = begin
    this.scale = scale
    this.width = width
  }

  /** The pixels that segment i touches get its time. @param slotOf by code */
  add(segments: Segments, i: number, slotOf: Uint8Array): void {
    const from = (segments.at[i] - this.begin) / this.scale
    const to = (segments.at[i + 1] - this.begin) / this.scale
    if (to <= 0 || from >= this.width) return
    const code = segments.code[i]
    if (code !== ELIDED) {
      this.spread(slotOf[code], from, to, 1)
      return
    }
    for (let k = segments.parts_at[i]; k < segments.parts_at[i + 1]; k++) this.spread(slotOf[segments.parts[k]], from, to, segments.shares[k] / WHOLE)
  }

  /** The pixels from `from` to `to` get a part of that time. */
  private spread(slot: number, from: number, to: number, part: number): void {
    if (!this.used.includes(slot)) {
      this.used.push(slot)
      this.used.sort((a, b) => a - b)
    }
    const row = slot * this.width
    const unit = part * this.scale
    let x = Math.max(0, Math.floor(from))
    let at = Math.max(0, from)
    const end = Math.min(this.width, to)
    for (; at < end; x++) {
      const until = Math.min(x + 1, end)
      this.ticks[row + x] += (until - at) * unit
      at = until
    }
  }

  /** Ticks of all slots in a pixel. */
  total(x: number): number {
    let sum = 0
    for (const slot of this.used) sum += this.ticks[slot * this.width + x]
    return sum
  }
}
