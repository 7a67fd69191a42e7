import { withoutPlaceholders } from '../../../../contract/models/chat.ts'
import { ChatMessages } from '../../../../contract/models/models.ts'
import type { PromptMessage } from '../../../../contract/prompts/prompt-chat.ts'
import { t } from '../../../lib/i18n.ts'
import { MessagesEditor } from '../../../shared/models/MessagesEditor.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import styles from '../playground.module.css'
import own from './values.module.css'

type Props = {
  readonly name: string
  /** A list of messages as JSON; empty for none. */
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** Parses the messages, as edited and not validated; null if the text is not a list of objects. */
function messagesOf(value: string): PromptMessage[] | null {
  if (value === '') return []
  try {
    const list: unknown = JSON.parse(value)
    const isList = Array.isArray(list) && list.every((item) => item?.role !== undefined)
    return isList ? (list as PromptMessage[]) : null
  } catch {
    return null
  }
}

/** Returns the error of each field by its path, such as `messages.0.tool_call_id`. */
function errorsOf(messages: readonly PromptMessage[]): Readonly<Record<string, string>> {
  const { error } = ChatMessages.safeParse(messages)
  return Object.fromEntries(
    (error?.issues ?? []).map(({ path, message }) => [['messages', ...path.map(String)].join('.'), message]),
  )
}

/** The messages that replace a placeholder of a chat. */
export function PlaceholderValue({ name, value, error, onChange }: Props) {
  const messages = messagesOf(value)
  const errors = error === undefined || messages === null ? {} : errorsOf(messages)
  return (
    <li className={own['placeholder']} aria-label={t('playground:values.placeholder', { name })}>
      <span className={`mono truncate ${styles['pill']}`} title={name}>
        {name}
      </span>
      <p className="note">{t('playground:values.placeholder_help')}</p>
      {messages === null ? (
        <Textarea
          size="xs"
          maxRows={8}
          aria-label={name}
          value={value}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
          classNames={{ input: styles['monoInput'] ?? '' }}
        />
      ) : (
        <MessagesEditor
          messages={messages}
          firstRole="user"
          label={t('playground:values.placeholder', { name })}
          onChange={(next) => {
            const list = withoutPlaceholders(next)
            onChange(list.length === 0 ? '' : JSON.stringify(list))
          }}
          fieldErrorOf={(path) => errors[path]}
        />
      )}
    </li>
  )
}
