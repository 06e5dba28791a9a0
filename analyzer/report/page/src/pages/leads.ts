// Where a finding's link leads: to its page, or to the next one that has something about it.

import { rowsOf, type Run } from '../bundle/types'

/** Pages that say the same less closely, in order. */
const INSTEAD: Record<string, string[]> = { locks: ['waits', 'states'], imbalance: ['waits', 'states'], waits: ['states'], calls: ['states'] }

function hasSomething({ documents }: Run, page: string): boolean {
  switch (page) {
    case 'imbalance': return rowsOf(documents.imbalance, 'constructs').length > 0
    case 'locks': return rowsOf(documents.locks, 'locks').length > 0
    case 'waits': return rowsOf(documents.waits, 'waits').length > 0
    case 'calls': return Boolean(documents.calls)
    default: return true
  }
}

/** null: the finding is on the page that shows it. */
export function leadsTo(run: Run, page: string): string | null {
  return page === 'overview' ? null : [page, ...INSTEAD[page] ?? []].find(one => hasSomething(run, one)) ?? null
}
