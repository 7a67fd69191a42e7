import './content.texts.ts'
import { SegmentedControl } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { CollapsedJson, Conversation, RunText } from './Conversation.tsx'
import styles from './content.module.css'
import { JsonTree } from './JsonTree.tsx'
import { asText, conversationOf, parsedOrText } from './messages.ts'

type ValueProps = { readonly value: unknown; readonly label: string; readonly isRaw: boolean }

/** A captured value: messages as a conversation, JSON as a tree, text as Markdown, or all of it unchanged. */
export function CapturedValue({ value, label, isRaw }: ValueProps): ReactNode {
  const conversation = conversationOf(value)
  if (conversation !== null) {
    const { messages, rest } = conversation
    return (
      <>
        <Conversation messages={messages} isRaw={isRaw} label={label} />
        {rest !== null && <CollapsedJson title={t('run_content:rest')} value={rest} />}
      </>
    )
  }
  const parsed = typeof value === 'string' ? parsedOrText(value) : value
  return (
    <div className={styles['message']}>
      {isRaw || typeof parsed === 'string' ? (
        <RunText text={asText(value)} isRaw={isRaw} label={label} />
      ) : (
        <JsonTree value={parsed} />
      )}
    </div>
  )
}

/** Input and output of a run, or the reason why they are missing. */
export function RunContent({ run }: { readonly run: Pick<RunDetail, 'input' | 'output' | 'content_state'> }) {
  const [isRaw, setRaw] = useState(false)
  const { input, output } = run
  if (input === null && output === null)
    return <p className={`dimmed ${styles['reason']}`}>{t(`run_content:state.${run.content_state}`)}</p>
  const part = (title: string, value: unknown, tools?: ReactNode): ReactNode =>
    value !== null && (
      <Section
        title={title}
        aside={
          <span className={styles['tools']}>
            {tools}
            <CopyButton value={asText(value)} label={t('common:copy_of', { what: title })} />
          </span>
        }
      >
        <CapturedValue value={value} label={title} isRaw={isRaw} />
      </Section>
    )
  const display = (
    <SegmentedControl
      size="xs"
      aria-label={t('run_content:display')}
      value={isRaw ? 'raw' : 'formatted'}
      onChange={(next) => setRaw(next === 'raw')}
      data={(['formatted', 'raw'] as const).map((name) => ({ value: name, label: t(`run_content:${name}`) }))}
    />
  )
  return (
    <>
      {part(t('run_content:input'), input, display)}
      {part(t('run_content:output'), output, input === null && display)}
    </>
  )
}
