// The statistics of a selected part, as tables that sort.

import type { Run, Time } from '../bundle/types'
import { firstTrigger } from '../calls/filters'
import { sampleTimesOf } from '../calls/times'
import { pointsOf } from '../events/points'
import { constructColor } from '../look/constructs'
import { stateCss } from '../look/colors'
import { h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { metricsOf } from '../tracks/metrics'
import { regionName } from '../timeline/names'
import { stateKeys } from '../timeline/paint'
import type { Statistics, Sum } from './statistics'

export interface Part { run: Run; locations: number[]; /** ticks of the run */ begin: number; end: number; found: Statistics }
/** Where a row leads to. */
export type Go = (location: number, begin: number, end: number) => void

interface SumRow extends Sum { name: string; chip: string }

const time = (run: Run, ticks: number, all = 0): Time => ({ ticks: Math.round(ticks), seconds: ticks / run.timeline.ticks_per_second, ...(all > 0 ? { percent: ticks / all * 100 } : {}) })

function named(name: string, color: string): HTMLElement {
  const chip = h('i', { class: 'chip' })
  chip.style.background = color
  return h('span', { class: 'clip', title: short(name, 200) }, chip, short(name, 200))
}

const jump = (go: Go) => (row: { at: Sum['at'] }): void => {
  if (row.at) go(row.at.location, row.at.begin, row.at.end)
}

export function statesTable({ run, found }: Part, go: Go): HTMLElement {
  const keys = stateKeys(run)
  const rows: SumRow[] = [...found.states].map(([state, sum]) => ({ ...sum, name: run.timeline.states[state], chip: stateCss(keys[state], state) }))
  return new Table<SumRow>({
    name: 'states', rows, sort: 1, onpick: jump(go), empty: 'No thread is in a state here.',
    columns: [
      { title: 'state', kind: 'text', value: row => row.name, draw: row => named(row.name, row.chip) },
      { title: 'time', kind: 'time', value: row => time(run, row.ticks) }, { title: '%', kind: 'share', value: row => time(run, row.ticks, found.time), hint: 'of these threads’ time here' },
      { title: 'times', kind: 'count', value: row => row.count }, { title: 'mean', kind: 'time', value: row => row.count > 0 && found.rounded === 0 ? time(run, row.ticks / row.count) : null },
      { title: 'longest', kind: 'time', value: row => row.count > 0 ? time(run, row.longest) : null, hint: 'a click on the row goes there' },
    ],
  }).element
}

export function constructsTable({ run, found }: Part, go: Go): HTMLElement {
  const regions = new Set([...found.inside.keys(), ...found.own.keys()])
  const none: Sum = { ticks: 0, count: 0, longest: 0, at: null }
  const rows = [...regions].filter(region => !run.timeline.regions[region].state).map(region => ({ region, name: regionName(run, region), inside: found.inside.get(region) ?? none, own: found.own.get(region)?.ticks ?? 0, at: found.inside.get(region)?.at ?? found.own.get(region)?.at ?? null }))
  return new Table({
    name: 'constructs', rows, sort: 3, onpick: jump(go), empty: 'No construct is executed here.',
    columns: [
      { title: 'construct', kind: 'text', value: row => row.name, draw: row => named(row.name, constructColor(run, row.region)) },
      { title: 'times', kind: 'count', value: row => row.inside.count || null, hint: 'executions by these threads, also those that only begin or end here' },
      { title: 'inside', kind: 'time', value: row => time(run, row.inside.ticks), hint: 'with nested constructs' },
      { title: 'own time', kind: 'time', value: row => time(run, row.own), hint: 'without nested constructs' }, { title: '% own', kind: 'share', value: row => time(run, row.own, found.time), hint: 'of these threads’ time here' },
      { title: 'longest', kind: 'time', value: row => row.inside.count > 0 ? time(run, row.inside.longest) : null, hint: 'a click on the row goes there' },
      { title: 'at', kind: 'text', value: row => lineOf(run, row.region) },
    ],
  }).element
}

export function lineOf(run: Run, region: number): string {
  const { file, line } = run.timeline.regions[region]
  return file ? `${file.replace(/.*\//, '')}${line ? `:${line}` : ''}` : ''
}

export function threadsTable({ run, found }: Part, go: Go, begin: number, end: number): HTMLElement {
  const keys = stateKeys(run)
  const states = [...found.states].sort((a, b) => b[1].ticks - a[1].ticks).slice(0, 6).map(([state]) => state)
  const rows = [...found.threads].map(([location, sums]) => ({ location, sums, all: [...sums.values()].reduce((a, b) => a + b, 0) })).filter(({ all }) => all > 0)
  return new Table<typeof rows[number]>({
    name: 'threads', rows, onpick: row => go(row.location, begin, end), empty: 'No thread lives here.',
    columns: [
      { title: 'No.', kind: 'count', value: row => row.location }, { title: 'thread', kind: 'text', value: row => run.timeline.locations[row.location].name },
      ...states.map((state): Column<typeof rows[number]> => ({ title: run.timeline.states[state], kind: 'share', value: row => time(run, row.sums.get(state) ?? 0, row.all), hint: `of the thread’s time here (${keys[state]})` })),
    ],
  }).element
}

/** Functions that were sampled; null: the run has no samples with times. */
export function functionsTable({ run, locations, begin, end }: Part, open: (code: number) => void): HTMLElement | null {
  const document = run.documents.calls
  const times = document && sampleTimesOf(document)
  if (!document || !times) return null
  const trigger = firstTrigger(document)
  const sums = new Map<number, number>()
  let all = 0
  let every = 1
  for (const location of locations) {
    const stretch = times.between(location, begin, end, trigger)
    every = Math.max(every, stretch.every)
    for (const { code, samples } of stretch.functions) sums.set(code, (sums.get(code) ?? 0) + samples * stretch.every)
    all += stretch.all * stretch.every
  }
  const rows = [...sums].map(([code, samples]) => ({ code, samples, name: times.tree.name(code) }))
  return h('div', null, every > 1 ? h('p', { class: 'soft' }, `This page has 1 of ${every} samples.`) : null, new Table<typeof rows[number]>({
    name: 'functions', rows, sort: 1, empty: 'No sample was taken here.', onpick: row => open(row.code),
    columns: [
      { title: 'function', kind: 'text', value: row => row.name }, { title: 'samples', kind: 'count', value: row => row.samples },
      { title: '%', kind: 'share', value: row => ({ ticks: row.samples, seconds: 0, percent: row.samples / all * 100 }) },
      { title: 'at', kind: 'text', value: row => times.tree.where(row.code) }, { title: 'module', kind: 'text', value: row => times.tree.module(row.code) },
    ],
  }).element)
}

/** What the threads counted here. */
export function countersTable({ run, locations, begin, end, found }: Part): HTMLElement {
  const these = new Set(locations)
  const all = metricsOf(run).filter(({ adds }) => adds)
  const rows = all.map(metric => ({ metric, here: metric.between(begin, end, these), of: metric.between(0, run.timeline.duration) })).filter(({ of }) => of > 0)
  const every = Math.max(1, ...all.map(metric => metric.every))
  const seconds = found.time / run.timeline.ticks_per_second
  return h('div', null, every > 1 ? h('p', { class: 'soft' }, `This page has 1 of ${every} readings.`) : null, new Table<typeof rows[number]>({
    name: 'counters', rows, empty: 'Nothing was counted here.',
    columns: [
      { title: 'counter', kind: 'text', value: row => row.metric.name }, { title: 'here', kind: 'count', value: row => row.here, draw: row => h('span', null, row.metric.text(row.here)), hint: 'between two readings evenly' },
      { title: '% of the run', kind: 'percent', value: row => row.here / row.of * 100 },
      { title: 'per second', kind: 'count', value: row => row.here / seconds, draw: row => h('span', null, row.metric.text(row.here / seconds)), hint: 'of these threads’ time' },
    ],
  }).element)
}

/** Waits for locks that end here, by place; null: the run has none. */
export function locksTable({ run, locations, begin, end }: Part, go: Go): HTMLElement | null {
  const arrows = run.timeline.arrows.filter(([kind]) => kind === 'lock')
  if (arrows.length === 0) return null
  const waiters = new Set(locations)
  const rows = new Map<number, { region: number; count: number; ticks: number; longest: number; at: Sum['at']; holders: Map<number, number> }>()
  for (const [, holder, , waiter, until, region, since] of arrows) {
    if (!waiters.has(waiter) || until < begin || (since ?? until) > end) continue
    const row = rows.get(Number(region)) ?? { region: Number(region), count: 0, ticks: 0, longest: -1, at: null, holders: new Map<number, number>() }
    const length = until - (since ?? until)
    row.count++
    row.ticks += length
    row.holders.set(holder, (row.holders.get(holder) ?? 0) + length)
    if (length > row.longest) {
      row.longest = length
      row.at = { location: waiter, begin: since ?? until, end: until }
    }
    rows.set(row.region, row)
  }
  const most = (holders: Map<number, number>): string => run.timeline.locations[[...holders].sort((a, b) => b[1] - a[1])[0][0]].name
  return h('div', null, arrows.length >= 5000 ? h('p', { class: 'soft' }, 'The page has the 5,000 longest waits for locks.') : null, new Table<NonNullable<ReturnType<typeof rows.get>>>({
    name: 'locks', rows: [...rows.values()], sort: 2, onpick: jump(go), empty: 'No thread waited for a lock here.',
    columns: [
      { title: 'waits at', kind: 'text', value: row => row.region >= 0 ? regionName(run, row.region) : 'unknown' }, { title: 'waits', kind: 'count', value: row => row.count },
      { title: 'time', kind: 'time', value: row => time(run, row.ticks) }, { title: 'longest', kind: 'time', value: row => time(run, row.longest), hint: 'a click on the row goes there' },
      { title: 'held most by', kind: 'text', value: row => most(row.holders) },
    ],
  }).element)
}

/** The program's own events; null: it has none. */
export function eventsTable({ run, locations, begin, end }: Part): HTMLElement | null {
  const points = pointsOf(run)
  if (!points) return null
  const of = new Set(locations)
  const counts = new Map<string, { name: string; count: number; values: Map<string, { sum: number; count: number }> }>()
  points.lists.forEach((list, i) => {
    if (!of.has(list.location)) return
    const { name, attributes } = points.type(i)
    const row = counts.get(name) ?? { name, count: 0, values: new Map() }
    points.times[i].forEach((at, index) => {
      if (at < begin || at >= end) return
      row.count += points.weightAt(i, index)
      for (const attribute of attributes) {
        const value = points.value(i, index, attribute)
        if (value === null) continue
        const sum = row.values.get(attribute) ?? { sum: 0, count: 0 }
        sum.sum += value
        sum.count++
        row.values.set(attribute, sum)
      }
    })
    if (row.count > 0) counts.set(name, row)
  })
  const mean = (row: { values: Map<string, { sum: number; count: number }> }): string => [...row.values].map(([name, { sum, count }]) => `${short(name, 40)} ${Number((sum / count).toPrecision(4))}`).join(', ')
  return new Table<{ name: string; count: number; values: Map<string, { sum: number; count: number }> }>({
    name: 'events', rows: [...counts.values()], sort: 1, empty: 'The program logged no event here.',
    columns: [{ title: 'event', kind: 'text', value: row => row.name }, { title: 'number', kind: 'count', value: row => row.count }, { title: 'mean of attributes', kind: 'text', value: mean }],
  }).element
}
