// Pictures of a report's pages: node test/screenshots.mjs REPORT.html DIRECTORY [--dark] [--print] [--width N] [--height N] [PAGE[?PARAMETERS]]...
// Without PAGE: all that the report has. --all: all widths that are looked at, light, dark and printed.
import { basename, join, resolve } from 'node:path'
import { openBrowser } from './browser.mjs'
import { until } from './harness.mjs'

const args = process.argv.slice(2)
const option = (name, otherwise) => args.includes(name) ? Number(args.splice(args.indexOf(name), 2)[1]) : otherwise
const flag = name => args.includes(name) && args.splice(args.indexOf(name), 1).length > 0
const [one, height] = [option('--width', 1440), option('--height', 900)]
const [dark, print, all] = [flag('--dark'), flag('--print'), flag('--all')]
const [report, directory, ...pages] = args
const kinds = all ? [[400, 'light'], [400, 'dark'], [1440, 'light'], [1440, 'dark'], [2560, 'light'], [2560, 'dark'], [1032, 'print']] : [[one, print ? 'print' : dark ? 'dark' : 'light']]

const browser = await openBrowser()
for (const [width, kind] of kinds) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: kind === 'dark' ? 'dark' : 'light' })
  page.setDefaultTimeout(120_000)
  page.on('console', message => console.log(`console: ${message.text()}`))
  page.on('pageerror', error => console.log(`error: ${error.message}`))
  const show = async name => {
    await page.goto('about:blank')
    await page.goto(`file://${resolve(report)}#${name}`)
    await until(page, () => window.heddle !== undefined)
  }
  await show('overview')
  const offered = await page.locator('nav.pages a').evaluateAll(links => links.map(link => link.hash.slice(1)))
  for (const name of pages.length > 0 ? pages : offered) {
    await show(name)
    if (kind === 'print') await page.emulateMedia({ media: 'print' })
    await page.waitForTimeout(400)
    const suffix = all ? `-${width}-${kind}` : kind === 'light' ? '' : `-${kind}`
    await page.screenshot({ path: join(directory, `${basename(name.split('?')[0])}${suffix}.png`), fullPage: kind === 'print' })
    if (kind === 'print') await page.emulateMedia({ media: 'screen' })
  }
  await page.close()
}
await browser.close()
