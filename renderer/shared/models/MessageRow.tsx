import { NativeSelect, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { type ChatMessage, messageRoles } from '../../../contract/models/models.ts'
import type { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import { t } from '../../lib/i18n.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import type { FieldErrorOf } from './fieldErrorOf.ts'
import styles from './model.module.css'
import { RowTool } from './RowTool.tsx'
import { ToolCallsEditor } from './ToolCallsEditor.tsx'

export type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

type Kind = ChatMessage['role'] | 'placeholder'
const kindOf = (message: PromptMessage): Kind => ('placeholder' in message ? 'placeholder' : message.role)

/** Returns the message with another role. The text is kept, unless the message becomes a placeholder. */
function withKind(message: PromptMessage, kind: Kind): PromptMessage {
  const content = 'placeholder' in message ? '' : message.content
  if (kind === 'placeholder') return { placeholder: 'history' }
  return kind === 'tool' ? { role: kind, content, tool_call_id: '' } : { role: kind, content }
}

type Props = {
  readonly roleId: string
  readonly message: PromptMessage
  readonly index: number
  readonly count: number
  readonly onChange: (message: PromptMessage) => void
  readonly onMove: (to: number, isFocused: boolean) => void
  readonly onRemove: () => void
  readonly isReadOnly: boolean
  readonly fieldErrorOf: FieldErrorOf
  readonly hasPlaceholders: boolean
  readonly renderText: ((props: TextFieldProps) => ReactNode) | undefined
}

/** A message in an editor. Alt with an arrow key moves it. */
export function MessageRow(props: Props) {
  const { roleId, message, index, count, onChange, onMove, onRemove, isReadOnly, hasPlaceholders } = props
  const number = index + 1
  const kinds: readonly Kind[] = [...messageRoles, ...(hasPlaceholders ? (['placeholder'] as const) : [])]
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || step === 0 || isReadOnly) return
    event.preventDefault()
    onMove(index + step, true)
  }
  return (
    <li className={styles['item']} onKeyDownCapture={onKeyDown}>
      <div className={styles['itemHead']}>
        <NativeSelect
          id={roleId}
          size="xs"
          aria-label={t('model:messages.role', { number })}
          value={kindOf(message)}
          data={kinds.map((kind) => ({ value: kind, label: t(`model:messages.roles.${kind}`) }))}
          disabled={isReadOnly}
          onChange={(event) => {
            const kind = kinds.find((name) => name === event.currentTarget.value)
            if (kind !== undefined) onChange(withKind(message, kind))
          }}
        />
        {!isReadOnly && (
          <span className={styles['tools']}>
            <RowTool
              label={t('model:messages.up', { number })}
              isDisabled={index === 0}
              onClick={() => onMove(index - 1, false)}
            >
              <IconChevronUp size={14} />
            </RowTool>
            <RowTool
              label={t('model:messages.down', { number })}
              isDisabled={number === count}
              onClick={() => onMove(index + 1, false)}
            >
              <IconChevronDown size={14} />
            </RowTool>
            <RowTool label={t('model:messages.remove', { number })} onClick={onRemove}>
              <IconX size={14} />
            </RowTool>
          </span>
        )}
      </div>
      <MessageFields {...props} />
    </li>
  )
}

/** The fields of a message: its text, and what belongs to its role. */
function MessageFields({ message, index, onChange, isReadOnly, fieldErrorOf, renderText }: Props) {
  const number = index + 1
  if ('placeholder' in message) {
    return (
      <TextInput
        size="xs"
        label={t('model:messages.placeholder')}
        description={t('model:messages.placeholder_help')}
        value={message.placeholder}
        onChange={(event) => onChange({ placeholder: event.currentTarget.value })}
        readOnly={isReadOnly}
        maxLength={128}
        error={fieldErrorOf(`messages.${index}.placeholder`)}
        className="mono-input"
      />
    )
  }
  const label = t('model:messages.text', { number })
  const setContent = (content: string): void => onChange({ ...message, content })
  const error = fieldErrorOf(`messages.${index}.content`)
  return (
    <>
      {message.role === 'tool' && (
        <TextInput
          size="xs"
          label={t('model:messages.tool_call_id')}
          value={message.tool_call_id}
          onChange={(event) => onChange({ ...message, tool_call_id: event.currentTarget.value })}
          readOnly={isReadOnly}
          maxLength={128}
          error={fieldErrorOf(`messages.${index}.tool_call_id`)}
          className="mono-input"
        />
      )}
      {renderText === undefined ? (
        <Textarea
          size="sm"
          aria-label={label}
          value={message.content}
          onChange={(event) => setContent(event.currentTarget.value)}
          readOnly={isReadOnly}
          error={error}
        />
      ) : (
        <>
          {renderText({ label, value: message.content, onChange: setContent })}
          {error !== undefined && <p className={styles['error']}>{error}</p>}
        </>
      )}
      {message.role === 'assistant' && (
        <ToolCallsEditor
          calls={message.tool_calls ?? []}
          onChange={(calls) => {
            const { tool_calls: _previous, ...rest } = message
            onChange(calls.length === 0 ? rest : { ...rest, tool_calls: calls })
          }}
          isReadOnly={isReadOnly}
          fieldErrorOf={(path) => fieldErrorOf(`messages.${index}.${path}`)}
        />
      )}
    </>
  )
}
