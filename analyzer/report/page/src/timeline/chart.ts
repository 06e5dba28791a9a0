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
import { arrange, type Heading, type Rows } from './rows'
import { paintLine, paletteFor, type Palette } from './paint'
import type { ChartView, Geometry, Mark } from './chartview'
import { drawOverlay } from './overlay'
import { inkOn } from '../look/colors'
import { constructColor } from '../look/constructs'
import { geometryOf } from './heights'
import { Marks } from './marks'
import { Spans } from './spans'
import { NamePane, regionName } from './names'
import { Summary } from './summary'

/** Milliseconds of a frame that sums of groups may take; they go on in the next one. */
const SUMS_MS = 4
/** At most this part of the chart is for threads that stay above the others. */
const PINNED_MOST = 0.6

export interface Hit { location: number; lane: number; time: number; x: number }

export class Chart implements ChartView {
  readonly element: HTMLElement
  readonly scroller: HTMLElement
  readonly canvas: HTMLCanvasElement
  rows: Rows
  mark: Mark = { selected: null, area: null, notes: [], gridline: -1 }
  /** milliseconds that the last frames took */
  static readonly frames: number[] = []
  /** called after a frame, with what is to be said about it */
  ondrawn: (exact: boolean, failure: string | null) => void = () => undefined

  /** what else is made in parts of a frame, until performance.now() is so much: whether something is left; and what is drawn after it */
  onwork: (palette: Palette, until: number) => boolean = () => false
  onframe: (palette: Palette) => void = () => undefined

