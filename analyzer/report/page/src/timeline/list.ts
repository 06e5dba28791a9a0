// The states of one thread, in order, as a list: linked with the chart both ways. Only the rows that can be seen exist.

import type { Block } from '../bundle/types'
import { ELIDED, NOTHING } from '../bundle/types'
import { h, short, button } from '../parts/dom'
import { copyText, csvLine } from '../parts/csv'
import { grouped, sinceStart } from '../time/format'
import { blockAt } from '../lanes/line'
import { indexAt } from '../lanes/segments'
import type { LaneStore } from '../lanes/store'
import { stateCss } from '../look/colors'
import { stateKeys } from './paint'

const ROW = 22
/** Browsers cannot make an element as high as millions of rows. */
const HIGHEST = 8_000_000

export interface Entry { number: number; begin: number; end: number; code: number }

export class StateList {
  readonly element: HTMLElement
  onpick: (entry: Entry) => void = () => undefined
  private readonly body: HTMLElement
  private readonly spacer: HTMLElement
  private readonly title: HTMLElement
  private readonly pool: HTMLElement[] = []
  private readonly files: HTMLInputElement
  private store: LaneStore | null = null
  private location = -1
  private blocks: Block[] = []
  /** number of the first segment of each block, and behind the last one their count */
  private starts: number[] = [0]
  private first = 0
  private selected = -1
  private turn = 0

