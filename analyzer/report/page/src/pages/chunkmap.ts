// Which thread ran which iterations of a loop, and when: the longest execution that the report holds.

import type { App } from '../app'
import type { Chunk, ChunkMap, Run } from '../bundle/types'
import { button, h, short } from '../parts/dom'
import { count, duration } from '../time/format'
import { isDark, themeColor } from '../look/colors'
import { ontheme } from '../look/theme'

const ROW = 18
const NAME = 130
const AXIS = 22

/** Early iterations dark, late ones light (in dark mode too, where early ones stay above the background): readable without colour. */
function iterationColor(part: number): string {
  const low = isDark() ? 38 : 26
  return `hsl(${250 - part * 190} 62% ${low + part * 46}%)`
}

class Picture {
  readonly element: HTMLElement
  private readonly canvas = h('canvas', { class: 'chunk-canvas' })
  private readonly status = h('div', { class: 'soft number chunk-status' }, ' ')
  private readonly threads: number[]
  private readonly rowOf: Map<number, number>
  private byIteration = false

  constructor(private readonly run: Run, private readonly map: ChunkMap) {
    this.threads = [...new Set(map.list.map(chunk => chunk[0]))].sort((a, b) => a - b)
    this.rowOf = new Map(this.threads.map((location, i) => [location, i]))
    this.element = h('div', { class: 'chunk-map' }, this.canvas, this.status)
    this.canvas.addEventListener('pointermove', event => this.hover(event.offsetX, event.offsetY))
    this.canvas.addEventListener('pointerleave', () => {
      this.status.textContent = ' '
    })
    new ResizeObserver(() => this.draw()).observe(this.element)
    ontheme(() => this.draw())
  }

  turn(byIteration: boolean): void {
    this.byIteration = byIteration
    this.draw()
  }

  private get last(): number {
    return this.map.list.reduce((most, chunk) => Math.max(most, chunk[3] + chunk[4]), this.map.first + Math.max(1, this.map.iterations))
  }

  /** Horizontal extent of a chunk, in parts of the picture's width. */
  private extent([, begin, end, first, iterations]: Chunk): [number, number] {
    const { map } = this
    if (this.byIteration) {
      const all = this.last - map.first
      return [(first - map.first) / all, (first + iterations - map.first) / all]
    }
    const all = Math.max(1, map.instance_end - map.instance_begin)
    return [(begin - map.instance_begin) / all, (end - map.instance_begin) / all]
  }

  private draw(): void {
    const dpr = window.devicePixelRatio || 1
    const width = Math.min(1300, this.element.clientWidth)
    const height = this.threads.length * ROW + AXIS
    if (width < 100) return
    this.canvas.width = width * dpr
    this.canvas.height = height * dpr
    this.canvas.style.width = `${width}px`
    this.canvas.style.height = `${height}px`
    const context = this.canvas.getContext('2d') as CanvasRenderingContext2D
    context.scale(dpr, dpr)
    context.font = '11px system-ui, sans-serif'
    context.textBaseline = 'middle'
    const inner = width - NAME
    this.threads.forEach((location, row) => {
      context.fillStyle = themeColor('panel')
      context.fillRect(NAME, row * ROW, inner, ROW - 2)
      context.fillStyle = themeColor('soft')
      context.fillText(fit(context, short(this.run.timeline.locations[location]?.name ?? '?', 80), NAME - 12), 0, row * ROW + ROW / 2 - 1)
    })
    const all = Math.max(1, this.last - this.map.first)
    for (const chunk of this.map.list) {
      const [from, to] = this.extent(chunk)
      const x = NAME + from * inner
      const size = Math.max(0.75, (to - from) * inner - 0.5)
      context.fillStyle = iterationColor((chunk[3] - this.map.first) / all)
      context.fillRect(x, (this.rowOf.get(chunk[0]) ?? 0) * ROW, size, ROW - 2)
    }
    this.axis(context, inner, this.threads.length * ROW)
  }

  private axis(context: CanvasRenderingContext2D, inner: number, y: number): void {
    context.fillStyle = themeColor('soft')
    const { map, run } = this
    for (let i = 0; i <= 4; i++) {
      const text = this.byIteration ? count(Math.round(map.first + (this.last - map.first) * i / 4))
        : `+${duration((map.instance_end - map.instance_begin) * i / 4 / run.timeline.ticks_per_second)}`
      const width = context.measureText(text).width
      const x = NAME + inner * i / 4
      context.fillText(text, Math.min(Math.max(NAME, x - width / 2), NAME + inner - width), y + 11)
    }
  }

  private hover(x: number, y: number): void {
    const at = (x - NAME) / (Math.min(1300, this.element.clientWidth) - NAME)
    const location = this.threads[Math.floor(y / ROW)]
    const chunk = this.map.list.find(piece => {
      const [from, to] = this.extent(piece)
      return piece[0] === location && from <= at && at < to
    })
    if (!chunk) {
      this.status.textContent = ' '
      return
    }
    const [, begin, end, first, iterations] = chunk
    const tps = this.run.timeline.ticks_per_second
    this.status.textContent = `${short(this.run.timeline.locations[location].name, 60)}: iterations ${count(first)} to ${count(first + iterations - 1)} (${count(iterations)}), `
      + `from +${duration((begin - this.map.instance_begin) / tps)}, for ${duration((end - begin) / tps)}`
  }
}

function fit(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  let kept = text
  while (kept.length > 1 && context.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1)
  return `${kept}…`
}

export function chunkMap(app: App, run: Run, index: number, map: ChunkMap): HTMLElement {
  const picture = new Picture(run, map)
  const tps = run.timeline.ticks_per_second
  const box = h('input', { type: 'checkbox', onchange: () => picture.turn(box.checked) })
  return h('div', { class: 'part' },
    h('h3', null, 'Chunks of the longest execution'),
    h('p', { class: 'soft' }, `${count(map.iterations)} iterations in ${count(map.list.length)} pieces, ${duration((map.instance_end - map.instance_begin) / tps)}. Shades go from the first iteration (dark) to the last (light). `,
      button('show in the timeline', () => app.showPlace(index, map.list[0]?.[0] ?? null, map.instance_begin, map.instance_end), undefined, 'plain')),
    h('label', null, box, 'across: iterations in place of time'), picture.element)
}
