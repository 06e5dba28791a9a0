// How often states occur, or how long they last in all: a bar a state, and a threshold that can be moved. It shows the filter step to
// copy, and what the step would make.

import { announce, button, h, short } from '../parts/dom'
import { copyText } from '../parts/csv'
import { count, duration, percent } from '../time/format'
import { themeColor } from '../look/colors'
import { outcome, outcomeOfCounts, rareStates, type Outcome, type Threshold } from './filter'
import type { Instance } from './instance'
import { kindOf, nameOf, ranked } from './sequence'
import { KIND_COLORS } from './xyplot'

const [HEIGHT, NAMES_MOST] = [220, 84]
const FONT = '11px system-ui, sans-serif'
const SLIDER = 1000

export class Histogram {
  readonly element: HTMLElement
  private readonly canvas = h('canvas')
  private readonly slider: HTMLInputElement
  private readonly number: HTMLInputElement
  private readonly step = h('code')
  private readonly result = h('p', { class: 'number result', aria: { live: 'polite' } })
  private readonly apply: HTMLButtonElement
  private readonly states: number[]
  private readonly values: Float64Array
  private readonly most: number
  private pending = 0
  /** room for the labels of the axis */
  private left = 0

  constructor(private readonly instance: Instance, private readonly by: Threshold['by'], private readonly edges: [number, number, number][] | null, private readonly onstep: (step: string) => void, private readonly onmove: () => void) {
    const { totals } = instance
    this.values = by === 'time' ? totals.time : totals.count
    this.states = ranked(totals).sort((a, b) => this.values[b] - this.values[a])
    this.most = this.states.length > 0 ? this.values[this.states[0]] : 0
    const label = by === 'time' ? 'threshold of time, in ticks' : 'threshold of occurrences'
    this.slider = h('input', { type: 'range', min: '0', max: String(SLIDER), step: '1', aria: { label: `${label}, logarithmic` } })
    this.number = h('input', { type: 'number', min: '0', step: '1', class: 'threshold', aria: { label }, data: { control: `threshold-${by}` } })
    this.apply = button('Add step', () => this.onstep(this.text), 'Execute this step in the page', 'small')
    this.slider.addEventListener('input', () => this.move(Math.round(this.unscaled(Number(this.slider.value) / SLIDER))))
    this.number.addEventListener('input', () => this.move(Number(this.number.value)))
    this.canvas.setAttribute('role', 'img')
    this.canvas.setAttribute('aria-label', `${by === 'time' ? 'Time' : 'Occurrences'} of ${this.states.length} states, from ${this.textOf(this.most)}`)
    this.element = h('div', { class: 'histogram', data: { histogram: by } },
      h('h3', null, by === 'time' ? 'Time in a state' : 'Occurrences of a state'), this.canvas,
      h('div', { class: 'inputs' }, this.slider, this.number, h('span', null, by === 'time' ? 'ticks' : 'times')),
      h('div', { class: 'inputs' }, this.step, button('Copy', () => void this.copy(), 'Copy the step', 'small'), ...(instance.whole ? [this.apply] : [])), this.result)
    new ResizeObserver(() => this.later()).observe(this.canvas)
    this.drag()
    this.show()
  }

  private get labels(): string[] { return this.states.map(state => short(nameOf(this.instance.names, state), 13)) }
  private get least(): number { return this.instance.thresholds[this.by] ?? 0 }
  private get text(): string { return this.by === 'time' ? `filter-time ${this.least}ticks` : `filter-count ${this.least}` }
  private textOf(value: number): string { return this.by === 'time' ? duration(value * this.instance.seconds) : count(value) }
  /** A value as a part of the height: logarithmic, as some states have thousands of times what others have. */
  private scaled(value: number): number { return Math.log1p(value) / Math.log1p(this.most + 1) }
  private unscaled(part: number): number { return Math.expm1(part * Math.log1p(this.most + 1)) }

  private move(least: number): void {
    this.instance.thresholds[this.by] = Number.isFinite(least) ? Math.max(0, Math.min(Math.ceil(least), this.most + 1)) : 0
    this.onmove()
    this.show()
  }

  private async copy(): Promise<void> {
    await copyText(`--${this.text}`)
    announce('The step is copied.')
  }

  private show(): void {
    this.slider.value = String(Math.round(this.scaled(this.least) * SLIDER))
    if (document.activeElement !== this.number) this.number.value = String(this.least)
    this.step.textContent = `--${this.text}`
    this.apply.disabled = this.least === 0
    this.later()
  }

  private later(): void {
    if (this.pending) return
    this.pending = requestAnimationFrame(() => {
      this.pending = 0
      this.draw()
      this.result.textContent = this.sentence()
    })
  }

