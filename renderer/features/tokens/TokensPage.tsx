import './tokens.texts.ts'
import { Button } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { NewSecret } from '../../shared/access/NewSecret.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import { QueryPending } from '../../ui/feedback/QueryPending.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { type NewToken, TokenForm } from './TokenForm.tsx'
import { TokenTable } from './TokenTable.tsx'
import styles from './tokens.module.css'
import { maxDaysQuery, tokensQuery } from './tokens.queries.ts'

const needsDecision = ({ binding }: ApiToken): boolean => binding === 'undecided'

/** The API tokens: a list, a form for a new one, and revocation. */
export function TokensPage() {
  const isAllowed = useIsAllowed('tokens.manage')
  if (isAllowed) return <AllTokens />
  return (
    <Page>
      <PageHeader title={t('tokens:title')} purpose={t('tokens:purpose')} />
      <ForbiddenState requiredRole="admin">{t('tokens:forbidden')}</ForbiddenState>
    </Page>
  )
}

function AllTokens() {
  const query = useQuery(tokensQuery)
  const maxDays = useQuery(maxDaysQuery)
  const [isCreating, setCreating] = useCreateForm('token')
  const [created, setCreated] = useState<NewToken | null>(null)
  useKeys([{ keys: 'n', label: t('tokens:add'), run: () => setCreating(true) }])
  const { data } = query
  return (
    <Page>
      <PageHeader
        title={t('tokens:title')}
        count={data && { total: data.total }}
        purpose={t('tokens:purpose')}
        actions={
          <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
            {t('tokens:add')}
          </Button>
        }
      />
      {data !== undefined ? (
        <Tokens tokens={data.data} onCreate={() => setCreating(true)} />
      ) : (
        <QueryPending query={query} height={200} />
      )}
      {isCreating && maxDays.data !== undefined && (
        <TokenForm maxDays={maxDays.data} onCreated={setCreated} onClose={() => setCreating(false)} />
      )}
      {isCreating && maxDays.error !== null && (
        <ErrorState error={maxDays.error} onRetry={() => void maxDays.refetch()} />
      )}
      {created !== null && (
        <NewSecret
          title={t('tokens:created_title')}
          label={t('tokens:created_label')}
          secret={created.token}
          note={created.notice}
          onClose={() => setCreated(null)}
        />
      )}
    </Page>
  )
}

type TokensProps = { readonly tokens: readonly ApiToken[]; readonly onCreate: () => void }

/** The table, or the reason to create a token. Tokens without a decision about their owner come first. */
function Tokens({ tokens, onCreate }: TokensProps) {
  if (tokens.length === 0) {
    return (
      <EmptyState
        icon={<IconKey size={28} stroke={1.5} />}
        title={t('tokens:none_title')}
        text={t('tokens:none')}
        action={
          <Button variant="default" onClick={onCreate}>
            {t('tokens:add')}
          </Button>
        }
      />
    )
  }
  const undecided = tokens.filter(needsDecision).length
  return (
    <>
      {undecided > 0 && (
        <p className={styles['note']} role="status">
          <Badge tone="warn">{t('tokens:undecided_count', { count: undecided })}</Badge>{' '}
          {t('tokens:undecided_help')}
        </p>
      )}
      <TokenTable tokens={tokens.toSorted((a, b) => Number(needsDecision(b)) - Number(needsDecision(a)))} />
    </>
  )
}
