// The tracks of a run that the reader chose, below its threads.

import type { Run } from '../bundle/types'
import type { LaneStore } from '../lanes/store'
import { h } from '../parts/dom'
import type { Chart } from '../timeline/chart'
import type { Options } from '../timeline/options'
import type { Palette } from '../timeline/paint'
import { tracksOf } from './kinds'
import type { Track } from './track'

/** CSS pixels. */
const HEIGHT = 36

export class TrackPane {
  readonly element = h('div', { class: 'tracks' })
  readonly offered: Track[]
  private readonly canvases = new Map<Track, HTMLCanvasElement>()

  constructor(run: Run, store: LaneStore, private readonly options: Options, private readonly say: (text: string) => void) {
    this.offered = tracksOf(run, store)
  }

  private get shown(): Track[] {
    return this.offered.filter(({ key }) => this.options.tracks.has(key))
  }

  /** The rows are those that are chosen. */
  arrange(chart: Chart): void {
    this.canvases.clear()
    this.element.replaceChildren(...this.shown.map(track => {
      const canvas = h('canvas', { class: 'track-canvas', role: 'img', aria: { label: `${track.label}: ${track.hint}` } })
      canvas.addEventListener('pointermove', event => this.say(`${track.label} · ${track.text(Math.floor(event.offsetX * (window.devicePixelRatio || 1)), chart.window)}`))
      canvas.addEventListener('pointerleave', () => this.say(''))
      this.canvases.set(track, canvas)
      return h('div', { class: 'beside-names' }, h('div', { class: 'names-title', title: track.hint }, track.label), h('div', { class: 'strip' }, canvas))
    }))
  }

  /** Goes on until `until` (performance.now()); whether something is left. */
  work(chart: Chart, palette: Palette, until: number): boolean {
    return this.shown.reduce((left, track) => (track.work ? !track.work(chart.window, palette, this.options.level, until) : false) || left, false)
  }

  draw(chart: Chart, palette: Palette): void {
    const dpr = window.devicePixelRatio || 1
    const { width } = chart.viewport
    const height = Math.round(HEIGHT * dpr)
    for (const [track, canvas] of this.canvases) {
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width
        canvas.height = height
        canvas.style.width = `${width / dpr}px`
        canvas.style.height = `${HEIGHT}px`
      }
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.clearRect(0, 0, width, height)
      track.draw(context, width, height, chart.window, palette)
    }
  }
}