  constructor() {
    this.title = h('div', { class: 'list-title' })
    this.spacer = h('div', { class: 'list-spacer' })
    this.body = h('div', { class: 'list-body', tabIndex: 0, role: 'listbox', aria: { label: 'States of the selected thread' } }, this.spacer)
    this.files = h('input', { type: 'checkbox', onchange: () => this.draw() })
    this.element = h('div', { class: 'state-list closed' },
      h('p', { class: 'list-hint' }, 'Click a state to see all states of its thread here, one after the other. Press ? for the keys.'),
      h('div', { class: 'list-head' }, this.title, h('label', { class: 'quiet' }, this.files, ' source files'),
        button('Copy CSV', () => void this.copy(), 'Copy the states that can be seen in the list, and those around them (at most 10,000), as CSV', 'small')),
      h('div', { class: 'list-columns' }, ...['No.', 'state', 'start', 'duration', 'cumulative', 'construct'].map(name => h('span', null, name))),
      this.body)
    this.body.addEventListener('scroll', () => this.scrolled())
    this.body.addEventListener('wheel', event => {
      if (!this.compressed) return
      event.preventDefault()
      this.moveTo(this.first + Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / ROW)))
    }, { passive: false })
    this.body.addEventListener('keydown', event => this.key(event))
    new ResizeObserver(() => this.draw()).observe(this.body)
  }

  get count(): number {
    return this.starts[this.starts.length - 1]
  }

  private get compressed(): boolean {
    return this.count * ROW > HIGHEST
  }

  private get visible(): number {
    return Math.max(1, Math.floor(this.body.clientHeight / ROW))
  }

  /** Show the states of a thread. */
  async open(store: LaneStore, location: number): Promise<void> {
    if (this.store === store && this.location === location) return
    const turn = ++this.turn
    const blocks = store.run.timeline.locations[location].lanes[0] ? await store.blocksLoaded(location, 0, store.finest) : []
    if (turn !== this.turn) return
    this.store = store
    this.location = location
    this.blocks = blocks
    this.starts = [0]
    for (const block of blocks) this.starts.push(this.starts[this.starts.length - 1] + block[2])
    this.selected = -1
    this.first = 0
    this.element.classList.remove('closed')
    const { name } = store.run.timeline.locations[location]
    this.title.replaceChildren(h('b', { title: short(name, 200) }, short(name, 60)), ` · ${grouped(String(this.count))} state${this.count === 1 ? '' : 's'}`,
      store.finest > 0 ? ' · the shortest are summed in this file, heddle view has all' : '')
    this.spacer.style.height = `${Math.min(this.count * ROW, HIGHEST)}px`
    this.body.scrollTop = 0
    this.draw()
  }

  /** The entry at a time, when it has come. */
  async find(time: number): Promise<Entry | null> {
    if (!this.store || this.blocks.length === 0) return null
    const block = blockAt(this.blocks, time)
    const segments = await this.store.load(this.blocks[block])
    const index = indexAt(segments.at, segments.count, time)
    return { number: this.starts[block] + index, begin: segments.at[index], end: segments.at[index + 1], code: segments.code[index] }
  }

  async entry(number: number): Promise<Entry | null> {
    if (!this.store || number < 0 || number >= this.count) return null
    const block = this.blockOf(number)
    const segments = await this.store.load(this.blocks[block])
    const index = number - this.starts[block]
    return { number, begin: segments.at[index], end: segments.at[index + 1], code: segments.code[index] }
  }

  get selectedNumber(): number {
    return this.selected
  }

  select(number: number): void {
    this.selected = number
    if (number >= 0 && (number < this.first || number >= this.first + this.visible)) this.moveTo(number - Math.floor(this.visible / 2))
    this.draw()
  }

  private blockOf(number: number): number {
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle] <= number) low = middle
      else high = middle - 1
    }
    return low
  }

  private moveTo(number: number): void {
    this.first = Math.min(Math.max(0, number), Math.max(0, this.count - this.visible))
    const range = this.spacer.clientHeight - this.body.clientHeight
    const top = this.compressed ? this.first / Math.max(1, this.count - this.visible) * range : this.first * ROW
    this.ignored = Math.round(top)
    this.body.scrollTop = top
    this.draw()
  }

  /** The scroll position that was set here, and so says nothing new. */
  private ignored = -1

  private scrolled(): void {
    if (Math.abs(this.body.scrollTop - this.ignored) <= 1) {
      this.draw()
      return
    }
    this.ignored = -1
    const range = Math.max(1, this.spacer.clientHeight - this.body.clientHeight)
    this.first = this.compressed ? Math.round(this.body.scrollTop / range * (this.count - this.visible)) : Math.floor(this.body.scrollTop / ROW)
    this.draw()
  }

  private draw(): void {
    const { store } = this
    if (!store) return
    const rows = Math.min(this.visible + 2, this.count - this.first)
    for (let i = 0; i < rows; i++) this.drawRow(i, this.first + i)
    for (let i = Math.max(0, rows); i < this.pool.length; i++) this.pool[i].hidden = true
  }

  private drawRow(slot: number, number: number): void {
    let element = this.pool[slot]
    if (!element) {
      element = h('div', { class: 'list-row', role: 'option' }, ...Array.from({ length: 6 }, () => h('span')))
      element.addEventListener('click', () => void this.pick(Number(element.dataset.number)))
      this.pool[slot] = element
      this.body.append(element)
    }
    const { store } = this
    if (!store) return
    element.hidden = false
    element.style.transform = `translateY(${(this.compressed ? this.body.scrollTop : this.first * ROW) + slot * ROW}px)`
    element.dataset.number = String(number)
    element.classList.toggle('selected', number === this.selected)
    element.setAttribute('aria-selected', String(number === this.selected))
    const block = this.blockOf(number)
    const segments = store.segments(this.blocks[block])
    const cells = element.children
    if (!segments) {
      for (const cell of cells) cell.textContent = '…'
      void store.load(this.blocks[block]).then(() => this.draw())
      return
    }
    const index = number - this.starts[block]
    this.fill(cells, number, segments.at[index], segments.at[index + 1], segments.code[index])
  }

  private fill(cells: HTMLCollection, number: number, begin: number, end: number, code: number): void {
    const texts = this.texts(number, begin, end, code)
    texts.forEach((text, i) => {
      if (i !== 1) cells[i].textContent = short(text, 200)
    })
    const state = this.store?.run.timeline.codes[code][0] ?? -1
    const chip = h('i', { class: 'chip' })
    const keys = this.store ? stateKeys(this.store.run) : []
    if (state >= 0) chip.style.background = stateCss(keys[state], state)
    else chip.classList.add(code === ELIDED ? 'elided' : 'none')
    cells[1].replaceChildren(chip, texts[1])
  }

  private texts(number: number, begin: number, end: number, code: number): string[] {
    const { timeline } = (this.store as LaneStore).run
    const unit = 1e6 / timeline.ticks_per_second
    const since = sinceStart(0) * timeline.ticks_per_second
    const [state, region] = timeline.codes[code]
    const time = (ticks: number): string => `${grouped((ticks * unit).toFixed(3))} µs`
    const place = region >= 0 ? timeline.regions[region] : null
    const source = place?.file && this.files.checked ? `  ${place.file}${place.line ? `:${place.line}` : ''}` : ''
    return [
      grouped(String(number + 1)),
      code === ELIDED ? 'shorter states, summed' : code === NOTHING ? '–' : timeline.states[state] ?? '–',
      time(begin + since), time(end - begin), time(end - timeline.locations[this.location].begin),
      place ? place.name + source : '',
    ]
  }

  private async pick(number: number): Promise<void> {
    const entry = await this.entry(number)
    if (!entry) return
    this.select(number)
    this.onpick(entry)
  }

  private key(event: KeyboardEvent): void {
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: this.visible, PageUp: -this.visible, Home: -this.count, End: this.count }
    const step = by[event.key]
    if (step === undefined) return
    event.preventDefault()
    void this.pick(Math.min(Math.max(0, this.selected + step), this.count - 1))
  }

  private async copy(): Promise<void> {
    if (!this.store) return
    const most = 10_000
    const from = Math.max(0, Math.min(this.first - most / 2, this.count - most))
    const lines = ['number,state,start_ticks,duration_ticks,cumulative_ticks,construct']
    const { timeline } = this.store.run
    const since = Math.round(sinceStart(0) * timeline.ticks_per_second)
    for (let number = from; number < Math.min(this.count, from + most); number++) {
      const entry = await this.entry(number)
      if (!entry) break
      const [state, region] = timeline.codes[entry.code]
      const name = region >= 0 ? timeline.regions[region].name : ''
      lines.push(csvLine([number + 1, timeline.states[state] ?? (entry.code === ELIDED ? 'elided' : ''), entry.begin + since, entry.end - entry.begin,
        entry.end - timeline.locations[this.location].begin, name]))
    }
    await copyText(lines.join('\n') + '\n')
  }
}
