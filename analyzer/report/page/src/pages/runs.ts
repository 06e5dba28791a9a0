// More than two runs beside one another: how long each took, and the time of each cause and construct in each run.

import { rowsOf, type Row, type Run, type Time } from '../bundle/types'
import { clipped, h, short } from '../parts/dom'
import { Table, type Column } from '../parts/table'
import { kindCss } from '../look/colors'
import { wordOf } from '../look/words'
import { duration } from '../time/format'

/** The name of a run in tables. */
export const letter = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index)

/** A row of all runs; null: the run does not have it. */
interface Course { name: string; color?: string; hint?: string; times: (Time | null)[] }

const secondsOf = (time: Time | null): number => time?.seconds ?? 0
const lengthOf = ({ timeline }: Run): Time => ({ ticks: timeline.duration, seconds: timeline.duration / timeline.ticks_per_second })

/** A bar a run, of one scale: the first one is the run to compare with. */
function courseOf({ times, color }: Course): HTMLElement {
  const most = Math.max(...times.map(secondsOf), Number.MIN_VALUE)
  return h('span', { class: 'course' }, ...times.map((time, i) => {
    const bar = h('i', { title: `${letter(i)}: ${time ? duration(time.seconds) : 'none'}` })
    bar.style.height = `${secondsOf(time) / most * 100}%`
    if (color) bar.style.background = color
    return bar
  }))
}

const spread = ({ times }: Course): number => Math.max(...times.map(secondsOf)) - Math.min(...times.map(secondsOf))

function columns(first: string, runs: Run[]): Column<Course>[] {
  return [
    { title: first, kind: 'text', value: row => row.name, draw: row => {
      if (!row.color) return clipped(row.name)
      const chip = h('i', { class: 'chip' })
      chip.style.background = row.color
      return h('span', { title: row.hint ?? '' }, chip, row.name)
    } },
    ...runs.map((_, i): Column<Course> => ({ title: letter(i), kind: 'time', together: 'runs', value: row => row.times[i] })),
    { title: 'spread', kind: 'time', together: 'runs', hint: 'between the run with most and the run with least', value: row => ({ ticks: spread(row), seconds: spread(row) }) },
    { title: 'course', kind: 'picture', value: () => null, draw: courseOf },
  ]
}

/** Rows with the same name in several runs, and of one run with the same name, are one. */
function gathered(runs: Run[], rows: (run: Run) => Row[], name: string, time: (row: Row, run: Run) => Time | null, look: (key: string) => Partial<Course> = () => ({})): Course[] {
  const found = new Map<string, Course>()
  runs.forEach((run, i) => {
    for (const row of rows(run)) {
      const key = String(row[name])
      const course = found.get(key) ?? { name: key, times: runs.map(() => null), ...look(key) }
      const more = time(row, run)
      if (more) course.times[i] = { ticks: secondsOf(course.times[i]) + more.seconds, seconds: secondsOf(course.times[i]) + more.seconds }
      found.set(key, course)
    }
  })
  return [...found.values()].sort((a, b) => spread(b) - spread(a))
}

function sentence(runs: Run[]): string {
  const lengths = runs.map(run => lengthOf(run).seconds)
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)]
  return `${letter(lengths.indexOf(least))} is the fastest run with ${duration(least)}, ${letter(lengths.indexOf(most))} the slowest with ${duration(most)}: it takes ${(most / least).toFixed(2)} times as long.`
}

function table(title: string, first: string, name: string, runs: Run[], rows: Course[]): HTMLElement | null {
  return rows.length === 0 ? null : h('section', null, h('h2', null, title), new Table({ name, rows, columns: columns(first, runs) }).element)
}

export function allRuns(runs: Run[]): HTMLElement {
  const base = lengthOf(runs[0]).seconds
  const kinds = gathered(runs, ({ documents }) => rowsOf(documents.imbalance, 'account'), 'kind', (row, { timeline }) => ({ ticks: Number(row.ticks), seconds: Number(row.ticks) / timeline.ticks_per_second }),
    key => ({ color: kindCss(key), hint: wordOf(key) }))
  const constructs = gathered(runs, ({ documents }) => rowsOf(documents.imbalance, 'constructs'), 'construct', row => row.time as Time | null)
  const locks = gathered(runs, ({ documents }) => rowsOf(documents.locks, 'locks'), 'name', row => row.wait as Time | null)
  const phases = gathered(runs, ({ documents }) => rowsOf(documents.phases, 'phases').map(row => ({ ...row, phase: `phase ${String(row.phase)}` })), 'phase', row => row.duration as Time | null)
  return h('div', { class: 'all-runs' },
    h('section', null, h('p', { class: 'lead' }, sentence(runs)),
      new Table({
        name: 'all runs', rows: runs.map((run, i) => ({ run, i })), columns: [
          { title: 'run', kind: 'text', value: ({ run, i }) => `${letter(i)}: ${short(run.title, 120)}` }, { title: 'duration', kind: 'time', value: ({ run }) => lengthOf(run) },
          { title: 'of A', kind: 'ratio', hint: 'how many times as long as A', value: ({ run }) => base > 0 ? lengthOf(run).seconds / base : null },
          { title: 'threads', kind: 'count', value: ({ run }) => run.documents.info?.threads as number | null | undefined },
          { title: 'largest loss', kind: 'text', value: ({ run }) => String(rowsOf(run.documents.imbalance, 'account').filter(row => row.kind !== 'work').sort((a, b) => Number(b.ticks) - Number(a.ticks))[0]?.kind ?? '–') },
        ],
      }).element),
    table('Causes: time of all processors', 'cause', 'causes of all runs', runs, kinds), table('Phases: duration', 'phase', 'phases of all runs', runs, phases),
    table('Constructs: time', 'construct', 'constructs of all runs', runs, constructs), table('Locks: time waited', 'lock', 'locks of all runs', runs, locks))
}
