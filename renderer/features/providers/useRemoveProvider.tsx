import { useQueryClient } from '@tanstack/react-query'
import type { Provider } from '../../../contract/models/providers.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { isKeySet } from './form.ts'

/**
 * Returns a function that resets a built-in provider, or deletes another one, after a confirmation. The
 * question names how many agents would fail.
 */
export function useRemoveProvider(provider: Provider, onReset: () => void): () => Promise<boolean> {
  const queries = useQueryClient()
  const { name, label, built_in: isBuiltIn } = provider
  const run = async () => {
    await client.providers.remove({ params: { name } })
    await invalidateEntities(queries, 'provider', 'audit')
    onReset()
    toast(t(isBuiltIn ? 'providers:reset_done' : 'providers:delete_done', { name: label }))
  }
  return async () => {
    if (isBuiltIn) {
      return confirm({
        title: t('providers:reset_title', { name: label }),
        body: t(isKeySet(provider) ? 'providers:reset_body_key' : 'providers:reset_body'),
        action: t('providers:reset'),
        isDangerous: true,
        run,
      })
    }
    const agents = await client.agents
      .list({ query: { provider: name, limit: 1 } })
      .then(({ total }) => t('providers:delete_agents', { count: total }))
      // The deletion does not depend on the number, so it can be confirmed without it.
      .catch(() => '')
    return confirm({
      title: t('providers:delete_title', { name: label }),
      body: `${t('providers:delete_body')} ${agents}`,
      action: t('providers:delete'),
      isDangerous: true,
      run,
    })
  }
}
