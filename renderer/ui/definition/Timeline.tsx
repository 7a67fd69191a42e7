import { Button, Skeleton } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { useMayNot, type Verdict } from '../../lib/me.ts'
import { Avatar } from '../Avatar.tsx'
import { Badge } from '../Badge.tsx'
import { ErrorState } from '../ErrorState.tsx'
import { Time } from '../Time.tsx'
import { WhyDisabled } from '../WhyDisabled.tsx'
import styles from './definition.module.css'
import type { DefinitionVersion } from './definition.ts'

type Props = {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'isPending' | 'error' | 'refetch' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'
  >
  readonly versions: readonly DefinitionVersion[]
  readonly from: string
  readonly to: string
  readonly whyNotBack: Verdict
  readonly onCompare: (sides: { from: string; to: string }) => void
  readonly onRollBack: (version: string) => void
}

/** Every version, newest first. A click compares it with what came before. */
export function Timeline({ query, versions, from, to, whyNotBack, onCompare, onRollBack }: Props) {
  const mayNotWrite = useMayNot()('resources.write')
  if (query.isPending) return <Skeleton height={220} />
  if (versions.length === 0 && query.error !== null) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <ol className={styles['timeline']} aria-label={t('definition:versions.title')}>
        {versions.map((one, index) => (
          <li
            key={one.version}
            className={styles['entry']}
            data-chosen={to === one.version || from === one.version || undefined}
            data-current={one.current || undefined}
            data-version={one.version}
          >
            <button
              type="button"
              className={styles['open']}
              aria-pressed={to === one.version}
              onClick={() =>
                onCompare({ from: versions[index + 1]?.version ?? one.version, to: one.version })
              }
            >
              <span className={styles['line']}>
                <b className="mono">{one.version}</b>
                {one.current && <Badge tone="ok">{t('definition:versions.current')}</Badge>}
                <span className={styles['time']}>
                  <Time at={one.created_at} />
                </span>
              </span>
              {one.message !== '' && <bdi className={styles['message']}>{one.message}</bdi>}
              <span className={styles['who']}>
                <Avatar name={one.created_by} size={18} />
                <bdi className="truncate">{one.created_by}</bdi>
                {one.kind !== 'update' && (
                  <span className="dimmed">
                    {one.from === null
                      ? t(`definition:versions.kind.${one.kind}`)
                      : t('definition:versions.back_to', { version: one.from })}
                  </span>
                )}
              </span>
            </button>
            {!one.current && (
              <WhyDisabled reason={mayNotWrite ?? whyNotBack}>
                <Button
                  className={styles['back'] ?? ''}
                  variant="subtle"
                  size="compact-xs"
                  leftSection={<IconArrowBackUp size={13} />}
                  aria-label={t('definition:rollback.to', { version: one.version })}
                  onClick={() => onRollBack(one.version)}
                >
                  {t('definition:rollback.button')}
                </Button>
              </WhyDisabled>
            )}
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
          {t('definition:versions.older')}
        </Button>
      )}
    </>
  )
}
