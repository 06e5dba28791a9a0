// The flame graph: the tree of calls as a picture. Callers are above; a frame is as wide as the samples in it and below it.

import { announce, button, h, short } from '../parts/dom'
import { constructColor, elidedColor, inkOn, mixed, otherCss, themeColor } from '../look/colors'
import { ontheme } from '../look/theme'
import { percent } from '../time/format'
import { shareOf, type Amount } from './amount'
import { layout, type Frame, type Layout, type Order } from './layout'
import { ANY, base, type CallTree, type Figures } from './tree'

const ROW = 19
/** Frames of so many pixels have a name. */
const NAMED = 26
/** Modules in the legend. */
const LISTED = 6

export interface Shown {
  figures: Figures
  amount: Amount
  /** the functions that are searched for; null: none */
  wanted: ((code: number) => boolean) | null
  /** a colour by node in place of that of its module */
  color?: (node: number) => string
  /** what a frame's tooltip also says */
  also?: (node: number) => string
}

export class Flame {
  readonly element: HTMLElement
  /** a function was chosen by a click */
  onpick: (code: number) => void = () => undefined
  private readonly canvas = h('canvas', { class: 'flame-canvas' })
  private readonly place: HTMLElement
  private readonly tip = h('div', { class: 'flame-tip', hidden: true })
  private readonly said = h('span', { class: 'soft number flame-matched', role: 'status' })
  private readonly legend = h('div', { class: 'flame-legend' })
  private readonly below = h('p', { class: 'soft' })
  private readonly reset: HTMLButtonElement
  private shown: Shown | null = null
  private made: Layout = { frames: [], rows: 0, deeper: false }
  private zoomed = -1
  /** the node that the keys are at; null: none */
  private at: number | null = null
  private picked = ANY
  private readonly modules = new Map<string, number>()
  private readonly flip = h('input', { type: 'checkbox', data: { control: 'flip' } })
  private readonly sorting = h('select', { aria: { label: 'order of frames' }, data: { control: 'order' } }, h('option', { value: 'weight' }, 'most samples first'), h('option', { value: 'name' }, 'by name'))
  /** by node: when it was first seen; null: no times are known */
  private first: Float64Array | null = null

  constructor(private readonly tree: CallTree) {
    this.reset = button('Reset zoom', () => this.zoom(-1), 'Show all code (0 or Esc)', 'small')
    this.place = h('div', {
      class: 'flame-place', tabIndex: 0, role: 'group',
      aria: { label: 'Flame graph. Arrows go to callers, callees and neighbours; Enter zooms, Escape shows all' },
    }, this.canvas)
    this.element = h('div', { class: 'flame' }, h('div', { class: 'zoom-tools' }, this.reset, h('label', null, this.flip, 'callers below'), h('label', null, 'order ', this.sorting), this.said, this.legend), this.place, this.below, this.tip)
    for (const input of [this.flip, this.sorting]) input.addEventListener('change', () => this.draw())
    this.canvas.addEventListener('pointermove', event => this.hover(event))
    this.canvas.addEventListener('pointerleave', () => this.hideTip())
    this.canvas.addEventListener('click', event => {
      const frame = this.hit(event.offsetX, event.offsetY)
      if (frame) this.choose(frame.node)
    })
    this.place.addEventListener('keydown', event => this.key(event))
    this.place.addEventListener('scroll', () => this.hideTip())
    this.place.addEventListener('blur', () => this.hideTip())
    new ResizeObserver(() => this.draw()).observe(this.place)
    ontheme(() => this.draw())
  }

  /** Offers the order of first samples. */
  knowTimes(first: Float64Array): void {
    this.first = first
    this.sorting.append(h('option', { value: 'time' }, 'first seen first'))
  }

  private get order(): Order {
    const { sorting, first, tree } = this
    if (sorting.value === 'name') return (a, b) => this.name(a) < this.name(b) ? -1 : this.name(a) > this.name(b) ? 1 : tree.code[a] - tree.code[b]
    return sorting.value === 'time' && first ? (a, b) => first[a] === first[b] ? 0 : first[a] - first[b] : () => 0
  }

  /** The pixel at the top of a row. */
  private top(row: number): number {
    return (this.flip.checked ? this.made.rows - 1 - row : row) * ROW
  }

