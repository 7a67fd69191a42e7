import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Environment } from '../../../../contract/common/environments.ts'
import { t } from '../../../lib/i18n.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { useFormMutation } from '../../../lib/service/useFormMutation.ts'

type TokenTarget = {
  readonly env: Environment
  readonly workspace: string
  /** True if the token may also use the gateway. */
  readonly isForGateway?: boolean
}

const isSame = (a: TokenTarget, b: TokenTarget): boolean => a.env === b.env && a.workspace === b.workspace

/**
 * Creates an API token on request, for an app in one environment of one workspace. For another environment or
 * workspace, `token` is null.
 */
export function useFreshToken(target: TokenTarget) {
  const queries = useQueryClient()
  const [created, setCreated] = useState<(TokenTarget & { readonly token: string }) | null>(null)
  const creation = useFormMutation({
    mutationFn: async ({ env, workspace, isForGateway = false }: TokenTarget) => {
      const name = t('connect:token_name', { env, workspace })
      const { data } = await client.tokens.create({
        body: { name, workspace, namespaces: [env], gateway: isForGateway },
      })
      return { env, workspace, token: data.token }
    },
    onSuccess: async (token) => {
      setCreated(token)
      await invalidateEntities(queries, 'token', 'audit')
    },
  })
  return {
    token: created !== null && isSame(created, target) ? created.token : null,
    create: () => creation.mutate(target),
    isPending: creation.isPending,
    error: creation.error,
  }
}
