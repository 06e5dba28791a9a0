// The pages, in the order in which they are offered.

import type { Page } from '../app'
import { calls } from './calls'
import { compare } from './compare'
import { constructs } from './constructs'
import { curves } from './curves'
import { imbalance } from './imbalance'
import { locks } from './locks'
import { log } from './log'
import { model } from './model'
import { overview } from './overview'
import { profile } from './profile'
import { states } from './states'
import { tasks } from './tasks'
import { waits } from './waits'
import { why } from './why'
import { words } from './words'

export const pages: Page[] = [
  overview, compare, { id: 'timeline', title: 'Timeline' }, why, states, constructs, profile, calls, imbalance, locks, tasks, waits, curves, model, words, log,
]
