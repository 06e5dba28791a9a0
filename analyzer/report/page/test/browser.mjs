// Debian's Chromium, without a window.
import { chromium } from 'playwright-core'

export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'] })
}
