// Light or dark: as the system says, or as the reader chose.

import { setColorVariables, setDark } from './colors'

export type Choice = 'system' | 'light' | 'dark'

const query = window.matchMedia('(prefers-color-scheme: dark)')
const listeners: (() => void)[] = []
let choice: Choice = 'system'
let printing = false

function apply(): void {
  const dark = !printing && (choice === 'dark' || (choice === 'system' && query.matches))
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  setDark(dark)
  setColorVariables(document.documentElement.style)
  for (const listener of listeners) listener()
}

export function startTheme(): void {
  query.addEventListener('change', apply)
  // Paper is white.
  window.addEventListener('beforeprint', () => {
    printing = true
    apply()
  })
  window.addEventListener('afterprint', () => {
    printing = false
    apply()
  })
  apply()
}

export function themeChoice(): Choice {
  return choice
}

export function chooseTheme(next: Choice): void {
  choice = next
  apply()
}

export function ontheme(listener: () => void): void {
  listeners.push(listener)
}
