// The pages, in the order in which they are offered.

import type { Page } from '../app'
import { calls } from './calls'
import { compare } from './compare'
import { curves } from './curves'
import { imbalance } from './imbalance'
import { locks } from './locks'
import { log } from './log'
import { model } from './model'
import { overview } from './overview'
import { states } from './states'
import { waits } from './waits'

export const pages: Page[] = [overview, { id: 'timeline', title: 'Timeline' }, states, calls, curves, imbalance, locks, waits, model, compare, log]
