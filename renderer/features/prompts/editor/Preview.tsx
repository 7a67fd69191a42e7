import { useMemo } from 'react'
import { render } from '../../../../contract/formats/template.ts'
import { chatText, isPlaceholder, renderChat } from '../../../../contract/models/chat.ts'
import type { PromptMessage } from '../../../../contract/prompts/prompt-chat.ts'
import { t } from '../../../lib/i18n.ts'
import { TemplatePreview } from '../../../shared/templates/TemplatePreview.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'
import { sampleValue } from './samples.ts'

type Props = {
  readonly content: string
  /** The messages of a chat; null for a text. */
  readonly messages: readonly PromptMessage[] | null
  readonly variables: readonly Declared[]
  readonly samples: Readonly<Record<string, string>>
}

/**
 * The text with the sample values filled in. Variables without a value are highlighted and stay, as in an
 * app.
 */
export function Preview({ content, messages, variables, samples }: Props) {
  const values = useMemo(() => {
    const types = new Map(variables.map(({ name, type }) => [name, type]))
    return Object.fromEntries(
      Object.entries(samples).map(([name, text]) => [name, sampleValue(text, types.get(name))]),
    )
  }, [samples, variables])
  const rendered = useMemo(
    () =>
      messages === null ? render(content, values, variables) : renderedChat(messages, values, variables),
    [content, messages, values, variables],
  )
  if (messages === null ? content === '' : messages.length === 0)
    return <p className="note">{t('prompt:preview.empty')}</p>
  return (
    <>
      {messages === null ? (
        <TemplatePreview
          content={content}
          values={values}
          variables={variables}
          label={t('prompt:preview.title')}
        />
      ) : (
        <Conversation messages={messages} values={values} variables={variables} />
      )}
      <div className={styles['previewFoot']}>
        <span className={rendered.missing.length === 0 ? 'dimmed' : styles['warn']}>
          {rendered.missing.length === 0
            ? t('prompt:preview.complete')
            : t('prompt:preview.missing', {
                count: rendered.missing.length,
                names: rendered.missing.join(', '),
              })}
        </span>
        <CopyButton value={rendered.text} label={t('prompt:preview.copy')} />
      </div>
    </>
  )
}

type Values = Readonly<Record<string, unknown>>

/** Renders the messages for copying. Placeholders stay, because an app fills them. */
function renderedChat(messages: readonly PromptMessage[], values: Values, variables: readonly Declared[]) {
  const { missing } = renderChat(messages, values, variables)
  const rendered = messages.map((message) =>
    isPlaceholder(message)
      ? message
      : { ...message, content: render(message.content, values, variables).text },
  )
  return { text: chatText(rendered), missing }
}

type ConversationProps = {
  readonly messages: readonly PromptMessage[]
  readonly values: Values
  readonly variables: readonly Declared[]
}

/** The messages in order, each with its role and its rendered text. */
function Conversation({ messages, values, variables }: ConversationProps) {
  return (
    <ol className={styles['conversation']} aria-label={t('model:messages.chat')}>
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message has no id other than its index
        <li key={index}>
          <span className={styles['role']}>
            {t(`model:messages.roles.${isPlaceholder(message) ? 'placeholder' : message.role}`)}
          </span>
          {isPlaceholder(message) ? (
            <span className={`mono ${styles['pill']}`}>{message.placeholder}</span>
          ) : (
            <TemplatePreview
              content={message.content}
              values={values}
              variables={variables}
              label={t('model:messages.text', { number: index + 1 })}
            />
          )}
          {'tool_calls' in message &&
            message.tool_calls?.map((call) => (
              <code key={call.id} className={styles['call']}>
                {`${call.name}(${JSON.stringify(call.arguments)})`}
              </code>
            ))}
        </li>
      ))}
    </ol>
  )
}
