import { Button, Skeleton } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiToken } from '../../../../contract/accounts/tokens.ts'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { tokensQuery } from '../settings.queries.ts'
import { NewSecret } from './NewSecret.tsx'
import { type NewToken, TokenForm } from './TokenForm.tsx'
import { TokenTable } from './TokenTable.tsx'

const needsDecision = ({ binding }: ApiToken): boolean => binding === 'undecided'

/** The API tokens: a list, a form for a new one, and revocation. */
export function TokensGroup({ settings }: { readonly settings: Settings }) {
  const query = useQuery(tokensQuery)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewToken | null>(null)
  const tokens = query.data?.data ?? []
  // Tokens without a decision about their owner come first; the rest stays sorted by name.
  const sortedTokens = tokens.toSorted((a, b) => Number(needsDecision(b)) - Number(needsDecision(a)))
  const undecided = tokens.filter(needsDecision).length
  return (
    <SettingsGroup
      id="tokens"
      title={t('settings:tokens.title')}
      purpose={t('settings:tokens.purpose')}
      aside={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
          {t('settings:tokens.add')}
        </Button>
      }
    >
      {query.data === undefined ? (
        query.error === null ? (
          <Skeleton height={64} />
        ) : (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : query.data.data.length === 0 ? (
        <p className={styles['note']}>{t('settings:tokens.none')}</p>
      ) : (
        <>
          {undecided > 0 && (
            <p className={styles['note']} role="status">
              <Badge tone="warn">{t('settings:tokens.undecided_count', { count: undecided })}</Badge>{' '}
              {t('settings:tokens.undecided_help')}
            </p>
          )}
          <TokenTable tokens={sortedTokens} />
        </>
      )}
      {isCreating && (
        <TokenForm
          maxDays={settings.api_token_max_days}
          onCreated={setCreated}
          onClose={() => setCreating(false)}
        />
      )}
      {created !== null && (
        <NewSecret
          title={t('settings:tokens.created_title')}
          label={t('settings:tokens.created_label')}
          secret={created.token}
          note={created.notice}
          onClose={() => setCreated(null)}
        />
      )}
    </SettingsGroup>
  )
}
