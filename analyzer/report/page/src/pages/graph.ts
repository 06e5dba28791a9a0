// A model as a graph: states of most time, and the transitions between them, laid out by dagre.

import { Graph, layout } from '@dagrejs/dagre'
import type { Row, Time } from '../bundle/types'
import { h, short, svg } from '../parts/dom'
import { zoomable } from '../parts/zoomable'
import { duration, percent } from '../time/format'
import type { Edge } from './transitions'

const WIDTH = 104
const HEIGHT = 38

interface Point { x: number; y: number }

export function modelGraph(states: Row[], edges: Edge[]): HTMLElement {
  if (states.length === 0) return h('p', { class: 'empty' }, 'The model has no states.')
  const graph = new Graph({ multigraph: false })
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 46, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const numbers = new Map(states.map((row, i) => [String(row.state), String(i)]))
  states.forEach((_, i) => graph.setNode(String(i), { width: WIDTH, height: HEIGHT }))
  const shown = edges.filter(({ from, to }) => numbers.has(from) && numbers.has(to) && from !== to)
  for (const edge of shown) graph.setEdge(numbers.get(edge.from) as string, numbers.get(edge.to) as string, { edge })
  layout(graph)
  const { width = 400, height = 200 } = graph.graph() as { width?: number; height?: number }
  const picture = svg('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Graph of the model' })
  for (const key of graph.edges()) {
    const { points, edge } = graph.edge(key) as unknown as { points: Point[]; edge: Edge }
    picture.append(edgePath(points, edge))
  }
  states.forEach((row, i) => picture.append(node(graph.node(String(i)) as unknown as Point, row)))
  return h('div', null, h('p', { class: 'soft' }, 'Thick arrows are probable transitions; a darker state takes more of the time.'), zoomable(picture, width, height))
}

function edgePath(points: Point[], edge: Edge): SVGElement {
  const last = points[points.length - 1]
  const before = points[points.length - 2] ?? points[0]
  const angle = Math.atan2(last.y - before.y, last.x - before.x)
  const at = (size: number, turn: number): string => `${last.x - size * Math.cos(angle + turn)},${last.y - size * Math.sin(angle + turn)}`
  // Smooth: through the middles of the points between.
  let path = `M${points[0].x} ${points[0].y}`
  for (let i = 1; i < points.length - 1; i++) {
    const middle = i === points.length - 2 ? last : { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 }
    path += ` Q${points[i].x} ${points[i].y} ${middle.x} ${middle.y}`
  }
  if (points.length === 2) path += ` L${last.x} ${last.y}`
  return svg('g', { class: 'edge', opacity: (0.25 + 0.75 * edge.probability).toFixed(2) },
    svg('title', {}, `${short(edge.from, 80)} → ${short(edge.to, 80)}: ${percent(edge.probability * 100)}, ${edge.count} times`),
    svg('path', { d: path, 'stroke-width': (0.8 + 2.6 * edge.probability).toFixed(2) }), svg('polygon', { points: `${last.x},${last.y} ${at(7, 0.4)} ${at(7, -0.4)}` }))
}

function node(at: Point, row: Row): SVGElement {
  const total = row.total as Time | null
  const share = total?.percent ?? 0
  return svg('g', { class: 'node', transform: `translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})` },
    svg('title', {}, `${short(String(row.state), 120)}: ${percent(share)} of the time, ${String(row.visits)} visits`),
    svg('rect', { width: WIDTH, height: HEIGHT, rx: 5, fill: 'var(--paper)' }), svg('rect', { width: WIDTH, height: HEIGHT, rx: 5, fill: 'var(--accent)', 'fill-opacity': (0.06 + share / 100 * 0.5).toFixed(3) }),
    svg('text', { x: WIDTH / 2, y: 16, 'text-anchor': 'middle', 'font-weight': 600 }, short(String(row.state), 15)),
    svg('text', { x: WIDTH / 2, y: 30, 'text-anchor': 'middle', class: 'soft' }, `${percent(share)} · ${duration((row.mean as Time | null)?.seconds ?? 0)}`))
}
