import { type ReactNode, useId } from 'react'
import type { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import { t } from '../../lib/i18n.ts'
import { AddRow } from './AddRow.tsx'
import type { FieldErrorOf } from './fieldErrorOf.ts'
import { MessageRow, type TextFieldProps } from './MessageRow.tsx'
import styles from './model.module.css'

type Props = {
  readonly messages: readonly PromptMessage[]
  readonly onChange: (messages: PromptMessage[]) => void
  /** Accessible name of the list. */
  readonly label?: string
  /** Role of the first message that is added; `system` by default. */
  readonly firstRole?: 'system' | 'user'
  readonly isReadOnly?: boolean
  readonly fieldErrorOf: FieldErrorOf
  /** True for a chat prompt, whose placeholders apps replace by messages. */
  readonly hasPlaceholders?: boolean
  /** Replaces the text field, such as by an editor that marks variables. */
  readonly renderText?: (props: TextFieldProps) => ReactNode
}

/**
 * Returns the next message. After a system message come examples: a user message, then an assistant message.
 */
function nextMessage(messages: readonly PromptMessage[], firstRole: 'system' | 'user'): PromptMessage {
  const last = messages.at(-1)
  if (last === undefined) return { role: firstRole, content: '' }
  const isUser = 'role' in last && last.role === 'user'
  return isUser ? { role: 'assistant', content: '' } : { role: 'user', content: '' }
}

/** Editor of messages: instructions and examples of a call, or the messages of a chat prompt. */
export function MessagesEditor(props: Props) {
  const { messages, onChange, isReadOnly = false, fieldErrorOf, hasPlaceholders = false, renderText } = props
  const listId = useId()
  const move = (from: number, to: number, isFocused: boolean): void => {
    const moved = messages[from]
    if (moved === undefined || to < 0 || to >= messages.length) return
    onChange(messages.toSpliced(from, 1).toSpliced(to, 0, moved))
    // The row keeps the focus at its new place, so that it can be moved on.
    if (isFocused) requestAnimationFrame(() => document.getElementById(`${listId}-${to}`)?.focus())
  }
  return (
    <div className={styles['stack']}>
      {messages.length > 0 && (
        <ol
          className={styles['list']}
          aria-label={props.label ?? t(hasPlaceholders ? 'model:messages.chat' : 'model:messages.title')}
        >
          {messages.map((message, index) => (
            <MessageRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a message has no id other than its index
              key={index}
              roleId={`${listId}-${index}`}
              message={message}
              index={index}
              count={messages.length}
              onChange={(next) => onChange(messages.with(index, next))}
              onMove={(to, isFocused) => move(index, to, isFocused)}
              onRemove={() => onChange(messages.toSpliced(index, 1))}
              isReadOnly={isReadOnly}
              fieldErrorOf={fieldErrorOf}
              hasPlaceholders={hasPlaceholders}
              renderText={renderText}
            />
          ))}
        </ol>
      )}
      {messages.length === 0 && (
        <p className="note">{t(hasPlaceholders ? 'model:messages.empty' : 'model:messages.none')}</p>
      )}
      {!isReadOnly && (
        <div className={styles['adds']}>
          <AddRow
            label={t('model:messages.add')}
            onClick={() => onChange([...messages, nextMessage(messages, props.firstRole ?? 'system')])}
          />
          {hasPlaceholders && (
            <AddRow
              label={t('model:messages.add_placeholder')}
              onClick={() => onChange([...messages, { placeholder: 'history' }])}
            />
          )}
        </div>
      )}
    </div>
  )
}
