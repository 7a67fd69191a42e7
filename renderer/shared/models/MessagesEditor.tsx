import { NativeSelect, Textarea } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import type { ChatMessage } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { AddRow } from './AddRow.tsx'
import type { FieldErrorOf } from './faults.ts'
import styles from './model.module.css'
import { RowTool } from './RowTool.tsx'

const roles = ['system', 'user', 'assistant'] as const

type Props = {
  readonly messages: readonly ChatMessage[]
  readonly onChange: (messages: ChatMessage[]) => void
  readonly isReadOnly?: boolean
  readonly fieldErrorOf: FieldErrorOf
}

/**
 * Returns the role of the next message. After a system message come examples: a user message, then an
 * assistant message.
 */
const nextRole = (messages: readonly ChatMessage[]): ChatMessage['role'] => {
  const last = messages.at(-1)?.role
  return last === undefined ? 'system' : last === 'user' ? 'assistant' : 'user'
}

/** Editor of the messages sent before the prompt: instructions and examples, in this order. */
export function MessagesEditor({ messages, onChange, isReadOnly = false, fieldErrorOf }: Props) {
  const set = (at: number, patch: Partial<ChatMessage>): void =>
    onChange(messages.map((message, index) => (index === at ? { ...message, ...patch } : message)))
  const move = (at: number, to: number): void => {
    const moved = messages[at]
    if (moved !== undefined) onChange(messages.toSpliced(at, 1).toSpliced(to, 0, moved))
  }
  return (
    <div className={styles['stack']}>
      {messages.length > 0 && (
        <ol className={styles['list']} aria-label={t('model:messages.title')}>
          {messages.map((message, index) => {
            const number = index + 1
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a message has no id other than its index
              <li key={index} className={styles['item']}>
                <div className={styles['itemHead']}>
                  <NativeSelect
                    size="xs"
                    aria-label={t('model:messages.role', { number })}
                    value={message.role}
                    data={roles.map((role) => ({ value: role, label: t(`model:messages.roles.${role}`) }))}
                    disabled={isReadOnly}
                    onChange={(event) => {
                      const role = roles.find((name) => name === event.currentTarget.value)
                      if (role !== undefined) set(index, { role })
                    }}
                  />
                  {!isReadOnly && (
                    <span className={styles['tools']}>
                      <RowTool
                        label={t('model:messages.up', { number })}
                        isDisabled={index === 0}
                        onClick={() => move(index, index - 1)}
                      >
                        <IconChevronUp size={14} />
                      </RowTool>
                      <RowTool
                        label={t('model:messages.down', { number })}
                        isDisabled={number === messages.length}
                        onClick={() => move(index, index + 1)}
                      >
                        <IconChevronDown size={14} />
                      </RowTool>
                      <RowTool
                        label={t('model:messages.remove', { number })}
                        onClick={() => onChange(messages.toSpliced(index, 1))}
                      >
                        <IconX size={14} />
                      </RowTool>
                    </span>
                  )}
                </div>
                <Textarea
                  size="sm"
                  aria-label={t('model:messages.text', { number })}
                  value={message.content}
                  onChange={(event) => set(index, { content: event.currentTarget.value })}
                  readOnly={isReadOnly}
                  error={fieldErrorOf(`messages.${index}.content`)}
                  autosize
                  minRows={1}
                  maxRows={12}
                />
              </li>
            )
          })}
        </ol>
      )}
      {messages.length === 0 && <p className={styles['note']}>{t('model:messages.none')}</p>}
      {!isReadOnly && (
        <AddRow
          label={t('model:messages.add')}
          onClick={() => onChange([...messages, { role: nextRole(messages), content: '' }])}
        />
      )}
    </div>
  )
}
