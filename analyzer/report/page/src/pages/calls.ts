// Which functions the threads ran, from samples or exact calls: a flame graph, all functions, and who calls whom.

import type { App, Page } from '../app'
import type { CallsDocument, Cell, Run } from '../bundle/types'
import { Amount, shareOf, type Unit } from '../calls/amount'
import { Compared } from '../calls/compared'
import { Filters } from '../calls/filters'
import { Flame } from '../calls/flame'
import { Relatives } from '../calls/relatives'
import { treeOf } from '../calls/times'
import { ANY, base, type CallTree, type Figures, type Selection } from '../calls/tree'
import { h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { count, duration, percent } from '../time/format'

const KERNEL = -3

/** A function, or the kernel's time in ticks. */
interface Line { code: number; self: number; inclusive: number; deviation: number }

class View {
  readonly element: HTMLElement
  private readonly tree: CallTree
  private readonly filters: Filters
  private readonly flame: Flame
  private readonly relatives: Relatives
  private readonly table: Table<Line>
  private readonly shown = h('p', { class: 'soft', role: 'status' })
  private readonly compared: Compared | null
  private readonly byChange = h('input', { type: 'checkbox', checked: true })
  private figures: Figures
  private amount: Amount
  private picked: number

  constructor(private readonly document: CallsDocument, private readonly run: Run, before: Run | undefined) {
    this.tree = treeOf(document)
    this.filters = new Filters(document, run)
    this.flame = new Flame(this.tree)
    this.relatives = new Relatives(this.tree)
    this.figures = this.tree.figures(this.filters.selection)
    this.amount = this.amountOf(this.filters.selection, this.filters.chosenUnit)
    this.picked = this.lines().find(({ code }) => code >= 0)?.code ?? ANY
    this.table = new Table<Line>({
      name: 'functions', rows: this.lines(), columns: this.columns(), sort: 1, empty: document.exact ? 'No function was called here.' : 'No function has samples here.',
      picked: line => line.code === this.picked, onpick: line => this.open(line.code),
    })
    this.compared = before?.documents.calls && !document.exact && !before.documents.calls.exact ? new Compared(this.tree, run, before, before.documents.calls) : null
    this.byChange.addEventListener('change', () => this.search())
    this.filters.onchange = () => this.show()
    this.filters.onsearch = () => this.search()
    this.relatives.onpick = code => this.pick(code)
    this.flame.onpick = code => this.open(code)
    this.flame.colorModules(this.figures)
    if (document.times.length > 0) this.flame.knowTimes(this.firstTimes())
    if (this.picked >= 0) this.relatives.start(this.picked)
    this.element = h('div', { class: 'calls' },
      h('section', null, ...this.sentences(), this.filters.element, this.shown),
      h('section', null, h('h2', null, 'Flame graph'), h('p', { class: 'soft' }, `Callers are above, callees below, or the other way; a frame is as wide as its ${document.exact ? 'figure' : 'samples'}. Click a frame to zoom.`),
        this.compared ? h('p', null, h('label', null, this.byChange, 'colours show what changed against A beyond chance: '), h('span', { class: 'worse' }, 'more'), ', ', h('span', { class: 'better' }, 'less')) : null, this.flame.element),
      h('section', null, h('h2', null, 'Functions'), this.table.element), this.relatives.element)
    this.show()
  }

  /** By node: when it or a node below it had its first sample. */
  private firstTimes(): Float64Array {
    const { nodes, times } = this.document
    const first = new Float64Array(nodes.length).fill(Infinity)
    for (const { later, nodes: sampled } of times) {
      let at = 0
      sampled.forEach((node, i) => {
        at += later[i]
        if (node >= 0) first[node] = Math.min(first[node], at)
      })
    }
    // A node is behind the one above it.
    for (let node = nodes.length - 1; node >= 0; node--) {
      const above = nodes[node][1]
      if (above >= 0) first[above] = Math.min(first[above], first[node])
    }
    return first
  }

  private amountOf({ trigger }: Selection, unit: Unit): Amount {
    return new Amount(this.document.triggers[trigger], unit, this.run.timeline.ticks_per_second)
  }

  private sentences(): HTMLElement[] {
    const { document } = this
    if (document.exact) return [h('p', { class: 'lead' }, `${count(document.taken)} calls were counted and timed: these figures are exact. Time is a function’s own, with its waiting; blocked is the waiting. heddle calls prints more.`), ...this.left()]
    const triggers = document.triggers.map(({ name, timed, period }) => period === 0 ? short(name, 80) : `${short(name, 80)}, each ${timed ? `${duration(period * 1e-9)} of a thread’s processor time` : `${count(period)} of a thread`}`)
    const lines = [h('p', { class: 'lead' }, `${count(document.taken)} samples were taken by ${triggers.join('; ')}; ${count(document.lost)} were lost.`)]
    lines.push(h('p', { class: 'soft' }, document.kernel
      ? 'Code in the kernel has no samples: [kernel] is an estimate, the threads’ time on processors without that of the samples.'
      : 'Code in the kernel has no samples, and its time is unknown.'))
    return [...lines, ...this.left()]
  }

  /** What is not there for want of room. */
  private left(): HTMLElement[] {
    const { document } = this
    const lines: HTMLElement[] = []
    if (document.least > 0) lines.push(h('p', { class: 'soft' }, `The tree was too large for this page: calls with less than ${Number(document.least.toPrecision(3))} % of the ${document.exact ? 'figures' : 'samples'} are “(others)” below their caller. heddle calls prints all.`))
    if (!document.by_thread) lines.push(h('p', { class: 'soft' }, 'The sums of all threads are shown: those by thread were too large for this page. heddle calls --by thread prints them.'))
    return lines
  }

  /** The functions with samples, and the kernel, of the names that are searched for. */
  private lines(): Line[] {
    const { figures, tree } = this
    const { wanted } = this.filters
    const lines: Line[] = []
    for (let code = 0; code < tree.codes; code++) {
      if (figures.inclusive[code] > 0 && (!wanted || wanted(tree.name(code)))) lines.push({ code, self: figures.self[code], inclusive: figures.inclusive[code], deviation: 0 })
    }
    const kernel = this.kernel()
    if (kernel.self > 0 && (!wanted || wanted('[kernel]'))) lines.push(kernel)
    return lines.sort((a, b) => b.self - a.self || b.inclusive - a.inclusive || a.code - b.code)
  }

  /** The kernel's time in what is selected; states have none. */
  private kernel(): Line {
    const { trigger, location, region, state } = this.filters.selection
    const line = { code: KERNEL, self: 0, inclusive: 0, deviation: 0 }
    const { kernel } = this.document
    if (!kernel || kernel.trigger !== trigger || state !== ANY) return line
    let variance = 0
    for (const [l, r, ticks, deviation] of kernel.cells) {
      if ((location !== ANY && location !== l) || (region !== ANY && region !== r)) continue
      line.self += ticks
      variance += deviation * deviation
    }
    return { ...line, deviation: 1.959963984540054 * Math.sqrt(variance) }
  }

  private columns(): Column<Line>[] {
    const { figures, tree, amount } = this
    const own = (line: Line): Cell => line.code === KERNEL ? amount.ofTicks(Math.round(line.self)) : amount.cell(line.self)
    const { exact } = this.document
    const share = (part: 'share' | 'low' | 'high') => (line: Line): Cell => line.code === KERNEL ? null : shareOf(line.self, figures.all)[part]
    const interval: Column<Line>[] = exact ? [] : [
      { title: 'from', kind: 'percent', value: share('low'), hint: 'the 95 % interval of the share' },
      { title: 'to', kind: 'percent', value: share('high'), hint: 'the 95 % interval of the share' },
    ]
    return [
      { title: 'function', kind: 'text', value: line => line.code === KERNEL ? '[kernel]' : tree.name(line.code) },
      { title: 'self', kind: amount.kind, value: own, halfWidth: line => line.code === KERNEL ? amount.ofTicks(line.deviation) : undefined, hint: 'its own code ran' },
      { title: 'share', kind: 'percent', value: share('share'), hint: exact ? 'of what is shown' : 'of the samples that are shown' },
      ...interval,
      { title: '', kind: 'picture', value: share('share'), draw: line => this.bar(line) },
      { title: 'inclusive', kind: amount.kind, value: line => line.code === KERNEL ? null : amount.cell(line.inclusive), hint: 'its own code ran, or code that it had called' },
      { title: 'share', kind: 'percent', value: line => line.code === KERNEL ? null : shareOf(line.inclusive, figures.all).share, hint: exact ? 'of what is shown' : 'of the samples that are shown' },
      { title: 'where', kind: 'text', value: line => line.code === KERNEL ? '' : tree.where(line.code) },
      { title: 'module', kind: 'text', value: line => line.code === KERNEL ? '' : base(tree.module(line.code)) },
    ]
  }

  /** Self within inclusive, and the interval of self. */
  private bar(line: Line): HTMLElement {
    const element = h('span', { class: 'calls-bar' })
    if (line.code === KERNEL) return element
    const { share, low, high } = shareOf(line.self, this.figures.all)
    const inclusive = shareOf(line.inclusive, this.figures.all).share
    const { exact } = this.document
    element.title = `self ${percent(share)}${exact ? '' : ` (${percent(low)} to ${percent(high)})`}, inclusive ${percent(inclusive)}`
    for (const [name, from, to] of [['inclusive', 0, inclusive], ['self', 0, share], ...(share > 0 && !exact ? [['interval', low, high]] : [])] as [string, number, number][]) {
      const part = h('i', { class: name })
      part.style.left = `${from}%`
      part.style.width = `${to - from}%`
      element.append(part)
    }
    return element
  }

  /** Show a function, as the first one of a way. */
  open(code: number): void {
    if (code < 0) return
    this.relatives.start(code)
    this.pick(code)
  }

  /** For tests: what the flame graph draws. */
  frames(): Flame['frames'] {
    return this.flame.frames
  }

  private pick(code: number): void {
    this.picked = code
    this.table.refresh()
    this.flame.mark(code)
  }

  private show(): void {
    const { selection, chosenUnit } = this.filters
    this.figures = this.tree.figures(selection)
    this.amount = this.amountOf(selection, chosenUnit)
    this.relatives.show(this.figures, this.amount)
    this.flame.mark(this.picked)
    this.search()
  }

  private search(): void {
    const { figures, amount, tree, document } = this
    const { wanted, selection } = this.filters
    this.table.replace(this.lines(), this.columns())
    const changes = this.byChange.checked && this.compared?.show(selection, figures) ? this.compared : null
    this.flame.show({ figures, amount, wanted: wanted && (code => wanted(tree.name(code))), color: changes ? node => changes.color(node) : undefined, also: changes ? node => changes.text(node) : undefined })
    const all = document.triggers[selection.trigger]?.samples ?? 0
    if (document.exact) {
      this.shown.textContent = `${amount.text(figures.all)} shown${figures.all === all ? '' : ` of ${amount.text(all)}`}.`
      return
    }
    this.shown.textContent = `${count(figures.all)} ${figures.all === 1 ? 'sample is' : 'samples are'} shown${figures.all === all ? '' : ` of ${count(all)}`}.`
  }
}

function build(app: App, run: Run, index: number): HTMLElement {
  const document = run.documents.calls
  if (!document) return h('p', { class: 'empty' }, 'This run was recorded without samples: record with heddle record --sample, or with --calls for exact figures.')
  if (document.cells.length === 0) return h('p', { class: 'empty' }, document.exact ? 'No calls were recorded here.' : 'No samples were taken here.')
  const view = new View(document, run, index > 0 ? app.bundle.runs[0] : undefined)
  app.calls[index] = view
  return view.element
}

export const calls: Page = { id: 'calls', title: 'Calls', build }
