// The report: opens the bundle that stands in the page, and shows it.

import './look/style.css'
import '../libraries/uPlot.min.css'
import { readBundle, type Opened } from './bundle/read'
import type { App, Page } from './app'
import { append, button, clipped, h, short } from './parts/dom'
import { LaneStore } from './lanes/store'
import { Timeline } from './timeline/timeline'
import { apply, changed, choicesOf, read, written, type Choices } from './choices'
import { applyFragment, fragmentOf, readFragment } from './fragment'
import { startTheme, ontheme } from './look/theme'
import { themeSelect } from './parts/themeselect'
import { installHooks } from './hooks'
import { countFrom } from './time/format'
import { pages } from './pages/pages'
import { letter } from './pages/runs'
import { isProfile } from './pages/profile'

/** Pages that a profile has not. */
const NEED_EVENTS = { timeline: false, constructs: false, curves: false, waits: false, model: false }

class Shell {
  private readonly main = h('main')
  private readonly links = new Map<string, HTMLAnchorElement>()
  private readonly built = new Map<string, HTMLElement>()
  /** the choices of pages as they were made */
  private readonly made = new Map<string, Choices>()
  private current = ''
  private pendingFragment = 0
  private address = location.hash // as last read or written here
  private leaving = false
  private readonly app: App

  constructor(private readonly root: HTMLElement, opened: Opened) {
    const { bundle, sources } = opened
    const stores = bundle.runs.map((run, i) => new LaneStore(run, sources[i]))
    const timeline = new Timeline(bundle.runs, stores)
    // Two runs share one axis, on which each begins at its own start.
    if (bundle.runs.length === 1) countFrom((bundle.runs[0].timeline.since_begin ?? 0) / (bundle.runs[0].timeline.ticks_per_second || 1))
    this.app = {
      bundle, stores, timeline,
      calls: [],
      constructs: [],
      go: page => this.navigate(page),
      has: id => this.offered.some(page => page.id === id),
      showConstruct: (run, name) => {
        this.navigate(bundle.runs[run].documents.profile ? 'profile' : 'constructs')
        this.app.constructs[run]?.open(name)
      },
      showPlace: (run, location, begin, end) => {
        this.navigate('timeline')
        timeline.goTo(run, location, begin, end)
      },
    }
    document.title = `${bundle.runs.map(run => short(run.title, 60)).join(' and ')} – Heddle`
    this.root.replaceChildren(this.header(), this.main)
    this.showAddress() // the timeline first: that gives the charts their size
    timeline.onchange = () => this.keepFragment()
    timeline.onleave = () => this.leave()
    timeline.onfunction = (run, code) => {
      this.navigate('calls')
      this.app.calls[run]?.open(code)
    }
    if (timeline.sampled) timeline.sampled.onpick = timeline.onfunction
    ontheme(() => this.keepFragment())
    for (const type of ['change', 'input', 'click', 'keyup']) this.main.addEventListener(type, () => this.keepFragment())
    window.addEventListener('hashchange', () => this.fromAddress())
    installHooks(this.app)
  }

  private get offered(): Page[] {
    const { runs } = this.app.bundle
    const sums = runs.some(isProfile) // either all runs are profiles or none
    const has: Record<string, boolean> = { compare: runs.length > 1, calls: runs.some(run => (run.documents.calls?.taken ?? 0) > 0), tasks: runs.some(run => run.documents.tasks), profile: sums, ...(sums ? NEED_EVENTS : {}) }
    return pages.filter(page => has[page.id] ?? true)
  }

  private header(): HTMLElement {
    const { runs } = this.app.bundle
    const links = this.offered.map(page => {
      const link = h('a', { href: `#${page.id}` }, page.title)
      link.addEventListener('click', event => {
        event.preventDefault()
        this.navigate(page.id)
      })
      this.links.set(page.id, link)
      return link
    })
    return h('header', { class: 'top' }, h('span', { class: 'brand' }, 'Heddle'),
      h('h1', null, clipped(runs.map(run => run.title).join(' · '))),
      h('nav', { class: 'pages', aria: { label: 'pages' } }, ...links),
      h('div', { class: 'right' }, themeSelect(), button('Print', () => this.print(), 'Print this page', 'small')))
  }

  private show(id: string): void {
    const page = this.offered.find(({ id: known }) => known === id) ?? pages[0]
    this.current = page.id
    for (const [known, link] of this.links) {
      if (known === page.id) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    const element = this.pageElement(page)
    for (const other of this.main.children) (other as HTMLElement).hidden = other !== element
    if (!element.parentNode) this.main.append(element)
    element.hidden = false
    if (page.id !== 'timeline' && !this.made.has(page.id)) this.made.set(page.id, choicesOf(element))
    this.app.timeline.show(page.id === 'timeline')
    this.keepFragment()
  }

  private pageElement(page: Page): HTMLElement {
    const known = this.built.get(page.id)
    if (known) return known
    const element = h('div', { class: `page page-${page.id}` })
    if (page.id === 'timeline') {
      element.classList.add('full')
      element.append(this.app.timeline.element)
    } else if (page.whole) element.append(page.whole(this.app))
    else if (page.build) {
      const { runs } = this.app.bundle
      const parts = runs.map((run, i) => (page.build as NonNullable<Page['build']>)(this.app, run, i))
      if (parts.length === 1) element.append(parts[0])
      else element.append(h('div', { class: 'sides' }, ...parts.map((part, i) => h('div', null, h('h2', { class: 'side-title' }, clipped(`${letter(i)}: ${runs[i].title}`)), part))))
    }
    this.built.set(page.id, element)
    return element
  }

  /** Another page, from which Back leads here again. */
  private navigate(page: string): void {
    this.leave()
    this.show(page)
  }

  /** What comes next is another view, not this one adjusted: it gets an entry of its own in the browser's history. */
  private leave(): void {
    if (!this.leaving) this.writeFragment()
    this.leaving = true
    this.keepFragment()
  }

  private keepFragment(): void {
    window.clearTimeout(this.pendingFragment)
    this.pendingFragment = window.setTimeout(() => this.writeFragment(), 200)
  }

  private writeFragment(): void {
    window.clearTimeout(this.pendingFragment)
    if (location.hash !== this.address) return // the user asks for another place: hashchange is on its way
    const page = this.built.get(this.current)
    const made = this.made.get(this.current)
    const fragment = fragmentOf(this.current, this.app.timeline, page && made ? written(changed(choicesOf(page), made)) : [])
    if (fragment !== location.hash) history[this.leaving ? 'pushState' : 'replaceState'](null, '', fragment)
    this.leaving = false
    this.address = location.hash
  }

  private fromAddress(): void {
    this.address = location.hash
    this.leaving = false
    this.showAddress()
  }

  private showAddress(): void {
    const { page, parameters } = readFragment()
    this.show('timeline')
    applyFragment(parameters, this.app.timeline)
    this.show(this.app.bundle.runs.length > 1 && location.hash.length < 2 ? 'compare' : page) // two runs begin with what differs
    const element = this.built.get(this.current)
    const made = this.made.get(this.current)
    if (element && made) apply(element, made, read(parameters.getAll('c')))
  }

  private print(): void {
    window.print()
  }
}

async function start(): Promise<void> {
  const root = document.getElementById('app') as HTMLElement
  startTheme()
  try {
    const opened = await readBundle()
    if (opened) new Shell(root, opened)
    else append(root, h('p', { class: 'page' }, 'This page carries no report. `heddle report TRACE -o report.html` makes one.'))
  } catch (error) {
    root.replaceChildren(h('p', { class: 'page' }, `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`))
    throw error
  }
}

void start()
