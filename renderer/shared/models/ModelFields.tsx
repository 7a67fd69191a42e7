import { Autocomplete, Select, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { providerNames } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import type { FaultOf } from './faults.ts'
import { providersQuery } from './providers.ts'

type Choice = { readonly provider: string; readonly model: string | null }
type Props = Choice & {
  readonly onChange: (patch: Partial<Choice>) => void
  readonly isReadOnly?: boolean
  readonly faultOf: FaultOf
  /** Placeholder that names what chooses the model if none is given. */
  readonly whoChooses?: string | undefined
}

/** Fields for provider and model. A provider that cannot be called shows the reason. */
export function ModelFields({ provider, model, onChange, isReadOnly = false, faultOf, whoChooses }: Props) {
  const { data } = useQuery(providersQuery)
  const choices = data ?? providerNames.map((name) => ({ name, label: name }))
  const known = choices.map(({ name, label }) => ({ value: name, label }))
  const chosen = data?.find(({ name }) => name === provider)
  const isKnown = known.some(({ value }) => value === provider)
  const notConfiguredReason =
    chosen?.configured === false ? (chosen.reason ?? t('model:provider.unready')) : null
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        size="sm"
        label={t('model:provider.label')}
        data={isKnown ? known : [{ value: provider, label: provider }, ...known]}
        value={provider}
        readOnly={isReadOnly}
        allowDeselect={false}
        onChange={(next) => next !== null && next !== provider && onChange({ provider: next, model: null })}
        error={faultOf('provider')}
        description={notConfiguredReason}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      <Autocomplete
        size="sm"
        label={t('model:model.label')}
        placeholder={whoChooses ?? chosen?.default_model ?? t('model:model.default')}
        data={chosen?.models ?? []}
        value={model ?? ''}
        readOnly={isReadOnly}
        maxLength={128}
        onChange={(next) => onChange({ model: next.trim() === '' ? null : next })}
        styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
        error={faultOf('model')}
      />
    </SimpleGrid>
  )
}
