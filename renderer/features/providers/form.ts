import type { z } from 'zod'
import { offlineProvider } from '../../../contract/models/models.ts'
import {
  type CreateProviderBody,
  maxConcurrency,
  maxModels,
  type Provider,
  type UpdateProviderBody,
} from '../../../contract/models/providers.ts'
import { parseLocalNumber, typedNumber } from '../../lib/format/localNumber.ts'
import { t } from '../../lib/i18n.ts'

/** The values of the form; text is kept as typed. */
export type ProviderValues = {
  label: string
  /** Id of a new provider. */
  name: string
  api_key: string
  test_key: boolean
  key: 'keep' | 'replace' | 'remove'
  base_url: string
  local: boolean
  enabled: boolean
  models: string
  default_model: string
  concurrency: string
}

/** Returns true if a key is set, even one that cannot be used. */
export const isKeySet = ({ has_key, key_problem }: Provider): boolean => has_key || key_problem !== null

/**
 * Returns the form's initial values. Built-in defaults stay empty, because the field displays them as
 * placeholder.
 */
export const valuesOf = (provider: Provider): ProviderValues => ({
  label: provider.label,
  name: provider.name,
  api_key: '',
  test_key: true,
  key: provider.has_key ? 'keep' : 'replace',
  base_url: provider.base_url === provider.default_base_url ? '' : (provider.base_url ?? ''),
  local: provider.local,
  enabled: provider.enabled,
  models: provider.models.join('\n'),
  default_model: provider.default_model ?? '',
  concurrency: provider.concurrency === null ? '' : typedNumber(provider.concurrency),
})

/** Parses a list of model names, one per line, without duplicates. */
export const modelsIn = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

const originOf = (address: string | null): string | null =>
  address !== null && URL.canParse(address) ? new URL(address).origin : null

/** Returns true if saving would delete the stored key: the origin changes, and no new key is given. */
export function dropsKey(provider: Provider, values: ProviderValues): boolean {
  if (!isKeySet(provider) || values.key === 'remove' || values.api_key.trim() !== '') return false
  const next = values.base_url.trim() || provider.default_base_url
  return originOf(next) !== originOf(provider.base_url)
}

/** Returns the changed settings as a request body; an empty field restores the built-in default. */
export function bodyOf(provider: Provider, values: ProviderValues): z.input<typeof UpdateProviderBody> {
  const before = valuesOf(provider)
  const hasNewKey = values.key === 'replace' && values.api_key.trim() !== ''
  const models = modelsIn(values.models)
  const hasAddress = provider.name !== offlineProvider
  return {
    ...(values.key === 'remove' && { api_key: null }),
    ...(hasNewKey && { api_key: values.api_key.trim(), test_key: values.test_key }),
    ...(values.label.trim() !== before.label && { label: values.label.trim() }),
    ...(hasAddress &&
      values.base_url.trim() !== before.base_url && { base_url: values.base_url.trim() || null }),
    ...(hasAddress && values.local !== before.local && { local: values.local }),
    ...(values.enabled !== before.enabled && { enabled: values.enabled }),
    ...(models.join('\n') !== before.models && { models: models.length === 0 ? null : models }),
    ...(values.default_model.trim() !== before.default_model && {
      default_model: values.default_model.trim() || null,
    }),
    ...(values.concurrency.trim() !== before.concurrency && {
      concurrency: values.concurrency.trim() === '' ? null : parseLocalNumber(values.concurrency),
    }),
  }
}

export const newValues: ProviderValues = {
  label: '',
  name: '',
  api_key: '',
  test_key: true,
  key: 'replace',
  base_url: '',
  local: false,
  enabled: true,
  models: '',
  default_model: '',
  concurrency: '',
}

/** Returns the request body for a new provider; empty fields are omitted. */
export function createBodyOf(values: ProviderValues): z.input<typeof CreateProviderBody> {
  const key = values.api_key.trim()
  const name = values.name.trim()
  const defaultModel = values.default_model.trim()
  const models = modelsIn(values.models)
  return {
    label: values.label.trim(),
    base_url: values.base_url.trim(),
    local: values.local,
    enabled: values.enabled,
    ...(name !== '' && { name }),
    ...(key !== '' && { api_key: key, test_key: values.test_key }),
    ...(models.length > 0 && { models }),
    ...(defaultModel !== '' && { default_model: defaultModel }),
    ...(values.concurrency.trim() !== '' && { concurrency: parseLocalNumber(values.concurrency) }),
  }
}

type Rules = {
  [K in keyof ProviderValues]?: (value: ProviderValues[K], values: ProviderValues) => string | null
}

export const rules: Rules = {
  label: (text) => (text.trim() === '' ? t('providers:form.label_missing') : null),
  api_key: (text) => (/^[\x21-\x7e]*$/.test(text.trim()) ? null : t('providers:form.key_spaces')),
  base_url: (text) =>
    text.trim() === '' || URL.canParse(text.trim()) ? null : t('providers:form.address_bad'),
  models: (text) => {
    const models = modelsIn(text)
    if (models.length > maxModels) return t('providers:form.models_many')
    return models.some((model) => model.length > 128) ? t('providers:form.models_bad') : null
  },
  default_model: (text, { models }) => {
    const listed = modelsIn(models)
    const isValid = text.trim() === '' || listed.length === 0 || listed.includes(text.trim())
    return isValid ? null : t('providers:form.default_bad')
  },
  concurrency: (text) => {
    if (text.trim() === '') return null
    const count = parseLocalNumber(text)
    const isValid = Number.isInteger(count) && count >= 1 && count <= maxConcurrency
    return isValid ? null : t('providers:form.concurrency_bad')
  },
}

/** The rules of a new provider, which has no built-in address. */
export const newRules: Rules = {
  ...rules,
  name: (text) =>
    text.trim() === '' || /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text.trim())
      ? null
      : t('providers:form.name_bad'),
  base_url: (text) => (URL.canParse(text.trim()) ? null : t('providers:form.address_bad')),
}
