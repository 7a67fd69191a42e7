import { TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ToolDeclaration } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { AddRow } from './AddRow.tsx'
import type { FieldErrorOf } from './fieldErrorOf.ts'
import { JsonField } from './JsonField.tsx'
import styles from './model.module.css'
import { RowTool } from './RowTool.tsx'

type Props = {
  readonly tools: readonly ToolDeclaration[]
  readonly onChange: (tools: ToolDeclaration[]) => void
  readonly isReadOnly?: boolean
  readonly fieldErrorOf: FieldErrorOf
}

const emptySchema = { type: 'object', properties: {}, required: [] }

/** Editor of the tools the model may request. Their calls are displayed, never executed. */
export function ToolsEditor({ tools, onChange, isReadOnly = false, fieldErrorOf }: Props) {
  const set = (at: number, patch: Partial<ToolDeclaration>): void =>
    onChange(tools.map((tool, index) => (index === at ? { ...tool, ...patch } : tool)))
  return (
    <div className={styles['stack']}>
      <p className="note">{t(tools.length === 0 ? 'model:tools.none' : 'model:tools.help')}</p>
      {tools.length > 0 && (
        <ul className={styles['list']} aria-label={t('model:tools.title')}>
          {tools.map((tool, index) => {
            const remove = t('model:tools.remove', { name: tool.name || String(index + 1) })
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a tool has no id other than its name, which is edited here
              <li key={index} className={styles['item']}>
                <div className={styles['itemHead']}>
                  <TextInput
                    size="sm"
                    className={styles['grow'] ?? ''}
                    label={t('model:tools.name')}
                    value={tool.name}
                    onChange={(event) => set(index, { name: event.currentTarget.value })}
                    readOnly={isReadOnly}
                    maxLength={64}
                    error={fieldErrorOf(`tools.${index}.name`)}
                    styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
                  />
                  {!isReadOnly && (
                    <RowTool label={remove} onClick={() => onChange(tools.toSpliced(index, 1))}>
                      <IconX size={14} />
                    </RowTool>
                  )}
                </div>
                <TextInput
                  size="sm"
                  label={t('model:tools.description')}
                  value={tool.description}
                  onChange={(event) => set(index, { description: event.currentTarget.value })}
                  readOnly={isReadOnly}
                  error={fieldErrorOf(`tools.${index}.description`)}
                />
                <JsonField
                  label={t('model:tools.parameters')}
                  value={tool.parameters}
                  onChange={(parameters) =>
                    set(index, { parameters: (parameters ?? {}) as ToolDeclaration['parameters'] })
                  }
                  isReadOnly={isReadOnly}
                  error={fieldErrorOf(`tools.${index}.parameters`)}
                />
              </li>
            )
          })}
        </ul>
      )}
      {!isReadOnly && (
        <AddRow
          label={t('model:tools.add')}
          onClick={() => onChange([...tools, { name: '', description: '', parameters: emptySchema }])}
        />
      )}
    </div>
  )
}
