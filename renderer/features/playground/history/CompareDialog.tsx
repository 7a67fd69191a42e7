import { ActionIcon, NativeSelect, Tooltip } from '@mantine/core'
import { IconArrowsLeftRight } from '@tabler/icons-react'
import { useState } from 'react'
import { formatDuration, formatMoney, formatTokens } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { jsonIn } from '../input/json.ts'
import styles from '../panels.module.css'
import type { Result } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'

type Props = { readonly session: PlaygroundSession; readonly onClose: () => void }

/** A dialog with a diff of two responses. JSON is compared regardless of the order of keys. */
export function CompareDialog({ session, onClose }: Props) {
  const results = session.setup.get().columns.map(({ id }) => session.resultOf(id).get())
  const nameOf = (result: Result | null, index: number): string =>
    [
      index + 1,
      ...(result === null
        ? [t('playground:compare.none')]
        : [result.model, ...(result.version === null ? [] : [result.version])]),
    ].join(' · ')
  const data = results.map((result, index) => ({ value: String(index), label: nameOf(result, index) }))
  const [left, setLeft] = useState(0)
  const [right, setRight] = useState(1)
  const [before, after] = [results[left] ?? null, results[right] ?? null]
  return (
    <Dialog onClose={onClose} size={1120} title={t('playground:compare.title')}>
      <div className={styles['compare']}>
        <div className={styles['sides']}>
          <NativeSelect
            size="xs"
            aria-label={t('playground:compare.left')}
            value={String(left)}
            data={data}
            onChange={(event) => setLeft(Number(event.currentTarget.value))}
          />
          <Tooltip label={t('playground:compare.swap')}>
            <ActionIcon
              aria-label={t('playground:compare.swap')}
              onClick={() => {
                setLeft(right)
                setRight(left)
              }}
            >
              <IconArrowsLeftRight size={15} />
            </ActionIcon>
          </Tooltip>
          <NativeSelect
            size="xs"
            aria-label={t('playground:compare.right')}
            value={String(right)}
            data={data}
            onChange={(event) => setRight(Number(event.currentTarget.value))}
          />
        </div>
        {before === null || after === null ? (
          <p className="note">{t('playground:compare.missing')}</p>
        ) : (
          <>
            <div className={styles['sidesFigures']}>
              <span>{figuresOf(before)}</span>
              <span>{figuresOf(after)}</span>
            </div>
            <Diff
              before={comparable(before, after)}
              after={comparable(after, before)}
              empty={t('playground:compare.same')}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Returns the parsed JSON if both texts contain JSON; otherwise the text. */
function comparable(result: Result, other: Result): unknown {
  const json = jsonIn(result.text)
  return json !== undefined && jsonIn(other.text) !== undefined ? json : result.text
}

function figuresOf({ run, totalMs, text }: Result): string {
  const tokens = formatTokens(run?.output_tokens, run?.tokens_estimated)
  const ms = run?.latency_ms ?? totalMs
  return t('playground:compare.figures', {
    time: formatDuration(ms === null ? null : Math.round(ms)),
    tokens,
    cost: formatMoney(run?.cost_usd),
    count: text.length,
  })
}
