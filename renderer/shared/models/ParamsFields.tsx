import { NumberInput, Select, SimpleGrid, TagsInput } from '@mantine/core'
import { type ModelParams, offlineProvider } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import type { FieldErrorOf } from './fieldErrorOf.ts'

type Params = ModelParams
type Props = {
  readonly params: Params
  readonly provider: string
  readonly onChange: (params: Params) => void
  readonly isReadOnly?: boolean
  readonly fieldErrorOf: FieldErrorOf
  /** False for a step, which has its own timeout. */
  readonly hasTimeout?: boolean
  /** True in a narrow column: at most two fields in a row. */
  readonly isNarrow?: boolean
}

type NumberParam = {
  readonly name: Exclude<keyof Params, 'stop' | 'tool_choice' | 'mock'>
  readonly min: number
  readonly max: number
  readonly step?: number
  readonly unit?: string
}

const numberParams: readonly NumberParam[] = [
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
function withField<T extends object>(params: T, name: keyof T, value: unknown): T {
  const { [name]: _previous, ...rest } = params
  return (value === undefined ? rest : { ...rest, [name]: value }) as T
}

/** Fields for the model parameters. An empty one means the provider's default. */
export function ParamsFields(props: Props) {
  const { params, provider, onChange, isReadOnly = false, fieldErrorOf, hasTimeout = true } = props
  const columns = props.isNarrow === true ? 2 : { base: 1, xs: 2, lg: 3 }
  const set = (name: keyof Params, value: unknown): void => onChange(withField(params, name, value))
  return (
    <SimpleGrid cols={columns} spacing="sm" verticalSpacing="sm">
      {numberParams
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
            error={fieldErrorOf(`params.${name}`)}
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
        error={fieldErrorOf('params.tool_choice')}
      />
      <TagsInput
        size="sm"
        label={t('model:params.stop')}
        value={params.stop ?? []}
        onChange={(value) => set('stop', value.length === 0 ? undefined : value)}
        readOnly={isReadOnly}
        maxTags={8}
        placeholder={params.stop === undefined ? t('model:params.unset') : ''}
        error={fieldErrorOf('params.stop')}
      />
      {provider === offlineProvider && (
        <MockFields params={params} onChange={onChange} isReadOnly={isReadOnly} fieldErrorOf={fieldErrorOf} />
      )}
    </SimpleGrid>
  )
}

type MockProps = Pick<Props, 'params' | 'onChange' | 'fieldErrorOf'> & { readonly isReadOnly: boolean }

/** Fields for speed and failures of the offline provider. */
function MockFields({ params, onChange, isReadOnly, fieldErrorOf }: MockProps) {
  const mock = params.mock ?? {}
  const set = (name: keyof typeof mock, value: unknown): void => {
    const next = withField(mock, name, value)
    onChange(withField(params, 'mock', Object.keys(next).length === 0 ? undefined : next))
  }
  const numberInput = (name: 'first_token_ms' | 'tokens_per_second', max: number) => (
    <NumberInput
      size="sm"
      label={t(`model:params.mock_${name}`)}
      value={mock[name] ?? ''}
      onChange={(value) => set(name, typeof value === 'number' ? value : undefined)}
      readOnly={isReadOnly}
      min={0}
      max={max}
      placeholder={t('model:params.unset')}
      error={fieldErrorOf(`params.mock.${name}`)}
      hideControls
    />
  )
  return (
    <>
      {numberInput('first_token_ms', 60_000)}
      {numberInput('tokens_per_second', 1_000_000)}
      <Select
        size="sm"
        label={t('model:params.mock_fail')}
        data={failures.map((value) => ({ value, label: t(`model:params.mock_fails.${value}`) }))}
        value={mock.fail ?? null}
        onChange={(value) => set('fail', value ?? undefined)}
        readOnly={isReadOnly}
        placeholder={t('model:params.mock_never')}
        clearable
        error={fieldErrorOf('params.mock.fail')}
      />
    </>
  )
}
