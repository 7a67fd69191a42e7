import { UnstyledButton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useMemo, useState } from 'react'
import { collapseUnchanged, type DiffPart, type LinePair } from '../../lib/format/diffSections.ts'
import { t } from '../../lib/i18n.ts'
import styles from './Diff.module.css'

type Props = {
  readonly pairs: readonly LinePair[]
  readonly empty?: ReactNode
  /** Width in pixels from which both sides are shown beside each other. */
  readonly sideBySideFrom?: number
}

/** Lines of a finished comparison, with changed words marked and unchanged lines collapsed. */
export function DiffPairs({ pairs, empty, sideBySideFrom = 1000 }: Props) {
  const { ref, width } = useElementSize()
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [previousPairs, setPreviousPairs] = useState(pairs)
  // A new comparison collapses the opened sections.
  if (previousPairs !== pairs) {
    setPreviousPairs(pairs)
    setOpened(new Set())
  }
  const sections = useMemo(() => collapseUnchanged(pairs), [pairs])
  if (sections.length === 0) return <div className="dimmed">{empty ?? t('common:diff.nothing')}</div>
  const Line = width >= sideBySideFrom ? SideBySide : Inline
  return (
    <div className={styles['diff']} ref={ref} data-testid="diff">
      {sections.map((section) =>
        section.kind === 'collapsed' && !opened.has(section.at) ? (
          <UnstyledButton
            key={section.at}
            className={styles['collapsed'] ?? ''}
            onClick={() => setOpened(new Set([...opened, section.at]))}
          >
            {t('common:diff.unchanged', { count: section.pairs.length })}
          </UnstyledButton>
        ) : (
          section.pairs.map((pair) => <Line key={pair.at} pair={pair} />)
        ),
      )}
    </div>
  )
}

function Parts({ parts }: { readonly parts: readonly DiffPart[] }) {
  return parts.map(({ at, text, isChanged }) =>
    isChanged ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
  )
}

function SideBySide({ pair }: { readonly pair: LinePair }) {
  return (
    <div className={styles['pair']}>
      <Side parts={pair.before} kind={pair.isChanged ? 'removed' : 'same'} />
      <Side parts={pair.after} kind={pair.isChanged ? 'added' : 'same'} />
    </div>
  )
}

function Inline({ pair }: { readonly pair: LinePair }) {
  if (!pair.isChanged) return <Side parts={pair.before} kind="same" />
  return (
    <>
      {pair.before !== null && <Side parts={pair.before} kind="removed" />}
      {pair.after !== null && <Side parts={pair.after} kind="added" />}
    </>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const

type SideProps = { readonly parts: readonly DiffPart[] | null; readonly kind: keyof typeof signs }

function Side({ parts, kind }: SideProps) {
  const Mark = kind === 'removed' ? 'del' : kind === 'added' ? 'ins' : 'span'
  return (
    <Mark className={styles['line']} data-kind={parts === null ? 'none' : kind}>
      <span className={styles['sign']}>{parts === null ? ' ' : signs[kind]}</span>
      <span className={styles['text']}>{parts !== null && <Parts parts={parts} />}</span>
    </Mark>
  )
}
