import type { PromptMessage } from '../../../../../contract/prompts/prompt-chat.ts'
import type { DiffMessage, DiffParam } from '../../../../../contract/prompts/prompt-diff.ts'
import { t } from '../../../../lib/i18n.ts'
import { Diff } from '../../../../ui/diff/Diff.tsx'
import { DiffPairs } from '../../../../ui/diff/DiffPairs.tsx'
import styles from '../../release/release.module.css'
import { onlyPairs, pairsOf } from './serverDiff.ts'

const roleOf = (message: PromptMessage | null): string =>
  message === null ? '' : t(`model:messages.roles.${'placeholder' in message ? 'placeholder' : message.role}`)

/** Returns the parts of a message other than its text, as they are compared. */
function detailsOf(message: PromptMessage | null): string {
  if (message === null) return ''
  if ('placeholder' in message) return message.placeholder
  const { role: _role, content: _content, ...rest } = message
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2)
}

const contentOf = (message: PromptMessage | null): string =>
  message === null || 'placeholder' in message ? '' : message.content

type Props = { readonly messages: readonly DiffMessage[]; readonly sideBySideFrom: number }

/** The differences of two chats, message by message. Unchanged messages show only their role. */
export function MessageDiffs({ messages, sideBySideFrom }: Props) {
  return (
    <ol className={styles['messages']} aria-label={t('prompt:diff.messages')}>
      {messages.map((message, index) => {
        const { kind, from, to, lines } = message
        const role =
          kind === 'changed' && roleOf(from) !== roleOf(to)
            ? t('prompt:diff.role_changed', { from: roleOf(from), to: roleOf(to) })
            : roleOf(to ?? from)
        const [before, after] = [detailsOf(from), detailsOf(to)]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message has no id other than its index
          <li key={index} data-kind={kind}>
            <p className={styles['note']}>{t(`prompt:diff.message_${kind}`, { role })}</p>
            {kind === 'changed' && lines !== undefined ? (
              <DiffPairs pairs={pairsOf(lines)} sideBySideFrom={sideBySideFrom} empty="" />
            ) : (
              <TextDiff before={contentOf(from)} after={contentOf(to)} sideBySideFrom={sideBySideFrom} />
            )}
            <TextDiff before={before} after={after} sideBySideFrom={sideBySideFrom} />
          </li>
        )
      })}
    </ol>
  )
}

type TextDiffProps = {
  readonly before: string
  readonly after: string
  readonly sideBySideFrom: number
}

/** The difference of two texts. If one of them is empty, no line of the other counts as unchanged. */
function TextDiff({ before, after, sideBySideFrom }: TextDiffProps) {
  if (before === after) return null
  if (before !== '' && after !== '') return <Diff before={before} after={after} />
  const pairs = before === '' ? onlyPairs(after, 'after') : onlyPairs(before, 'before')
  return <DiffPairs pairs={pairs} sideBySideFrom={sideBySideFrom} />
}

const valueText = (value: unknown): string =>
  value === undefined
    ? t('prompt:diff.unset')
    : typeof value === 'object'
      ? JSON.stringify(value, null, 2)
      : JSON.stringify(value)

/** The parameters that differ, each with its values before and after. */
export function ParamDiffs({ params }: { readonly params: readonly DiffParam[] }) {
  if (params.length === 0) return null
  return (
    <section aria-label={t('prompt:diff.params')}>
      {params.map(({ name, from, to }) => (
        <div key={name}>
          <p className={`mono ${styles['note']}`}>{name}</p>
          <Diff before={valueText(from)} after={valueText(to)} />
        </div>
      ))}
    </section>
  )
}
