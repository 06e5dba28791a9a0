// One function: who called it above, what it called below, and the way on which one came here.

import { button, h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { percent } from '../time/format'
import { shareOf, type Amount } from './amount'
import type { CallTree, Figures, Relative } from './tree'

const CRUMB = 40

export class Relatives {
  readonly element = h('section', { class: 'relatives' })
  /** another function was chosen here */
  onpick: (code: number) => void = () => undefined
  /** the functions that were looked at, the last one now */
  private way: number[] = []
  private figures: Figures | null = null
  private amount: Amount | null = null

  constructor(private readonly tree: CallTree) {}

  /** Begins a new way. */
  start(code: number): void {
    this.way = [code]
    this.draw()
  }

  show(figures: Figures, amount: Amount): void {
    this.figures = figures
    this.amount = amount
    this.draw()
  }

  /** A step to a caller or callee; back to where one came from, if it is that. */
  private step(code: number): void {
    if (code < 0) return
    if (this.way[this.way.length - 2] === code) this.way.pop()
    else this.way.push(code)
    this.arrive()
  }

  private arrive(): void {
    this.draw()
    this.onpick(this.way[this.way.length - 1])
  }

  private crumbs(): HTMLElement {
    const parts = this.way.flatMap((code, i) => {
      const name = short(this.tree.name(code), CRUMB)
      const last = i === this.way.length - 1
      const part = last ? h('b', { aria: { current: 'true' } }, name) : button(name, () => {
        this.way = this.way.slice(0, i + 1)
        this.arrive()
      }, 'Go back to this function', 'plain')
      return i === 0 ? [part] : [h('span', { class: 'soft' }, ' › '), part]
    })
    return h('nav', { class: 'crumbs', aria: { label: 'the way to this function' } }, h('span', { class: 'soft' }, 'way: '), ...parts)
  }

  private draw(): void {
    const { figures, amount, tree } = this
    const code = this.way[this.way.length - 1]
    if (!figures || !amount || code === undefined) return
    const inclusive = figures.inclusive[code]
    const share = shareOf(inclusive, figures.all)
    const place = [tree.where(code), tree.module(code)].filter(Boolean).map(text => short(text, 200)).join(' in ')
    this.element.replaceChildren(
      h('h2', null, short(tree.name(code), 300)), place ? h('p', { class: 'soft' }, place) : '',
      this.crumbs(),
      h('p', null, `Self ${amount.text(figures.self[code])}, inclusive ${amount.text(inclusive)}: ${percent(share.share)} of what is shown (${percent(share.low)} to ${percent(share.high)}).`),
      this.part('Called by', 'callers', 'self', 'samples in the function itself, by caller', 'no code called it in what is shown', tree.callers(figures, code), inclusive),
      this.part('Calls', 'callees', 'self', 'samples in the called function itself', 'it called no code in what is shown', tree.callees(figures, code), inclusive))
  }

  private part(title: string, name: string, self: string, hint: string, empty: string, rows: Relative[], inclusive: number): HTMLElement {
    const { tree, amount } = this
    const { kind, cell } = { kind: (amount as Amount).kind, cell: (samples: number) => (amount as Amount).cell(samples) }
    const columns: Column<Relative>[] = [
      { title: 'function', kind: 'text', value: row => tree.name(row.code) },
      { title: self, kind, value: row => cell(row.self), hint },
      { title: 'below', kind, value: row => cell(row.below), hint: 'samples in code that was called from there' },
      { title: 'both', kind, value: row => cell(row.self + row.below) },
      { title: '%', kind: 'percent', value: row => inclusive > 0 ? 100 * (row.self + row.below) / inclusive : 0, hint: 'of the function’s inclusive samples' },
      { title: 'where', kind: 'text', value: row => tree.where(row.code) },
    ]
    return h('div', { class: 'part', data: { part: name } }, h('h3', null, title), new Table<Relative>({ name, rows, columns, sort: 3, empty: `${empty[0].toUpperCase()}${empty.slice(1)}.`, onpick: row => this.step(row.code) }).element)
  }
}
