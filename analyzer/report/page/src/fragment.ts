// The view, kept in the address behind the #: a link or a reload shows the same again.

import type { Timeline } from './timeline/timeline'
import type { Grouping, Sorting } from './timeline/options'
import { chooseTheme, themeChoice, type Choice } from './look/theme'

export interface Place { page: string; parameters: URLSearchParams }

export function readFragment(): Place {
  const [page, rest] = location.hash.slice(1).split('?')
  return { page: page || 'overview', parameters: new URLSearchParams(rest ?? '') }
}

export function fragmentOf(page: string, timeline: Timeline): string {
  const { viewport, options, selected } = timeline
  const parameters = new URLSearchParams()
  if (!viewport.isWhole) {
    parameters.set('begin', String(Number(viewport.begin.toPrecision(15))))
    parameters.set('scale', String(Number(viewport.scale.toPrecision(12))))
  }
  if (viewport.stepPercent !== 50) parameters.set('step', String(viewport.stepPercent))
  if (options.filter) parameters.set('filter', options.filter)
  if (options.sort !== 'trace') parameters.set('sort', options.sort)
  if (options.descending) parameters.set('descending', '1')
  if (options.group !== 'none') parameters.set('group', options.group)
  if (options.hidden.size > 0) parameters.set('hide', [...options.hidden].join(','))
  if (options.hiddenThreads.size > 0 && options.hiddenThreads.size <= 200) parameters.set('hide-threads', [...options.hiddenThreads].join(','))
  if (options.depth > 0) parameters.set('constructs', String(options.depth))
  if (options.black) parameters.set('elided', 'black')
  if (options.rowHeight !== 18) parameters.set('height', String(options.rowHeight))
  if (options.arrows.size > 0) parameters.set('arrows', [...options.arrows].join(','))
  if (selected) parameters.set('at', `${selected.run},${selected.location},${selected.begin}`)
  if (themeChoice() !== 'system') parameters.set('theme', themeChoice())
  const text = parameters.toString()
  return text ? `#${page}?${text}` : `#${page}`
}

const list = (text: string | null): string[] => text ? text.split(',').filter(Boolean) : []

/** Set what the address says. The charts must have their size already. */
export function applyFragment(parameters: URLSearchParams, timeline: Timeline): void {
  const { viewport, options } = timeline
  const theme = parameters.get('theme')
  chooseTheme(theme === 'dark' || theme === 'light' ? theme as Choice : 'system')
  options.filter = parameters.get('filter') ?? ''
  options.sort = (parameters.get('sort') ?? 'trace') as Sorting
  options.descending = parameters.get('descending') === '1'
  const group = parameters.get('group')
  options.group = (group === 'process' || group === 'group' ? group : 'none') as Grouping
  options.hidden = new Set(list(parameters.get('hide')))
  options.hiddenThreads = new Set(list(parameters.get('hide-threads')))
  options.depth = Math.min(6, Math.max(0, Math.round(Number(parameters.get('constructs')) || 0)))
  options.black = parameters.get('elided') === 'black'
  const height = Number(parameters.get('height'))
  options.rowHeight = height >= 2 && height <= 60 ? height : 18
  options.arrows = new Set(list(parameters.get('arrows')))
  const step = Number(parameters.get('step'))
  if (step >= 1) viewport.stepPercent = step
  options.changed(true)
  const begin = Number(parameters.get('begin'))
  const scale = Number(parameters.get('scale'))
  if (parameters.has('scale') && Number.isFinite(begin) && scale > 0) viewport.set(begin, scale)
  else viewport.fit()
  const [run, location, time] = list(parameters.get('at')).map(Number)
  if (timeline.charts[run]?.run.timeline.locations[location] && Number.isFinite(time)) timeline.select(run, location, time)
  else timeline.escape()
}