  readonly marks: Marks
  readonly spans: Spans
  private readonly spacer: HTMLElement
  private readonly names: NamePane
  /** for states and constructs at even depths, and for those at odd depths */
  private palettes: [Palette, Palette] | null = null
  private readonly sums = new Map<string, { members: number[]; summary: Summary }>()
  /** CSS pixels that rows are fitted to: the height of the chart without a pane below it */
  private room = 0
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
      this.palettes = null
      this.refit()
      this.layout()
    })
    window.addEventListener('resize', () => this.refit())
    new ResizeObserver(() => this.layout()).observe(this.scroller)
  }

  get geometry(): Geometry {
    return geometryOf(this.options, this.room, this.rows.order.length, this.maxDepth, window.devicePixelRatio || 1)
  }

  /** How deep the constructs of this run are nested, as far as they were kept. */
  get maxDepth(): number {
    let most = 0
    for (const { lanes } of this.run.timeline.locations) most = Math.max(most, lanes.filter(({ kind }) => kind === 'constructs').length)
    Object.defineProperty(this, 'maxDepth', { value: most })
    return most
  }

  /** The lane that a line shows: 0 is the states. */
  laneOf(location: number, line: number): number {
    const { lanes } = this.run.timeline.locations[location]
    if (line > 0) return lanes[line]?.kind === 'constructs' ? line : -1
    return this.options.level === 'threads' ? Math.max(0, lanes.findIndex(({ kind }) => kind === 'threads')) : 0
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
    this.palettes = null
    this.invalidate()
  }

  /** Lines are fitted to the height of the chart again, unless a pane has a part of it. */
  private refit(): void {
    if (!this.element.parentElement?.classList.contains('has-pane')) this.room = 0
  }

  show(visible: boolean): void {
    this.visible = visible
    if (visible) this.layout()
  }

  layout(): void {
    if (!this.visible || this.scroller.clientWidth === 0) return
    // Lines keep their height when a pane opens below them.
    this.room = Math.max(this.room, this.scroller.clientHeight)
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

  /** Rows that stay in place when the others are scrolled. */
  private get fixed(): number {
    return Math.min(this.rows.pinned, Math.floor(this.canvas.height * PINNED_MOST / this.geometry.row))
  }

  /** Where a row is, in device pixels from the canvas's top. */
  private yOf(row: number): number {
    return row * this.geometry.row - (row < this.fixed ? 0 : this.top)
  }

  /** Rows that can be seen: first those that are scrolled, then those that stay above them. */
  private rowsInSight(): { scrolled: [number, number]; fixed: number } {
    const { row } = this.geometry
    const { fixed, top } = this
    const first = fixed + Math.max(0, Math.floor(top / row))
    return { scrolled: [first, Math.max(first, Math.min(this.rows.order.length, Math.ceil((top + this.canvas.height) / row)))], fixed }
  }

  private draw(): void {
    const started = performance.now()
    const { width, height } = this.canvas
    const context = this.canvas.getContext('2d', { alpha: false })
    if (!context || width === 0) return
    this.palettes ??= [paletteFor(this.run, this.options.hidden, 0), paletteFor(this.run, this.options.hidden, 1)]
    if (!this.image) {
      this.image = context.createImageData(width, height)
      this.pixels = new Uint32Array(this.image.data.buffer)
    }
    this.clear(width, height)
    this.store.beginFrame()
    const { scrolled, fixed } = this.rowsInSight()
    const labels = this.lines(scrolled[0], scrolled[1]).filter(({ y }) => y >= fixed * this.geometry.row)
    if (fixed > 0) {
      this.pixels.fill(this.palettes[0].background, 0, Math.min(fixed * this.geometry.row, height) * width)
      labels.push(...this.lines(0, fixed))
    }
    const exact = this.store.levelFor(this.window.scale).exact
    const left = this.workOnSums(started)
    this.store.endFrame()
    context.putImageData(this.image, 0, 0)
    this.drawSums(context, scrolled)
    drawLabels(context, this.run, labels, this.geometry.dpr)
    if (!exact) hatch(context, width, height)
    drawOverlay(context, this)
    this.spans.draw(context)
    this.marks.draw(context, [...this.rows.order.subarray(0, fixed), ...this.rows.order.subarray(...scrolled)].filter(location => location >= 0))
    this.names.draw(scrolled, fixed, this.geometry.row, this.top)
    this.onframe(this.palettes[0])
    Chart.frames.push(performance.now() - started)
    if (Chart.frames.length > 2000) Chart.frames.splice(0, 1000)
    this.ondrawn(exact, this.store.failure)
    if (left) this.invalidate()
  }

  /** Paints rows, and gives the names of constructs that have room on them. */
  private lines(first: number, last: number): Label[] {
    const labels: Label[] = []
    const window = this.window
    const { level } = this.store.levelFor(window.scale)
    const { state, construct, depth } = this.geometry
    for (let row = first; row < last; row++) {
      const location = this.rows.order[row]
      if (location < 0) continue
      const y = this.yOf(row)
      this.line(window, location, 0, level, y, state)
      this.collectLabels(y, state, 0, labels)
      for (let d = 1; d <= depth && this.laneOf(location, d) > 0; d++) {
        const laneY = y + state + (d - 1) * construct
        this.line(window, location, d, level, laneY, construct - 1)
        this.collectLabels(laneY, construct - 1, d - 1, labels)
      }
    }
    return labels
  }

  private summaryOf({ key, members }: Heading): Summary {
    const known = this.sums.get(key)
    if (known && known.members.length === members.length && known.members.every((member, i) => member === members[i])) return known.summary
    const summary = new Summary(this.run, this.store, members)
    this.sums.set(key, { members, summary })
    return summary
  }

  private headingsInSight(): [row: number, heading: Heading][] {
    const { scrolled: [first, last] } = this.rowsInSight()
    const list: [number, Heading][] = []
    for (let row = first; row < last; row++) if (this.rows.order[row] < 0) list.push([row, this.rows.headings[-1 - this.rows.order[row]]])
    return list
  }

  /** Whether sums of groups in sight are still to be made. */
  private workOnSums(started: number): boolean {
    const until = Math.max(performance.now(), started) + SUMS_MS
    let left = this.onwork((this.palettes as Palettes)[0], until)
    for (const [, heading] of this.headingsInSight()) {
      if (!this.summaryOf(heading).work(this.window, (this.palettes as Palettes)[0], this.options.level, until)) left = true
      if (performance.now() > until) return true
    }
    return left && this.store.failure === null
  }

  private drawSums(context: CanvasRenderingContext2D, [first]: [number, number]): void {
    const { state, depth, construct } = this.geometry
    for (const [row, heading] of this.headingsInSight())
      if (row >= first) this.summaryOf(heading).draw(context, this.yOf(row), state + depth * construct, this.window, (this.palettes as Palettes)[0])
  }

  private clear(width: number, height: number): void {
    const palette = (this.palettes as Palettes)[0]
    this.pixels.fill(palette.background, 0, width)
    const gridline = Math.round(this.mark.gridline)
    if (gridline >= 0 && gridline < width) this.pixels[gridline] = palette.grid
    for (let row = 1; row < height; row *= 2) this.pixels.copyWithin(row * width, 0, Math.min(row, height - row) * width)
  }

  private line(window: Window, location: number, line: number, level: number, y: number, height: number): void {
    const lane = this.laneOf(location, line)
    if (!this.run.timeline.locations[location].lanes[lane]) {
      this.pieces.clear()
      return
    }
    const palette = (this.palettes as Palettes)[line > 0 ? (line - 1) % 2 : 0]
    const held: Held | null = this.options.black ? null : { mixture: this.mixture, slotOf: palette.slotOf, slots: palette.slot.length }
    held?.mixture.start(window.begin, window.scale, window.width, held.slots)
    drawLine(this.store, location, lane, level, window, this.pieces, held)
    paintLine(this.pixels, this.canvas.width, this.canvas.height, y, height, this.pieces, held?.mixture ?? null, palette)
  }

  private collectLabels(y: number, height: number, depth: number, labels: Label[]): void {
    const least = 28 * this.geometry.dpr
    for (let i = 0; i < this.pieces.count; i++) {
      const [of, region] = this.run.timeline.codes[this.pieces.code[i]]
      if (of < 0 && region >= 0 && this.pieces.x1[i] - this.pieces.x0[i] >= least)
        labels.push({ x0: this.pieces.x0[i], x1: this.pieces.x1[i], y, height, region, depth })
    }
  }

  /** The pieces of a lane as the chart draws them now. */
  drawn(location: number, line = 0): { x0: number; x1: number; code: number }[] {
    const pieces = new Pieces()
    const lane = this.laneOf(location, line)
    if (this.run.timeline.locations[location].lanes[lane])
      drawLine(this.store, location, lane, this.store.levelFor(this.window.scale).level, this.window, pieces, null)
    return Array.from({ length: pieces.count }, (_, i) => ({ x0: pieces.x0[i], x1: pieces.x1[i], code: pieces.code[i] }))
  }

  /** What a pixel of a lane holds: ticks by name of state or construct, the longest first. */
  held(location: number, line: number, x: number): [name: string, ticks: number][] {
    const { begin, scale } = this.window
    const blocks = this.store.blocks(location, this.laneOf(location, line), this.store.levelFor(scale).level)
    if (!blocks || blocks.length === 0) return []
    const { states, codes } = this.run.timeline
    const sums = new Map<string, number>()
    eachHeld(this.store, blocks, begin + x * scale, begin + (x + 1) * scale, (code, ticks) => {
      const [state, region] = codes[code]
      const name = state >= 0 ? states[state] : region >= 0 ? regionName(this.run, region) : code === ELIDED ? 'others' : 'nothing'
      sums.set(name, (sums.get(name) ?? 0) + ticks)
    })
    return [...sums].sort((a, b) => b[1] - a[1])
  }

  /** The row at a height of the canvas in CSS pixels; -1: there is none. */
  rowAt(y: number): number {
    const { row: rowHeight, dpr } = this.geometry
    const at = y * dpr
    const row = Math.floor((at < this.fixed * rowHeight ? at : at + this.top) / rowHeight)
    return row >= 0 && row < this.rows.order.length ? row : -1
  }

  /** What is at a point of the canvas, in CSS pixels. */
  hit(x: number, y: number): Hit | null {
    const { state, construct, depth, dpr } = this.geometry
    const row = this.rowAt(y)
    const location = row >= 0 ? this.rows.order[row] : -1
    if (location < 0) return null
    const inside = y * dpr - this.yOf(row)
    const lane = inside < state ? 0 : 1 + Math.floor((inside - state) / construct)
    return { location, lane: Math.min(lane, depth), x: x * dpr, time: this.window.begin + x * dpr * this.window.scale }
  }

  /** Threads between two heights of the canvas in CSS pixels; of folded groups, all their threads. */
  locationsBetween(y0: number, y1: number): number[] {
    const { row: rowHeight, dpr } = this.geometry
    const last = this.rows.order.length - 1
    const at = (y: number): number => {
      const row = this.rowAt(Math.max(0, y))
      return row >= 0 ? row : y * dpr + this.top > last * rowHeight ? last : 0
    }
    const found = new Set<number>()
    for (let row = at(Math.min(y0, y1)); row <= at(Math.max(y0, y1)); row++) {
      const location = this.rows.order[row]
      if (location >= 0) found.add(location)
      else for (const member of this.rows.headings[-1 - location].members) found.add(member)
    }
    return [...found]
  }

  /** The segment at a time, from what is loaded for drawing. */
  segment(location: number, line: number, time: number): Segment | null {
    const blocks = this.store.blocks(location, this.laneOf(location, line), this.store.levelFor(this.window.scale).level)
    const segment = blocks && segmentAt(this.store, blocks, time)
    return segment && segment.code !== NOTHING ? segment : null
  }

  /** Where a location's line of states is, in device pixels from the canvas's top; null if it is not shown. */
  lineOf(location: number): { y: number; height: number } | null {
    const row = this.rows.rowOf[location]
    if (row === undefined || row < 0) return null
    return { y: this.yOf(row), height: this.geometry.state }
  }

  hideThread(location: number): void {
    this.options.hiddenThreads.add(`${this.index}/${location}`)
    this.options.changed(true)
  }

  pin(location: number): void {
    this.options.toggle(this.options.pinned, `${this.index}/${location}`, true)
  }

  fold(heading: Heading): void {
    this.options.toggle(this.options.folded, heading.key, true)
  }

  /** Makes sure that a thread has a row, and that it is in sight. */
  scrollToLocation(location: number): void {
    const around = this.rows.headings.find(({ folded, members }) => folded && members.includes(location))
    if (around) this.fold(around)
    const row = this.rows.rowOf[location]
    if (row < this.fixed) return
    const { row: rowHeight, dpr } = this.geometry
    const top = row * rowHeight / dpr
    const view = this.scroller
    if (top - this.fixed * rowHeight / dpr < view.scrollTop || top + rowHeight / dpr > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 2
  }

  scrollRows(rows: number): void {
    this.scroller.scrollTop += rows * this.geometry.row / this.geometry.dpr
  }

  get visibleRows(): number {
    return Math.max(1, Math.floor(this.canvas.height / this.geometry.row))
  }
}

type Palettes = [Palette, Palette]
interface Label { x0: number; x1: number; y: number; height: number; region: number; depth: number }

function drawLabels(context: CanvasRenderingContext2D, run: Run, labels: Label[], dpr: number): void {
  context.font = `${10 * dpr}px system-ui, sans-serif`
  context.textBaseline = 'middle'
  const character = context.measureText('n').width
  for (const { x0, x1, y, height, region, depth } of labels) {
    const fitting = Math.floor((x1 - x0 - 8 * dpr) / character)
    if (fitting < 3) continue
    const name = regionName(run, region)
    const text = name.length <= fitting ? name : `${name.slice(0, fitting - 1)}…`
    context.fillStyle = inkOn(constructColor(run, region, depth))
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
