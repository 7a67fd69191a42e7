import { environments } from '../../../../contract/common/environments.ts'
import type { PromptFacets } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import type { FilterField } from '../../../ui/filter/filters.ts'

export function promptFilters(facets: PromptFacets | undefined): readonly FilterField[] {
  return [
    {
      name: 'env',
      label: t('prompts:field.env'),
      kind: 'choice',
      options: environments.map((env) => ({ value: env, label: env })),
    },
    {
      name: 'tag',
      label: t('prompts:field.tag'),
      kind: 'text',
      suggestions: facets?.tags.map(({ name }) => name) ?? [],
    },
    {
      name: 'category',
      label: t('prompts:field.category'),
      kind: 'text',
      suggestions: facets?.categories.map(({ name }) => name) ?? [],
    },
    {
      name: 'draft',
      label: t('prompts:field.draft'),
      kind: 'choice',
      isSingle: true,
      options: [
        { value: 'true', label: t('prompts:filter.draft') },
        { value: 'false', label: t('prompts:filter.no_draft') },
      ],
    },
    { name: 'key', label: t('prompts:field.key'), kind: 'text', isSingle: true },
  ]
}

export const noFilters = {
  q: undefined,
  env: undefined,
  folder: undefined,
  category: undefined,
  tag: undefined,
  key: undefined,
  draft: undefined,
} as const
