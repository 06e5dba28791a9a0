// A long list with columns of fixed widths: only rows in sight are in the document, and a reading changes their texts, not their places.

import { h, short } from '../parts/dom'

export interface Column<T> {
  title: string
  hint?: string
  /** a track of a CSS grid */
  width: string
  kind: 'text' | 'number' | 'picture'
  /** a click sorts the least first, as texts */
  ascending?: boolean
  /** by what the column sorts */
  value: (row: T) => number | string
  /** puts the row into the cell, which may have what another row put there */
  draw: (cell: HTMLElement, row: T) => void
}

export interface GridOptions<T> {
  name: string
  columns: Column<T>[]
  key: (row: T) => string
  /** the column that it is sorted by at first */
  sort: number
  /** decides between rows that are alike in the column; the larger one first */
  tie?: (row: T) => number
  empty: string
  onpick?: (row: T) => void
}

/** Height of a row in pixels; live.css has it, too. */
const ROW = 24

/** Puts a text, if it is another one: what does not change is not touched. */
export function put(cell: HTMLElement, text: string, title = text): void {
  if (cell.textContent !== text) cell.textContent = text
  if (cell.title !== title) cell.title = title
}

/** A column of text from outside. */
export function textColumn<T>(title: string, width: string, value: (row: T) => string, hint?: string): Column<T> {
  return { title, width, hint, kind: 'text', value, draw: (cell, row) => put(cell, short(value(row), 400), short(value(row), 200)) }
}

/** The same of a construct: if there is little room, its place in the source stays. */
export function placeColumn<T>(title: string, width: string, value: (row: T) => string, hint?: string): Column<T> {
  return partedColumn(title, width, value, text => Math.max(text.lastIndexOf('@'), 0), hint)
}

/** The same of a thread: its number stays, so that no two names are cut to the same text. */
export function threadColumn<T>(title: string, width: string, value: (row: T) => string): Column<T> {
  return partedColumn(title, width, value, text => /[\s-]?\d+\D{0,2}$/.exec(text)?.index ?? Math.max(0, text.length - 8))
}

/** @param split where the part begins that stays */
function partedColumn<T>(title: string, width: string, value: (row: T) => string, split: (text: string) => number, hint?: string): Column<T> {
  return {
    title, width, hint, kind: 'text', value, draw: (cell, row) => {
      const text = short(value(row), 400)
      const at = split(text)
      if (cell.children.length !== 2) cell.replaceChildren(h('span', { class: 'clip what' }), h('span', { class: 'clip where' }))
      const [what, where] = [...cell.children] as HTMLElement[]
      put(what, text.slice(0, at), '')
      put(where, text.slice(at), '')
      if (cell.title !== short(text, 200)) cell.title = short(text, 200)
      cell.classList.add('place')
    },
  }
}

export function numberColumn<T>(title: string, width: string, value: (row: T) => number, text: (value: number, row: T) => string, hint?: string): Column<T> {
  return {
    title, width, hint, kind: 'number', value, draw: (cell, row) => {
      const number = value(row)
      put(cell, text(number, row), '')
      cell.classList.toggle('zero', number === 0)
    },
  }
}

export class Grid<T> {
  readonly element: HTMLElement
  private rows: T[] = []
  private readonly head: HTMLElement
  private readonly body: HTMLElement
  /** as high as all rows */
  private readonly list = h('div', { class: 'grid-list', role: 'none' })
  private readonly none: HTMLElement
  private readonly shown: HTMLElement[] = []
  private sorted: number
  private descending: boolean
  private picked: string | null = null

  constructor(private readonly options: GridOptions<T>) {
    this.sorted = options.sort
    this.descending = this.isDescending(options.sort)
    this.head = h('div', { class: 'grid-head', role: 'row' }, ...options.columns.map((column, i) =>
      h('span', { role: 'columnheader' },
        h('button', { type: 'button', class: column.kind, title: column.hint ?? '', onclick: () => this.sortBy(i) }, h('span', null, column.title), h('i', { class: 'sort' })))))
    this.none = h('p', { class: 'empty', role: 'row', hidden: true }, h('span', { role: 'cell' }, options.empty))
    this.body = h('div', { class: 'grid-body', role: 'rowgroup', tabIndex: 0 }, this.head, this.none, this.list)
    this.element = h('div', { class: 'grid', role: 'table', aria: { label: options.name } }, this.body)
    this.element.style.setProperty('--columns', options.columns.map(({ width }) => width).join(' '))
    this.body.addEventListener('scroll', () => this.draw())
    this.body.addEventListener('keydown', event => this.press(event))
    new ResizeObserver(() => this.draw()).observe(this.body)
    this.drawHead()
  }

