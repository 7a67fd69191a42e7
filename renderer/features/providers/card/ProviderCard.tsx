import { Button, CloseButton } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Provider } from '../../../../contract/models/providers.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { useMe } from '../../../lib/session/me.ts'
import { hasDraft } from '../../../lib/state/drafts.ts'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { ProviderForm, providerDraft } from '../ProviderForm.tsx'
import styles from '../providers.module.css'
import { useRemoveProvider } from '../useRemoveProvider.tsx'
import { ProviderFacts } from './ProviderFacts.tsx'
import { LastCheck, ProviderState, stateOf } from './ProviderState.tsx'
import { TestResult } from './TestResult.tsx'

/** A card with the state, configuration and actions of one provider. */
export function ProviderCard({ provider }: { readonly provider: Provider }) {
  const queries = useQueryClient()
  const me = useMe()
  const { name, label, built_in: isBuiltIn, reason, updated_at: updatedAt, updated_by: updatedBy } = provider
  const [editing, setEditing] = useState<'all' | 'key' | null>(
    hasDraft(providerDraft(name), me.username) ? 'all' : null,
  )
  const [message, setMessage] = useState<string | null>(null)
  const testing = useMutation({
    mutationFn: async () => (await client.providers.test({ params: { name } })).data,
    // The result is also the status of the provider.
    onSettled: () => queries.invalidateQueries({ queryKey: ['provider'] }),
  })
  const isMissing = stateOf(provider) === 'not_configured'
  const titleId = `provider-${name}`

  const remove = useRemoveProvider(provider, () => {
    setMessage(null)
    testing.reset()
  })

  return (
    <section className={styles['card']} aria-labelledby={titleId}>
      <header className={styles['head']}>
        <h2 id={titleId} className={styles['title']}>
          {label}
        </h2>
        <span className="mono dimmed">{name}</span>
        <span className={styles['badges']}>
          <ProviderState provider={provider} />
        </span>
      </header>
      {reason !== null && <p className={styles['note']}>{reason}</p>}
      <LastCheck provider={provider} />
      {message !== null && (
        <div className={styles['warning']} role="status">
          <IconKeyOff size={16} />
          <span>{message}</span>
          <CloseButton size="sm" aria-label={t('common:close')} onClick={() => setMessage(null)} />
        </div>
      )}
      <ProviderFacts provider={provider} />
      {testing.isPending && (
        <p className={styles['note']} role="status">
          {t('providers:testing', { name: label })}
        </p>
      )}
      {testing.data !== undefined && <TestResult provider={provider} result={testing.data} />}
      {testing.error !== null && <FormFailure error={testing.error} />}
      <footer className={styles['foot']}>
        <span className={styles['note']}>
          {updatedAt === null
            ? t('providers:unchanged')
            : tNode('providers:changed', {
                by: (
                  <b>
                    <bdi>{updatedBy}</bdi>
                  </b>
                ),
                time: <Time at={updatedAt} />,
              })}
        </span>
        <span className={styles['buttons']}>
          {updatedAt !== null && (
            <Button
              variant="default"
              c="var(--pd-bad)"
              aria-label={t(isBuiltIn ? 'providers:reset_named' : 'providers:delete_named', { name: label })}
              onClick={() => void remove()}
            >
              {t(isBuiltIn ? 'providers:reset' : 'providers:delete')}
            </Button>
          )}
          {provider.has_key && (
            <Button
              variant="default"
              aria-label={t('providers:replace_key_named', { name: label })}
              onClick={() => setEditing('key')}
            >
              {t('providers:form.replace')}
            </Button>
          )}
          <Button
            variant="default"
            loading={testing.isPending}
            aria-label={t('providers:test_named', { name: label })}
            onClick={() => testing.mutate()}
          >
            {t('providers:test')}
          </Button>
          <Button
            variant={isMissing ? 'filled' : 'default'}
            aria-label={t(isMissing ? 'providers:set_up_named' : 'providers:change_named', { name: label })}
            onClick={() => setEditing('all')}
          >
            {t(isMissing ? 'providers:set_up' : 'providers:change')}
          </Button>
        </span>
      </footer>
      {editing !== null && (
        <ProviderForm
          provider={provider}
          isReplacingKey={editing === 'key'}
          onSaved={(text) => {
            setMessage(text)
            // The test result belongs to the previous configuration.
            testing.reset()
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  )
}
