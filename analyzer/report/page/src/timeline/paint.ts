// Lines of pixels: pieces of lanes as rows of an image.

import type { Pieces } from '../lanes/elide'
import { ELIDED, type Run } from '../bundle/types'
import { constructColor, elidedColor, keyOf, pixel, stateColor, themeColor } from '../look/colors'

/** A pixel's colour for each code, and a darker one for where a segment begins beside one of the same colour. */
export interface Palette { fill: Uint32Array; edge: Uint32Array; background: number; grid: number }

function darker(value: number): number {
  const part = (shift: number): number => Math.round((value >>> shift & 255) * 0.72) << shift
  return (0xff000000 | part(16) | part(8) | part(0)) >>> 0
}

export function stateKeys(run: Run): string[] {
  return run.timeline.state_keys ?? run.timeline.states.map(keyOf)
}

export function paletteFor(run: Run, hidden: Set<string>): Palette {
  const { codes } = run.timeline
  const background = pixel(themeColor('chart'))
  const keys = stateKeys(run)
  const fill = new Uint32Array(codes.length)
  const edge = new Uint32Array(codes.length)
  codes.forEach(([state, region], code) => {
    let color = background
    if (code === ELIDED) color = pixel(elidedColor())
    else if (state >= 0) color = hidden.has(keys[state]) ? background : pixel(stateColor(keys[state], state))
    else if (region >= 0) color = pixel(constructColor(region))
    fill[code] = color
    edge[code] = color === background ? color : darker(color)
  })
  return { fill, edge, background, grid: pixel(themeColor('grid')) }
}

/** Paints pieces into `height` rows of pixels from row `y` on; rows outside the image are left out. */
export function paintLine(pixels: Uint32Array, width: number, rows: number, y: number, height: number, pieces: Pieces, palette: Palette): void {
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
}
