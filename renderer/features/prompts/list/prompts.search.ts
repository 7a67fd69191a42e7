import { z } from 'zod'
import { environments } from '../../../../contract/common/environments.ts'
import { keySorts } from '../../../../contract/prompts/prompt-keys.ts'
import type { PeriodSearch } from '../../../lib/format/period.ts'
import { manyOf, oneOf, textListParam, textParam, timeParam } from '../../../lib/page/search.ts'
import { resourceSearch } from '../../../shared/resources/list/search.ts'

export const promptsSearch = z.object({
  ...resourceSearch,
  sort: oneOf(keySorts),
  env: manyOf(environments),
  folder: textParam(),
  category: textListParam(),
  tag: textListParam(),
  draft: oneOf(['true', 'false']),
  /** `trash` for the deleted prompts, otherwise the id of the open saved view. */
  view: textParam(),
})
export type PromptsSearch = z.output<typeof promptsSearch>

export const tabs = ['edit', 'versions', 'runs', 'clients', 'audit'] as const
export type Tab = (typeof tabs)[number]

/** Periods of the run chart; the first is the default. */
export const runChartPeriods = ['24h', '7d', '30d'] as const

export const promptSearch = z.object({
  tab: oneOf(tabs),
  /**
   * The sides of the comparison on the Versions tab: `v3`, `draft`, `served`, or `none` for an empty side.
   */
  from: textParam(),
  to: textParam(),
  /** The period of the chart on the Runs tab, or the range selected by zooming. */
  period: oneOf(runChartPeriods),
  since: timeParam(),
  until: timeParam(),
  view: oneOf(['table']),
  /** The page of the Audit tab, and its open entry. */
  cursor: textParam(),
  entry: textParam(),
  /** The dialog to open with the page. */
  open: oneOf(['publish', 'rollback']),
})
export type PromptSearch = z.output<typeof promptSearch>

/** Returns the period of the run chart in the form of `PeriodSearch`. */
export const spanOf = ({ period, since, until }: PromptSearch): PeriodSearch => ({
  period,
  from: since,
  to: until,
})

/** Returns search parameters that open a tab and clear the state of the others. */
export const searchForTab = (tab: Tab) =>
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
