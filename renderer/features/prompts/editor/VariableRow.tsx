import { ActionIcon, Button, NativeSelect, Switch, TextInput, Tooltip } from '@mantine/core'
import { IconAsterisk, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { variableTypes } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'

type Props = {
  readonly name: string
  /** Null if the variable occurs in the text only. */
  readonly declaration: Declared | null
  readonly isUsed: boolean
  readonly sample: string
  readonly onSample: (value: string) => void
  readonly isReadOnly: boolean
  readonly onDeclare: (patch: Partial<Declared>) => void
  readonly onRemove: () => void
}

/** Parses a default by type. Text that is not a valid number or boolean yet stays text. */
function defaultOf(text: string, type: Declared['type']): Declared['default'] {
  if (text === '') return null
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export function VariableRow(props: Props) {
  const { name, declaration, isUsed, sample, onSample, isReadOnly, onDeclare, onRemove } = props
  const [isOpen, setOpen] = useState(false)
  const partsId = useId()
  const type = declaration?.type ?? 'string'
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  const fallback = declaration?.default ?? null
  return (
    <li className={styles['variable']}>
      <div className={styles['variableHead']}>
        <ActionIcon
          size={22}
          aria-expanded={isOpen}
          aria-controls={partsId}
          aria-label={t('prompt:variables.open', { name })}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon size={14} />
        </ActionIcon>
        <span className={`mono truncate ${styles['pill']}`} title={name}>
          {name}
        </span>
        {declaration?.required === true && (
          <Tooltip label={t('prompt:variables.required')}>
            <IconAsterisk size={11} role="img" aria-label={t('prompt:variables.required')} />
          </Tooltip>
        )}
        {!isUsed && <Badge tone="warn">{t('prompt:variables.unused')}</Badge>}
      </div>
      <TextInput
        size="xs"
        aria-label={t('prompt:variables.sample', { name })}
        placeholder={
          fallback === null
            ? t('prompt:variables.sample_hint')
            : t('prompt:variables.default_is', { value: String(fallback) })
        }
        value={sample}
        onChange={(event) => onSample(event.currentTarget.value)}
      />
      {isOpen && (
        <div id={partsId} className={styles['declaration']}>
          <Switch
            size="xs"
            label={t('prompt:variables.required_label')}
            checked={declaration?.required ?? false}
            disabled={isReadOnly}
            onChange={(event) => onDeclare({ required: event.currentTarget.checked })}
          />
          <NativeSelect
            size="xs"
            label={t('prompt:variables.type')}
            value={type}
            disabled={isReadOnly}
            onChange={(event) => {
              const next = variableTypes.find((name) => name === event.currentTarget.value)
              if (next !== undefined) {
                onDeclare({ type: next, default: defaultOf(fallback === null ? '' : String(fallback), next) })
              }
            }}
            data={variableTypes.map((name) => ({ value: name, label: t(`prompt:variables.types.${name}`) }))}
          />
          <TextInput
            size="xs"
            label={t('prompt:variables.default')}
            value={fallback === null ? '' : String(fallback)}
            readOnly={isReadOnly}
            onChange={(event) => onDeclare({ default: defaultOf(event.currentTarget.value, type) })}
          />
          <TextInput
            size="xs"
            label={t('prompt:variables.description')}
            value={declaration?.description ?? ''}
            readOnly={isReadOnly}
            maxLength={1000}
            onChange={(event) => onDeclare({ description: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            label={t('prompt:variables.example')}
            value={String(declaration?.example ?? '')}
            readOnly={isReadOnly}
            onChange={(event) => {
              const example = defaultOf(event.currentTarget.value, type)
              onDeclare(example === null ? { example: undefined } : { example })
            }}
          />
          {declaration === null && <p className="note">{t('prompt:variables.found')}</p>}
          {declaration !== null && !isReadOnly && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={onRemove}>
              {t('prompt:variables.remove')}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
