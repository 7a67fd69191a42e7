import { Button } from '@mantine/core'
import { useState } from 'react'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import type { Result } from '../playground.state.ts'
import { FailureCard } from './FailureCard.tsx'
import { Figures } from './Figures.tsx'
import { Output } from './Output.tsx'
import styles from './outcome.module.css'
import { ToolCalls } from './ToolCalls.tsx'

type Props = {
  readonly result: Result | null
  readonly number: number
  /** Null if the current setup cannot be run. */
  readonly onRetry: (() => void) | null
}

/** The result of one column: streamed text, tool calls, failure and figures. */
export function Outcome({ result, number, onRetry }: Props) {
  const [isRenderedShown, setRenderedShown] = useState(false)
  if (result === null) return <p className={styles['empty']}>{t('playground:column.empty')}</p>
  const { status, text, toolCalls, failure, rendered } = result
  const isRunning = status === 'running'
  return (
    <>
      <section
        className={styles['result']}
        aria-label={t('playground:output.of', { number })}
        aria-busy={isRunning}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        tabIndex={0}
      >
        {isRunning && text === '' && toolCalls.length === 0 && (
          <p className={styles['waiting']}>{t('playground:output.waiting')}</p>
        )}
        {isRenderedShown && rendered !== null && (
          <CodeBlock text={rendered} label={t('playground:preview.title')} />
        )}
        <Output result={result} />
        <ToolCalls calls={toolCalls} />
        {status === 'done' && text === '' && toolCalls.length === 0 && (
          <p className={styles['waiting']}>{t('playground:output.nothing')}</p>
        )}
        {failure !== null && <FailureCard failure={failure} onRetry={onRetry} />}
        {(status === 'stopped' || status === 'cut') && (
          <p className={styles['stopped']}>{t(`playground:output.${status}`)}</p>
        )}
      </section>
      {!isRunning && (
        <div className={styles['outputTools']}>
          {text !== '' && (
            <>
              <span className="dimmed">
                {t('playground:output.size', { count: text.length, size: formatNumber(text.length) })}
              </span>
              <CopyButton value={text} label={t('playground:output.copy', { number })} />
            </>
          )}
          {rendered !== null && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              ml="auto"
              aria-pressed={isRenderedShown}
              onClick={() => setRenderedShown(!isRenderedShown)}
            >
              {t(isRenderedShown ? 'playground:output.hide_sent' : 'playground:output.show_sent')}
            </Button>
          )}
        </div>
      )}
      <Figures result={result} />
    </>
  )
}