  /** Rows of a new reading. While the pointer is on the list, rows keep their order: nothing slips away. */
  set(rows: T[]): void {
    const { key } = this.options
    if (this.body.matches(':hover')) {
      const places = new Map(this.rows.map((row, i) => [key(row), i]))
      const place = (row: T): number => places.get(key(row)) ?? Infinity
      const before = new Map(rows.map(row => [row, place(row)]))
      this.rows = [...rows].sort((a, b) => {
        const [left, right] = [before.get(a) as number, before.get(b) as number]
        return left === right ? 0 : left - right
      })
    } else {
      this.rows = rows
      this.order()
    }
    this.draw()
  }

  pick(key: string | null): void {
    this.picked = key
    this.draw()
  }

  private sortBy(column: number): void {
    this.descending = this.sorted === column ? !this.descending : this.isDescending(column)
    this.sorted = column
    this.drawHead()
    this.order()
    this.draw()
  }

  /** Texts begin with the first one, numbers with the largest. */
  private isDescending(column: number): boolean {
    const { kind, ascending } = this.options.columns[column]
    return kind !== 'text' && !ascending
  }

  private order(): void {
    const { value } = this.options.columns[this.sorted]
    const { tie } = this.options
    const collator = new Intl.Collator('en', { numeric: true })
    const keyed = this.rows.map(row => ({ row, by: value(row), tie: tie?.(row) ?? 0 }))
    keyed.sort((a, b) => {
      const by = typeof a.by === 'string' || typeof b.by === 'string' ? collator.compare(String(a.by), String(b.by)) : a.by - b.by
      return (this.descending ? -by : by) || b.tie - a.tie
    })
    this.rows = keyed.map(({ row }) => row)
  }

  private drawHead(): void {
    this.head.querySelectorAll('button').forEach((button, i) => {
      const here = i === this.sorted
      button.parentElement?.setAttribute('aria-sort', here ? (this.descending ? 'descending' : 'ascending') : 'none')
      ;(button.lastElementChild as HTMLElement).textContent = here ? (this.descending ? '▾' : '▴') : ''
    })
  }

  /** Of the rows in sight, in pixels. */
  private get height(): number {
    return Math.max(0, this.body.clientHeight - this.head.offsetHeight)
  }

  /** The first row as it is sorted. */
  get top(): T | undefined {
    return this.rows[0]
  }

  private draw(): void {
    const { body, shown, rows } = this
    this.none.hidden = rows.length > 0
    this.list.style.height = `${rows.length * ROW}px`
    this.element.setAttribute('aria-rowcount', String(rows.length))
    const first = Math.max(0, Math.min(Math.floor(body.scrollTop / ROW), rows.length - 1))
    const count = Math.min(rows.length - first, Math.ceil(this.height / ROW) + 1)
    while (shown.length > Math.max(count, 0)) shown.pop()?.remove()
    while (shown.length < count) {
      const element = this.makeRow(shown.length)
      shown.push(element)
      this.list.append(element)
    }
    for (let i = 0; i < count; i++) this.drawRow(shown[i], first + i)
  }

  private makeRow(nth: number): HTMLElement {
    return h('div', { class: 'grid-row', role: 'row', onclick: () => this.choose(Number(this.shown[nth].dataset.place)) },
      ...this.options.columns.map(({ kind }) => h('span', { class: kind, role: 'cell' })))
  }

  private drawRow(element: HTMLElement, place: number): void {
    const row = this.rows[place]
    element.dataset.place = String(place)
    element.style.transform = `translateY(${place * ROW}px)`
    element.classList.toggle('selected', this.options.key(row) === this.picked)
    this.options.columns.forEach(({ draw }, i) => draw(element.children[i] as HTMLElement, row))
  }

  private choose(place: number): void {
    const row = this.rows[place]
    if (row === undefined || !this.options.onpick) return
    this.options.onpick(row)
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || !this.options.onpick) return
    event.preventDefault()
    const from = this.rows.findIndex(row => this.options.key(row) === this.picked)
    const place = Math.max(0, Math.min(this.rows.length - 1, from < 0 ? 0 : from + step))
    const { body } = this
    if (place * ROW < body.scrollTop) body.scrollTop = place * ROW
    else if ((place + 1) * ROW > body.scrollTop + this.height) body.scrollTop = (place + 1) * ROW - this.height
    this.choose(place)
  }
}
