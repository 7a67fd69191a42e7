import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Provider, ProviderTest } from '../../../../contract/models/providers.ts'
import { formatDuration } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import styles from '../providers.module.css'
import { updateCachedProvider } from '../providers.queries.ts'

type Props = { readonly provider: Provider; readonly result: ProviderTest }

const shownModels = 8

/** The result of a connection test, with the provider's models if some of them are not configured yet. */
export function TestResult({ provider, result }: Props) {
  const queries = useQueryClient()
  const { name, label } = provider
  const { ok: isOk, message, latency_ms: latencyMs, models } = result
  const saving = useMutation({
    mutationFn: () => client.providers.update({ params: { name }, body: { models, default_model: null } }),
    onSuccess: ({ data }) => {
      updateCachedProvider(queries, data)
      toast(t('providers:models_saved', { name: label, count: data.models.length }))
    },
  })
  const Icon = isOk ? IconCheck : IconAlertTriangle
  const hasNewModels = models.some((model) => !provider.models.includes(model))
  const names = models.slice(0, shownModels).join(', ')
  return (
    <div className={styles['result']} data-ok={isOk} role="status">
      <Icon size={16} className={styles['resultIcon'] ?? ''} />
      <div className={styles['resultBody']}>
        <div>{t('providers:tested', { message, time: formatDuration(latencyMs) })}</div>
        {hasNewModels && (
          <>
            <div className={styles['note']}>
              {tNode('providers:test_models', {
                names: <span className="mono">{models.length > shownModels ? `${names}, …` : names}</span>,
              })}
            </div>
            <div>
              <Button
                variant="default"
                size="compact-xs"
                loading={saving.isPending}
                aria-label={t('providers:use_models_named', { name: label })}
                onClick={() => saving.mutate()}
              >
                {t('providers:use_models')}
              </Button>
            </div>
          </>
        )}
        {saving.error !== null && <FormFailure error={saving.error} />}
      </div>
    </div>
  )
}
