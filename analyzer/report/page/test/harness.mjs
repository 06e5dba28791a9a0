// Opening reports in Chromium, and asking the page what it shows.
import assert from 'node:assert/strict'
import { openBrowser } from './browser.mjs'

let browser

export async function start() {
  browser = await openBrowser()
}

export async function stop() {
  await browser?.close()
}

const pages = new Map()
let opened = 0

/**
 * Shows a report, in a page that tests share unless they want one with options of its own.
 * `problems` gathers all that must not be.
 */
export async function open(file, fragment = '#overview', options = null) {
  const known = options ? undefined : pages.get(file)
  if (known) {
    // Another address each time, so that the page takes it as a new one.
    const address = `${fragment}${fragment.includes('?') ? '&' : '?'}n=${++opened}`
    await known.evaluate(hash => { location.hash = hash }, address)
    await until(known, id => document.querySelector(`main > .page-${id}`)?.getClientRects().length > 0, /^#(\w+)/.exec(fragment)[1])
    await settled(known)
    return known
  }
  const context = await browser.newContext({ viewport: { width: 1000, height: 620 }, ...options })
  context.setDefaultTimeout(120_000) // machines are shared
  const page = await context.newPage()
  if (!options) pages.set(file, page)
  page.problems = []
  const own = file.includes('://') ? new URL(file).origin : 'file:'
  page.on('console', message => {
    // The tests' own doing.
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('willReadFrequently')) page.problems.push(message.text())
  })
  page.on('pageerror', error => page.problems.push(error.message))
  page.on('dialog', dialog => page.problems.push(`dialog: ${dialog.message()}`))
  page.on('request', request => {
    if (!request.url().startsWith(own) && !request.url().startsWith('data:')) page.problems.push(`network: ${request.url()}`)
  })
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text } } })
  })
  await page.goto(`${file.includes('://') ? file : `file://${file}`}${fragment}`)
  await until(page, () => window.heddle !== undefined)
  await settled(page)
  return page
}

/**
 * Until `what` holds in the page. Playwright's own waitForFunction polls by eval, which the page's policy of content
 * forbids unless it holds at once.
 */
export async function until(page, what, argument) {
  for (const end = Date.now() + 120_000; !await page.evaluate(what, argument);) {
    assert.ok(Date.now() < end, `it never holds: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Until nothing is drawn any more. */
export async function settled(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 0)))
    for (let quiet = 0, before = -1; quiet < 2;) {
      await frame()
      quiet = window.heddle.frames.length === before ? quiet + 1 : 0
      before = window.heddle.frames.length
    }
  })
}

export async function close(page) {
  assert.deepEqual(page.problems, [])
  if (![...pages.values()].includes(page)) await page.context().close()
}

export const go = (page, id) => page.click(`nav.pages a[href="#${id}"]`)
export const view = page => page.evaluate(() => window.heddle.view())
export const setView = async (page, begin, scale) => {
  await page.evaluate(([b, s]) => window.heddle.setView(b, s), [begin, scale])
  await settled(page)
}
export const drawn = (page, location, lane = 0) => page.evaluate(([l, k]) => window.heddle.drawn(l, k), [location, lane])
