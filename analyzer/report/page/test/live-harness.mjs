// Opening the page of heddle live --web in Chromium, and reading its lists.
import assert from 'node:assert/strict'
import { openBrowser } from './browser.mjs'
import { until } from './harness.mjs'

let browser

export async function start() {
  browser = await openBrowser()
}

export async function stop() {
  await browser?.close()
}

/** Opens the page at an address; `problems` gathers all that must not be. `expected`: what the console may say. */
export async function openLive(address, options = {}, expected = /^$/) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  context.setDefaultTimeout(120_000) // machines are shared
  const page = await context.newPage()
  page.problems = []
  page.on('console', message => {
    if (!expected.test(message.text())) page.problems.push(message.text())
  })
  page.on('pageerror', error => page.problems.push(error.message))
  page.on('dialog', dialog => page.problems.push(`dialog: ${dialog.message()}`))
  page.on('request', request => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) page.problems.push(`network: ${request.url()}`)
  })
  await page.goto(address)
  await until(page, () => document.querySelectorAll('.live-threads .grid-row').length > 0)
  return page
}

export async function closePage(page) {
  assert.deepEqual(page.problems, [])
  await page.context().close()
}

/** The texts of the rows of a list that are in the document, by cell. */
export const rows = (page, list) => page.locator(`.${list} .grid-row`).evaluateAll(elements => elements
  .sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place)).map(row => [...row.children].map(cell => cell.textContent)))
export const status = page => page.locator('.live-status').innerText()
