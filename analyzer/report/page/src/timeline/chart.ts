// The chart of one run: names at the left, lines of states at the right. Only what can be seen is looked at.

import type { Run } from '../bundle/types'
import { ELIDED, NOTHING } from '../bundle/types'
import { h, short } from '../parts/dom'
import { Pieces } from '../lanes/elide'
import { drawLine, eachHeld, segmentAt, type Held, type Segment, type Window } from '../lanes/line'
import { Mixture } from '../lanes/mixture'
import type { LaneStore } from '../lanes/store'
import type { Viewport } from '../time/viewport'
import type { Options } from './options'
import { arrange, type Rows } from './rows'
import { paintLine, paletteFor, type Palette } from './paint'
import type { ChartView, Geometry, Mark } from './chartview'
import { drawOverlay } from './overlay'
import { constructColor, inkOn } from '../look/colors'
import { Marks } from './marks'
import { Spans } from './spans'
import { NamePane } from './names'

/** CSS pixels of a line of constructs, and between two threads. */
const CONSTRUCT_HEIGHT = 13
const GAP = 2
const SMALL_GAP_BELOW = 6

export interface Hit { location: number; lane: number; time: number; x: number }

export class Chart implements ChartView {
  readonly element: HTMLElement
  readonly scroller: HTMLElement
  readonly canvas: HTMLCanvasElement
  rows: Rows
  mark: Mark = { selected: null, measure: null, gridline: -1 }
  /** milliseconds that the last frames took */
  static readonly frames: number[] = []
  /** called after a frame, with what is to be said about it */
  ondrawn: (exact: boolean, failure: string | null) => void = () => undefined

  readonly marks: Marks
  readonly spans: Spans
  private readonly spacer: HTMLElement
  private readonly names: NamePane
  private palette: Palette | null = null
  private image: ImageData | null = null
  private pixels = new Uint32Array(0)
  private readonly pieces = new Pieces()
  private readonly mixture = new Mixture()
  private pending = false
  private visible = true

  constructor(readonly index: number, readonly run: Run, readonly store: LaneStore, readonly viewport: Viewport, readonly options: Options) {
    this.rows = arrange(run, index, options)
    this.marks = new Marks(this)
    this.spans = new Spans(this)
    this.canvas = h('canvas', { class: 'chart-canvas' })
    this.spacer = h('div', { class: 'chart-spacer' }, this.canvas)
    this.scroller = h('div', {
      class: 'chart-scroller', tabIndex: 0, role: 'application',
      aria: { label: `Timeline of ${short(run.title)}: threads down, time across. Press ? for the keys.` },
    }, this.spacer)
    this.names = new NamePane(this)
    this.element = h('div', { class: 'chart' }, this.names.element, this.names.divider, this.scroller)
    this.scroller.addEventListener('scroll', () => this.invalidate())
    store.onload = () => this.invalidate()
    viewport.onchange(() => this.invalidate())
    options.onchange(rows => {
      if (rows) this.rows = arrange(run, index, options)
      this.palette = null
      this.layout()
    })
    new ResizeObserver(() => this.layout()).observe(this.scroller)
  }

  get geometry(): Geometry {
    const dpr = window.devicePixelRatio || 1
    const depth = Math.min(this.options.depth, this.maxDepth)
    const gap = this.options.rowHeight >= SMALL_GAP_BELOW ? GAP : this.options.rowHeight > 2 ? 1 : 0
    const state = Math.max(1, Math.round((this.options.rowHeight - (depth > 0 ? 0 : gap)) * dpr))
    const construct = Math.round(CONSTRUCT_HEIGHT * dpr)
    return { row: state + depth * construct + Math.round((depth > 0 ? gap * 2 : gap) * dpr), state, construct, depth, dpr }
  }

  /** How deep the constructs of this run are nested, as far as they were kept. */
  get maxDepth(): number {
    let most = 0
    for (const location of this.run.timeline.locations) most = Math.max(most, location.lanes.length - 1)
    Object.defineProperty(this, 'maxDepth', { value: most })
    return most
  }

  /** Ticks of this run for a tick of the viewport: clocks of two runs can differ. */
  get rate(): number {
    return this.run.timeline.ticks_per_second / this.viewport.ticksPerSecond
  }

  /** What is shown, in ticks of this run. */
  get window(): Window {
    return { begin: this.viewport.begin * this.rate, scale: this.viewport.scale * this.rate, width: this.viewport.width }
  }

  recolor(): void {
    this.palette = null
    this.invalidate()
  }

  show(visible: boolean): void {
    this.visible = visible
    if (visible) this.layout()
  }

