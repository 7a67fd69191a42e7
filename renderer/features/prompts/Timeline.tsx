import { Button, Skeleton } from '@mantine/core'
import { IconArrowBackUp, IconFlask } from '@tabler/icons-react'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { Prompt } from '../../../contract/prompt.ts'
import type { PromptVersion } from '../../../contract/prompt-versions.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { versionBefore } from '../../lib/releases.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { EnvBadge } from '../../ui/EnvBadge.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Time } from '../../ui/Time.tsx'
import { WhyDisabled } from '../../ui/WhyDisabled.tsx'
import { useMayNotServe } from './useMayServe.ts'
import styles from './versions.module.css'

type Props = {
  readonly prompt: Prompt
  readonly query: Pick<
    UseInfiniteQueryResult,
    'isPending' | 'error' | 'refetch' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'
  >
  readonly versions: readonly PromptVersion[]
  readonly from: string
  readonly to: string
  readonly onCompare: (sides: { from?: string | undefined; to: string }) => void
  readonly onRollBack: (version: string) => void
}

/** Every version, newest first, with the draft on top. A click compares it with what came before. */
export function Timeline({ prompt, query, versions, from, to, onCompare, onRollBack }: Props) {
  const mayNotServe = useMayNotServe()(prompt)
  if (query.isPending) return <Skeleton height={220} />
  if (versions.length === 0 && query.error !== null) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <ol className={styles['timeline']} aria-label={t('prompt:versions.title')}>
        {prompt.has_draft && (
          <li className={styles['entry']} data-chosen={to === 'draft' || undefined} data-kind="draft">
            <button
              type="button"
              className={styles['open']}
              aria-pressed={to === 'draft'}
              onClick={() => onCompare({ from: 'served', to: 'draft' })}
            >
              <span className={styles['line']}>
                <Badge tone="accent">{t('prompts:draft')}</Badge>
                <span className={styles['time']}>
                  <Time at={prompt.updated_at} />
                </span>
              </span>
              <span className={styles['who']}>
                <Avatar name={prompt.updated_by} size={18} />
                <bdi className="truncate">{prompt.updated_by}</bdi>
              </span>
            </button>
          </li>
        )}
        {versions.map((one) => (
          <li
            key={one.version}
            className={styles['entry']}
            data-chosen={to === one.version || from === one.version || undefined}
            data-served={one.served || undefined}
            data-version={one.version}
          >
            <button
              type="button"
              className={styles['open']}
              aria-pressed={to === one.version}
              onClick={() => onCompare({ from: versionBefore(one.version), to: one.version })}
            >
              <span className={styles['line']}>
                <b className="mono">{one.version}</b>
                {one.served && <Badge tone="ok">{t('prompt:versions.served')}</Badge>}
                <span className={styles['time']}>
                  <Time at={one.created_at} />
                </span>
              </span>
              {one.message !== '' && <bdi className={styles['message']}>{one.message}</bdi>}
              <span className={styles['who']}>
                <Avatar name={one.created_by} size={18} />
                <bdi className="truncate">{one.created_by}</bdi>
                <Origin version={one} />
              </span>
            </button>
            <span className={styles['back']}>
              <LinkButton
                variant="subtle"
                size="compact-xs"
                leftSection={<IconFlask size={13} />}
                to="/playground"
                search={{ prompt: prompt.id, version: one.version }}
                aria-label={t('prompt:versions.try_named', { version: one.version })}
              >
                {t('prompt:versions.try')}
              </LinkButton>
              {!one.served && (
                <WhyDisabled reason={mayNotServe}>
                  <Button
                    variant="subtle"
                    size="compact-xs"
                    leftSection={<IconArrowBackUp size={13} />}
                    aria-label={t('prompt:rollback.to', { version: one.version })}
                    onClick={() => onRollBack(one.version)}
                  >
                    {t('prompt:rollback.button')}
                  </Button>
                </WhyDisabled>
              )}
            </span>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('prompt:versions.older')}
        </Button>
      )}
    </>
  )
}

/** How a version came to be, where it was not simply published. */
function Origin({ version: { kind, from } }: { readonly version: PromptVersion }) {
  if (kind === 'publish') return null
  if (from === null) return <span className="dimmed">{t(`prompt:versions.kind.${kind}`)}</span>
  return (
    <span className={styles['origin']}>
      {tNode(kind === 'rollback' ? 'prompt:versions.back_to' : 'prompt:versions.promoted', {
        version: <span className="mono">{from.version}</span>,
        env: <EnvBadge env={from.env} />,
      })}
    </span>
  )
}
