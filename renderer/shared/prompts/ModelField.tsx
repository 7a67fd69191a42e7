import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import { providerChoicesQuery } from '../providers/providers.ts'

/** Returns the models that can be called, by provider. A model of several providers is listed once. */
function modelsOf(choices: readonly ProviderChoice[]) {
  const listed = new Set<string>()
  return choices
    .filter(({ configured }) => configured)
    .map(({ label, models }) => {
      const items = [...new Set(models)].filter((model) => !listed.has(model))
      for (const model of items) listed.add(model)
      return { group: label, items }
    })
    .filter(({ items }) => items.length > 0)
}

type Props = Pick<AutocompleteProps, 'label' | 'description' | 'readOnly'> & {
  readonly value: string
  readonly onChange: (model: string) => void
}

/** The field for the model of a prompt. It suggests those of the configured providers and accepts any other. */
export function ModelField(props: Props) {
  const { data = [] } = useQuery(providerChoicesQuery)
  const models = useMemo(() => modelsOf(data), [data])
  return (
    <Autocomplete
      {...props}
      size="xs"
      data={models}
      limit={50}
      maxDropdownHeight={320}
      maxLength={128}
      className="mono-input"
      // A closed list kept in the DOM would count as an open one and block the page's keyboard shortcuts.
      comboboxProps={{ keepMounted: false }}
    />
  )
}
