// Tables: sorted by a click on a heading, copied as CSV, long ones drawn a part at a time.

import { announce, button, clipped, h } from './dom'
import { copyText, csvLine } from './csv'
import { commonUnit, count, inUnit, minus, percent, unitFor, type ColumnUnit } from '../time/format'
import type { Cell, Row, Time } from '../bundle/types'

export type Kind = 'text' | 'count' | 'time' | 'percent' | 'ratio' | 'share' | 'picture'

export interface Column<T = Row> {
  title: string
  kind: Kind
  /** what the cell says; of a time, {ticks, seconds} */
  value: (row: T) => Cell | undefined
  /** of an estimate, half of its 95 % interval in the form of the cell, null if that is unknown; of an exact figure undefined */
  halfWidth?: (row: T) => Cell | undefined
  /** explains the column */
  hint?: string
  /** stands in place of the text */
  draw?: (row: T) => Node
  /** below a time stands its share */
  shared?: boolean
  /** columns of times with the same word have one unit */
  together?: string
  /** a difference: more is told by a sign, too */
  signed?: boolean
}

export interface TableOptions<T> {
  name: string
  rows: T[]
  columns: Column<T>[]
  /** column and direction at first; without, the order of the rows stays */
  sort?: number
  empty?: string
  onpick?: (row: T) => void
  picked?: (row: T) => boolean
  /** rows that stay at the end however the table is sorted: sums */
  last?: (row: T) => boolean
}

/** Widths in pixels that are tried where a table is wider than its place: of the first column of text, which names the row, and of the others. */
const WIDTHS: [first: number, others: number][] = [[420, 280], [420, 200], [360, 150], [300, 120], [240, 100], [200, 90], [170, 80], [140, 70]]
/** From this one on, the space between columns becomes smaller, too. */
const TIGHT_FROM = 4

/** Fewer columns would be far from one another on a wide page. */
const FEW = 3

/** Rows that are drawn at once; the rest follows when it is scrolled to. */
const PART = 200

const isTime = (cell: Cell | undefined): cell is Time => typeof cell === 'object' && cell !== null

function order(cell: Cell | undefined): number | string {
  if (isTime(cell)) return cell.ticks
  if (cell === null || cell === undefined) return -Infinity
  return typeof cell === 'boolean' ? Number(cell) : cell
}

const collator = new Intl.Collator('en', { numeric: true })

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b)
  if (typeof a === 'string') return 1
  if (typeof b === 'string') return -1
  return a === b ? 0 : a < b ? -1 : 1
}

/** A key of documents, as a column. */
export function field(title: string, key: string, kind: Kind, hint?: string): Column {
  return { title, kind, value: row => row[key], halfWidth: row => row[`${key}_half_width`], hint }
}

/** What follows an estimate: '±3.0 %'. */
function margin(cell: Cell | undefined, halfWidth: Cell): string {
  const [value, half] = [cell, halfWidth].map(of => isTime(of) ? of.ticks : Number(of))
  if (halfWidth === null) return ' ±?'
  return value > 0 ? ` ±${percent(100 * half / value)}` : ''
}

function cellText(cell: Cell | undefined, kind: Kind, unit: ColumnUnit | null): string {
  if (cell === null || cell === undefined) return '–'
  if (isTime(cell)) {
    if (kind === 'share') return cell.percent === undefined ? '–' : percent(cell.percent)
    return inUnit(cell.seconds, unit ?? unitFor(cell.seconds))
  }
  if (typeof cell === 'number') {
    if (kind === 'percent') return percent(cell)
    if (kind === 'ratio') return minus(cell.toFixed(3))
    return count(cell)
  }
  return String(cell)
}

/** A table of which one row is picked, at first the first one, and a place that has what `details` says of that row. */
export function pickable<T>(options: Omit<TableOptions<T>, 'picked' | 'onpick'>, details: (row: T) => HTMLElement, holder: HTMLElement): HTMLElement {
  let picked: T | undefined = options.rows[0]
  const show = (): void => holder.replaceChildren(...(picked === undefined ? [] : [details(picked)]))
  const table = new Table<T>({
    ...options,
    picked: row => row === picked,
    onpick: row => {
      picked = row
      table.refresh()
      show()
    },
  })
  show()
  return table.element
}

