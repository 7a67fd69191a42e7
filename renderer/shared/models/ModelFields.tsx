import { Autocomplete, Select, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { providerNames } from '../../../contract/models/models.ts'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import { t } from '../../lib/i18n.ts'
import { providerChoicesQuery } from '../providers/providers.ts'
import type { FieldErrorOf } from './fieldErrorOf.ts'

type Choice = { readonly provider: string; readonly model: string | null }
type Props = Choice & {
  readonly onChange: (patch: Partial<Choice>) => void
  readonly isReadOnly?: boolean
  readonly fieldErrorOf: FieldErrorOf
  /** Placeholder that names the source of the model if none is selected. */
  readonly defaultModelText?: string | undefined
}

/** Returns the reason why calls of a provider fail; null if there is none. */
function remarkOn({ configured, reason, status, error }: ProviderChoice): string | null {
  if (!configured) return reason ?? t('model:provider.unready')
  return status === 'failing' ? t('model:provider.failing', { error: error ?? '' }) : null
}

/** Fields for provider and model. A provider that cannot be called shows the reason. */
export function ModelFields(props: Props) {
  const { provider, model, onChange, isReadOnly = false, fieldErrorOf, defaultModelText } = props
  const { data } = useQuery(providerChoicesQuery)
  const choices = data ?? providerNames.map((name) => ({ name, label: name }))
  const options = choices.map(({ name, label }) => ({ value: name, label }))
  const chosen = data?.find(({ name }) => name === provider)
  const isKnown = options.some(({ value }) => value === provider)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        size="sm"
        label={t('model:provider.label')}
        data={isKnown ? options : [{ value: provider, label: provider }, ...options]}
        value={provider}
        readOnly={isReadOnly}
        onChange={(next) => next !== null && next !== provider && onChange({ provider: next, model: null })}
        error={fieldErrorOf('provider')}
        description={chosen === undefined ? null : remarkOn(chosen)}
      />
      <Autocomplete
        size="sm"
        label={t('model:model.label')}
        placeholder={defaultModelText ?? chosen?.default_model ?? t('model:model.default')}
        data={chosen?.models ?? []}
        value={model ?? ''}
        readOnly={isReadOnly}
        maxLength={128}
        onChange={(next) => onChange({ model: next.trim() === '' ? null : next })}
        className="mono-input"
        error={fieldErrorOf('model')}
      />
    </SimpleGrid>
  )
}
