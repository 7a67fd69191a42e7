import './providers.texts.ts'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { providerNames } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { ProviderCard } from './ProviderCard.tsx'
import styles from './providers.module.css'
import { providersQuery } from './providers.queries.ts'

/** The page of all model providers. */
export function ProvidersPage() {
  const isAllowed = useIsAllowed('providers.manage')
  return (
    <Page>
      <PageHeader title={t('providers:title')} purpose={t('providers:purpose')} />
      {isAllowed ? (
        <Cards />
      ) : (
        <ForbiddenState requiredRole="admin">{t('providers:forbidden')}</ForbiddenState>
      )}
    </Page>
  )
}

function Cards() {
  const query = useQuery(providersQuery)
  if (query.data === undefined && query.error !== null) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <div className={styles['cards']}>
      {query.data === undefined
        ? providerNames.map((name) => <Skeleton key={name} height={280} />)
        : query.data.map((provider) => <ProviderCard key={provider.name} provider={provider} />)}
    </div>
  )
}
