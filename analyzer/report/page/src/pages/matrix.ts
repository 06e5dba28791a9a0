// Transition probabilities, as a picture: rows from, columns to.

import type { Document } from '../bundle/types'
import { h, short, svg } from '../parts/dom'
import { zoomable } from '../parts/zoomable'
import { count, percent } from '../time/format'
import { byTime, edgesOf } from './transitions'

/** States in the picture; the table has all. */
const STATES = 40
/** Cells are as large as lets so many pixels hold all of them, within limits. */
const PIXELS = 640
const [SMALLEST, LARGEST] = [14, 24]
/** For names at the left and above, and for what the last one above leans to the right. */
const MARGIN = 110
const LEANING = 56

export function matrix(document: Document): HTMLElement {
  const states = byTime(document)
  const names = states.slice(0, STATES).map(row => String(row.state))
  const rowOf = new Map(names.map((name, i) => [name, i]))
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(PIXELS / Math.max(1, names.length))))
  const size = names.length * cell
  const [width, height] = [MARGIN + size + LEANING, MARGIN + size + 4]
  const picture = svg('svg', { class: 'matrix', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Matrix of transition probabilities' })
  names.forEach((name, i) => {
    const text = short(name, 16)
    picture.append(svg('text', { x: MARGIN - 6, y: MARGIN + (i + 0.5) * cell + 4, 'text-anchor': 'end' }, text, svg('title', {}, short(name, 200))),
      svg('text', { transform: `translate(${MARGIN + (i + 0.65) * cell} ${MARGIN - 6}) rotate(-60)` }, text, svg('title', {}, short(name, 200))))
  })
  picture.append(svg('rect', { x: MARGIN, y: MARGIN, width: size, height: size, fill: 'var(--panel)' }))
  for (const edge of edgesOf(document)) {
    const from = rowOf.get(edge.from)
    const to = rowOf.get(edge.to)
    if (from === undefined || to === undefined) continue
    picture.append(svg('rect', { x: MARGIN + to * cell, y: MARGIN + from * cell, width: cell - 1, height: cell - 1, fill: 'var(--accent)', 'fill-opacity': (0.12 + 0.88 * edge.probability).toFixed(3) },
      svg('title', {}, `${short(edge.from, 80)} → ${short(edge.to, 80)}: ${percent(edge.probability * 100)}, ${count(edge.count)} times`)))
  }
  return h('div', null, h('p', { class: 'soft' }, states.length > names.length ? `Rows and columns are the ${names.length} states of most time, of ${states.length}.` : 'A dark cell is a probable transition.'),
    zoomable(picture, width, height))
}