  layout(): void {
    if (!this.visible || this.scroller.clientWidth === 0) return
    const { row, dpr } = this.geometry
    this.spacer.style.height = `${this.rows.order.length * row / dpr}px`
    const width = Math.floor(this.scroller.clientWidth * dpr)
    const height = Math.max(1, Math.floor(this.scroller.clientHeight * dpr))
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
      this.canvas.style.width = `${width / dpr}px`
      this.canvas.style.height = `${height / dpr}px`
      this.image = null
    }
    this.viewport.resize(width)
    this.invalidate()
  }

  invalidate(): void {
    if (this.pending || !this.visible) return
    this.pending = true
    requestAnimationFrame(() => {
      this.pending = false
      if (this.visible && this.scroller.clientWidth > 0) this.draw()
    })
  }

  /** First row and pixels by which it is scrolled out, both in device pixels. */
  private get top(): number {
    return Math.round(this.scroller.scrollTop * this.geometry.dpr)
  }

  private draw(): void {
    const started = performance.now()
    const { width, height } = this.canvas
    const context = this.canvas.getContext('2d', { alpha: false })
    if (!context || width === 0) return
    this.palette ??= paletteFor(this.run, this.options.hidden)
    if (!this.image) {
      this.image = context.createImageData(width, height)
      this.pixels = new Uint32Array(this.image.data.buffer)
    }
    this.clear(width, height)
    this.store.beginFrame()
    const window = this.window
    const { level, exact } = this.store.levelFor(window.scale)
    const labels: Label[] = []
    const { row: rowHeight, state, construct, depth } = this.geometry
    const top = this.top
    const first = Math.max(0, Math.floor(top / rowHeight))
    const last = Math.min(this.rows.order.length, Math.ceil((top + height) / rowHeight))
    for (let row = first; row < last; row++) {
      const location = this.rows.order[row]
      if (location < 0) continue
      const lanes = this.run.timeline.locations[location].lanes
      const y = row * rowHeight - top
      this.line(window, location, 0, level, y, state)
      this.collectLabels(y, state, labels)
      for (let d = 0; d < depth && d + 1 < lanes.length; d++) {
        const laneY = y + state + d * construct
        this.line(window, location, d + 1, level, laneY, construct - 1)
        this.collectLabels(laneY, construct - 1, labels)
      }
    }
    this.store.endFrame()
    context.putImageData(this.image, 0, 0)
    drawLabels(context, this.run, labels, this.geometry.dpr)
    if (!exact) hatch(context, width, height)
    drawOverlay(context, this, top)
    this.spans.draw(context)
    this.marks.draw(context, [...this.rows.order.subarray(first, last)].filter(location => location >= 0))
    this.names.draw(first, last, rowHeight, top)
    Chart.frames.push(performance.now() - started)
    if (Chart.frames.length > 2000) Chart.frames.splice(0, 1000)
    this.ondrawn(exact, this.store.failure)
  }

  private clear(width: number, height: number): void {
    const palette = this.palette as Palette
    this.pixels.fill(palette.background, 0, width)
    const gridline = Math.round(this.mark.gridline)
    if (gridline >= 0 && gridline < width) this.pixels[gridline] = palette.grid
    for (let row = 1; row < height; row *= 2) this.pixels.copyWithin(row * width, 0, Math.min(row, height - row) * width)
  }

  private line(window: Window, location: number, lane: number, level: number, y: number, height: number): void {
    if (!this.run.timeline.locations[location].lanes[lane]) {
      this.pieces.clear()
      return
    }
    const palette = this.palette as Palette
    const held = this.options.black ? null : this.gathered(palette)
    drawLine(this.store, location, lane, level, window, this.pieces, held)
    paintLine(this.pixels, this.canvas.width, this.canvas.height, y, height, this.pieces, held?.mixture ?? null, palette)
  }

  private gathered(palette: Palette): Held {
    return { mixture: this.mixture, slotOf: palette.slotOf, slots: palette.slot.length }
  }

  private collectLabels(y: number, height: number, labels: Label[]): void {
    const least = 28 * this.geometry.dpr
    for (let i = 0; i < this.pieces.count; i++) {
      const [of, region] = this.run.timeline.codes[this.pieces.code[i]]
      if (of < 0 && region >= 0 && this.pieces.x1[i] - this.pieces.x0[i] >= least)
        labels.push({ x0: this.pieces.x0[i], x1: this.pieces.x1[i], y, height, region })
    }
  }

  /** The pieces of a lane as the chart draws them now. */
  drawn(location: number, lane = 0): { x0: number; x1: number; code: number }[] {
    const pieces = new Pieces()
    if (this.run.timeline.locations[location].lanes[lane])
      drawLine(this.store, location, lane, this.store.levelFor(this.window.scale).level, this.window, pieces, null)
    return Array.from({ length: pieces.count }, (_, i) => ({ x0: pieces.x0[i], x1: pieces.x1[i], code: pieces.code[i] }))
  }

  /** What a pixel of a lane holds: ticks by name of state or construct, the longest first. */
  held(location: number, lane: number, x: number): [name: string, ticks: number][] {
    const { begin, scale } = this.window
    const blocks = this.store.blocks(location, lane, this.store.levelFor(scale).level)
    if (!blocks || blocks.length === 0) return []
    const { states, regions, codes } = this.run.timeline
    const sums = new Map<string, number>()
    eachHeld(this.store, blocks, begin + x * scale, begin + (x + 1) * scale, (code, ticks) => {
      const [state, region] = codes[code]
      const name = state >= 0 ? states[state] : region >= 0 ? regions[region].name : code === ELIDED ? 'others' : 'nothing'
      sums.set(name, (sums.get(name) ?? 0) + ticks)
    })
    return [...sums].sort((a, b) => b[1] - a[1])
  }

  /** What is at a point of the canvas, in CSS pixels. */
  hit(x: number, y: number): Hit | null {
    const { row: rowHeight, state, construct, depth, dpr } = this.geometry
    const below = y * dpr + this.top
    const row = Math.floor(below / rowHeight)
    const location = row < this.rows.order.length ? this.rows.order[row] : -1
    if (location < 0) return null
    const inside = below - row * rowHeight
    const lane = inside < state ? 0 : 1 + Math.floor((inside - state) / construct)
    return { location, lane: Math.min(lane, depth), x: x * dpr, time: this.window.begin + x * dpr * this.window.scale }
  }

  /** The segment at a time, from what is loaded for drawing. */
  segment(location: number, lane: number, time: number): Segment | null {
    const blocks = this.store.blocks(location, lane, this.store.levelFor(this.window.scale).level)
    const segment = blocks && segmentAt(this.store, blocks, time)
    return segment && segment.code !== NOTHING ? segment : null
  }

  /** Where a location's line of states is, in device pixels from the canvas's top; null if it is not shown. */
  lineOf(location: number): { y: number; height: number } | null {
    const row = this.rows.rowOf[location]
    if (row === undefined || row < 0) return null
    const { row: rowHeight, state } = this.geometry
    return { y: row * rowHeight - this.top, height: state }
  }

  hideThread(location: number): void {
    this.options.hiddenThreads.add(`${this.index}/${location}`)
    this.options.changed(true)
  }

  scrollToLocation(location: number): void {
    const row = this.rows.rowOf[location]
    if (row < 0) return
    const { row: rowHeight, dpr } = this.geometry
    const top = row * rowHeight / dpr
    const view = this.scroller
    if (top < view.scrollTop || top + rowHeight / dpr > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 2
  }

  scrollRows(rows: number): void {
    this.scroller.scrollTop += rows * this.geometry.row / this.geometry.dpr
  }

  get visibleRows(): number {
    return Math.max(1, Math.floor(this.canvas.height / this.geometry.row))
  }
}

interface Label { x0: number; x1: number; y: number; height: number; region: number }

function drawLabels(context: CanvasRenderingContext2D, run: Run, labels: Label[], dpr: number): void {
  context.font = `${10 * dpr}px system-ui, sans-serif`
  context.textBaseline = 'middle'
  const character = context.measureText('n').width
  for (const { x0, x1, y, height, region } of labels) {
    const fitting = Math.floor((x1 - x0 - 8 * dpr) / character)
    if (fitting < 3) continue
    const name = run.timeline.regions[region].name
    const text = name.length <= fitting ? name : `${name.slice(0, fitting - 1)}…`
    context.fillStyle = inkOn(constructColor(region))
    context.fillText(text, x0 + 4 * dpr, y + height / 2 + dpr * 0.5)
  }
}

/** Over what is not the whole truth: the file has no finer level. */
function hatch(context: CanvasRenderingContext2D, width: number, height: number): void {
  context.save()
  context.strokeStyle = 'rgba(128,128,128,0.35)'
  context.lineWidth = 1
  context.beginPath()
  for (let x = -height; x < width; x += 12) {
    context.moveTo(x, height)
    context.lineTo(x + height, 0)
  }
  context.stroke()
  context.restore()
}
