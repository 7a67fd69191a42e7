import './content.texts.ts'
import { lazy, Suspense } from 'react'
import { t } from '../../../lib/i18n.ts'
import styles from './content.module.css'
import { JsonTree } from './JsonTree.tsx'
import type { ChatMessage, ToolPart } from './messages.ts'

const Markdown = lazy(() => import('./Markdown.tsx').then((module) => ({ default: module.Markdown })))

type TextProps = {
  readonly text: string
  readonly isRaw: boolean
  /** Accessible name of the text. */
  readonly label: string
}

/** Number of characters above which formatting a text would block the page for seconds. */
const maxFormattedLength = 100_000

/** A text as Markdown or unchanged. It scrolls if it is long, and a very long one is never formatted. */
export function RunText({ text, isRaw, label }: TextProps) {
  const raw = <pre className={styles['text']}>{text}</pre>
  const isTooLong = text.length > maxFormattedLength
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      {!isRaw && isTooLong && <p className={`dimmed ${styles['reason']}`}>{t('run_content:too_long')}</p>}
      {isRaw || isTooLong ? (
        raw
      ) : (
        <Suspense fallback={raw}>
          <Markdown text={text} />
        </Suspense>
      )}
    </section>
  )
}

type Props = {
  readonly messages: readonly ChatMessage[]
  readonly isRaw: boolean
  /** Begins the accessible names of the messages. */
  readonly label: string
}

/** Messages in order. Tool calls are collapsed. */
export const Conversation = ({ messages, isRaw, label }: Props) => (
  <div className={styles['messages']}>
    {messages.map((message, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a run never change
      <div key={index} className={styles['message']} data-role={message.role}>
        <div className={styles['role']}>{message.role}</div>
        {message.text !== '' && (
          <RunText text={message.text} isRaw={isRaw} label={`${label}, ${message.role}`} />
        )}
        {message.tools.map((tool, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a run never change
          <Tool key={at} tool={tool} />
        ))}
        {message.others.length > 0 && <CollapsedJson title={t('run_content:other')} value={message.others} />}
      </div>
    ))}
  </div>
)

function Tool({ tool: { kind, name, value } }: { readonly tool: ToolPart }) {
  const title = name === '' ? t(`run_content:tool.${kind}_unnamed`) : t(`run_content:tool.${kind}`, { name })
  return <CollapsedJson title={title} value={value} />
}

/** A JSON value in a collapsible section. */
export const CollapsedJson = ({ title, value }: { readonly title: string; readonly value: unknown }) => (
  <details className={styles['tool']}>
    <summary>{title}</summary>
    <div>
      <JsonTree value={value} />
    </div>
  </details>
)
