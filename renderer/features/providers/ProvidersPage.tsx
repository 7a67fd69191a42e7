import './providers.texts.ts'
import { Button, Skeleton } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { providerNames } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { AddProvider } from './AddProvider.tsx'
import { ProviderCard } from './card/ProviderCard.tsx'
import styles from './providers.module.css'
import { providersQuery } from './providers.queries.ts'

export function ProvidersPage() {
  const isAllowed = useIsAllowed('providers.manage')
  const [isAdding, setAdding] = useCreateForm('provider')
  return (
    <Page>
      <PageHeader
        title={t('providers:title')}
        purpose={t('providers:purpose')}
        actions={
          isAllowed && (
            <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
              {t('providers:add.button')}
            </Button>
          )
        }
      />
      {isAllowed ? (
        <Cards />
      ) : (
        <ForbiddenState requiredRole="admin">{t('providers:forbidden')}</ForbiddenState>
      )}
      {isAllowed && isAdding && <AddProvider onClose={() => setAdding(false)} />}
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
