import { Button, Skeleton } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { PageTexts } from '../texts.ts'
import styles from './timeline.module.css'

/** The query of versions, which loads them page by page. */
export type VersionsQuery = Pick<
  UseInfiniteQueryResult,
  'isPending' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'
>

type Props = {
  readonly query: VersionsQuery
  readonly texts: PageTexts
  readonly children: ReactNode
}

/** History of versions, with its state for loading. */
export function TimelineFrame({ query, texts, children }: Props) {
  if (query.isPending) return <Skeleton height={220} />
  return (
    <>
      <ol className={styles['timeline']} aria-label={t(`${texts}:versions.title`)}>
        {children}
      </ol>
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t(`${texts}:versions.older`)}
        </Button>
      )}
    </>
  )
}
