import { Button, Skeleton } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { NewSecret } from './NewSecret.tsx'
import { SettingsGroup } from './SettingsGroup.tsx'
import styles from './settings.module.css'
import { tokensQuery } from './settings.queries.ts'
import { TokenForm } from './TokenForm.tsx'
import { TokenTable } from './TokenTable.tsx'

/** A credential for each app, with its limits; made and revoked here. */
export function TokensGroup() {
  const query = useQuery(tokensQuery)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  return (
    <SettingsGroup
      id="tokens"
      title={t('settings:tokens.title')}
      purpose={t('settings:tokens.purpose')}
      aside={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => setMaking(true)}>
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
        <TokenTable tokens={query.data.data} />
      )}
      {isMaking && <TokenForm onMade={setMade} onClose={() => setMaking(false)} />}
      {made !== null && (
        <NewSecret
          title={t('settings:tokens.made_title')}
          label={t('settings:tokens.made_label')}
          secret={made}
          onClose={() => setMade(null)}
        />
      )}
    </SettingsGroup>
  )
}
