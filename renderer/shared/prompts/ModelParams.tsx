import { NativeSelect, Stack, Switch, TextInput } from '@mantine/core'
import {
  knownParams,
  type PromptParams,
  type ResponseFormat,
} from '../../../contract/prompts/prompt-params.ts'
import { t } from '../../lib/i18n.ts'
import type { FieldErrorOf } from '../models/fieldErrorOf.ts'
import { JsonField } from '../models/JsonField.tsx'
import { ParamsFields } from '../models/ParamsFields.tsx'
import { ToolsEditor } from '../models/ToolsEditor.tsx'

type Props = {
  readonly params: PromptParams
  readonly onChange: (params: PromptParams) => void
  readonly isReadOnly: boolean
  readonly fieldErrorOf: FieldErrorOf
}

const isKnown = (name: string): boolean => knownParams.some((known) => known === name)
const pick = (params: PromptParams, isPicked: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => isPicked(name)))
const without = (params: PromptParams, dropped: string): PromptParams =>
  pick(params, (name) => name !== dropped)

/** The model parameters of a prompt: fields for the known ones, JSON for schemas and for all others. */
export function ModelParams({ params, onChange, isReadOnly, fieldErrorOf }: Props) {
  const others = pick(params, (name) => !isKnown(name))
  return (
    <Stack gap="md">
      <ParamsFields
        params={params}
        provider=""
        hasTimeout={false}
        isNarrow
        onChange={(next) => onChange(next)}
        isReadOnly={isReadOnly}
        fieldErrorOf={fieldErrorOf}
      />
      <FormatFields
        format={params.response_format}
        onChange={(format) =>
          onChange({ ...without(params, 'response_format'), ...(format && { response_format: format }) })
        }
        isReadOnly={isReadOnly}
        fieldErrorOf={(path) => fieldErrorOf(`params.response_format.${path}`)}
      />
      <ToolsEditor
        tools={params.tools ?? []}
        onChange={(tools) => onChange({ ...without(params, 'tools'), ...(tools.length > 0 && { tools }) })}
        isReadOnly={isReadOnly}
        fieldErrorOf={(path) => fieldErrorOf(`params.${path}`)}
      />
      <JsonField
        label={t('model:prompt_params.others')}
        description={t('model:prompt_params.others_help')}
        value={Object.keys(others).length === 0 ? null : others}
        // Text that is not an object yet is kept by the field and does not change the parameters.
        onChange={(next) =>
          typeof next !== 'string' && onChange({ ...pick(params, isKnown), ...(next as object | null) })
        }
        isReadOnly={isReadOnly}
        error={fieldErrorOf('params')}
      />
    </Stack>
  )
}

type FormatProps = {
  readonly format: ResponseFormat | undefined
  readonly onChange: (format: ResponseFormat | undefined) => void
  readonly isReadOnly: boolean
  readonly fieldErrorOf: FieldErrorOf
}

const formats = ['text', 'json_object', 'json_schema'] as const
const emptySchema = { type: 'object', properties: {}, required: [] }

/** The format of the response: text, any JSON object, or JSON that matches a schema. */
function FormatFields({ format, onChange, isReadOnly, fieldErrorOf }: FormatProps) {
  const type = format?.type ?? ''
  const choose = (next: string): void => {
    const chosen = formats.find((name) => name === next)
    if (chosen === undefined) onChange(undefined)
    else if (chosen === 'json_schema')
      onChange({ type: chosen, json_schema: { name: 'response', schema: emptySchema } })
    else onChange({ type: chosen })
  }
  const schema = format?.type === 'json_schema' ? format.json_schema : null
  const set = (patch: Partial<NonNullable<typeof schema>>): void => {
    if (schema !== null) onChange({ type: 'json_schema', json_schema: { ...schema, ...patch } })
  }
  return (
    <>
      <NativeSelect
        size="sm"
        label={t('model:prompt_params.format')}
        value={type}
        disabled={isReadOnly}
        data={[
          { value: '', label: t('model:params.unset') },
          ...formats.map((name) => ({ value: name, label: t(`model:prompt_params.formats.${name}`) })),
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {schema !== null && (
        <>
          <TextInput
            size="sm"
            label={t('model:prompt_params.schema_name')}
            value={schema.name}
            readOnly={isReadOnly}
            maxLength={64}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={fieldErrorOf('json_schema.name')}
          />
          <JsonField
            label={t('model:schema.label')}
            value={schema.schema}
            onChange={(next) => set({ schema: (next ?? {}) as typeof schema.schema })}
            isReadOnly={isReadOnly}
            error={fieldErrorOf('json_schema.schema.type') ?? fieldErrorOf('json_schema.schema')}
          />
          <Switch
            size="xs"
            label={t('model:prompt_params.strict')}
            checked={schema.strict ?? false}
            disabled={isReadOnly}
            onChange={(event) => set({ strict: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  )
}
