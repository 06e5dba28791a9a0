// The pages, in the order in which they are offered.

import type { Page } from '../app'
import { overview } from './overview'

export const pages: Page[] = [
  overview,
  { id: 'timeline', title: 'Timeline' },
]
