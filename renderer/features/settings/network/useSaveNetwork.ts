import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Network, UpdateNetworkBody } from '../../../../contract/system/network.ts'
import { client } from '../../../lib/service/api.ts'
import { networkQuery } from './network.queries.ts'

/** Returns a function that shows a new state of sharing on the page. */
export function useShowNetwork(): (network: Network) => void {
  const queries = useQueryClient()
  return (network) => {
    queries.setQueryData(networkQuery.queryKey, network)
    void queries.invalidateQueries({ queryKey: ['audit'] })
  }
}

/** Changes sharing; the group then displays the state from the reply. */
export function useSaveNetwork(onSaved: (network: Network) => void) {
  const show = useShowNetwork()
  return useMutation({
    mutationFn: (body: z.input<typeof UpdateNetworkBody>) => client.network.update({ body }),
    onSuccess: ({ data }) => {
      show(data)
      onSaved(data)
    },
  })
}
