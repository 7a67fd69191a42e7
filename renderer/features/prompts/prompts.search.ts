import { z } from 'zod'
import { environments } from '../../../contract/live.ts'
import { promptSorts } from '../../../contract/prompt-list.ts'
import { listSearch, many, manyOf, one, oneOf } from '../../lib/search.ts'

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

/** `from` and `to` are the sides of the comparison on Versions: `v3`, `draft` or `served`. */
export const promptSearch = z.object({ tab: oneOf(tabs), from: one(), to: one() })
export type PromptSearch = z.output<typeof promptSearch>
