// The report: opens the bundle that stands in the page, and shows it.

import './look/style.css'
import '../libraries/uPlot.min.css'
import { readBundle, type Opened } from './bundle/read'
import type { App, Page } from './app'
import { append, button, clipped, h, short } from './parts/dom'
import { LaneStore } from './lanes/store'
import { Timeline } from './timeline/timeline'
import { applyFragment, fragmentOf, readFragment } from './fragment'
import { startTheme, ontheme } from './look/theme'
import { themeSelect } from './parts/themeselect'
import { installHooks } from './hooks'
import { pages } from './pages/pages'

class Shell {
  private readonly main = h('main')
  private readonly links = new Map<string, HTMLAnchorElement>()
  private readonly built = new Map<string, HTMLElement>()
  private current = ''
  private pendingFragment = 0
  private address = location.hash // as last read or written here
  private readonly app: App

  constructor(private readonly root: HTMLElement, opened: Opened) {
    const { bundle, sources } = opened
    const stores = bundle.runs.map((run, i) => new LaneStore(run, sources[i]))
    const timeline = new Timeline(bundle.runs, stores)
    this.app = {
      bundle, stores, timeline,
      calls: [],
      go: page => this.show(page),
      showPlace: (run, location, begin, end) => {
        this.show('timeline')
        timeline.goTo(run, location, begin, end)
      },
    }
    document.title = `${bundle.runs.map(run => short(run.title, 60)).join(' and ')} – Heddle`
    this.root.replaceChildren(this.header(), this.main)
    const { page, parameters } = readFragment()
    this.show('timeline') // gives the charts their size
    applyFragment(parameters, timeline)
    this.show(page)
    timeline.onchange = () => this.keepFragment()
    if (timeline.sampled) {
      timeline.sampled.onpick = (run, code) => {
        this.show('calls')
        this.app.calls[run]?.open(code)
      }
    }
    ontheme(() => this.keepFragment())
    window.addEventListener('hashchange', () => this.fromAddress())
    installHooks(this.app)
  }

  private get offered(): Page[] {
    const { runs } = this.app.bundle
    const has: Record<string, boolean> = { compare: runs.length > 1, calls: runs.some(run => run.documents.calls) }
    return pages.filter(page => has[page.id] ?? true)
  }

  private header(): HTMLElement {
    const { runs } = this.app.bundle
    const links = this.offered.map(page => {
      const link = h('a', { href: `#${page.id}` }, page.title)
      link.addEventListener('click', event => {
        event.preventDefault()
        this.show(page.id)
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
      else element.append(h('div', { class: 'sides' }, ...parts.map((part, i) => h('div', null, h('h2', { class: 'side-title' }, clipped(`${'AB'[i]}: ${runs[i].title}`)), part))))
    }
    this.built.set(page.id, element)
    return element
  }

  private keepFragment(): void {
    window.clearTimeout(this.pendingFragment)
    this.pendingFragment = window.setTimeout(() => {
      if (location.hash !== this.address) return // the user asks for another place: hashchange is on its way
      const fragment = fragmentOf(this.current, this.app.timeline)
      if (fragment !== location.hash) history.replaceState(null, '', fragment)
      this.address = location.hash
    }, 200)
  }

  private fromAddress(): void {
    this.address = location.hash
    const { page, parameters } = readFragment()
    const { timeline } = this.app
    this.show('timeline')
    applyFragment(parameters, timeline)
    this.show(page)
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
