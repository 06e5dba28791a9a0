// A model's states and transitions, as the document has them.

import { rowsOf, type Document, type Row, type Time } from '../bundle/types'

export interface Edge { from: string; to: string; count: number; probability: number }

/** The states, those of most time first. */
export function byTime(document: Document): Row[] {
  const ticks = (row: Row): number => (row.total as Time | null)?.ticks ?? 0
  return [...rowsOf(document, 'states')].sort((a, b) => ticks(b) - ticks(a))
}

export function edgesOf(document: Document): Edge[] {
  return rowsOf(document, 'edges') as unknown as Edge[]
}
