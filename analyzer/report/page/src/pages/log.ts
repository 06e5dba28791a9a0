// How the report was made, so that it can be made again; and the words of the trace's own bookkeeping.

import type { App, Page } from '../app'
import { rowsOf, type Run } from '../bundle/types'
import { h, short } from '../parts/dom'
import { count, grouped } from '../time/format'
import { field, Table } from '../parts/table'

const COUNTS: [key: string, title: string][] = [
  ['events', 'events'], ['events_lost', 'events lost'], ['events_not_measured', 'events not measured'], ['threads_lost', 'threads lost'], ['instances_omitted', 'executions summed in place of recorded'],
  ['chunks_derived', 'chunks derived from the schedule'], ['chunks_summed', 'chunks summed'], ['ends_corrected', 'ends corrected'], ['ends_forced', 'ends forced at the end of the trace'], ['ends_unmatched', 'ends without a beginning'],
]

function build(app: App, run: Run): HTMLElement {
  const { info } = run.documents
  const { timeline } = run
  return h('div', null,
    h('section', null, h('h2', null, 'How this was made'),
      run.log.length > 0
        ? h('dl', { class: 'facts' }, ...run.log.flatMap(({ what, text }) => [h('dt', null, short(what, 80)), h('dd', null, short(text, 1000))]))
        : h('p', { class: 'empty' }, 'Nothing was logged.'),
      h('p', { class: 'soft' }, `Page and figures by ${short(app.bundle.generator, 80)}. All times are whole ticks of ${count(timeline.ticks_per_second)} a second; the trace starts at tick ${grouped(timeline.start)}.`)),
    h('section', null, h('h2', null, 'What was lost, derived or summed'),
      run.notes.length > 0 ? h('ul', { class: 'notes' }, ...run.notes.map(note => h('li', null, short(note, 1000)))) : h('p', { class: 'empty' }, 'Nothing.'),
      h('dl', { class: 'facts' }, ...COUNTS.filter(([key]) => typeof info?.[key] === 'number').flatMap(([key, title]) => [h('dt', null, title), h('dd', null, count(info?.[key] as number))]))),
    h('section', null, h('h2', null, 'Levels of detail'),
      h('p', null, timeline.levels_kept_from > 0
        ? `To stay small, this file leaves out states shorter than ${count(timeline.level_thresholds[timeline.levels_kept_from])} ticks; in a row, they are one elided stretch. Sums and tables are of all states.`
        : 'Every state of the trace is here.')),
    h('section', null, h('h2', null, 'Events'), new Table({
      name: 'events by kind', rows: rowsOf(info, 'events_by_kind'), columns: [field('event', 'event', 'text'), field('count', 'count', 'count')], empty: 'The report does not say.',
    }).element))
}

export const log: Page = { id: 'log', title: 'Log', build }