  private sentence(): string {
    const { instance, least } = this
    const { totals } = instance
    if (least === 0) return 'Move the threshold: states below it become aggregates.'
    const rare = rareStates(totals, { by: this.by, least })
    const made: Outcome | null = instance.sequence ? outcome(instance.sequence, totals, rare) : this.edges ? outcomeOfCounts(totals, this.edges, rare) : null
    const below = `${percentOf(least, totals.duration, this.by)}: `
    if (!made) return `${below}the page has neither the records nor the transitions of this sequence, so it cannot tell the result.`
    if (made.rareStates === 0) return `${below}no state is below it.`
    return `${below}${count(made.rareStates)} of ${count(totals.distinct)} states are rare, with ${percent(totals.records > 0 ? made.rareRecords / totals.records * 100 : 0)} of the records and ${percent(totals.duration > 0 ? made.rareTime / totals.duration * 100 : 0)} of the time. `
      + `Records: ${count(totals.records)} → ${count(made.records)}. States: ${count(totals.distinct)} → ${count(made.states)}${made.aggregates === null ? ' and aggregates' : `, ${count(made.aggregates)} of them aggregates`}.`
  }

  private draw(): void {
    const { canvas, states, values } = this
    const ratio = window.devicePixelRatio || 1
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.font = FONT
    const marks = this.axisMarks()
    this.left = 8 + Math.ceil(Math.max(30, ...marks.map(mark => context.measureText(this.textOf(mark)).width)))
    const width = canvas.clientWidth - this.left
    if (width < 20) return
    const room = width / Math.max(1, states.length)
    const names = room >= 13 ? Math.min(NAMES_MOST, 14 + 0.87 * Math.max(...this.labels.map(label => context.measureText(label).width))) : 8
    canvas.style.height = `${Math.ceil(HEIGHT + names)}px`
    canvas.width = Math.round(canvas.clientWidth * ratio)
    canvas.height = Math.round(Math.ceil(HEIGHT + names) * ratio)
    context.scale(ratio, ratio)
    context.font = FONT
    this.drawAxis(context, marks, width)
    const bar = Math.max(1, Math.min(46, room * 0.8))
    // More states than pixels: a pixel has the highest of its bars, and those are sorted.
    const columns = Math.min(states.length, Math.floor(width))
    for (let i = 0; i < columns; i++) {
      const state = states[Math.floor(i * states.length / columns)]
      const height = this.scaled(values[state]) * HEIGHT
      context.fillStyle = themeColor(KIND_COLORS[kindOf(this.instance.names, state)])
      context.globalAlpha = values[state] < this.least ? 0.28 : 1
      if (room < 3) context.fillRect(this.left + Math.floor(i * width / columns), HEIGHT - height, Math.ceil(width / columns), height)
      else context.fillRect(this.left + (i + 0.5) * room - bar / 2, HEIGHT - height, bar, height)
    }
    context.globalAlpha = 1
    if (room >= 13) this.drawNames(context, room)
    if (this.least > 0) this.drawThreshold(context, width)
  }

  /** Values that stand beside the axis, from the top on. */
  private axisMarks(): number[] {
    const unit = this.by === 'time' ? this.instance.seconds : 1
    const marks = [1, 0.8, 0.6, 0.4, 0.2].map(part => roundDown(this.unscaled(part) * unit) / unit).filter(value => value >= 1)
    return [...new Set(marks), 0].filter((value, i, all) => i === 0 || (this.scaled(all[i - 1]) - this.scaled(value)) * HEIGHT >= 18)
  }

  private drawAxis(context: CanvasRenderingContext2D, marks: number[], width: number): void {
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    for (const value of marks) {
      const y = HEIGHT - this.scaled(value) * HEIGHT
      context.fillStyle = themeColor('grid')
      context.fillRect(this.left, Math.round(y), width, 1)
      context.fillStyle = themeColor('soft')
      context.fillText(this.textOf(value), this.left - 6, Math.max(7, y))
    }
  }

  private drawNames(context: CanvasRenderingContext2D, room: number): void {
    context.fillStyle = themeColor('soft')
    this.labels.forEach((label, i) => {
      context.save()
      context.translate(this.left + (i + 0.5) * room + 3, HEIGHT + 6)
      context.rotate(-Math.PI / 3)
      context.fillText(label, 0, 0)
      context.restore()
    })
  }

  private drawThreshold(context: CanvasRenderingContext2D, width: number): void {
    const y = HEIGHT - this.scaled(this.least) * HEIGHT
    context.fillStyle = themeColor('bad')
    context.fillRect(this.left, y - 1, width, 2)
    context.textAlign = 'right'
    context.fillText(`< ${this.textOf(this.least)}`, this.left + width - 4, y < 18 ? y + 10 : y - 9)
  }

  /** The threshold follows the pointer. */
  private drag(): void {
    const { canvas } = this
    let moving = false
    const follow = (event: PointerEvent): void => this.move(Math.round(this.unscaled(Math.min(1, Math.max(0, (HEIGHT - (event.clientY - canvas.getBoundingClientRect().top)) / HEIGHT)))))
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return
      moving = true
      canvas.setPointerCapture(event.pointerId)
      follow(event)
    })
    canvas.addEventListener('pointermove', event => {
      if (moving) follow(event)
    })
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => {
      moving = false
    })
  }
}

const percentOf = (least: number, whole: number, by: Threshold['by']): string => by === 'time' ? `Less than ${count(least)} ticks (${percent(whole > 0 ? least / whole * 100 : 0)} of the sequence)` : `Less than ${count(least)} times`

/** One significant digit. */
function roundDown(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(value)))
  return Math.floor(value / power) * power
}
