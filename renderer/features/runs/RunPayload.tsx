import { z } from 'zod'
import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import { Section } from '../../ui/page/Section.tsx'
import styles from './runs.module.css'

/** Chat messages in the format of most providers; `content` is text or a list of parts. */
const Messages = z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1)

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** Splits the input of a run by the service into its messages and the rest, such as tools and schema. */
function chatOf(value: unknown): { chat: unknown; rest: object | null } {
  if (typeof value !== 'object' || value === null || !('messages' in value))
    return { chat: value, rest: null }
  const { messages, ...rest } = value
  return { chat: messages, rest: Object.keys(rest).length === 0 ? null : rest }
}

type Props = { readonly title: string; readonly value: unknown }

/** A captured input or output: text unchanged, a chat by role, anything else as JSON. */
export function RunPayload({ title, value }: Props) {
  const { chat, rest } = chatOf(value)
  const messages = Messages.safeParse(chat)
  return (
    <Section
      title={title}
      aside={<CopyButton value={asText(value)} label={t('runs:copy', { what: title })} />}
    >
      {messages.success ? (
        <div className={styles['messages']}>
          {messages.data.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a run never change
            <div key={index}>
              <div className={styles['role']}>{message.role}</div>
              <CodeBlock text={asText(message.content)} label={`${title}, ${message.role}`} />
            </div>
          ))}
          {rest !== null && <CodeBlock text={asText(rest)} label={title} />}
        </div>
      ) : (
        <CodeBlock text={asText(value)} label={title} />
      )}
    </Section>
  )
}