  /** Modules have colours by their own code: those with the most samples the first ones. */
  colorModules(figures: Figures): void {
    const sums = new Map<string, number>()
    for (let code = 0; code < this.tree.others; code++) {
      const module = this.tree.module(code)
      sums.set(module, (sums.get(module) ?? 0) + figures.self[code])
    }
    const order = [...sums].sort((a, b) => b[1] - a[1])
    order.forEach(([module], i) => this.modules.set(module, i))
    this.legend.replaceChildren(...order.filter(([, sum]) => sum > 0).slice(0, LISTED).map(([module], i) => {
      const chip = h('i', { class: 'chip' })
      chip.style.background = otherCss(i)
      return h('span', { title: short(module, 200) }, chip, short(base(module), 30) || 'unknown')
    }))
  }

  show(shown: Shown): void {
    this.shown = shown
    if (this.zoomed >= 0 && shown.figures.below[this.zoomed] === 0) this.zoomed = -1
    if (this.at !== null && this.at >= 0 && shown.figures.below[this.at] === 0) this.at = null
    const { wanted, figures, amount } = shown
    this.legend.hidden = shown.color !== undefined
    const matched = wanted ? this.tree.matched(figures, wanted) : 0
    this.said.textContent = wanted ? `matched: ${percent(shareOf(matched, figures.all).share)}, ${amount.text(matched)}` : ''
    this.draw()
  }

  /** Marks a function's frames. */
  mark(code: number): void {
    this.picked = code
    this.draw()
  }

  zoom(node: number): void {
    this.zoomed = node
    this.at = node
    this.hideTip()
    this.draw()
    this.place.scrollTop = this.flip.checked ? this.place.scrollHeight : 0
    announce(node < 0 ? 'All code is shown.' : this.text(node).join(', '))
  }

  /** For tests: the frames that are drawn, and where. */
  get frames(): (Frame & { name: string; y: number })[] {
    return this.made.frames.map(frame => ({ ...frame, name: this.name(frame.node), y: this.top(frame.row) + 0.5 * ROW }))
  }

  private choose(node: number): void {
    this.zoom(node)
    if (node >= 0) this.onpick(this.tree.code[node])
  }

  private name(node: number): string {
    return node < 0 ? 'all' : this.tree.name(this.tree.code[node])
  }

  private text(node: number): string[] {
    const { shown, tree } = this
    if (!shown) return []
    const { figures, amount } = shown
    const below = node < 0 ? figures.all : figures.below[node]
    const own = node < 0 ? 0 : figures.own[node]
    const share = shareOf(below, figures.all)
    const code = node < 0 ? -1 : tree.code[node]
    const place = [tree.where(code), tree.module(code)].filter(Boolean).map(text => short(text, 120)).join(' in ')
    return [short(this.name(node), 300), place, `inclusive ${amount.text(below)}, ${percent(share.share)} (${percent(share.low)} to ${percent(share.high)})`,
      `self ${amount.text(own)}, ${percent(shareOf(own, figures.all).share)}`, node < 0 ? '' : shown.also?.(node) ?? ''].filter(Boolean)
  }

  private color(node: number): string {
    const { tree, shown, modules } = this
    const paper = themeColor('paper')
    if (node < 0) return themeColor('panel')
    const code = tree.code[node]
    if (shown?.wanted?.(code)) return themeColor('path')
    let color = shown?.color?.(node) ?? ''
    if (color === '') {
      // Neighbours of one module can be told apart.
      const shade = (code * 2654435761 >>> 0) % 4 * 0.1
      color = code === tree.others ? mixed(elidedColor(), paper, 0.6) : mixed(constructColor(modules.get(tree.module(code)) ?? 0), paper, shade)
    }
    return shown?.wanted ? mixed(color, paper, 0.6) : color
  }

  private draw(): void {
    const { shown, place, canvas } = this
    const width = place.clientWidth
    if (!shown || width < 50) return
    const dpr = window.devicePixelRatio || 1
    this.made = layout(this.tree, shown.figures, this.zoomed, width, this.order)
    const height = this.made.rows * ROW
    canvas.width = Math.round(width * dpr)
    canvas.height = Math.round(height * dpr)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    this.reset.disabled = this.zoomed < 0
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.scale(dpr, dpr)
    context.font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
    context.textBaseline = 'middle'
    const above = new Set(this.zoomed < 0 ? [] : this.tree.path(this.zoomed).slice(0, -1))
    for (const frame of this.made.frames) this.drawFrame(context, frame, above.has(frame.node))
    this.below.textContent = this.made.deeper ? 'Deeper frames are not drawn: zoom to see them.' : ''
  }

