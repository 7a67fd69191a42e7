import { TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ToolCall } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { AddRow } from './AddRow.tsx'
import type { FieldErrorOf } from './fieldErrorOf.ts'
import { JsonField } from './JsonField.tsx'
import styles from './model.module.css'
import { RowTool } from './RowTool.tsx'

type Props = {
  readonly calls: readonly ToolCall[]
  readonly onChange: (calls: ToolCall[]) => void
  readonly isReadOnly: boolean
  readonly fieldErrorOf: FieldErrorOf
}

const mono = { input: { fontFamily: 'var(--pd-font-mono)' } }

/** Editor of the tool calls in an assistant's message. */
export function ToolCallsEditor({ calls, onChange, isReadOnly, fieldErrorOf }: Props) {
  const set = (at: number, patch: Partial<ToolCall>): void =>
    onChange(calls.map((call, index) => (index === at ? { ...call, ...patch } : call)))
  return (
    <>
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the id of a call is edited here
        <div key={index} className={styles['item']}>
          <div className={styles['itemHead']}>
            {(['name', 'id'] as const).map((field) => (
              <TextInput
                key={field}
                size="xs"
                className={styles['grow'] ?? ''}
                label={t(`model:calls.${field}`)}
                value={call[field]}
                onChange={(event) => set(index, { [field]: event.currentTarget.value })}
                readOnly={isReadOnly}
                maxLength={field === 'id' ? 128 : 64}
                error={fieldErrorOf(`tool_calls.${index}.${field}`)}
                styles={mono}
              />
            ))}
            {!isReadOnly && (
              <RowTool
                label={t('model:calls.remove', { name: call.name || String(index + 1) })}
                onClick={() => onChange(calls.toSpliced(index, 1))}
              >
                <IconX size={14} />
              </RowTool>
            )}
          </div>
          <JsonField
            label={t('model:calls.arguments')}
            value={call.arguments}
            onChange={(input) => set(index, { arguments: input ?? {} })}
            isReadOnly={isReadOnly}
            error={fieldErrorOf(`tool_calls.${index}.arguments`)}
          />
        </div>
      ))}
      {!isReadOnly && (
        <AddRow
          label={t('model:calls.add')}
          onClick={() => onChange([...calls, { id: `call_${calls.length + 1}`, name: '', arguments: {} }])}
        />
      )}
    </>
  )
}
