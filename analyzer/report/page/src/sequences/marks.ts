// Which rows occur in which pixel columns of a plot. Each record has at least one pixel, so nothing is hidden however many there are.

import type { Instance } from './instance'
import { overAt } from './sequence'
import type { Rows } from './rows'

export type Domain = 'time' | 'events'

export interface Marks {
  /** by row and column: something is there */
  cells: Uint8Array
  /** by column: the rows between which the sequence moves there; above > below: it stays */
  above: Int16Array
  below: Int16Array
  /** records, or parts of the sequence, in sight */
  drawn: number
}

/** The first i from 0 to count for which `holds`; it holds from there on. */
export function firstOf(count: number, holds: (i: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** @param begin @param end in ticks, or records from 0 */
export function marksOf(instance: Instance, rows: Rows, domain: Domain, begin: number, end: number, width: number): Marks {
  const marks: Marks = { cells: new Uint8Array(rows.list.length * width), above: new Int16Array(width).fill(32767), below: new Int16Array(width).fill(-1), drawn: 0 }
  const scale = width / (end - begin)
  const add = (row: number, from: number, to: number): void => {
    const first = Math.floor((from - begin) * scale)
    const last = Math.max(first, Math.ceil((to - begin) * scale) - 1)
    if (last < 0 || first >= width) return
    marks.cells.fill(1, row * width + Math.max(0, first), row * width + Math.min(width - 1, last) + 1)
    marks.drawn++
  }
  const move = (at: number, one: number, other: number): void => {
    const x = Math.floor((at - begin) * scale)
    if (x < 0 || x >= width) return
    marks.above[x] = Math.min(marks.above[x], one, other)
    marks.below[x] = Math.max(marks.below[x], one, other)
  }
  const rowOf = rows.of(instance)
  const { sequence } = instance
  if (!sequence) {
    addParts(instance, rowOf, rows, domain, add)
    return marks
  }
  const { entry, state } = sequence
  const time = domain === 'time'
  for (let i = time ? firstOf(entry.length, at => overAt(sequence, at) >= begin) : Math.max(0, Math.floor(begin)); i < entry.length; i++) {
    const at = time ? entry[i] : i
    if (at > end) break
    add(rowOf[state[i]], at, time ? overAt(sequence, i) : i + 1)
    if (i > 0) move(at, rowOf[state[i - 1]], rowOf[state[i]])
  }
  return marks
}

/** Of a sequence whose records are not in the page: what occurs in each of its parts. */
function addParts({ data }: Instance, rowOf: Uint16Array, rows: Rows, domain: Domain, add: (row: number, from: number, to: number) => void): void {
  const parts = data.parts
  if (!parts) return
  const list = parts[domain]
  const length = (domain === 'time' ? data.duration : data.records) / list.length
  list.forEach((occurring, i) => {
    for (const row of occurring) add(row < parts.rows ? rowOf[data.states[row].number] : rows.list.length - 1, i * length, (i + 1) * length)
  })
}
