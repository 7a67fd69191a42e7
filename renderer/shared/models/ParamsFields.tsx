import { NumberInput, Select, SimpleGrid, TagsInput } from '@mantine/core'
import { type ModelParams, offlineProvider } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import type { FaultOf } from './faults.ts'

type Params = ModelParams
type Props = {
  readonly params: Params
  readonly provider: string
  readonly onChange: (params: Params) => void
  readonly isReadOnly?: boolean
  readonly faultOf: FaultOf
  /** False for a step, which has its own timeout. */
  readonly hasTimeout?: boolean
}

type Figure = {
  readonly name: Exclude<keyof Params, 'stop' | 'tool_choice' | 'mock'>
  readonly min: number
  readonly max: number
  readonly step?: number
  readonly unit?: string
}

const figures: readonly Figure[] = [
  { name: 'temperature', min: 0, max: 2, step: 0.1 },
  { name: 'top_p', min: 0, max: 1, step: 0.05 },
  { name: 'top_k', min: 1, max: 1000 },
  { name: 'max_output_tokens', min: 1, max: 1_000_000 },
  { name: 'seed', min: 0, max: 2_147_483_647 },
  { name: 'frequency_penalty', min: -2, max: 2, step: 0.1 },
  { name: 'presence_penalty', min: -2, max: 2, step: 0.1 },
  { name: 'timeout_ms', min: 100, max: 600_000, unit: ' ms' },
]
const toolChoices = ['auto', 'none', 'required'] as const
const failures = ['start', 'middle', 'stall'] as const

/**
 * Sets or removes a field. Unset fields are omitted, so that an empty object means the provider's defaults.
 */
function without<T extends object>(params: T, name: keyof T, value: unknown): T {
  const { [name]: _gone, ...rest } = params
  return (value === undefined ? rest : { ...rest, [name]: value }) as T
}

/** Fields for the model parameters. An empty one means the provider's default. */
export function ParamsFields(props: Props) {
  const { params, provider, onChange, isReadOnly = false, faultOf, hasTimeout = true } = props
  const set = (name: keyof Params, value: unknown): void => onChange(without(params, name, value))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm" verticalSpacing="sm">
      {figures
        .filter(({ name }) => hasTimeout || name !== 'timeout_ms')
        .map(({ name, min, max, step, unit }) => (
          <NumberInput
            key={name}
            size="sm"
            label={t(`model:params.${name}`)}
            value={params[name] ?? ''}
            onChange={(value) => set(name, typeof value === 'number' ? value : undefined)}
            readOnly={isReadOnly}
            min={min}
            max={max}
            step={step ?? 1}
            allowDecimal={step !== undefined}
            suffix={unit ?? ''}
            placeholder={t('model:params.unset')}
            error={faultOf(`params.${name}`)}
            hideControls
          />
        ))}
      <Select
        size="sm"
        label={t('model:params.tool_choice')}
        data={[...toolChoices]}
        value={params.tool_choice ?? null}
        onChange={(value) => set('tool_choice', value ?? undefined)}
        readOnly={isReadOnly}
        placeholder={t('model:params.unset')}
        clearable
        error={faultOf('params.tool_choice')}
      />
      <TagsInput
        size="sm"
        label={t('model:params.stop')}
        value={params.stop ?? []}
        onChange={(value) => set('stop', value.length === 0 ? undefined : value)}
        readOnly={isReadOnly}
        maxTags={8}
        placeholder={params.stop === undefined ? t('model:params.unset') : ''}
        error={faultOf('params.stop')}
      />
      {provider === offlineProvider && (
        <MockFields params={params} onChange={onChange} isReadOnly={isReadOnly} faultOf={faultOf} />
      )}
    </SimpleGrid>
  )
}

type MockProps = Pick<Props, 'params' | 'onChange' | 'faultOf'> & { readonly isReadOnly: boolean }

/** Fields for speed and failures of the offline provider. */
function MockFields({ params, onChange, isReadOnly, faultOf }: MockProps) {
  const mock = params.mock ?? {}
  const set = (name: keyof typeof mock, value: unknown): void => {
    const next = without(mock, name, value)
    onChange(without(params, 'mock', Object.keys(next).length === 0 ? undefined : next))
  }
  const figure = (name: 'first_token_ms' | 'tokens_per_second', max: number) => (
    <NumberInput
      size="sm"
      label={t(`model:params.mock_${name}`)}
      value={mock[name] ?? ''}
      onChange={(value) => set(name, typeof value === 'number' ? value : undefined)}
      readOnly={isReadOnly}
      min={0}
      max={max}
      placeholder={t('model:params.unset')}
      error={faultOf(`params.mock.${name}`)}
      hideControls
    />
  )
  return (
    <>
      {figure('first_token_ms', 60_000)}
      {figure('tokens_per_second', 1_000_000)}
      <Select
        size="sm"
        label={t('model:params.mock_fail')}
        data={failures.map((value) => ({ value, label: t(`model:params.mock_fails.${value}`) }))}
        value={mock.fail ?? null}
        onChange={(value) => set('fail', value ?? undefined)}
        readOnly={isReadOnly}
        placeholder={t('model:params.mock_never')}
        clearable
        error={faultOf('params.mock.fail')}
      />
    </>
  )
}