export class Table<T = Row> {
  readonly element: HTMLElement
  private readonly head: HTMLTableRowElement
  private readonly body = h('tbody')
  private units: (ColumnUnit | null)[]
  private rows: T[]
  private drawn = 0
  private sorted: { column: number; descending: boolean } | null = null
  private readonly more: HTMLElement
  private readonly scroll: HTMLElement | null
  private fitted = -1

  constructor(private readonly options: TableOptions<T>) {
    this.rows = [...options.rows]
    this.units = this.unitsOf()
    this.head = h('tr')
    this.more = h('div', { class: 'more' })
    const table = h('table', null, h('thead', null, this.head), this.body)
    const tools = h('div', { class: 'table-tools' },
      button('Copy CSV', () => void this.copy(), `Copy ${options.name} as CSV: exact ticks, and seconds`, 'small'))
    if (options.rows.length === 0) this.element = h('p', { class: 'empty' }, options.empty ?? 'Nothing to show.')
    else this.element = h('div', { class: options.columns.length < FEW ? 'table narrow' : 'table' }, tools, h('div', { class: 'table-scroll' }, table, this.more))
    this.scroll = this.element.querySelector('.table-scroll')
    if (this.scroll) new ResizeObserver(() => this.fit()).observe(this.scroll)
    this.drawHead()
    if (options.sort !== undefined) this.sortBy(options.sort)
    else this.drawMore(true)
    new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) this.drawMore(false)
    }).observe(this.more)
    window.addEventListener('beforeprint', () => {
      while (this.drawn < Math.min(this.rows.length, 2000)) this.drawMore(false)
    })
  }

  /** Columns of text, and then the space between columns, become narrower until nobody has to scroll sideways. */
  private fit(): void {
    const { scroll, element } = this
    if (!scroll || scroll.clientWidth === 0 || scroll.clientWidth === this.fitted) return
    this.fitted = scroll.clientWidth
    const fits = (): boolean => scroll.scrollWidth <= scroll.clientWidth
    element.classList.remove('tight')
    element.style.removeProperty('--first-width')
    element.style.removeProperty('--text-width')
    for (let i = 0; !fits() && i < WIDTHS.length; i++) {
      element.style.setProperty('--first-width', `${WIDTHS[i][0]}px`)
      element.style.setProperty('--text-width', `${WIDTHS[i][1]}px`)
      element.classList.toggle('tight', i >= TIGHT_FROM)
    }
  }

  /** The unit of each column of times, by its largest one. */
  private unitsOf(): (ColumnUnit | null)[] {
    const { columns, rows } = this.options
    const largest = (column: Column<T>): number => rows.reduce((most, row) => {
      const cell = column.value(row)
      return isTime(cell) ? Math.max(most, Math.abs(cell.seconds)) : most
    }, 0)
    return columns.map(column => column.kind !== 'time' ? null
      : commonUnit(columns.filter(other => other === column || (other.together !== undefined && other.together === column.together)).map(largest)))
  }

  /** Other rows and columns, sorted by the same column. A table that had no rows at first has no place for any. */
  replace(rows: T[], columns: Column<T>[]): void {
    this.options.rows = rows
    this.options.columns = columns
    this.rows = [...rows]
    this.units = this.unitsOf()
    this.fitted = -1
    if (this.sorted) this.sortBy(this.sorted.column, this.sorted.descending)
    else {
      this.drawHead()
      this.drawMore(true)
    }
    if (rows.length === 0) this.more.textContent = this.options.empty ?? 'Nothing to show.'
    this.fit()
  }

  refresh(): void {
    const shown = this.drawn
    this.drawMore(true)
    while (this.drawn < shown) this.drawMore(false)
  }

  sortBy(index: number, direction?: boolean): void {
    const column = this.options.columns[index]
    const descending = direction ?? (this.sorted?.column === index ? !this.sorted.descending : column.kind !== 'text')
    this.sorted = { column: index, descending }
    const keys = new Map(this.options.rows.map(row => [row, order(column.value(row))]))
    this.rows = [...this.options.rows].sort((a, b) => {
      const by = compare(keys.get(a) as number | string, keys.get(b) as number | string)
      const ends = Number(this.options.last?.(a) ?? false) - Number(this.options.last?.(b) ?? false)
      return ends || (descending ? -by : by)
    })
    this.drawHead()
    this.drawMore(true)
  }

  private drawHead(): void {
    const focused = [...this.head.children].findIndex(cell => cell.contains(document.activeElement))
    this.head.replaceChildren(...this.options.columns.map((column, i) => {
      const unit = this.units[i]
      const here = this.sorted?.column === i
      const cell = h('th', { class: this.nameOf(column), aria: { sort: here ? (this.sorted?.descending ? 'descending' : 'ascending') : 'none' }, title: column.hint ?? '' },
        h('button', { type: 'button', onclick: () => this.sortBy(i) }, column.title, unit ? h('small', null, ` ${unit.unit}`) : null,
          h('span', { class: 'sort' }, here ? (this.sorted?.descending ? '▾' : '▴') : '')))
      return cell
    }))
    this.head.children[focused]?.querySelector('button')?.focus()
  }

  private drawMore(afresh: boolean): void {
    if (afresh) {
      this.body.replaceChildren()
      this.drawn = 0
    }
    for (const row of this.rows.slice(this.drawn, this.drawn + PART)) this.body.append(this.row(row))
    this.drawn = Math.min(this.rows.length, this.drawn + PART)
    const left = this.rows.length - this.drawn
    this.more.textContent = left > 0 ? `${count(left)} more …` : ''
    if (this.scroll && this.scroll.scrollWidth > this.scroll.clientWidth) {
      this.fitted = -1
      this.fit()
    }
  }

  private row(row: T): HTMLTableRowElement {
    const { onpick, picked, columns } = this.options
    const element = h('tr', { class: onpick ? 'pickable' : '' }, ...columns.map((column, i) => this.cell(row, column, this.units[i])))
    if (picked?.(row)) element.classList.add('selected')
    if (this.options.last?.(row)) element.classList.add('sum')
    if (onpick) {
      element.tabIndex = 0
      element.addEventListener('click', () => onpick(row))
      element.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault()
          onpick(row)
        }
      })
    }
    return element
  }

  private cell(row: T, column: Column<T>, unit: ColumnUnit | null): HTMLTableCellElement {
    if (column.draw) return h('td', { class: this.nameOf(column) }, column.draw(row))
    const value = column.value(row)
    const halfWidth = column.kind === 'share' ? undefined : column.halfWidth?.(row)
    const exactly = cellText(value, column.kind, unit)
    const sign = column.signed && isTime(value) && value.ticks > 0 ? '+' : ''
    const text = halfWidth === undefined ? `${sign}${exactly}` : `~${exactly}${margin(value, halfWidth)}`
    if (column.kind === 'text') return h('td', { class: this.nameOf(column) }, clipped(text))
    const exact = isTime(value) ? `${count(value.ticks)} ticks` : ''
    const zero = value === 0 || (isTime(value) && value.ticks === 0)
    const share = column.shared && !zero && isTime(value) && value.percent !== undefined ? h('small', null, percent(value.percent)) : null
    return h('td', { class: zero ? `${column.kind} zero` : column.kind, title: exact }, zero && halfWidth === undefined ? '0' : text, share)
  }

  /** The class of a column's cells: the first one of text names the row. */
  private nameOf(column: Column<T>): string {
    return column === this.options.columns.find(({ kind }) => kind === 'text') ? 'text first' : column.kind
  }

  private async copy(): Promise<void> {
    const columns = this.options.columns.filter(({ kind }) => kind !== 'picture')
    const head = columns.flatMap(({ title, kind, shared }) => kind === 'time' ? [`${title} (ticks)`, `${title} (s)`, ...(shared ? [`${title} (%)`] : [])] : [title])
    const lines = this.rows.map(row => csvLine(columns.flatMap(({ kind, value, shared }) => {
      const cell = value(row)
      if (kind === 'time') return isTime(cell) ? [cell.ticks, cell.seconds, ...(shared ? [cell.percent ?? ''] : [])] : ['', '', ...(shared ? [''] : [])]
      if (isTime(cell)) return [kind === 'share' ? cell.percent ?? '' : cell.seconds]
      return [typeof cell === 'boolean' ? String(cell) : cell ?? '']
    })))
    await copyText([csvLine(head), ...lines].join('\r\n') + '\r\n')
    announce(`${this.rows.length} rows copied.`)
  }
}
