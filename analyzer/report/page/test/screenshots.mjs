// Pictures of a report's pages: node test/screenshots.mjs REPORT.html DIRECTORY [--dark] [--width N] [--height N] [PAGE[?PARAMETERS]]...
import { basename, join, resolve } from 'node:path'
import { openBrowser } from './browser.mjs'
import { until } from './harness.mjs'

const args = process.argv.slice(2)
const option = (name, otherwise) => args.includes(name) ? Number(args.splice(args.indexOf(name), 2)[1]) : otherwise
const width = option('--width', 1440)
const height = option('--height', 900)
const dark = args.includes('--dark') && args.splice(args.indexOf('--dark'), 1).length > 0
const [report, directory, ...pages] = args

const browser = await openBrowser()
const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' })
page.setDefaultTimeout(120_000)
page.on('console', message => console.log(`console: ${message.text()}`))
page.on('pageerror', error => console.log(`error: ${error.message}`))
for (const name of pages.length > 0 ? pages : ['overview', 'timeline', 'states', 'imbalance', 'locks', 'model', 'log']) {
  await page.goto('about:blank')
  await page.goto(`file://${resolve(report)}#${name}`)
  await until(page, () => window.heddle !== undefined)
  await page.waitForTimeout(400)
  await page.screenshot({ path: join(directory, `${basename(name.split('?')[0])}${dark ? '-dark' : ''}.png`) })
}
await browser.close()
