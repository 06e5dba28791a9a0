// How the timeline draws the program's events: by type a symbol, how far above or below the middle, and which ones.

import { isDark } from '../look/colors'
import type { Points } from './points'
import { relation } from './relation'

export const SYMBOLS = ['plus', 'x', 'box', 'diamond'] as const
export type Symbol = typeof SYMBOLS[number]

export interface EventStyle {
  shown: boolean
  symbol: Symbol
  color: number
  /** in quarters of the line's height, downwards */
  offset: number
  /** a relation; empty: all */
  where: string
}

/** Types that are drawn until the reader chooses others. */
const SHOWN_AT_FIRST = 8

const COLORS: [light: string, dark: string][] = [
  ['#1a1d22', '#f4f6f8'], ['#8a3ffc', '#caa9ff'], ['#0043ce', '#8fb8ff'], ['#9f1853', '#ffa0c9'], ['#7a4a00', '#ffd08a'], ['#005d5d', '#7ee8e8'], ['#a2191f', '#ffa8a8'], ['#4c5a00', '#d9e882'],
]
export const eventColor = (color: number): string => COLORS[color % COLORS.length][isDark() ? 1 : 0]

/**
 * Styles by the names of types, the most frequent first.
 * @param specified symbols that a specification gives to events
 */
export function stylesFor(runs: (Points | null)[], specified: { name: string; symbol: string; offset: number }[] = []): Map<string, EventStyle> {
  const styles = new Map<string, EventStyle>()
  for (const points of runs)
    for (const { name } of points?.types ?? []) {
      const at = styles.size
      if (!styles.has(name)) styles.set(name, { shown: at < SHOWN_AT_FIRST, symbol: SYMBOLS[at % SYMBOLS.length], color: at, offset: 0, where: '' })
    }
  for (const { name, symbol, offset } of specified) {
    const style = styles.get(name)
    if (style) Object.assign(style, { symbol: SYMBOLS.find(known => known === symbol) ?? style.symbol, offset: Math.max(-4, Math.min(4, offset)) })
  }
  return styles
}

/** Which events of a run are drawn. Relations are evaluated once. */
export class Chosen {
  private readonly masks = new Map<string, Uint8Array | null>()

  constructor(private readonly points: Points) {}

  /** The style of a list's events; null: they are not drawn. */
  style(styles: ReadonlyMap<string, EventStyle>, list: number): EventStyle | null {
    const style = styles.get(this.points.type(list).name)
    return style?.shown ? style : null
  }

  /** null: all are drawn. */
  mask(style: EventStyle, list: number): Uint8Array | null {
    if (style.where === '') return null
    const key = `${list} ${style.where}`
    const known = this.masks.get(key)
    if (known !== undefined) return known
    const test = relation(style.where)
    const made = test && Uint8Array.from(this.points.times[list], (_, i) => test(name => this.points.value(list, i, name)) ? 1 : 0)
    this.masks.set(key, made)
    return made
  }
}

/** A symbol's path around a point. */
export function tracePath(path: { moveTo(x: number, y: number): void; lineTo(x: number, y: number): void; closePath(): void }, symbol: Symbol, x: number, y: number, r: number): void {
  const s = r * 0.8
  switch (symbol) {
    case 'plus':
      path.moveTo(x - r, y); path.lineTo(x + r, y); path.moveTo(x, y - r); path.lineTo(x, y + r)
      break
    case 'x':
      path.moveTo(x - s, y - s); path.lineTo(x + s, y + s); path.moveTo(x - s, y + s); path.lineTo(x + s, y - s)
      break
    case 'box':
      path.moveTo(x - s, y - s); path.lineTo(x + s, y - s); path.lineTo(x + s, y + s); path.lineTo(x - s, y + s); path.closePath()
      break
    case 'diamond':
      path.moveTo(x - r, y); path.lineTo(x, y - r); path.lineTo(x + r, y); path.lineTo(x, y + r); path.closePath()
  }
}
