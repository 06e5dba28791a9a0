// Time until a report is drawn, and of frames: node test/bench.mjs REPORT.html, or of a made-up one: node test/bench.mjs THREADS SEGMENTS. Whole run, zooms, moves in time and over threads, with lines of several heights; then a pan, without and with arrows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { close, open, start, stop } from './harness.mjs'
import { makeRun, report } from './make-bundle.mjs'

const LIMIT_MS = 50
const arguments_ = process.argv.slice(2)
const given = arguments_.length === 1
const directory = mkdtempSync(join(tmpdir(), 'heddle-page-'))
const file = given ? resolve(arguments_[0]) : join(directory, 'bench.html')

/** Goes through the steps, waits for what is loaded, and gives the times of the frames that then have all. */
function drive(page, steps) {
  return page.evaluate(async list => {
    const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 0)))
    const { frames } = window.heddle
    const scroller = document.querySelector('.chart-scroller')
    const times = []
    for (const { begin, scale, top } of list) {
      window.heddle.setView(begin, scale)
      scroller.scrollTop = top * (scroller.scrollHeight - scroller.clientHeight)
      // What is loaded draws anew: until that is over.
      for (let quiet = 0, drawn = -1; quiet < 3;) {
        await frame()
        quiet = frames.length === drawn ? quiet + 1 : 0
        drawn = frames.length
      }
      const before = frames.length
      window.heddle.redraw()
      await frame()
      times.push(...frames.slice(before))
    }
    return times
  }, steps)
}

/** Moves on in time with each frame, and gives the times of all frames, also of those that do not have all that is to be drawn yet. */
function pan(page, begin, scale, pixels) {
  return page.evaluate(async ([from, ticks, step]) => {
    const { frames } = window.heddle
    window.heddle.setView(from, ticks)
    await new Promise(resolve => setTimeout(resolve, 1000))
    const before = frames.length
    for (let i = 1; i <= 120; i++) {
      window.heddle.setView(from + i * step * ticks, ticks)
      await new Promise(resolve => requestAnimationFrame(resolve))
    }
    return frames.slice(before)
  }, [begin, scale, pixels])
}

const part = (list, share) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)]
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

try {
  if (!given) writeFileSync(file, report([makeRun({ threads: Number(arguments_[0]), segments: Number(arguments_[1]) })]))
  await start()
  let worst = 0
  for (const height of [18, 6, 2]) {
    const begun = performance.now()
    const page = await open(file, `#timeline?height=${height}`, {})
    console.log(`opened and drawn after ${((performance.now() - begun) / 1000).toFixed(2)} s`)
    const { width } = await page.evaluate(() => window.heddle.view())
    const duration = await page.evaluate(() => window.heddle.bundle.runs[0].timeline.duration)
    const whole = duration / width
    const steps = Array.from({ length: 40 }, (_, i) => ({ scale: whole / 1.5 ** (i % 20), begin: duration * ((i * 0.37) % 0.9), top: (i * 0.61) % 1 }))
    const times = await drive(page, steps)
    console.log(`lines of ${height} pixels: ${times.length} frames, median ${median(times).toFixed(1)} ms, largest ${Math.max(...times).toFixed(1)} ms`)
    worst = Math.max(worst, median(times))
    for (const arrows of ['', '&arrows=lock,fork,join,task,path']) {
      if (arrows) await page.evaluate(hash => { location.hash = hash }, `#timeline?height=${height}${arrows}`)
      const moved = await pan(page, duration * 0.3, whole / 20, 12)
      console.log(`  pan ${arrows ? 'with all arrows' : 'without arrows'}: ${moved.length} frames, median ${median(moved).toFixed(1)} ms, 95 % below ${part(moved, 0.95).toFixed(1)} ms, largest ${part(moved, 1).toFixed(1)} ms`)
    }
    await close(page)
  }
  if (worst >= LIMIT_MS) {
    console.error(`a frame takes ${worst.toFixed(1)} ms; ${LIMIT_MS} ms are allowed`)
    process.exitCode = 1
  }
} finally {
  await stop()
  rmSync(directory, { recursive: true, force: true })
}
