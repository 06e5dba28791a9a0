// Colours of states. Kinds differ in hue and in lightness, so that people with any kind of colour vision can tell them apart;
// causes of one kind are shades of it. Elided stretches can have the colour of ink, which no state has.

interface Pair { light: string; dark: string }

const STATES: Record<string, Pair> = {
  run: { light: '#009e73', dark: '#17b187' },
  idle: { light: '#d5dbe1', dark: '#3d4753' },
  overhead: { light: '#f0c808', dark: '#f2d13a' },
  synch: { light: '#d55e00', dark: '#e8772a' },
  synch_implicit_barrier: { light: '#d55e00', dark: '#e8772a' },
  synch_barrier: { light: '#f2a15f', dark: '#f7b884' },
  synch_mutex: { light: '#a50f15', dark: '#cf3a3a' },
  synch_ordered: { light: '#8c510a', dark: '#b57a35' },
  synch_taskwait: { light: '#cc79a7', dark: '#d98fb8' },
  synch_reduction: { light: '#e7b4c9', dark: '#f0cddb' },
  synch_pthread_mutex: { light: '#b8324f', dark: '#d9657d' },
  synch_pthread_rwlock: { light: '#7d2036', dark: '#a8475f' },
  synch_pthread_condition: { light: '#6f9bd1', dark: '#8fb4e3' },
  synch_semaphore: { light: '#4a76a8', dark: '#6c95c4' },
  synch_pthread_barrier: { light: '#e39a4a', dark: '#edb273' },
  synch_atomic_wait: { light: '#d9806c', dark: '#e39a88' },
  synch_join: { light: '#a9bdd6', dark: '#7f93ab' },
  blocked: { light: '#762a83', dark: '#a55cb3' },
  blocked_mutex: { light: '#762a83', dark: '#a55cb3' },
  blocked_condvar: { light: '#c2a5cf', dark: '#cdb5d8' },
  spin: { light: '#e7298a', dark: '#f05aa6' },
  gc: { light: '#0072b2', dark: '#3292cf' },
  init: { light: '#8cc5e8', dark: '#8cc5e8' },
  traceflush: { light: '#7f7f7f', dark: '#9a9a9a' },
  unmeasured: { light: '#b9a88f', dark: '#8f8069' },
  ready: { light: '#3f3fb5', dark: '#8088f4' },
  off: { light: '#edf0f4', dark: '#262d36' },
}

/** For states of other tools, and for constructs. */
const OTHERS: Pair[] = [
  { light: '#88a9d0', dark: '#5f83b0' }, { light: '#c9b380', dark: '#9c8650' }, { light: '#9fc5a8', dark: '#5f9170' },
  { light: '#d3a5b5', dark: '#a3687d' }, { light: '#a8b8be', dark: '#6b7f88' }, { light: '#bda9d6', dark: '#8069a3' },
  { light: '#8fc4c4', dark: '#4d8c8c' }, { light: '#d6b49a', dark: '#a47752' },
]

export const ELIDED_COLOR: Pair = { light: '#1d1f23', dark: '#f0f2f5' }

export const keyOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')

let dark = false
export function setDark(on: boolean): void {
  dark = on
}
export function isDark(): boolean {
  return dark
}

const pick = (pair: Pair): string => dark ? pair.dark : pair.light

export function stateColor(key: string, index: number): string {
  return pick(STATES[key] ?? OTHERS[index % OTHERS.length])
}

/** The same for elements of the page: a variable, which follows the theme. */
export function stateCss(key: string, index: number): string {
  return key in STATES ? `var(--state-${key})` : `var(--other-${index % OTHERS.length})`
}

/** Kinds of the account have the colours of the states that they are most about. */
const KINDS: Record<string, string> = {
  work: 'run', imbalance: 'synch_implicit_barrier', serial: 'synch_pthread_condition', grain: 'synch_barrier', tasks: 'synch_taskwait',
  synchronization: 'synch_mutex', processors: 'ready', blocked: 'blocked', threads: 'synch_join', collection: 'gc', memory: 'spin',
  forever: 'synch_ordered', runtime: 'overhead', measurement: 'traceflush', outside: 'off', unknown: 'unmeasured',
}

export const kindCss = (kind: string): string => stateCss(KINDS[kind] ?? kind, 0)

/** The same for constructColor. */
export const otherCss = (index: number): string => `var(--other-${index % OTHERS.length})`

/** Sets the variables of stateCss. */
export function setColorVariables(style: CSSStyleDeclaration): void {
  for (const key in STATES) style.setProperty(`--state-${key}`, pick(STATES[key]))
  OTHERS.forEach((pair, i) => style.setProperty(`--other-${i}`, pick(pair)))
  style.setProperty('--elided', pick(ELIDED_COLOR))
}

/** How many colours constructs have: region r has that of r modulo this. */
export const CONSTRUCT_COLORS = OTHERS.length

export function constructColor(region: number): string {
  return pick(OTHERS[region % OTHERS.length])
}

export function elidedColor(): string {
  return pick(ELIDED_COLOR)
}

/** Any of the page's own colours, from the style sheet. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}

/** #rgb or #rrggbb as a number. */
function rgb(color: string): number {
  const digits = color.slice(1)
  return parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16)
}

/** A colour as a pixel of a canvas (little endian RGBA). */
export function pixel(color: string): number {
  const value = rgb(color)
  const r = value >> 16 & 255
  const g = value >> 8 & 255
  const b = value & 255
  return (0xff000000 | b << 16 | g << 8 | r) >>> 0
}

/** A colour with a part of another one, from 0 to 1. */
export function mixed(color: string, other: string, part: number): string {
  const [a, b] = [rgb(color), rgb(other)]
  const channel = (shift: number): number => Math.round((a >> shift & 255) * (1 - part) + (b >> shift & 255) * part)
  return `#${(channel(16) << 16 | channel(8) << 8 | channel(0)).toString(16).padStart(6, '0')}`
}

/** Black or white, whichever can be read on `color`. */
export function inkOn(color: string): string {
  const value = rgb(color)
  const channel = (c: number): number => {
    const s = c / 255
    return s <= 0.03928 ? s / 12.92 : Math.pow((s + 0.055) / 1.055, 2.4)
  }
  const luminance = 0.2126 * channel(value >> 16 & 255) + 0.7152 * channel(value >> 8 & 255) + 0.0722 * channel(value & 255)
  return luminance > 0.3 ? '#14171a' : '#ffffff'
}
