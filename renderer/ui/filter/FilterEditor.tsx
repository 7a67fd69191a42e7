import {
  Button,
  Checkbox,
  FocusTrap,
  Group,
  Radio,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { parseMeasure } from '../../lib/format/measure.ts'
import { t } from '../../lib/i18n.ts'
import { type Condition, type FilterValue, valuesOf } from './filters.ts'

export type FilterEditorProps = {
  readonly condition: Condition
  readonly value: unknown
  readonly onDone: (value: FilterValue, isNegated: boolean) => void
}

type Option = { readonly value: string; readonly label: string }

/**
 * Returns the options, and the values of the address that are not among them, so that each can be removed.
 */
const withUnknown = (options: readonly Option[], values: readonly string[]): readonly Option[] => [
  ...options,
  ...values
    .filter((value) => options.every((option) => option.value !== value))
    .map((value) => ({ value, label: value })),
]

const maxRadios = 12

const exampleOf = (unit: string | undefined): string => (unit === 'ms' ? '1500 or 1.5 s' : '100')

/** Form for the values of one filter. Enter applies them. */
export function FilterEditor({ condition, value, onDone }: FilterEditorProps) {
  const { field } = condition
  const [isNegated, setNegated] = useState(condition.isNegated)
  const [draft, setDraft] = useState<readonly string[]>(valuesOf(value))
  const [typedText, setTypedText] = useState('')
  const [isInvalid, setInvalid] = useState(false)
  const options = field.kind === 'choice' ? withUnknown(field.options, valuesOf(value)) : []
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const values = typedText.trim() === '' ? draft : [...draft, typedText.trim()]
    if (values.length === 0) onDone(undefined, isNegated)
    else if (field.kind === 'number') {
      const number = parseMeasure(values[0] ?? '', field.unit)
      if (number === null) setInvalid(true)
      else onDone(number, isNegated)
    } else onDone(field.isSingle === true ? values[0] : [...new Set(values)], isNegated)
  }
  return (
    <FocusTrap>
      <form onSubmit={submit}>
        <Stack gap="md" miw={220} maw={320}>
          <ConditionSwitch condition={condition} isNegated={isNegated} onChange={setNegated} />
          {field.kind === 'choice' && field.isSingle === true && (
            <SingleChoice
              label={field.label}
              options={options}
              value={draft[0] ?? null}
              onChange={(next) => setDraft([next])}
            />
          )}
          {field.kind === 'choice' && field.isSingle !== true && (
            <Checkbox.Group label={field.label} value={[...draft]} onChange={setDraft}>
              <Stack gap="sm" mt="sm">
                {options.map((option) => (
                  <Checkbox key={option.value} size="xs" value={option.value} label={option.label} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          {field.kind === 'text' && field.isSingle === true && (
            <TextInput
              size="xs"
              data-autofocus
              label={field.label}
              placeholder={field.placeholder}
              value={draft[0] ?? ''}
              onChange={(event) =>
                setDraft(event.currentTarget.value === '' ? [] : [event.currentTarget.value])
              }
            />
          )}
          {field.kind === 'text' && field.isSingle !== true && (
            <TagsInput
              size="xs"
              data-autofocus
              label={field.label}
              placeholder={draft.length === 0 ? (field.placeholder ?? t('common:filter.type')) : ''}
              data={[...(field.suggestions ?? [])]}
              value={[...draft]}
              onChange={setDraft}
              searchValue={typedText}
              onSearchChange={setTypedText}
              comboboxProps={{ withinPortal: false }}
            />
          )}
          {field.kind === 'number' && (
            <TextInput
              size="xs"
              inputMode="decimal"
              data-autofocus
              label={field.label}
              value={draft[0] ?? ''}
              error={isInvalid ? t('common:filter.not_number', { example: exampleOf(field.unit) }) : null}
              onChange={(event) => {
                setInvalid(false)
                setDraft(event.currentTarget.value === '' ? [] : [event.currentTarget.value])
              }}
              rightSection={
                field.unit !== undefined && (
                  <Text size="xs" c="dimmed">
                    {field.unit}
                  </Text>
                )
              }
            />
          )}
          <Group justify="flex-end">
            <Button type="submit">{t('common:filter.apply')}</Button>
          </Group>
        </Stack>
      </form>
    </FocusTrap>
  )
}

type SingleChoiceProps = {
  readonly label: string
  readonly options: readonly Option[]
  readonly value: string | null
  readonly onChange: (value: string) => void
}

/** One of some options: a list, or with many a field that is searched by typing. */
function SingleChoice({ label, options, value, onChange }: SingleChoiceProps) {
  if (options.length > maxRadios)
    return (
      <Select
        size="xs"
        data-autofocus
        label={label}
        data={options}
        value={value}
        onChange={(next) => next !== null && onChange(next)}
        comboboxProps={{ withinPortal: false }}
        searchable
      />
    )
  return (
    <Radio.Group label={label} value={value ?? ''} onChange={onChange}>
      <Stack gap="sm" mt="sm">
        {options.map((option) => (
          <Radio key={option.value} size="xs" value={option.value} label={option.label} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

type ConditionSwitchProps = {
  readonly condition: Condition
  readonly isNegated: boolean
  readonly onChange: (isNegated: boolean) => void
}

/** Switch between "is" and "is not", for fields that can be negated. */
function ConditionSwitch({ condition, isNegated, onChange }: ConditionSwitchProps) {
  if (condition.field.negation === undefined) return null
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('common:filter.condition')}
      value={isNegated ? 'is_not' : 'is'}
      onChange={(next) => onChange(next === 'is_not')}
      data={(['is', 'is_not'] as const).map((name) => ({ value: name, label: t(`common:filter.${name}`) }))}
    />
  )
}
