// Colours of states. Each has a contrast of 3:1 with the page (WCAG AA), and all differ for any kind of colour vision:
// test/colors.test.mjs computes both. Elided stretches can have the colour of ink, which no state has.

interface Pair { light: string; dark: string }

const STATES: Record<string, Pair> = {
  run: { light: '#00a26b', dark: '#4adbae' },
  idle: { light: '#8e8d9a', dark: '#767c84' },
  overhead: { light: '#a88c00', dark: '#f1d13c' },
  synch: { light: '#c35502', dark: '#e98039' },
  synch_implicit_barrier: { light: '#c35502', dark: '#e98039' },
  synch_barrier: { light: '#974c00', dark: '#dcac80' },
  synch_mutex: { light: '#9d000f', dark: '#d03033' },
  synch_ordered: { light: '#946f4b', dark: '#f39c34' },
  synch_taskwait: { light: '#db5dc6', dark: '#f7485c' },
  synch_reduction: { light: '#aa3c78', dark: '#f6d1df' },
  synch_pthread_mutex: { light: '#85012a', dark: '#b83f5b' },
  synch_pthread_rwlock: { light: '#8d2e42', dark: '#fe6695' },
  synch_pthread_condition: { light: '#06469a', dark: '#a4c9fb' },
  synch_semaphore: { light: '#174474', dark: '#5c7797' },
  synch_pthread_barrier: { light: '#b1783c', dark: '#f3ba7b' },
  synch_atomic_wait: { light: '#c87866', dark: '#dd8971' },
  synch_join: { light: '#1b74e3', dark: '#6083ac' },
  blocked: { light: '#73217e', dark: '#bc69cf' },
  blocked_mutex: { light: '#73217e', dark: '#bc69cf' },
  blocked_condvar: { light: '#50385a', dark: '#c079f6' },
  spin: { light: '#d903a5', dark: '#de4aab' },
  gc: { light: '#016eac', dark: '#65b8f4' },
  init: { light: '#45657b', dark: '#71a9cb' },
  traceflush: { light: '#485151', dark: '#a0b1b1' },
  unmeasured: { light: '#6a6458', dark: '#8e8c7e' },
  ready: { light: '#7f81f9', dark: '#5d62d8' },
  off: { light: '#7f7979', dark: '#656a77' },
}

/** For states of other tools, and for constructs. */
const OTHERS: Pair[] = [
  { light: '#6591c4', dark: '#5183c0' }, { light: '#a78a42', dark: '#a38434' }, { light: '#669974', dark: '#4e9569' },
  { light: '#b87d93', dark: '#af5f7d' }, { light: '#7c9199', dark: '#65808c' }, { light: '#9d83bd', dark: '#8463b2' },
  { light: '#4e999a', dark: '#2f9090' }, { light: '#b08562', dark: '#af723d' },
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
  return luminance > 0.18 ? '#14171a' : '#ffffff'
}
