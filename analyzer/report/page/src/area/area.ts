// A selected part of the timeline: a stretch of time on some threads.

import type { Run } from '../bundle/types'
import { short } from '../parts/dom'
import { duration, moment } from '../time/format'

export interface Area {
  /** ticks of the viewport */
  begin: number
  end: number
  /** by run: its threads; null: all */
  locations: (number[] | null)[]
}

/** Threads of a run that an area has. Processors and devices have states of their own, which are no thread's. */
export function locationsOf(area: Area, run: Run, index: number): number[] {
  return area.locations[index] ?? run.timeline.locations.map((_, i) => i).filter(i => run.timeline.locations[i].kind === undefined)
}

/** Numbers as the commands take them: 0-3,7. */
export function ranges(numbers: number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b)
  const parts: string[] = []
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i]
    while (i + 1 < sorted.length && sorted[i + 1] === sorted[i] + 1) i++
    parts.push(sorted[i] > first ? `${first}-${sorted[i]}` : String(first))
  }
  return parts.join(',')
}

export function readRanges(text: string, count: number): number[] {
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [first, last] = part.split('-').map(Number)
    if (!Number.isInteger(first)) continue
    for (let i = first; i <= Math.min(last || first, count - 1); i++) found.add(i)
  }
  return [...found].filter(i => i < count)
}

export function areaText(area: Area, runs: Run[], ticksPerSecond: number): string {
  const counts = runs.map((run, i) => locationsOf(area, run, i).length)
  const all = counts.reduce((a, b) => a + b, 0)
  const one = all === 1 ? runs.flatMap((run, i) => locationsOf(area, run, i).map(location => run.timeline.locations[location].name))[0] : null
  return `${one !== null ? short(one, 40) : `${all} threads`} · ${duration((area.end - area.begin) / ticksPerSecond)} from ${moment(area.begin, ticksPerSecond)}`
}

const nanoseconds = (ticks: number, ticksPerSecond: number): string => `${Math.round(ticks / ticksPerSecond * 1e9)}ns`

const quoted = (word: string): string => /^[\w./:,+-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`

/** The command that writes this part for another viewer. */
export function exportCommand(area: Area, run: Run, index: number, ticksPerSecond: number): string {
  const archive = run.documents.info?.archive
  const locations = area.locations[index]
  return ['heddle export --to perfetto', `--from ${nanoseconds(area.begin, ticksPerSecond)} --to ${nanoseconds(area.end, ticksPerSecond)}`,
    locations ? `--only-threads ${ranges(locations)}` : '', typeof archive === 'string' ? quoted(archive) : 'TRACE'].filter(Boolean).join(' ')
}
