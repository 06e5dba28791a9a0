// The controls above the chart: scale, threads, what else is drawn.

import type { Run } from '../bundle/types'
import { button, h } from '../parts/dom'
import { factorOf, finestScale, largestFactor, largestStep, scaleOf, zoomedIn, zoomedOut } from '../time/scale'
import { scaleText } from '../time/format'
import type { Viewport } from '../time/viewport'
import type { Grouping, Level, Options, Sorting } from './options'
import type { Track } from '../tracks/track'
import { PATH } from './overlay'
import { statesThatOccur } from './legend'
import { stateKeys } from './paint'

export const ARROWS: [kind: string, label: string, hint: string][] = [
  ['lock', 'lock', 'from who held a lock to who waited for it'],
  ['fork', 'fork', 'from the thread that opens a parallel region to its team'],
  ['join', 'join', 'from the team back'],
  ['task', 'task', 'from where a task was created to where it ran'],
  [PATH, 'critical path', 'the chain of work that the length of the run depends on: where a thread waited, it is on the thread that ended the wait'],
]

export interface ControlActions { tracks: Track[]; zoomToSelection(): void; fit(): void; foldAll(): void; help(): void }

export class Controls {
  readonly element: HTMLElement
  private readonly factor: HTMLInputElement
  private readonly most: HTMLElement
  private readonly ratio: HTMLElement
  private readonly step: HTMLInputElement
  private readonly filter: HTMLInputElement
  private readonly sort: HTMLSelectElement
  private readonly group: HTMLSelectElement
  private readonly depth: HTMLInputElement
  private readonly height: HTMLSelectElement
  private readonly unhide: HTMLButtonElement
  private readonly level: HTMLSelectElement
  private readonly foldAll: HTMLButtonElement
  private readonly boxes: HTMLInputElement[] = []
  private readonly trackBoxes: HTMLInputElement[] = []

  constructor(private readonly runs: Run[], private readonly viewport: Viewport, private readonly options: Options, maxDepth: number, find: HTMLElement, private readonly actions: ControlActions) {
    const { scaling } = viewport
    this.factor = h('input', { type: 'number', min: '1', step: '1', class: 'narrow', aria: { label: 'scale factor' }, onchange: () => this.setFactor() })
    this.most = h('span', { class: 'soft' })
    this.ratio = h('span', { class: 'number soft', title: 'Time that one pixel stands for' })
    this.step = h('input', {
      type: 'number', min: '1', max: String(Math.floor(largestStep(scaling))), value: '50', class: 'narrow', title: 'By how much a scale factor magnifies, in percent',
      aria: { label: 'magnification step in percent' }, onchange: () => this.setStep(),
    })
    this.filter = h('input', { type: 'search', placeholder: 'threads: name or /regex/', class: 'filter', aria: { label: 'filter threads' }, oninput: () => this.set('filter', this.filter.value) })
    this.sort = select('sort threads', this.sortings(), value => this.set('sort', value as Sorting))
    this.group = select('group threads', [['none', 'not grouped'], ['process', 'by process'], ['kind', 'by kind'], ['team', 'by team'], ['group', 'by group']], value => this.set('group', value as Grouping))
    this.depth = h('input', { type: 'number', min: '0', max: String(maxDepth), placeholder: 'fit', class: 'tiny', aria: { label: 'levels of constructs' }, onchange: () => this.set('depth', this.depth.value === '' ? -1 : Math.max(0, Math.min(maxDepth, Number(this.depth.value) || 0))) })
    this.level = select('what lines of states show', [['model', 'states of the model'], ['threads', 'states of threads']], value => this.set('level', value as Level))
    this.level.title = 'Where a thread has two reasons not to work: the construct that waits, or that it sleeps, yields or has no processor there'
    this.foldAll = button('', () => actions.foldAll(), 'Show the sums of groups only, or their threads again (g)', 'small')
    this.height = select('height of a line', [['0', 'fitting lines'], ['2', 'tiny lines'], ['6', 'low lines'], ['12', 'small lines'], ['18', 'lines'], ['28', 'high lines']], value => this.set('rowHeight', Number(value)))
    this.unhide = button('', () => {
      options.hiddenThreads.clear()
      options.changed(true)
    }, 'Show the hidden threads again', 'small')
    this.element = this.build(maxDepth, find)
    viewport.onchange(() => this.show())
    options.onchange(() => this.show())
    this.show()
  }

