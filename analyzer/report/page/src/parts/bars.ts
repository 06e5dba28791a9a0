// Bars beside names: one row a thread, its parts beside one another, all rows to one scale.

import { clipped, h } from './dom'

export interface BarPart { value: number; color: string; title: string }
export interface BarRow { name: string; parts: BarPart[]; text: string; hint?: string }

export function bars(rows: BarRow[]): HTMLElement {
  const largest = Math.max(...rows.map(row => row.parts.reduce((sum, part) => sum + part.value, 0)), Number.MIN_VALUE)
  return h('div', { class: 'bars' }, ...rows.flatMap(row => [
    row.hint ? h('span', { class: 'clip', title: row.hint }, row.name) : clipped(row.name),
    h('span', { class: 'track' }, ...row.parts.filter(part => part.value > 0).map(part => {
      const piece = h('i', { title: part.title })
      piece.style.width = `${part.value / largest * 100}%`
      piece.style.background = part.color
      return piece
    })),
    h('span', { class: 'number' }, row.text),
  ]))
}
