// Lines of pixels: pieces of lanes as rows of an image.

import type { Pieces } from '../lanes/elide'
import type { Mixture } from '../lanes/mixture'
import { ELIDED, type Run } from '../bundle/types'
import { elidedColor, keyOf, pixel, stateColor, themeColor } from '../look/colors'
import { CONSTRUCT_COLORS, constructColor, constructSlot } from '../look/constructs'

/** A pixel's colour for each code, and a darker one for where a segment begins beside one of the same colour. */
export interface Palette {
  fill: Uint32Array
  edge: Uint32Array
  background: number
  grid: number
  /** colour of what is elided, and not loaded yet */
  unknown: number
  /** of mixtures: by code what is drawn alike, and the colour of that */
  slotOf: Uint8Array
  slot: Uint32Array
}

function darker(value: number): number {
  const part = (shift: number): number => Math.round((value >>> shift & 255) * 0.72) << shift
  return (0xff000000 | part(16) | part(8) | part(0)) >>> 0
}

export function stateKeys(run: Run): string[] {
  return run.timeline.state_keys ?? run.timeline.states.map(keyOf)
}

/** @param depth of the line's constructs: lines of neighbouring depths differ */
export function paletteFor(run: Run, hidden: Set<string>, depth: number): Palette {
  const { codes, regions } = run.timeline
  const background = pixel(themeColor('chart'))
  const keys = stateKeys(run)
  const fill = new Uint32Array(codes.length)
  const edge = new Uint32Array(codes.length)
  // States as in the strip, from the bottom up; then constructs, by colour; what is not known; nothing.
  const constructs = keys.length
  const others = constructs + CONSTRUCT_COLORS
  const slot = new Uint32Array(others + 2)
  const slotOf = new Uint8Array(codes.length)
  const regionSlot = (region: number): number => {
    const state = keys.indexOf(regions[region].state ?? '')
    return state >= 0 ? state : constructs + constructSlot(run, region)
  }
  codes.forEach(([state, region], code) => {
    let color = background
    slotOf[code] = state >= 0 ? state : region >= 0 ? regionSlot(region) : code === ELIDED ? others : others + 1
    if (code === ELIDED) color = pixel(elidedColor())
    else if (state >= 0) color = hidden.has(keys[state]) ? background : pixel(stateColor(keys[state], state))
    else if (region >= 0) color = pixel(constructColor(run, region, depth))
    fill[code] = color
    edge[code] = color === background ? color : darker(color)
    slot[slotOf[code]] = color
  })
  return { fill, edge, background, grid: pixel(themeColor('grid')), unknown: pixel(themeColor('rule')), slotOf, slot }
}

/** Lines lower than this have no room for all shares of a mixture: neighbouring pixels then round to different sides. */
const LOW = 6
const SIDES = [0.125, 0.625, 0.375, 0.875]

/** Paints the pixels [x0, x1) of a line, each with the shares of what it holds, one upon the other. */
function paintMixture(pixels: Uint32Array, width: number, top: number, bottom: number, y: number, height: number, x0: number, x1: number, mixture: Mixture, palette: Palette): void {
  const { used, ticks } = mixture
  for (let x = x0; x < x1; x++) {
    const total = mixture.total(x)
    const side = height < LOW ? SIDES[x & 3] : 0.5
    let sum = 0
    let below = y + height
    for (let i = 0; i <= used.length && below > y; i++) {
      const color = i < used.length && total > 0 ? palette.slot[used[i]] : palette.unknown
      if (i < used.length) sum += ticks[used[i] * mixture.width + x]
      // The last one goes up to the top, in spite of rounding.
      const above = i + 1 < used.length && total > 0 ? y + height - Math.floor(sum / total * height + side) : y
      for (let row = Math.max(above, top); row < Math.min(below, bottom); row++) pixels[row * width + x] = color
      below = above
    }
  }
}

/** Paints pieces into `height` rows of pixels from row `y` on; rows outside the image are left out. Elided ones with their mixture, if it is given. */
export function paintLine(pixels: Uint32Array, width: number, rows: number, y: number, height: number, pieces: Pieces, mixture: Mixture | null, palette: Palette): void {
  const top = Math.max(0, y)
  const bottom = Math.min(rows, y + height)
  if (bottom <= top) return
  const at = top * width
  let before = palette.background
  let beforeEnd = -1
  for (let i = 0; i < pieces.count; i++) {
    const code = pieces.code[i]
    const x0 = pieces.x0[i]
    const x1 = pieces.x1[i]
    const color = palette.fill[code]
    if (color !== palette.background) {
      pixels.fill(color, at + x0, at + x1)
      if (color === before && beforeEnd === x0 && x1 - x0 >= 5) pixels[at + x0] = palette.edge[code]
    }
    before = color
    beforeEnd = x1
  }
  for (let row = top + 1; row < bottom; row++) pixels.copyWithin(row * width, at, at + width)
  if (!mixture) return
  for (let i = 0; i < pieces.count; i++)
    if (pieces.code[i] === ELIDED) paintMixture(pixels, width, top, bottom, y, height, pieces.x0[i], pieces.x1[i], mixture, palette)
}
