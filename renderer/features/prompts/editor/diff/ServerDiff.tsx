import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Environment } from '../../../../../contract/common/environments.ts'
import type { PromptDiff } from '../../../../../contract/prompts/prompt-diff.ts'
import { unknown } from '../../../../lib/format/format.ts'
import { t, tNode } from '../../../../lib/i18n.ts'
import { EnvBadge } from '../../../../shared/environments/EnvBadge.tsx'
import { DiffPairs } from '../../../../ui/diff/DiffPairs.tsx'
import { QueryPending } from '../../../../ui/feedback/QueryPending.tsx'
import { diffQuery } from '../../prompts.queries.ts'
import styles from '../../release/release.module.css'
import { MessageDiffs, ParamDiffs } from './MessageDiffs.tsx'
import { pairsOf } from './serverDiff.ts'

type Props = {
  readonly id: string
  readonly from: string
  readonly to: string
  /** The prompt of `to`, if it is another one: the same key in another environment. */
  readonly toId?: string
  /** The environment of `from`. With it, a note names its version that equals `to`. */
  readonly fromEnv?: Environment
  readonly sideBySideFrom?: number
  /** Leaves out added and removed variables, which the surrounding page displays. */
  readonly isPlain?: boolean
}

/**
 * A diff of two states of a prompt, computed by the service: text or messages, model, parameters and declared
 * variables.
 */
export function ServerDiff(props: Props) {
  const { id, from, to, toId, fromEnv, sideBySideFrom = 900, isPlain = false } = props
  const query = useQuery(diffQuery(id, from, to, toId))
  const diff = query.data
  const pairs = useMemo(() => (diff === undefined ? [] : pairsOf(diff.lines)), [diff])
  if (diff === undefined) {
    return <QueryPending query={query} height={120} />
  }
  return (
    <div className={styles['diff']} data-stale={query.isPlaceholderData || undefined}>
      {fromEnv !== undefined && diff.same_as !== null && !diff.identical && (
        <p className={styles['note']} data-testid="same-as">
          {tNode('prompt:diff.same_as', {
            env: <EnvBadge env={fromEnv} />,
            version: <b className="mono">{diff.same_as}</b>,
          })}
        </p>
      )}
      <OtherDifferences diff={diff} isPlain={isPlain} />
      {diff.coarse && <p className={styles['note']}>{t('prompt:diff.coarse')}</p>}
      {diff.omitted_lines > 0 && (
        <p className={styles['note']}>{t('prompt:diff.omitted', { count: diff.omitted_lines })}</p>
      )}
      <ParamDiffs params={diff.params} />
      {diff.messages === null || diff.identical ? (
        <DiffPairs
          pairs={diff.added_lines + diff.removed_lines === 0 ? [] : pairs}
          sideBySideFrom={sideBySideFrom}
          empty={t(diff.identical ? 'prompt:diff.identical' : 'prompt:diff.same_text')}
        />
      ) : (
        <MessageDiffs messages={diff.messages} sideBySideFrom={sideBySideFrom} />
      )}
    </div>
  )
}

/** Differences in the type, in the model and in the declared variables. */
function OtherDifferences({
  diff: { type, model, variables },
  isPlain,
}: {
  readonly diff: PromptDiff
  readonly isPlain: boolean
}) {
  const lists = [
    ['prompt:diff.declared', variables.added],
    ['prompt:diff.undeclared', variables.removed],
    ['prompt:diff.redeclared', variables.changed],
  ] as const
  return (
    <>
      {type !== null && (
        <p className={styles['note']}>
          {t('prompt:diff.type', {
            from: t(`model:type.${type.from}`),
            to: t(`model:type.${type.to}`),
          })}
        </p>
      )}
      {model !== null && (
        <p className={styles['note']}>
          {tNode('prompt:diff.model', {
            from: <span className="mono">{model.from ?? unknown}</span>,
            to: <span className="mono">{model.to ?? unknown}</span>,
          })}
        </p>
      )}
      {lists
        .filter(([key, names]) => names.length > 0 && (!isPlain || key === 'prompt:diff.redeclared'))
        .map(([key, names]) => (
          <p key={key} className={styles['note']}>
            {tNode(key, { names: <span className="mono">{names.join(', ')}</span> })}
          </p>
        ))}
    </>
  )
}
