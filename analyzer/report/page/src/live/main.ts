// What the threads of a running program do: asks heddle live for its readings, and shows them.

import '../look/style.css'
import './live.css'
import { announce, append, button, h, short } from '../parts/dom'
import { themeSelect } from '../parts/themeselect'
import { startTheme } from '../look/theme'
import { stateCss } from '../look/colors'
import { count, span } from '../time/format'
import type { Document } from '../bundle/types'
import { Chart, type Series } from './chart'
import { Feed, type Status } from './feed'
import { put } from './grid'
import { History } from './history'
import { constructGrid, lockGrid, metricGrid, threadGrid } from './lists'
import { Pairs } from './pairs'
import { groups, readingOf, textOf, type Answer, type Construct, type Reading, type Thread } from './reading'

const STATUS: Record<Status, [word: string, title: string]> = {
  live: ['live', 'Each reading is shown as it comes'],
  frozen: ['frozen', 'These figures stay until you go on'],
  ended: ['ended', 'The program has ended: this is its last reading'],
  silent: ['no answer', 'heddle live does not answer; the page asks again'],
  gone: ['gone', 'heddle live has ended: this is the last reading'],
}

type Picked = { thread: Thread } | { construct: Construct }

class Shell {
  private readonly title = h('h1')
  private readonly facts = h('span', { class: 'live-facts number' })
  private readonly status = h('span', { class: 'live-status' })
  private readonly freeze = button('Freeze', () => this.toggleFreeze(), 'Keep these figures', 'small')
  private readonly stretch = h('select', { title: 'What the figures are of', aria: { label: 'figures of' }, data: { control: 'stretch' } },
    h('option', { value: '0' }, 'of the last interval'), h('option', { value: '1' }, 'since the begin'))
  private readonly whole = new Chart('all')
  private readonly one = new Chart('picked')
  private readonly threads = threadGrid(thread => this.pick({ thread }))
  private readonly constructs = constructGrid(() => this.reading?.stretch ?? 0, construct => this.pick({ construct }))
  private readonly locks = lockGrid()
  private readonly metrics = metricGrid(() => this.reading?.stretch ?? 0)
  private readonly threadCount = h('small', { class: 'soft number' })
  private readonly history = new History()
  private readonly feed = new Feed((interval, whole) => this.take(interval, whole), () => this.showStatus())
  private readonly pairs = new Pairs(async query => (await this.feed.change(query)).error)
  private reading: Reading | undefined
  private picked: Picked | undefined
  private interval = 1
  /** states that have occurred: a chart keeps its legend */
  private readonly occurred = new Set<string>()

  constructor(root: HTMLElement) {
    this.stretch.addEventListener('change', () => this.feed.wantWhole(this.stretch.value === '1'))
    append(root, h('header', { class: 'top live-top' }, h('span', { class: 'brand' }, 'Heddle'), this.title, this.status, this.facts,
      h('div', { class: 'right' }, this.stretch, this.freeze, themeSelect())),
    h('main', { class: 'live' }, this.whole.element, this.one.element,
      h('section', { class: 'live-threads' }, h('h2', null, 'Threads ', this.threadCount), this.threads.element),
      h('section', { class: 'live-constructs' }, h('h2', null, 'Constructs'), this.constructs.element),
      h('section', { class: 'live-locks' }, h('h2', null, 'Locks'), this.locks.element),
      h('section', { class: 'live-metrics' }, h('h2', null, 'Other metrics'), this.pairs.element, this.metrics.element)))
    this.showStatus()
    this.feed.start()
    this.feed.change('metrics=1').then(({ metrics }) => this.pairs.know(metrics), () => undefined) // the field does without
  }

  private take(interval: Answer, whole: Answer | null): void {
    const last = interval.reading && readingOf(interval.reading)
    this.pairs.show(interval)
    if (last) this.history.add(interval.number, last)
    const shown = whole?.reading ? readingOf(whole.reading as Document) : last
    if (!shown) return
    this.reading = shown
    this.interval = interval.interval
    for (const [key] of groups) if (shown.all && Number((shown.all[key] as { ticks?: number } | null | undefined)?.ticks ?? 0) > 0) this.occurred.add(key)
    this.showFacts(interval)
    put(this.threadCount, count(shown.threads.length), '')
    this.threads.set(shown.threads)
    this.constructs.set(shown.constructs)
    this.locks.set(shown.locks)
    this.metrics.set(shown.metrics)
    const { top } = this.constructs
    if (!this.picked && top) this.pick({ construct: top })
    else this.drawCharts()
  }

  private showFacts(answer: Answer): void {
    const { program, pid, stretch } = this.reading as Reading
    document.title = `${short(program, 60)} – Heddle live`
    put(this.title, `${short(program, 100)} [${pid}]`)
    const text = [`${answer.over ? 'ran' : 'runs'} for ${span(answer.age)}`, `figures of ${stretch.toFixed(stretch < 10 ? 2 : 0)} s`, `read at ${new Date().toTimeString().slice(0, 8)}`].join(' · ')
    put(this.facts, text, `A reading each ${span(answer.interval)}; this is number ${answer.number}`)
  }

  private drawCharts(): void {
    const { history } = this
    const states = groups.map(([key, name], i) => ({ key, i, series: { name, color: stateCss(key, i) } satisfies Series })).filter(({ key }) => this.occurred.has(key))
    const series = states.map(one => one.series)
    const chosen = (values: (number[] | null)[]): (number[] | null)[] => values.map(list => list && states.map(({ i }) => list[i]))
    this.whole.draw('All threads', series, chosen(history.all()), this.interval)
    const { picked } = this
    if (!picked) this.one.draw('Pick a thread or a construct', [], [], this.interval)
    else if ('thread' in picked) this.one.draw(textOf(picked.thread.now.thread_name), series, chosen(history.thread(picked.thread.location)), this.interval)
    else this.one.draw(textOf(picked.construct.row.construct), [{ name: 'self time, of all threads’', color: 'color-mix(in srgb, var(--accent) 75%, var(--panel))' }], history.construct(picked.construct.key), this.interval)
  }

  private pick(picked: Picked): void {
    this.picked = picked
    this.threads.pick('thread' in picked ? String(picked.thread.location) : null)
    this.constructs.pick('construct' in picked ? picked.construct.key : null)
    this.drawCharts()
  }

  private toggleFreeze(): void {
    if (this.feed.status === 'live' || this.feed.status === 'silent') this.feed.freeze()
    else this.feed.start()
  }

  private showStatus(): void {
    const { status } = this.feed
    const [word, title] = STATUS[status]
    this.status.textContent = word
    this.status.title = title
    this.status.dataset.status = status
    this.freeze.textContent = status === 'frozen' ? 'Go on' : status === 'gone' ? 'Ask again' : 'Freeze'
    this.freeze.disabled = status === 'ended'
    this.stretch.disabled = status === 'frozen' || status === 'gone'
    if (status !== 'live') announce(title)
  }
}

startTheme()
new Shell(document.getElementById('app') as HTMLElement)
