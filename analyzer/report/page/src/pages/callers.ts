// Columns and tables of waits that only some runs have.

import type { Row } from '../bundle/types'
import { h } from '../parts/dom'
import { type Column, field, type Kind, Table } from '../parts/table'

/** A column only where a row has something in it. */
export function where(rows: Row[], title: string, key: string, kind: Kind = 'text', hint?: string): Column[] {
  return rows.some(row => row[key] !== null && row[key] !== undefined) ? [field(title, key, kind, hint)] : []
}

/** Who called the places that waited; nothing if the run was recorded without callers. */
export function callers(rows: Row[]): HTMLElement | null {
  return rows.length === 0 ? null : h('div', { class: 'part' }, h('h3', null, 'Callers'), new Table({
    name: 'callers', rows,
    columns: [field('place', 'place', 'text'), field('called by', 'callers', 'text'), field('waits', 'times', 'count'), field('time', 'time', 'time'), field('longest', 'time_max', 'time')],
  }).element)
}
