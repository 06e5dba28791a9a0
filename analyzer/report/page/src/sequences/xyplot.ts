// A plot of states, by name, against time or the number of the record.

import { count, duration, numberLabels, timeLabels } from '../time/format'
import { themeColor } from '../look/colors'
import { h, short } from '../parts/dom'
import type { Instance } from './instance'
import { firstOf, marksOf, type Domain } from './marks'
import type { Range } from './range'
import type { Rows } from './rows'
import { kindOf, nameOf, overAt } from './sequence'

const [AXIS, TOP, NAMES_MOST, LABEL] = [22, 4, 150, 90]
const [ROW_LEAST, ROW_MOST, HEIGHT] = [2, 18, 460]
const FONT = '11px system-ui, sans-serif'
const CLICK = 4
export const KIND_COLORS = { basic: 'accent', filter: 'path', pattern: 'good' } as const

/** Round places between two numbers, as many as have room. */
function ticksOf(begin: number, end: number, most: number): number[] {
  const rough = (end - begin) / Math.max(1, most)
  const power = Math.pow(10, Math.floor(Math.log10(rough)))
  const step = ([1, 2, 5].find(factor => factor * power >= rough) ?? 10) * power
  const first = Math.ceil(begin / step)
  return Array.from({ length: Math.max(0, Math.floor(end / step) - first + 1) }, (_, i) => (first + i) * step)
}

export class XyPlot {
  readonly element: HTMLElement
  private readonly canvas = h('canvas', { tabIndex: 0 })
  private readonly said = h('p', { class: 'soft number said' })
  private readonly row: number
  /** room for the names */
  private readonly wanted: number
  private drag: { x: number; now: number } | null = null
  private pending = 0

  /** @param unit of time: seconds a tick; of records 1 */
  constructor(private readonly instance: Instance, private readonly rows: Rows, private readonly domain: Domain, private readonly range: Range) {
    this.row = Math.max(ROW_LEAST, Math.min(ROW_MOST, Math.floor(HEIGHT / Math.max(1, rows.list.length))))
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D
    context.font = FONT
    this.wanted = Math.min(NAMES_MOST, 12 + Math.ceil(Math.max(20, ...rows.list.map(({ name }) => context.measureText(short(name, 60)).width))))
    this.canvas.style.height = `${this.height + AXIS + TOP}px`
    this.canvas.setAttribute('role', 'img')
    this.canvas.setAttribute('aria-label', `${domain === 'time' ? 'State against time' : 'State against record'}: ${rows.list.slice(0, 30).map(({ name }) => short(name, 40)).join(', ')}`)
    this.element = h('div', { class: 'xy', data: { plot: domain } }, this.canvas, this.said)
    range.onchange(() => this.later())
    new ResizeObserver(() => this.later()).observe(this.canvas)
    this.listen()
  }

  private get height(): number { return this.row * Math.max(1, this.rows.list.length) }
  private get unit(): number { return this.domain === 'time' ? this.instance.seconds : 1 }
  private get names(): number { return Math.min(this.wanted, Math.floor(this.canvas.clientWidth / 3)) }
  private get width(): number { return Math.max(1, this.canvas.clientWidth - this.names) }
  /** The range in seconds or records, at a pixel of the canvas. */
  private at(x: number): number { return this.range.begin + (x - this.names) / this.width * (this.range.end - this.range.begin) }

  later(): void {
    if (this.pending) return
    this.pending = requestAnimationFrame(() => {
      this.pending = 0
      this.draw()
    })
  }

  draw(): void {
    const { canvas, range, unit, names, width } = this
    const ratio = window.devicePixelRatio || 1
    if (canvas.clientWidth < 20) return
    canvas.width = Math.round(canvas.clientWidth * ratio)
    canvas.height = Math.round((this.height + AXIS + TOP) * ratio)
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.scale(ratio, ratio)
    context.font = FONT
    this.drawFrame(context)
    const columns = Math.max(1, Math.floor(width * ratio))
    const marks = marksOf(this.instance, this.rows, this.domain, range.begin / unit, range.end / unit, columns)
    context.setTransform(1, 0, 0, ratio, Math.round(names * ratio), TOP * ratio)
    this.drawMoves(context, marks, columns)
    this.drawCells(context, marks.cells, columns)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    if (this.drag) {
      context.fillStyle = themeColor('accent')
      context.globalAlpha = 0.18
      context.fillRect(Math.min(this.drag.x, this.drag.now), TOP, Math.abs(this.drag.now - this.drag.x), this.height)
      context.globalAlpha = 1
    }
    this.say(marks.drawn, columns)
    frames.length++
  }

  private drawFrame(context: CanvasRenderingContext2D): void {
    const { names, width, range, rows, row, height } = this
    const step = Math.max(1, Math.ceil(11 / row))
    context.textBaseline = 'middle'
    context.textAlign = 'right'
    rows.list.forEach(({ name }, i) => {
      const y = TOP + (i + 0.5) * row
      context.fillStyle = themeColor('grid')
      if (row >= 8) context.fillRect(names, Math.round(y), width, 1)
      // The last one may be all others.
      const last = rows.list.length - 1
      if (i !== last && (i % step !== 0 || i + step > last)) return
      context.fillStyle = themeColor('soft')
      context.fillText(fitted(context, short(name, 60), names - 10), names - 6, y)
    })
    // A record lies between its number less one and its number; the label is in the middle of it.
    const middle = this.domain === 'time' ? 0 : 0.5
    const ticks = ticksOf(range.begin + middle, range.end + middle, Math.floor(width / LABEL)).filter(tick => middle === 0 || (tick >= 1 && Number.isInteger(tick)))
    const labels = this.domain === 'time' ? timeLabels(ticks) : numberLabels(ticks)
    context.textAlign = 'center'
    ticks.forEach((tick, i) => {
      const x = names + (tick - middle - range.begin) / (range.end - range.begin) * width
      context.fillStyle = themeColor('grid')
      context.fillRect(Math.round(x), TOP, 1, height)
      context.fillStyle = themeColor('soft')
      const half = context.measureText(labels[i]).width / 2
      context.fillText(labels[i], Math.min(names + width - half - 1, Math.max(names + half - 4, x)), TOP + height + 12)
    })
    context.fillStyle = themeColor('rule')
    context.fillRect(names, TOP + height, width, 1)
  }

