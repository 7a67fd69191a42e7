import { UnstyledButton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useMemo, useState } from 'react'
import { fold, type Pair, type Word } from '../../lib/format/fold.ts'
import { t } from '../../lib/i18n.ts'
import styles from './Diff.module.css'

type Props = {
  readonly pairs: readonly Pair[]
  readonly empty?: ReactNode
  /** Width in pixels from which both sides are shown beside each other. */
  readonly sideBySideFrom?: number
}

/** Lines of a finished comparison, with changed words marked and unchanged lines folded. */
export function DiffPairs({ pairs, empty, sideBySideFrom = 1000 }: Props) {
  const { ref, width } = useElementSize()
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [known, setKnown] = useState(pairs)
  // A new comparison resets the opened folds.
  if (known !== pairs) {
    setKnown(pairs)
    setOpened(new Set())
  }
  const stretches = useMemo(() => fold(pairs), [pairs])
  if (stretches.length === 0) return <div className="dimmed">{empty ?? t('common:diff.nothing')}</div>
  const Line = width >= sideBySideFrom ? SideBySide : Inline
  return (
    <div className={styles['diff']} ref={ref} data-testid="diff">
      {stretches.map((stretch) =>
        stretch.kind === 'folded' && !opened.has(stretch.at) ? (
          <UnstyledButton
            key={stretch.at}
            className={styles['fold'] ?? ''}
            onClick={() => setOpened(new Set([...opened, stretch.at]))}
          >
            {t('common:diff.unchanged', { count: stretch.pairs.length })}
          </UnstyledButton>
        ) : (
          stretch.pairs.map((pair) => <Line key={pair.at} pair={pair} />)
        ),
      )}
    </div>
  )
}

function Words({ words }: { readonly words: readonly Word[] }) {
  return words.map(({ at, text, isChanged }) =>
    isChanged ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
  )
}

function SideBySide({ pair }: { readonly pair: Pair }) {
  return (
    <div className={styles['pair']}>
      <Side words={pair.before} kind={pair.isChanged ? 'removed' : 'same'} />
      <Side words={pair.after} kind={pair.isChanged ? 'added' : 'same'} />
    </div>
  )
}

function Inline({ pair }: { readonly pair: Pair }) {
  if (!pair.isChanged) return <Side words={pair.before} kind="same" />
  return (
    <>
      {pair.before !== null && <Side words={pair.before} kind="removed" />}
      {pair.after !== null && <Side words={pair.after} kind="added" />}
    </>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const

type SideProps = { readonly words: readonly Word[] | null; readonly kind: keyof typeof signs }

function Side({ words, kind }: SideProps) {
  const Mark = kind === 'removed' ? 'del' : kind === 'added' ? 'ins' : 'span'
  return (
    <Mark className={styles['line']} data-kind={words === null ? 'none' : kind}>
      <span className={styles['sign']}>{words === null ? ' ' : signs[kind]}</span>
      <span className={styles['text']}>{words !== null && <Words words={words} />}</span>
    </Mark>
  )
}