  private build(maxDepth: number, find: HTMLElement): HTMLElement {
    const { viewport, options } = this
    const center = (): number => viewport.width / 2
    const direction = button('↓', () => {
      options.descending = !options.descending
      direction.textContent = options.descending ? '↑' : '↓'
      options.changed(true)
    }, 'Turn the order round', 'small')
    const increment = h('input', { type: 'number', min: '1', max: '100', value: String(options.incrementPercent), class: 'narrow', title: 'By how much the arrow keys move, in percent of the chart’s width', aria: { label: 'horizontal increment in percent' }, onchange: () => {
      options.incrementPercent = Math.min(100, Math.max(1, Number(increment.value) || 10))
    } })
    const kinds = new Set(this.runs.flatMap(run => run.timeline.arrows.map(arrow => arrow[0])))
    if (this.runs.some(run => run.timeline.paths?.some(path => path.length > 0))) kinds.add(PATH)
    const arrows = ARROWS.filter(([kind]) => kinds.has(kind)).map(([kind, label, hint]) => {
      const box = h('input', { type: 'checkbox', checked: options.arrows.has(kind), data: { arrow: kind }, onchange: () => {
        if (box.checked) options.arrows.add(kind)
        else options.arrows.delete(kind)
        options.changed(false)
      } })
      this.boxes.push(box)
      return h('label', { title: hint }, box, label)
    })
    const levels = this.runs.some(run => run.timeline.locations.some(({ lanes }) => lanes.some(({ kind }) => kind === 'threads')))
    return h('div', { class: 'controls' },
      h('div', { class: 'group' },
        button('Zoom to selection', () => this.actions.zoomToSelection(), 'Show what is selected as wide as the chart (f)', 'small'),
        button('Whole run', () => this.actions.fit(), 'Show the whole run (0)', 'small'),
        button('Back', () => history.back(), 'Back to the view before (Backspace)', 'small')),
      find,
      h('div', { class: 'group' }, this.filter, this.unhide, this.sort, direction, this.group, this.foldAll, levels ? this.level : null, this.height,
        maxDepth > 0 ? h('label', { title: 'How many levels of nested constructs are drawn below each thread’s states; empty: as many as there is room for' }, 'constructs ', this.depth) : null),
      arrows.length > 0 ? h('div', { class: 'group' }, h('span', { class: 'soft' }, 'lines'), ...arrows) : null,
      this.trackChoice(),
      h('div', { class: 'group' },
        button('−', () => viewport.zoom(zoomedOut(viewport.scaling, viewport.scale), center()), 'Zoom out one scale factor (o)', 'small'),
        h('label', { title: 'Scale factor: 1 shows the whole run in 100 pixels' }, 'scale ', this.factor), this.most,
        button('+', () => viewport.zoom(zoomedIn(viewport.scaling, viewport.scale), center()), 'Zoom in one scale factor (i)', 'small'),
        h('label', null, 'step ', this.step, ' %'), h('label', null, 'move ', increment, ' %'), this.ratio),
      h('div', { class: 'group' }, button('Keys ?', () => this.actions.help(), 'Which keys and mouse buttons do what (?)', 'small')))
  }

