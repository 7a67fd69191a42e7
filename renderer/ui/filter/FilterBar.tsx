import { Button, CloseButton, Menu, Popover, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { PeriodName, PeriodSearch } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { CopyLink } from '../display/link/CopyLink.tsx'
import styles from './FilterBar.module.css'
import { FilterChip } from './FilterChip.tsx'
import {
  conditionsOf,
  type FilterField,
  type FilterValue,
  type FilterValues,
  paramOf,
  valuesOf,
} from './filters.ts'
import { LazyFilterEditor } from './LazyFilterEditor.tsx'
import { PeriodPicker } from './PeriodPicker.tsx'

type Patch = Record<string, FilterValue>

type Props = {
  readonly fields: readonly FilterField[]
  /** The page's search parameters. */
  readonly values: FilterValues
  /** The page's `setSearch`. */
  readonly onChange: (patch: never, options?: { readonly replace?: boolean }) => void
  /** Names what the free text `q` searches. Without it there is no text field. */
  readonly searchLabel?: string
  /** A second text field, for example for a search in texts. */
  readonly textSearch?: { readonly name: string; readonly label: string }
  /** Shows a period picker. `fallback` applies while no period is selected. */
  readonly period?: { readonly fallback: PeriodName }
  /** Shown at the right, such as column chooser and export. */
  readonly children?: ReactNode
}

/** Filter chips (`field: value ×`), "+ Filter", period and free text. Every change goes into the address. */
export function FilterBar({ fields, values, onChange, searchLabel, textSearch, period, children }: Props) {
  const [adding, setAdding] = useState<FilterField | null>(null)
  const change = onChange as (patch: Patch, options?: { readonly replace?: boolean }) => void
  const isActive = (name: string): boolean => valuesOf(values[name]).length > 0
  const active = conditionsOf(fields).filter((condition) => isActive(paramOf(condition)))
  const inactive = fields.filter(({ name, negation = name }) => !isActive(name) && !isActive(negation))
  const searches = [
    ...(searchLabel === undefined ? [] : [{ name: 'q', label: searchLabel }]),
    ...(textSearch === undefined ? [] : [textSearch]),
  ]
  const clearAll = (): void => {
    const names = [...active.map(paramOf), ...searches.map(({ name }) => name)]
    change(Object.fromEntries(names.map((name) => [name, undefined])))
  }
  return (
    <search className={styles['bar']} aria-label={t('common:filter.label')}>
      {period !== undefined && (
        <PeriodPicker
          value={values as PeriodSearch}
          fallback={period.fallback}
          onChange={(next) => change(next as Patch)}
        />
      )}
      {searches.map(({ name, label }, index) => (
        <SearchField
          key={name}
          label={label}
          hasKey={index === 0}
          value={valuesOf(values[name])[0] ?? ''}
          onChange={(text) => change({ [name]: text === '' ? undefined : text }, { replace: true })}
        />
      ))}
      {active.map((condition) => (
        <FilterChip
          key={paramOf(condition)}
          condition={condition}
          value={values[paramOf(condition)]}
          onChange={(value, isNegated) =>
            change({
              [paramOf(condition)]: undefined,
              [paramOf({ field: condition.field, isNegated })]: value,
            })
          }
        />
      ))}
      {inactive.length > 0 && (
        <Popover
          opened={adding !== null}
          onClose={() => setAdding(null)}
          position="bottom-start"
          returnFocus
          withRoles={false}
        >
          <Popover.Target>
            <span>
              <Menu position="bottom-start">
                <Menu.Target>
                  <Button variant="subtle" color="gray" leftSection={<IconPlus size={14} />} px={8}>
                    {t('common:filter.add')}
                  </Button>
                </Menu.Target>
                <Menu.Dropdown className={styles['fields'] ?? ''}>
                  {inactive.map((field) => (
                    <Menu.Item key={field.name} onClick={() => setAdding(field)}>
                      {field.label}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            </span>
          </Popover.Target>
          <Popover.Dropdown p="md">
            {adding !== null && (
              <LazyFilterEditor
                condition={{ field: adding, isNegated: false }}
                value={undefined}
                onDone={(value, isNegated) => {
                  setAdding(null)
                  if (valuesOf(value).length > 0) change({ [paramOf({ field: adding, isNegated })]: value })
                }}
              />
            )}
          </Popover.Dropdown>
        </Popover>
      )}
      {(active.length > 0 || searches.some(({ name }) => valuesOf(values[name]).length > 0)) && (
        <Button variant="subtle" color="gray" px={8} onClick={clearAll}>
          {t('common:filter.clear')}
        </Button>
      )}
      <div className={styles['end']}>
        {children}
        <CopyLink label={t('common:filter.copy_link')} variant="default" size={30} />
      </div>
    </search>
  )
}

type SearchFieldProps = {
  readonly label: string
  readonly value: string
  /** True if `/` focuses the field. */
  readonly hasKey: boolean
  readonly onChange: (text: string) => void
}

/** Text field whose changes are debounced. */
function SearchField({ label, value, hasKey, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const [previousValue, setPreviousValue] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const debouncedChange = useDebouncedCallback((next: string) => onChange(next.trim()), 250)
  // The address was changed elsewhere: by a link, Back or "Clear".
  if (previousValue !== value) {
    setPreviousValue(value)
    if (text.trim() !== value) setText(value)
  }
  useEffect(() => () => debouncedChange.cancel(), [debouncedChange])
  const focus = { keys: '/', label: t('common:keys.search'), run: () => input.current?.focus() }
  useKeys(hasKey ? [focus] : [])
  const change = (next: string): void => {
    setText(next)
    debouncedChange(next)
  }
  return (
    <TextInput
      ref={input}
      size="xs"
      w={220}
      maxLength={200}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={14} />}
      rightSection={
        text === '' ? null : (
          <CloseButton size="xs" aria-label={t('common:filter.clear_text')} onClick={() => change('')} />
        )
      }
    />
  )
}
