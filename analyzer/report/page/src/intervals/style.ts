// How the timeline draws the intervals of a specification: by kind a colour, and a line or a rectangle.

import { isDark } from '../look/colors'
import type { Intervals } from './intervals'

export interface IntervalStyle { shown: boolean; drawn: 'line' | 'rectangle'; color: number }

/** Kinds that are drawn until the reader chooses others. */
const SHOWN_AT_FIRST = 8

const COLORS: [light: string, dark: string][] = [
  ['#b0106b', '#ff8fcb'], ['#0b57d0', '#9cc2ff'], ['#6a1b9a', '#d6a5ff'], ['#00695c', '#80e0d0'], ['#8d3b00', '#ffb784'], ['#37474f', '#c3d0d6'], ['#827717', '#e6dd7a'], ['#ad1457', '#ff9ebd'],
]
export const intervalColor = (color: number): string => COLORS[color % COLORS.length][isDark() ? 1 : 0]

/** Styles by the names of kinds, in the order of the specification. Those without a line are not drawn at first. */
export function intervalStyles(runs: (Intervals | null)[]): Map<string, IntervalStyle> {
  const styles = new Map<string, IntervalStyle>()
  for (const intervals of runs)
    for (const { name, drawn } of intervals?.kinds ?? []) {
      const at = styles.size
      if (!styles.has(name)) styles.set(name, { shown: drawn !== null && at < SHOWN_AT_FIRST, drawn: drawn ?? 'line', color: at })
    }
  return styles
}