  /** Which tracks are drawn below the threads: the first ones beside their group, the others in a list. */
  private trackChoice(): HTMLElement | null {
    const { options, trackBoxes } = this
    const tracks = [...new Map(this.actions.tracks.map(track => [track.key, track])).values()]
    const labels = tracks.map(({ key, label, hint }) => {
      const box = h('input', { type: 'checkbox', data: { track: key }, onchange: () => options.toggle(options.tracks, key, false) })
      trackBoxes.push(box)
      return h('label', { title: hint }, box, label)
    })
    const FEW = 3
    return labels.length === 0 ? null : h('div', { class: 'group' }, h('span', { class: 'soft' }, 'tracks'), ...labels.slice(0, FEW),
      labels.length > FEW ? h('details', { class: 'more-tracks' }, h('summary', null, 'values'), h('div', null, ...labels.slice(FEW))) : null)
  }

  private sortings(): [string, string][] {
    const list: [string, string][] = [['trace', 'order of the trace'], ['name', 'by name'], ['begin', 'by begin'], ['lifetime', 'by lifetime'], ['likeness', 'by likeness']]
    const run = this.runs[0]
    const keys = stateKeys(run)
    for (const state of statesThatOccur(run)) list.push([`time:${keys[state]}`, `by ${run.timeline.states[state]}`])
    return list
  }

  private set<K extends 'filter' | 'sort' | 'group' | 'depth' | 'rowHeight' | 'level'>(key: K, value: Options[K]): void {
    this.options[key] = value
    this.options.changed(true)
  }

  private setFactor(): void {
    const { viewport } = this
    const factor = Math.max(1, Math.round(Number(this.factor.value) || 1))
    const scale = factor > largestFactor(viewport.scaling) ? finestScale(viewport.scaling) : scaleOf(viewport.scaling, factor)
    viewport.zoom(scale, viewport.width / 2)
  }

  private setStep(): void {
    const { viewport } = this
    viewport.stepPercent = Math.min(largestStep(viewport.scaling), Math.max(1, Number(this.step.value) || 50))
    // As near to the present magnification as the new steps allow.
    viewport.zoom(scaleOf(viewport.scaling, Math.max(1, factorOf(viewport.scaling, viewport.scale))), viewport.width / 2)
  }

  /** Say what is set, by whomever. */
  show(): void {
    const { viewport, options } = this
    const { scaling } = viewport
    const most = largestFactor(scaling)
    const factor = viewport.scale <= finestScale(scaling) * (1 + 1e-9) ? most + 1 : factorOf(scaling, viewport.scale)
    if (document.activeElement !== this.factor) this.factor.value = String(factor)
    this.factor.max = String(most + 1)
    this.most.textContent = factor > most ? '(max+)' : `of ${most}+`
    this.ratio.textContent = scaleText(viewport.scale, viewport.ticksPerSecond)
    if (document.activeElement !== this.step) this.step.value = String(Math.round(viewport.stepPercent))
    if (document.activeElement !== this.filter) this.filter.value = options.filter
    this.unhide.hidden = options.hiddenThreads.size === 0
    this.unhide.textContent = `show ${options.hiddenThreads.size} hidden`
    for (const box of this.boxes) box.checked = options.arrows.has(box.dataset.arrow ?? '')
    for (const box of this.trackBoxes) box.checked = options.tracks.has(box.dataset.track ?? '')
    this.sort.value = options.sort
    this.group.value = options.group
    if (document.activeElement !== this.depth) this.depth.value = options.depth < 0 ? '' : String(options.depth)
    this.level.value = options.level
    this.foldAll.hidden = options.group === 'none'
    this.foldAll.textContent = options.folded.size > 0 ? 'unfold' : 'fold'
    this.height.value = String(options.rowHeight)
  }
}

function select(label: string, choices: [value: string, text: string][], act: (value: string) => void): HTMLSelectElement {
  const element = h('select', { aria: { label }, title: label }, ...choices.map(([value, text]) => h('option', { value }, text)))
  element.addEventListener('change', () => act(element.value))
  return element
}
