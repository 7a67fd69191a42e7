import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Environment } from '../../../contract/live/frames.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'

type Place = { readonly namespace: Environment; readonly workspace: string }

const isSame = (a: Place, b: Place): boolean => a.namespace === b.namespace && a.workspace === b.workspace

/**
 * Creates an API token on request, for an app in one environment of one workspace. It is not offered for
 * another environment or workspace.
 */
export function useFreshToken(place: Place) {
  const queries = useQueryClient()
  const [made, setMade] = useState<(Place & { readonly token: string }) | null>(null)
  const making = useMutation({
    mutationFn: async ({ namespace, workspace }: Place) => {
      const name = t('connect:token_name', { namespace, workspace })
      const { data } = await client.tokens.create({ body: { name, workspace, namespaces: [namespace] } })
      return { namespace, workspace, token: data.token }
    },
    onSuccess: async (token) => {
      setMade(token)
      await Promise.all(['token', 'audit'].map((entity) => queries.invalidateQueries({ queryKey: [entity] })))
    },
  })
  return {
    token: made !== null && isSame(made, place) ? made.token : null,
    make: () => making.mutate(place),
    isPending: making.isPending,
    error: making.error,
  }
}