  private drawMoves(context: CanvasRenderingContext2D, { above, below }: { above: Int16Array; below: Int16Array }, columns: number): void {
    context.fillStyle = themeColor('soft')
    context.globalAlpha = 0.22
    for (let x = 0; x < columns; x++) if (above[x] < below[x]) context.fillRect(x, (above[x] + 0.5) * this.row, 1, (below[x] - above[x]) * this.row)
    context.globalAlpha = 1
  }

  private drawCells(context: CanvasRenderingContext2D, cells: Uint8Array, columns: number): void {
    const thick = Math.max(1, this.row - (this.row >= 8 ? 6 : 0))
    this.rows.list.forEach(({ kind }, row) => {
      context.fillStyle = themeColor(KIND_COLORS[kind])
      for (let x = 0; x < columns; x++) {
        if (!cells[row * columns + x]) continue
        const first = x
        while (x < columns && cells[row * columns + x]) x++
        context.fillRect(first, row * this.row + (this.row - thick) / 2, x - first, thick)
      }
    })
  }

  private say(drawn: number, columns: number): void {
    const { instance } = this
    if (!instance.whole) this.said.textContent = `${count(instance.data.records)} records, too many for the page: each ${count(instance.data.parts?.time.length ?? 0)}th part shows its states.`
    else if (drawn > columns) this.said.textContent = `${count(drawn)} records in ${count(columns)} columns: a column shows every state that occurs in it.`
    else this.said.textContent = `${count(drawn)} ${drawn === 1 ? 'record' : 'records'} in sight.`
  }

  /** The record at a place of the range: what it is. */
  private tell(x: number): void {
    const { sequence, data, names } = this.instance
    if (!sequence || x < this.names) return
    const at = this.at(x) / this.unit
    const { entry, state } = sequence
    const i = this.domain === 'events' ? Math.floor(at) : firstOf(entry.length, k => entry[k] > at) - 1
    if (i < 0 || i >= entry.length || (this.domain === 'time' && at > sequence.end)) return
    const time = (ticks: number): string => duration(ticks / (data.ticks_per_second || 1))
    const kind = kindOf(names, state[i])
    this.said.textContent = [`#${count(i + 1)} ${short(nameOf(names, state[i]), 60)}`, `at ${time(entry[i])} for ${time(overAt(sequence, i) - entry[i])}`, kind === 'basic' ? '' : kind, short(names.get(state[i])?.standsFor ?? '', 140)].filter(Boolean).join(' · ')
  }

  private listen(): void {
    const { canvas, range } = this
    const x = (event: PointerEvent | WheelEvent | MouseEvent): number => event.clientX - canvas.getBoundingClientRect().left
    canvas.addEventListener('wheel', event => {
      if (event.ctrlKey || event.metaKey) range.zoom(Math.pow(1.0022, event.deltaY), this.at(x(event)))
      else if (event.shiftKey || event.deltaX !== 0) range.pan((event.deltaX || event.deltaY) / this.width)
      else return
      event.preventDefault()
    }, { passive: false })
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0 || x(event) < this.names) return
      canvas.setPointerCapture(event.pointerId)
      this.drag = { x: x(event), now: x(event) }
    })
    canvas.addEventListener('pointermove', event => {
      if (!this.drag) return this.tell(x(event))
      this.drag.now = Math.max(this.names, Math.min(canvas.clientWidth, x(event)))
      this.later()
    })
    canvas.addEventListener('pointerup', () => {
      const { drag } = this
      this.drag = null
      if (!drag) return
      const [from, to] = [Math.min(drag.x, drag.now), Math.max(drag.x, drag.now)]
      if (to - from >= CLICK) range.set(this.at(from), this.at(to))
      else this.later()
    })
    canvas.addEventListener('dblclick', () => range.fit())
    canvas.addEventListener('keydown', event => {
      const act = { '+': () => range.zoom(0.5), '-': () => range.zoom(2), '0': () => range.fit(), ArrowLeft: () => range.pan(-0.25), ArrowRight: () => range.pan(0.25) }[event.key]
      if (!act) return
      event.preventDefault()
      act()
    })
  }

  /** For tests: what each row has at a pixel, from 0 to 1 of the range. */
  rowsAt(part: number): string[] {
    const { range, unit } = this
    const columns = 1000
    const { cells } = marksOf(this.instance, this.rows, this.domain, range.begin / unit, range.end / unit, columns)
    return this.rows.list.filter((_, row) => cells[row * columns + Math.min(columns - 1, Math.floor(part * columns))]).map(({ name }) => name)
  }
}

/** How many plots were drawn, for tests. */
export const frames = { length: 0 }

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  let length = text.length
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--
  return `${text.slice(0, length)}…`
}