  private drawFrame(context: CanvasRenderingContext2D, { node, row, x0, x1 }: Frame, faded: boolean): void {
    const y = this.top(row)
    const size = Math.max(0.5, x1 - x0 - 0.7)
    const color = faded ? mixed(this.color(node), themeColor('paper'), 0.45) : this.color(node)
    context.fillStyle = color
    context.fillRect(x0, y, size, ROW - 1)
    if (node === this.at || (node >= 0 && this.tree.code[node] === this.picked)) {
      context.strokeStyle = themeColor(node === this.at ? 'ink' : 'accent')
      context.lineWidth = 1.5
      if (size > 3) context.strokeRect(x0 + 0.75, y + 0.75, size - 1.5, ROW - 2.5)
      else {
        context.fillStyle = themeColor('accent')
        context.fillRect(x0, y, size, ROW - 1)
      }
    }
    if (size < NAMED) return
    context.fillStyle = node < 0 ? themeColor('ink') : inkOn(color)
    const name = node < 0 ? `all: ${this.shown?.amount.text(this.shown.figures.all) ?? ''}` : short(this.name(node), 400)
    context.fillText(fitted(context, name, size - 8), x0 + 4, y + ROW / 2)
  }

  private hit(x: number, y: number): Frame | undefined {
    const line = Math.floor(y / ROW)
    const row = this.flip.checked ? this.made.rows - 1 - line : line
    return this.made.frames.find(frame => frame.row === row && frame.x0 <= x && x < frame.x1)
  }

  private hover(event: PointerEvent): void {
    const frame = this.hit(event.offsetX, event.offsetY)
    this.canvas.style.cursor = frame ? 'pointer' : 'default'
    if (frame) this.showTip(frame.node, event.clientX, event.clientY)
    else this.hideTip()
  }

  private showTip(node: number, x: number, y: number): void {
    const { tip } = this
    tip.replaceChildren(...this.text(node).map((line, i) => h(i === 0 ? 'b' : 'div', null, line)))
    tip.hidden = false
    const box = tip.getBoundingClientRect()
    tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8))}px`
    tip.style.top = `${y + 18 + box.height > window.innerHeight ? Math.max(4, y - box.height - 10) : y + 18}px`
  }

  private hideTip(): void {
    this.tip.hidden = true
  }

  private key(event: KeyboardEvent): void {
    const { at } = this
    if (event.key === 'Escape' || event.key === '0') this.zoom(-1)
    else if (event.key === 'Enter' && at !== null) this.choose(at)
    else {
      const next = this.neighbour(event.key)
      if (next === null) return
      this.go(next)
    }
    event.preventDefault()
  }

  /** The frame that an arrow leads to; null: it is none of the keys. */
  private neighbour(key: string): Frame | null {
    const { frames } = this.made
    if (frames.length === 0 || !['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key)) return null
    const here = frames.find(({ node }) => node === this.at)
    if (!here) return frames[0]
    const up = this.flip.checked ? 'ArrowDown' : 'ArrowUp'
    const down = this.flip.checked ? 'ArrowUp' : 'ArrowDown'
    const row = key === up ? here.row - 1 : key === down ? here.row + 1 : here.row
    const others = frames.filter(frame => frame.row === row).sort((a, b) => a.x0 - b.x0)
    if (key === up) return others.find(({ x0, x1 }) => x0 <= here.x0 && here.x0 < x1) ?? here
    if (key === down) return others.find(({ x0, x1 }) => x0 >= here.x0 && x1 <= here.x1 + 0.01) ?? here
    return others[others.indexOf(here) + (key === 'ArrowLeft' ? -1 : 1)] ?? here
  }

  private go({ node, row, x0 }: Frame): void {
    this.at = node
    this.draw()
    const { place } = this
    const y = this.top(row)
    if (y + ROW > place.scrollTop + place.clientHeight) place.scrollTop = y + ROW - place.clientHeight
    if (y < place.scrollTop) place.scrollTop = y
    const box = this.canvas.getBoundingClientRect()
    this.showTip(node, box.left + x0, box.top + y)
    announce(this.text(node).join(', '))
  }
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle
    else high = middle - 1
  }
  return low < 2 ? '' : `${text.slice(0, low)}…`
}
