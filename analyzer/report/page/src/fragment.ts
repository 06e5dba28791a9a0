// The view, kept in the address behind the #: a link or a reload shows the same again.

import { readRanges, ranges, type Area } from './area/area'
import type { Tab } from './area/pane'
import type { Timeline } from './timeline/timeline'
import { notesText, readNotes } from './timeline/notes'
import { GROUPINGS, SORTINGS, type Grouping, type Sorting } from './timeline/options'
import { chooseTheme, themeChoice, type Choice } from './look/theme'

/** Characters of notes in an address: more are only kept as a file. */
const NOTES_MOST = 6000

export interface Place { page: string; parameters: URLSearchParams }

export function readFragment(): Place {
  const [page, rest] = location.hash.slice(1).split('?')
  return { page: page || 'overview', parameters: new URLSearchParams(rest ?? '') }
}

const number = (value: number, digits = 15): string => String(Number(value.toPrecision(digits)))

/** Begin, end, and the threads of each run, where they are not all: 12-34;0-3,7. */
const areaText = ({ begin, end, locations }: Area): string => [`${number(begin)}-${number(end)}`, ...locations.map(list => list ? ranges(list) || 'none' : 'all')].join(';')

function readArea(text: string | null, timeline: Timeline): Area | null {
  const [stretch, ...threads] = (text ?? '').split(';')
  const [begin, end] = stretch.split('-').map(Number)
  if (!(begin >= 0 && end > begin)) return null
  return { begin, end, locations: timeline.charts.map(({ run }, i) => threads[i] === 'all' || threads[i] === undefined ? null : readRanges(threads[i], run.timeline.locations.length)) }
}

/** Sets of options, by their names in the address. */
const SETS = { hide: 'hidden', arrows: 'arrows', tracks: 'tracks', pin: 'pinned' } as const

/** @param choices what the reader chose on the page, if it is another one than the timeline */
export function fragmentOf(page: string, timeline: Timeline, choices: string[]): string {
  const { viewport, options, selected, area, finder, notes } = timeline
  const parameters = new URLSearchParams()
  if (!viewport.isWhole) {
    parameters.set('begin', number(viewport.begin))
    parameters.set('scale', number(viewport.scale, 12))
  }
  if (viewport.stepPercent !== 50) parameters.set('step', String(viewport.stepPercent))
  if (options.filter) parameters.set('filter', options.filter)
  if (options.sort !== 'trace') parameters.set('sort', options.sort)
  if (options.descending) parameters.set('descending', '1')
  if (options.group !== 'none') parameters.set('group', options.group)
  if (options.level !== 'model') parameters.set('level', options.level)
  for (const [name, set] of Object.entries(SETS)) if (options[set].size > 0 && options[set].size <= 200) parameters.set(name, [...options[set]].join(','))
  if (options.folded.size > 0 && options.folded.size <= 50) for (const key of options.folded) parameters.append('fold', key)
  if (options.hiddenThreads.size > 0 && options.hiddenThreads.size <= 200) parameters.set('hide-threads', [...options.hiddenThreads].join(','))
  if (options.depth >= 0) parameters.set('constructs', String(options.depth))
  if (options.black) parameters.set('elided', 'black')
  if (options.rowHeight !== 0) parameters.set('height', String(options.rowHeight))
  if (selected) parameters.set('at', `${selected.run},${selected.location},${selected.begin}`)
  if (area) parameters.set('area', areaText(area))
  if (area && timeline.areaPane.tab !== 'States') parameters.set('table', timeline.areaPane.tab)
  if (finder.thing) parameters.set('find', `${finder.thing.kind} ${finder.thing.name}`)
  const written = notesText(notes.list)
  if (notes.list.length > 0 && written.length <= NOTES_MOST) parameters.set('notes', written)
  if (themeChoice() !== 'system') parameters.set('theme', themeChoice())
  for (const choice of choices) parameters.append('c', choice)
  const text = parameters.toString()
  return text ? `#${page}?${text}` : `#${page}`
}

const list = (text: string | null): string[] => text ? text.split(',').filter(Boolean) : []

function applyOptions(parameters: URLSearchParams, { options }: Timeline): void {
  const one = <T extends string>(name: string, known: readonly T[], otherwise: T): T => known.find(value => value === parameters.get(name)) ?? otherwise
  options.filter = parameters.get('filter') ?? ''
  const sort = parameters.get('sort') ?? ''
  options.sort = sort.startsWith('time:') ? sort as Sorting : one<Sorting>('sort', SORTINGS, 'trace')
  options.descending = parameters.get('descending') === '1'
  options.group = one<Grouping>('group', GROUPINGS, 'none')
  options.level = one('level', ['model', 'threads'], 'model')
  for (const [name, set] of Object.entries(SETS)) options[set] = new Set(list(parameters.get(name)))
  options.folded = new Set(parameters.getAll('fold'))
  options.hiddenThreads = new Set(list(parameters.get('hide-threads')))
  const depth = parameters.has('constructs') ? Math.round(Number(parameters.get('constructs'))) : -1
  options.depth = depth >= 0 ? Math.min(6, depth) : -1
  options.black = parameters.get('elided') === 'black'
  const height = Number(parameters.get('height'))
  options.rowHeight = height >= 2 && height <= 60 ? height : 0
}

/** Set what the address says. The charts must have their size already. */
export function applyFragment(parameters: URLSearchParams, timeline: Timeline): void {
  const { viewport, options, finder } = timeline
  const theme = parameters.get('theme')
  chooseTheme(theme === 'dark' || theme === 'light' ? theme as Choice : 'system')
  applyOptions(parameters, timeline)
  const step = Number(parameters.get('step'))
  if (step >= 1) viewport.stepPercent = step
  options.changed(true)
  const begin = Number(parameters.get('begin'))
  const scale = Number(parameters.get('scale'))
  if (parameters.has('scale') && Number.isFinite(begin) && scale > 0) viewport.set(begin, scale)
  else viewport.fit()
  timeline.escape()
  const [run, at, time] = list(parameters.get('at')).map(Number)
  if (timeline.charts[run]?.run.timeline.locations[at] && Number.isFinite(time)) timeline.select(run, at, time)
  timeline.areaPane.tab = (parameters.get('table') ?? 'States') as Tab
  const area = readArea(parameters.get('area'), timeline)
  if (area) timeline.selectArea(area)
  const [, kind, name] = /^(\w+) (.*)$/s.exec(parameters.get('find') ?? '') ?? []
  if (kind) void finder.pickNamed(kind, name)
  else if (finder.thing) finder.clear()
  timeline.notes.set(readNotes(parameters.get('notes') ?? '[]') ?? [])
  timeline.notes.onchange()
}
