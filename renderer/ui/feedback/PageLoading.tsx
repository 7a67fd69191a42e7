import { Skeleton } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { Page } from '../page/Page.tsx'

/** Placeholder while a page's code loads. */
export function PageLoading() {
  return (
    <Page>
      <div role="status" aria-label={t('common:loading')}>
        <Skeleton height={20} width={160} mb="md" />
        <Skeleton height={12} width={280} />
      </div>
    </Page>
  )
}
