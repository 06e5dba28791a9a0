// Whether everybody can read the pages: axe finds nothing on any of them, and colours differ for any kind of colour vision.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { go, open, settled, start, stop } from './harness.mjs'
import { closePage, openLive, start as startLive, stop as stopLive } from './live-harness.mjs'
import { document as reading, serve } from './live-server.mjs'
import { makeRun, report } from './make-bundle.mjs'
import { contrast, distance, linear, oklab, seen, VISIONS } from './vision.mjs'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const SIZES = [{ width: 400, height: 800 }, { width: 1440, height: 900 }]
const files = {}
let directory

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-access-'))
  for (const [name, runs] of Object.entries({ one: [makeRun({ threads: 4, segments: 800 })], two: [makeRun({ threads: 4, segments: 400 }), makeRun({ threads: 2, segments: 400, seed: 7, slower: 2 })], three: [1, 2, 3].map(seed => makeRun({ threads: 2, segments: 200, seed })) })) {
    files[name] = join(directory, `${name}.html`)
    writeFileSync(files[name], report(runs))
  }
  await start()
  await startLive()
})

after(async () => {
  await stop()
  await stopLive()
  rmSync(directory, { recursive: true, force: true })
})

/** What axe has against the page as it is shown, a line a rule. */
async function problems(page) {
  await page.addScriptTag({ path: AXE })
  return page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations
    .map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0].html.slice(0, 160)} ${nodes[0].any[0]?.message ?? ''}`))
}

for (const scheme of ['light', 'dark']) {
  for (const [name, viewport] of scheme === 'light' ? [['one', SIZES[0]], ['two', SIZES[1]]] : [['one', SIZES[1]]]) {
    test(`axe has nothing against the pages of ${name} run(s), ${scheme}, ${viewport.width} pixels wide`, async () => {
      const page = await open(files[name], '#overview', { viewport, colorScheme: scheme, bypassCSP: true })
      for (const id of await page.locator('nav.pages a').evaluateAll(links => links.map(link => link.hash.slice(1)))) {
        await go(page, id)
        await settled(page)
        assert.deepEqual(await problems(page), [], id)
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        assert.ok(beyond <= 0, `${id} is ${beyond} pixels too wide`)
      }
      await page.context().close()
    })
  }

  test(`axe has nothing against the comparison of three runs, ${scheme}`, async () => {
    const page = await open(files.three, '#compare', { viewport: SIZES[0], colorScheme: scheme, bypassCSP: true })
    assert.deepEqual(await problems(page), [])
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
    await page.context().close()
  })

  test(`axe has nothing against the page of heddle live, ${scheme}`, async () => {
    const shares = { run: 0.5, synch: 0.5, synch_barrier: 0.5 }
    const last = reading({ threads: [0, 1, 2].map(i => ({ name: `OpenMP thread ${i}`, shares })), constructs: [{ name: '!$omp for @a.c:10', self: 1, won: 0.2 }], locks: [{ place: '!$omp critical @a.c:20', acquired: 3, wait: 0.1 }] })
    const server = await serve(process.env.HEDDLE_LIVE_PAGE, { number: 1, last })
    const page = await openLive(server.address, { colorScheme: scheme, bypassCSP: true })
    assert.deepEqual(await problems(page), [])
    await closePage(page)
    await server.stop()
  })

  /** Two colours of which a person sees no difference are about 2 apart. */
  test(`colours of states differ from the page by 3:1 and from each other, ${scheme}`, async () => {
    const page = await open(files.one, '#overview', { viewport: SIZES[1], colorScheme: scheme })
    const [states, others, papers] = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement)
      const named = prefix => [...document.documentElement.style].filter(name => name.startsWith(prefix)).map(name => [name, style.getPropertyValue(name).trim()])
      return [named('--state-'), named('--other-'), ['--paper', '--panel', '--chart'].map(name => style.getPropertyValue(name).trim())]
    })
    assert.ok(states.length > 20 && others.length > 5)
    for (const [name, color] of [...states, ...others]) {
      for (const paper of papers) assert.ok(contrast(linear(color), linear(paper)) >= 3, `${name} ${color} on ${paper}: ${contrast(linear(color), linear(paper)).toFixed(2)}:1`)
    }
    // SYNCH and BLOCKED are sums: each has the colour of one of its causes.
    const apart = states.filter(([name]) => !['--state-synch', '--state-blocked'].includes(name))
    for (const vision of Object.keys(VISIONS)) {
      const looks = apart.map(([, color]) => oklab(seen(linear(color), vision)))
      for (let i = 0; i < looks.length; i++) {
        for (let j = 0; j < i; j++) assert.ok(distance(looks[i], looks[j]) >= 4, `${apart[i]} and ${apart[j]} are ${distance(looks[i], looks[j]).toFixed(1)} apart for a ${vision}`)
      }
    }
    await page.context().close()
  })
}
