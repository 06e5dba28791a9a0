// The sum of many threads as one line: in each pixel the shares of their states. It is made in parts of a few milliseconds; until the
// one for the present window is there, the one before is drawn where its time is.

import type { Run } from '../bundle/types'
import { Pieces } from '../lanes/elide'
import { drawLine, isLoaded, type Window } from '../lanes/line'
import { Mixture } from '../lanes/mixture'
import type { LaneStore } from '../lanes/store'
import { h } from '../parts/dom'
import type { Palette } from './paint'

const same = (a: Window, b: Window): boolean => a.begin === b.begin && a.scale === b.scale && a.width === b.width

interface Made { window: Window; palette: Palette; height: number; picture: HTMLCanvasElement }

export class Summary {
  /** what the last finished window held */
  held: { window: Window; mixture: Mixture } | null = null
  private spare = new Mixture()
  private readonly pieces = new Pieces()
  private job: { window: Window; next: number; mixture: Mixture; palette: Palette; lane: number } | null = null
  private made: Made | null = null

  constructor(private readonly run: Run, private readonly store: LaneStore, private readonly members: number[]) {}

  /** Goes on until `until` (performance.now()); whether it is finished. */
  work(window: Window, palette: Palette, level: 'model' | 'threads', until: number): boolean {
    const lane = level === 'threads' ? 1 : 0
    if (!this.job || !same(this.job.window, window) || this.job.palette !== palette || this.job.lane !== lane) {
      const mixture = this.spare
      mixture.start(window.begin, window.scale, window.width, palette.slot.length)
      this.job = { window: { ...window }, next: 0, mixture, palette, lane }
    }
    const { job } = this
    const detail = this.store.levelFor(window.scale).level
    const { locations } = this.run.timeline
    while (job.next < this.members.length) {
      const location = this.members[job.next]
      const own = lane === 1 ? Math.max(0, locations[location].lanes.findIndex(({ kind }) => kind === 'threads')) : 0
      if (locations[location].lanes[own]) {
        if (!isLoaded(this.store, location, own, detail, window)) return false
        drawLine(this.store, location, own, detail, window, this.pieces, { mixture: job.mixture, slotOf: palette.slotOf, slots: palette.slot.length })
      }
      job.next++
      if (performance.now() > until && job.next < this.members.length) return false
    }
    if (this.held?.mixture !== job.mixture) {
      this.spare = this.held?.mixture ?? new Mixture()
      this.held = { window: job.window, mixture: job.mixture }
      this.made = null
    }
    return true
  }

  draw(context: CanvasRenderingContext2D, y: number, height: number, window: Window, palette: Palette): void {
    const { held } = this
    if (!held) return
    if (!this.made || this.made.window !== held.window || this.made.palette !== palette || this.made.height !== height) this.made = this.paint(held, palette, height)
    const { picture, window: of } = this.made
    const x = (of.begin - window.begin) / window.scale
    context.drawImage(picture, x, y, of.width * of.scale / window.scale, height)
  }

  /** A full column is each member in some state for all of the pixel's time. */
  private paint({ window, mixture }: { window: Window; mixture: Mixture }, palette: Palette, height: number): Made {
    const picture = h('canvas')
    picture.width = window.width
    picture.height = Math.max(1, height)
    const context = picture.getContext('2d') as CanvasRenderingContext2D
    const image = context.createImageData(picture.width, picture.height)
    const pixels = new Uint32Array(image.data.buffer)
    const full = window.scale * Math.max(1, this.members.length)
    for (let x = 0; x < window.width; x++) {
      let sum = 0
      let below = height
      for (const slot of mixture.used) {
        if (palette.slot[slot] === palette.background) continue
        sum += mixture.ticks[slot * mixture.width + x]
        const above = Math.max(0, height - Math.round(sum / full * height))
        for (let row = above; row < below; row++) pixels[row * window.width + x] = palette.slot[slot]
        below = Math.min(below, above)
      }
    }
    context.putImageData(image, 0, 0)
    return { window, palette, height, picture }
  }
}
