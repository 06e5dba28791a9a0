// Colours of constructs: each has a hue by its rank among all, the ones with most time first; the lines of nested ones are lighter and
// darker in turn, so that parent and child always differ.

import type { Run } from '../bundle/types'
import { isDark, mixed, stateColor } from './colors'

/** Hues that neighbours in this list differ in; none is a state's. */
const HUES = ['#7b8fc4', '#b9975b', '#6aa58c', '#b57ea2', '#8f8f99', '#a08ad0', '#5fa3b5', '#c08a76', '#93a85f', '#c78bb8', '#6f93a0', '#b0a079']
/** Different colours of a line; then the colour of regions that are states. */
export const CONSTRUCT_COLORS = HUES.length

const ranks = new WeakMap<Run, Int32Array>()

/** The place of each region among all, by the time in it. */
export function constructRanks(run: Run): Int32Array {
  const known = ranks.get(run)
  if (known) return known
  const { regions, codes, sums } = run.timeline
  const time = regions.map(({ longest }) => (longest ?? 0) / 1e6)
  for (const [, code, ticks] of sums ?? []) if (codes[code][1] >= 0) time[codes[code][1]] += ticks
  const rank = new Int32Array(regions.length)
  regions.map((_, i) => i).sort((a, b) => time[b] - time[a] || a - b).forEach((region, place) => {
    rank[region] = place
  })
  ranks.set(run, rank)
  return rank
}

/** Which of the colours a construct has. */
export const constructSlot = (run: Run, region: number): number => constructRanks(run)[region] % CONSTRUCT_COLORS

/** @param depth how deep it is nested: 0 is outermost */
export function constructColor(run: Run, region: number, depth = 0): string {
  const { state } = run.timeline.regions[region]
  if (state) return stateColor(state, 0)
  const hue = HUES[constructSlot(run, region)]
  if (depth % 2 === 0) return isDark() ? mixed(hue, '#000000', 0.28) : hue
  return isDark() ? mixed(hue, '#000000', 0.52) : mixed(hue, '#ffffff', 0.52)
}
