import { Button, Checkbox, FocusTrap, Group, Radio, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { t } from '../lib/i18n.ts'
import { type FilterField, type FilterValue, valuesOf } from './filters.ts'

export type FilterEditorProps = {
  readonly field: FilterField
  readonly value: unknown
  readonly onDone: (value: FilterValue) => void
}

/** Picks the values of one field. Enter applies. */
export function FilterEditor({ field, value, onDone }: FilterEditorProps) {
  const [draft, setDraft] = useState<readonly string[]>(valuesOf(value))
  const [typing, setTyping] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const given = typing.trim() === '' ? draft : [...draft, typing.trim()]
    if (given.length === 0) onDone(undefined)
    else if (field.kind === 'number') onDone(Number(given[0]))
    else onDone(field.isSingle === true ? given[0] : [...new Set(given)])
  }
  return (
    <FocusTrap>
      <form onSubmit={submit}>
        <Stack gap="md" miw={220} maw={320}>
          {field.kind === 'choice' && field.isSingle === true && (
            <Radio.Group label={field.label} value={draft[0] ?? ''} onChange={(next) => setDraft([next])}>
              <Stack gap="sm" mt="sm">
                {field.options.map((option) => (
                  <Radio key={option.value} size="xs" value={option.value} label={option.label} />
                ))}
              </Stack>
            </Radio.Group>
          )}
          {field.kind === 'choice' && field.isSingle !== true && (
            <Checkbox.Group label={field.label} value={[...draft]} onChange={setDraft}>
              <Stack gap="sm" mt="sm">
                {field.options.map((option) => (
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
              searchValue={typing}
              onSearchChange={setTyping}
              comboboxProps={{ withinPortal: false }}
            />
          )}
          {field.kind === 'number' && (
            <TextInput
              size="xs"
              type="number"
              min={0}
              step={1}
              data-autofocus
              label={field.label}
              value={draft[0] ?? ''}
              onChange={(event) =>
                setDraft(event.currentTarget.value === '' ? [] : [event.currentTarget.value])
              }
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
