// What heddle live says, and how the page reads it. A document is what `heddle live --json` prints.

import type { Cell, Document, Row, Time } from '../bundle/types'
import { CAUSES, NAMES } from '../look/states'

export interface Answer {
  /** of the reading, from 1 on */
  number: number
  /** seconds between two readings */
  interval: number
  /** seconds since the first thread began */
  age: number
  /** seconds up to the next reading; null: there is none */
  next: number | null
  /** the process has ended */
  over: boolean
  /** null: the page has it already */
  reading: Document | null
  /** what `heddle live --pair --json` prints of the pairs that were added */
  pairs?: Document
  /** the program measures these alone */
  alone?: boolean
}

/** What is said to a change of the pairs. */
export interface Said {
  /** null: nothing is against it */
  error: string | null
  metrics: { metric: string; meaning: string }[]
}

export interface Thread { location: number; now: Row; states: Row | undefined }

export interface Construct {
  key: string
  row: Row
  /** of the waits of threads here; undefined: nothing waits here */
  waits: Row | undefined
}

/** A sum that is no state and no construct's time, as tasks made. */
export interface Metric {
  name: string
  /** a construct, a lock, an event; '': the program */
  of: string
  number: number
  /** seconds; undefined: it has none */
  time: number | undefined
}

export interface Reading {
  program: string
  pid: number
  /** seconds that the figures are of */
  stretch: number
  threads: Thread[]
  /** the states of all threads */
  all: Row | undefined
  constructs: Construct[]
  locks: Row[]
  metrics: Metric[]
}

/** Tables of a document: which column says of what a row is, and the metrics that a row has, with the columns of their numbers and times. */
const METRICS: readonly (readonly [table: string, of: string, metrics: readonly (readonly [name: string, number: string, time?: string])[]])[] = [
  ['tasks_made', 'construct', [['tasks made', 'made']]],
  ['chunks', 'construct', [['chunks', 'chunks'], ['iterations', 'iterations']]],
  ['objects', 'name', [['acquired, by name', 'acquired', 'wait'], ['contended, by name', 'contended', 'waiting']]],
  ['events', 'name', [['events', 'count']]],
  ['gc', '', [['garbage collections', 'pauses', 'time']]],
  ['measuring', '', [['updates of sums', 'updates', 'time']]],
]

const rowsOf = (document: Document, key: string): Row[] => Array.isArray(document[key]) ? document[key] as Row[] : []

export const secondsOf = (cell: Cell | undefined): number => typeof cell === 'object' && cell !== null ? cell.seconds : 0
export const percentOf = (cell: Cell | undefined): number => (cell as Time | null | undefined)?.percent ?? 0
export const textOf = (cell: Cell | undefined): string => cell === null || cell === undefined ? '' : String(cell)

/** States without causes, then those that a bar shows by cause; idle is last, so that it is at the end of a bar. */
const GROUPS = [...NAMES.filter(([key]) => key !== 'idle'), ...NAMES.filter(([key]) => key === 'idle')]
export const groups: readonly (readonly [key: string, title: string])[] = GROUPS
/** The keys of a bar's parts, in their order. */
export const parts: readonly string[] = GROUPS.flatMap(([key]) => {
  const causes = CAUSES.filter(([cause]) => cause.startsWith(`${key}_`)).map(([cause]) => cause)
  return causes.length > 0 ? causes : [key]
})
export const nameOfPart = (key: string): string => [...NAMES, ...CAUSES].find(([known]) => known === key)?.[1] ?? key

/** Rows of other documents by a name that may occur several times: each is taken once. */
function takers(rows: Row[], key: string): (name: string) => Row | undefined {
  const left = new Map<string, Row[]>()
  for (const row of rows) {
    const name = textOf(row[key])
    left.set(name, [...left.get(name) ?? [], row])
  }
  return name => left.get(name)?.shift()
}

/** Waits at the ends of parallel regions are those of the members' code, others of the construct. */
const waitsHere = (row: Row): boolean => row.part === 'member' || (row.part === 'construct' && /barrier/.test(textOf(row.construct)))

const metricsOf = (document: Document): Metric[] => METRICS.flatMap(([table, of, metrics]) => rowsOf(document, table).flatMap(row =>
  metrics.filter(([, number]) => typeof row[number] === 'number').map(([name, number, time]) => ({
    name: row.attribute ? `${name}, ${textOf(row.attribute)}` : name, of: textOf(row[of]), number: Number(row[number]), time: time && row[time] ? secondsOf(row[time]) : undefined,
  }))))

export function readingOf(document: Document): Reading {
  const states = rowsOf(document, 'threads')
  const byLocation = new Map(states.map(row => [row.thread, row]))
  const waits = takers(rowsOf(document, 'waits'), 'construct')
  return {
    program: textOf(document.program as Cell), pid: Number(document.pid), stretch: secondsOf(document.stretch as Cell),
    threads: rowsOf(document, 'now').map(now => ({ location: Number(now.thread), now, states: byLocation.get(now.thread) })),
    all: states.find(row => row.thread === null),
    constructs: rowsOf(document, 'rows').filter(row => row.part !== 'hold').map(row => ({
      key: [row.construct, row.part, row.file, row.line].join('\n'), row, waits: waitsHere(row) ? waits(textOf(row.construct)) : undefined,
    })),
    locks: rowsOf(document, 'places'),
    metrics: metricsOf(document),
  }
}
