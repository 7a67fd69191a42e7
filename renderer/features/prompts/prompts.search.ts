import { z } from 'zod'
import { environments } from '../../../contract/live.ts'
import { promptSorts } from '../../../contract/prompt-list.ts'
import type { PeriodSearch } from '../../lib/period.ts'
import { instant, listSearch, many, manyOf, one, oneOf } from '../../lib/search.ts'

export const promptsSearch = z.object({
  ...listSearch,
  sort: oneOf(promptSorts),
  workspace: one(),
  env: manyOf(environments),
  folder: one(),
  category: many(),
  tag: many(),
  /** One prompt by its whole key: where a link comes from that knows no id. */
  key: many(),
  draft: oneOf(['true', 'false']),
  view: oneOf(['trash']),
})
export type PromptsSearch = z.output<typeof promptsSearch>

export const tabs = ['edit', 'versions', 'runs', 'clients', 'audit'] as const
export type Tab = (typeof tabs)[number]

/** What the run chart can show without zooming; the first unless chosen. */
export const fewPeriods = ['24h', '7d', '30d'] as const

export const promptSearch = z.object({
  tab: oneOf(tabs),
  /** The sides of the comparison on Versions: `v3`, `draft`, `served`; `none` before the first. */
  from: one(),
  to: one(),
  /** What the chart on Runs shows: a period, or what was zoomed into. */
  period: oneOf(fewPeriods),
  since: instant(),
  until: instant(),
  view: oneOf(['table']),
  /** The page of Audit, and the entry that is open there. */
  cursor: one(),
  entry: one(),
  /** A dialog to begin with. */
  open: oneOf(['publish']),
})
export type PromptSearch = z.output<typeof promptSearch>

export const spanOf = ({ period, since, until }: PromptSearch): PeriodSearch => ({
  period,
  from: since,
  to: until,
})

/** Another tab starts as it is, whatever the one before it showed. */
export const onTab = (tab: Tab) =>
  ({
    tab,
    from: undefined,
    to: undefined,
    period: undefined,
    since: undefined,
    until: undefined,
    view: undefined,
    cursor: undefined,
    entry: undefined,
  }) as const
