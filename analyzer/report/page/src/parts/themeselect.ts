// The choice of colours: light, dark, as the system.

import { h } from './dom'
import { chooseTheme, ontheme, themeChoice, type Choice } from '../look/theme'

export function themeSelect(): HTMLSelectElement {
  const select = h('select', { title: 'Colours', aria: { label: 'colours' }, data: { control: 'theme' } },
    ...(['system', 'light', 'dark'] as Choice[]).map(choice => h('option', { value: choice }, choice === 'system' ? 'as the system' : choice)))
  select.addEventListener('change', () => chooseTheme(select.value as Choice))
  ontheme(() => {
    select.value = themeChoice()
  })
  return select
}
