// Sequences of program states side by side: opens the bundle that stands in the page, and shows it.

import '../look/style.css'
import '../../libraries/uPlot.min.css'
import './sequences.css'
import { inflate, fromBase64 } from '../bundle/inflate'
import { announce, append, button, clipped, h, short } from '../parts/dom'
import { themeSelect } from '../parts/themeselect'
import { chooseTheme, ontheme, startTheme } from '../look/theme'
import { spectrum, stateTable, transitions } from '../pages/model'
import { countTicks } from '../time/format'
import type { Document, Row } from '../bundle/types'
import { head } from './head'
import { Histogram } from './histogram'
import { Instance, openInstance } from './instance'
import { Range } from './range'
import { records } from './records'
import { rowsOf } from './rows'
import { download, fragmentOf, readFragment, readSaved, type Saved } from './saved'
import { frames, XyPlot } from './xyplot'
import type { SequencesBundle } from './types'

const VIEWS: [id: string, title: string][] = [['plots', 'Plots'], ['histograms', 'Histograms'], ['model', 'Model'], ['periods', 'Periods'], ['records', 'Records']]
/** Instances beside each other at most. */
const INSTANCES_MOST = 12

class Shell {
  private readonly main = h('main')
  private readonly links = new Map<string, HTMLAnchorElement>()
  private readonly originals: Instance[]
  private readonly time: Range
  private readonly events: Range
  private instances: Instance[]
  private view = 'plots'
  private plots: XyPlot[] = []
  private pendingFragment = 0
  private address = location.hash

  constructor(root: HTMLElement, private readonly bundle: SequencesBundle) {
    this.originals = bundle.sequences.map((data, i) => new Instance(data, i))
    this.instances = this.originals.map(original => original.twin())
    const longest = Math.max(...bundle.sequences.map((data, i) => data.duration * this.originals[i].seconds))
    this.time = new Range(longest || 1, Math.min(...this.originals.map(({ seconds }) => seconds)) * 10)
    this.events = new Range(Math.max(...bundle.sequences.map(({ records: count }) => count)) || 1, 5)
    document.title = `${bundle.sequences.map(({ title, file }) => short(title || file, 40)).join(', ')} – Heddle`
    root.replaceChildren(this.header(), this.main)
    this.fromAddress()
    ontheme(() => this.plots.forEach(plot => plot.later()))
    window.addEventListener('hashchange', () => {
      if (location.hash !== this.address) this.fromAddress()
    })
    Object.assign(window, { heddle: this.hooks() })
  }

  private get files(): string[] { return this.bundle.sequences.map(({ file }) => file) }

  private header(): HTMLElement {
    const links = VIEWS.map(([id, title]) => {
      const link = h('a', { href: `#${id}` }, title)
      link.addEventListener('click', event => {
        event.preventDefault()
        this.show(id)
      })
      this.links.set(id, link)
      return link
    })
    const file = h('input', { type: 'file', accept: '.json', hidden: true, data: { control: 'open' } })
    file.addEventListener('change', () => void this.openFile(file))
    return h('header', { class: 'top' }, h('span', { class: 'brand' }, 'Heddle'), h('h1', null, clipped(this.bundle.sequences.map(({ title, file: name }) => title || name).join(' · '))),
      h('nav', { class: 'pages', aria: { label: 'views' } }, ...links),
      h('div', { class: 'right' }, button('Save', () => download(this.saved()), 'Keep steps, thresholds and what is in sight as a small file', 'small'), button('Open', () => file.click(), 'Open such a file', 'small'), file, themeSelect()))
  }

  private show(view: string): void {
    this.view = VIEWS.some(([id]) => id === view) ? view : 'plots'
    for (const [id, link] of this.links) {
      if (id === this.view) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    this.build()
  }

  /** All of the view anew: instances are few. */
  private build(): void {
    this.time.forget()
    this.events.forget()
    this.plots = []
    for (const range of [this.time, this.events]) range.onchange(() => this.keep())
    const bodies = this.bodies()
    const cells = this.instances.map((instance, i) => h('section', { class: 'instance' }, head(instance, {
      changed: () => this.build(),
      double: () => this.double(i),
      close: this.instances.length > 1 ? () => this.replace(this.instances.filter((_, k) => k !== i)) : null,
      inSight: () => this.inSight(instance),
    }), bodies[i]))
    const grid = h('div', { class: 'instances' }, ...cells)
    this.main.replaceChildren(h('div', { class: `page page-${this.view}` }, ...this.notes(), grid))
    this.keep()
  }

  private bodies(): HTMLElement[] {
    if (this.view === 'plots') return this.plotBodies()
    return this.instances.map(instance => {
      if (this.view === 'histograms') return this.histograms(instance)
      if (this.view === 'model') return this.model(instance)
      if (this.view === 'periods') return this.periods(instance)
      return records(instance)
    })
  }

  private plotBodies(): HTMLElement[] {
    const rows = rowsOf(this.instances)
    return this.instances.map(instance => {
      const [time, events] = [new XyPlot(instance, rows, 'time', this.time), new XyPlot(instance, rows, 'events', this.events)]
      this.plots.push(time, events)
      return h('div', null, h('h3', null, 'State against time'), time.element, h('h3', null, 'State against record'), events.element)
    })
  }

  private notes(): HTMLElement[] {
    if (this.view !== 'plots') return []
    const letters = new Set(this.bundle.sequences.map(({ documents }) => String(documents.model?.letters ?? '')).filter(Boolean))
    const whole = button('Whole', () => {
      this.time.fit()
      this.events.fit()
    }, 'Show all of the sequences', 'small')
    return [h('div', { class: 'inputs' }, whole, h('span', { class: 'soft' }, 'Drag to zoom, double click for all, Ctrl and wheel to zoom, Shift and wheel or arrows to move. All plots of a kind move together. '),
      ...(['basic state', 'aggregate of a filter', 'of a pattern'].map((text, i) => h('span', { class: 'soft' }, h('i', { class: `chip kind-${['basic', 'filter', 'pattern'][i]}` }), text)))),
    ...[...letters].map(text => h('p', { class: 'soft letters' }, short(text, 1000)))]
  }

  private histograms(instance: Instance): HTMLElement {
    const add = (step: string): void => {
      instance.add(step)
      this.build()
    }
    const edges = this.edges(instance)
    return h('div', null, ...(['time', 'count'] as const).map(by => new Histogram(instance, by, edges, add, () => this.keep()).element))
  }

  /** The transitions of the model, by the numbers of states, where records are not in the page; null: names are cut, or not unique. */
  private edges(instance: Instance): [number, number, number][] | null {
    const { model } = instance.data.documents
    if (instance.whole || !model) return null
    const numbers = new Map([...instance.names].map(([number, { name }]) => [name, number]))
    if (numbers.size !== instance.names.size || (model.edges as Row[]).some(({ from, to }) => !numbers.has(String(from)) || !numbers.has(String(to)))) return null
    return (model.edges as Row[]).map(({ from, to, count }) => [numbers.get(String(from)) as number, numbers.get(String(to)) as number, Number(count)])
  }

  private model(instance: Instance): HTMLElement {
    const model = instance.model()
    if (typeof model === 'string') return h('p', { class: 'empty' }, short(`There is no model: ${model}.`, 400))
    return h('div', null, instance.at > 0 ? h('p', { class: 'soft' }, 'The page counted it after the steps; `heddle model` also prints the long run.') : null,
      transitions(model), h('section', null, h('h2', null, 'States'), stateTable(model)))
  }

  private periods(instance: Instance): HTMLElement {
    return h('div', null, ...(['time', 'event'] as const).map(domain => {
      const periods = instance.periods(domain)
      return h('section', { data: { periods: domain } }, h('h2', null, domain === 'time' ? 'Periods in time' : 'Periods in records'),
        typeof periods === 'string' ? h('p', { class: 'empty' }, short(`There is no periodogram: ${periods}.`, 400)) : spectrum(periods))
    }))
  }

  private inSight(instance: Instance): string | null {
    const { time, events } = this
    const { sequence } = instance
    if (!sequence) return null
    const begin = sequence.entry.length > 0 ? sequence.entry[0] : sequence.end
    const ticks = (seconds: number): number => Math.max(0, Math.round(seconds / instance.seconds) - begin)
    if (!time.isWhole) return `clip-time ${ticks(time.begin)}ticks,${ticks(time.end)}ticks`
    if (!events.isWhole) return `clip-range ${Math.floor(events.begin) + 1},${Math.max(1, Math.ceil(events.end))}`
    return null
  }

  private double(i: number): void {
    if (this.instances.length >= INSTANCES_MOST) announce(`A page shows ${INSTANCES_MOST} at most.`)
    else this.replace([...this.instances.slice(0, i + 1), this.instances[i].twin(), ...this.instances.slice(i + 1)])
  }

  private replace(instances: Instance[]): void {
    this.instances = instances
    this.build()
  }

  private saved(): Saved {
    const part = (range: Range): [number, number] | undefined => range.isWhole ? undefined : [range.begin, range.end]
    return { version: 1, files: this.files, view: this.view, time: part(this.time), events: part(this.events), instances: this.instances.map(instance => instance.saved()) }
  }

  private get isPlain(): boolean {
    return this.time.isWhole && this.events.isWhole && this.instances.length === this.originals.length
      && this.instances.every(({ texts, thresholds, index }, i) => index === i && texts.length === 0 && thresholds.time === null && thresholds.count === null)
  }

  /** Keeps the address up to date. */
  private keep(): void {
    window.clearTimeout(this.pendingFragment)
    this.pendingFragment = window.setTimeout(() => {
      const fragment = this.isPlain ? `#${this.view}` : fragmentOf(this.saved())
      if (fragment !== location.hash) history.replaceState(null, '', fragment)
      this.address = location.hash
    }, 200)
  }

  private fromAddress(): void {
    this.address = location.hash
    const { view, saved } = readFragment()
    const problem = saved === null ? null : this.open(saved)
    if (saved === null || problem) this.show(view)
    if (problem) announce(`The address is not used: ${problem}.`)
  }

  /** A sentence if it cannot be opened. */
  private open(text: string): string | null {
    const saved = readSaved(text, this.files)
    if (typeof saved === 'string') return saved
    const instances: Instance[] = []
    for (const one of saved.instances.slice(0, INSTANCES_MOST)) {
      const instance = openInstance(this.bundle.sequences, this.originals, one)
      if (typeof instance === 'string') return instance
      instances.push(instance)
    }
    if (instances.length === 0) return 'it has no sequence'
    this.instances = instances
    for (const [range, part] of [[this.time, saved.time], [this.events, saved.events]] as const) {
      if (part) range.set(...part)
      else range.fit()
    }
    this.show(saved.view)
    return null
  }

  private async openFile(file: HTMLInputElement): Promise<void> {
    const problem = file.files?.[0] ? this.open(await file.files[0].text()) : null
    file.value = ''
    if (problem) this.main.prepend(h('p', { class: 'problem', role: 'alert' }, `The file cannot be opened: ${short(problem, 200)}.`))
  }

  /** What tests and curious people can ask the page. */
  private hooks(): object {
    return {
      bundle: this.bundle, frames,
      ranges: () => ({ time: [this.time.begin, this.time.end], events: [this.events.begin, this.events.end] }),
      setRange: (domain: 'time' | 'events', begin: number, end: number) => this[domain].set(begin, end),
      rowsAt: (plot: number, part: number) => this.plots[plot].rowsAt(part),
      saved: () => this.saved(),
      open: (text: string) => this.open(text),
      records: (i: number) => {
        const { sequence, names } = this.instances[i]
        return sequence && { end: sequence.end, terminal: sequence.terminal, list: Array.from(sequence.entry, (entry, k) => [entry, names.get(sequence.state[k])?.name ?? '', names.get(sequence.state[k])?.standsFor ?? '']) }
      },
      document: (i: number, what: 'model' | 'time' | 'event') => what === 'model' ? this.instances[i].model() : this.instances[i].periods(what),
    }
  }
}

/** Where the length of a tick is unknown, ticks take the place of seconds in all documents. */
function ticksAsSeconds(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const time = value as { ticks?: unknown; seconds?: unknown }
  if (typeof time.ticks === 'number' && 'seconds' in time) time.seconds = time.ticks
  for (const inside of Object.values(value)) ticksAsSeconds(inside)
}

/** One unit for the page: where a sequence has no seconds, all are in ticks. */
function chooseUnit(bundle: SequencesBundle): void {
  if (bundle.sequences.every(({ ticks_per_second: second }) => second > 0)) return
  countTicks()
  for (const sequence of bundle.sequences) {
    sequence.ticks_per_second = 0
    for (const document of Object.values(sequence.documents)) ticksAsSeconds(document as Document)
  }
}

async function start(): Promise<void> {
  const root = document.getElementById('app') as HTMLElement
  startTheme()
  const theme = new URLSearchParams(location.search).get('theme')
  if (theme === 'dark' || theme === 'light') chooseTheme(theme)
  try {
    const text = document.getElementById('heddle-bundle')?.textContent?.trim()
    if (!text) append(root, h('p', { class: 'page' }, 'This page carries no sequence. `heddle report --pes FILE -o page.html` makes one.'))
    else {
      document.getElementById('heddle-bundle')?.remove()
      const bundle = JSON.parse(new TextDecoder().decode(await inflate(fromBase64(text)))) as SequencesBundle
      if (bundle.version !== 1) throw new Error(`this page reads bundles of version 1, not ${String(bundle.version)}`)
      chooseUnit(bundle)
      new Shell(root, bundle)
    }
  } catch (error) {
    root.replaceChildren(h('p', { class: 'page' }, `These sequences cannot be shown: ${error instanceof Error ? error.message : String(error)}`))
    throw error
  }
}

void start()
