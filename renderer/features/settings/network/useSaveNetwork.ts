import { useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Network, UpdateNetworkBody } from '../../../../contract/system/network.ts'
import { client } from '../../../lib/service/api.ts'
import { useFormMutation } from '../../../lib/service/useFormMutation.ts'
import { networkQuery } from './network.queries.ts'

/** Returns a function that shows a new state of sharing on the page. */
export function useShowNetwork(): (network: Network) => void {
  const queries = useQueryClient()
  return (network) => {
    queries.setQueryData(networkQuery.queryKey, network)
    void queries.invalidateQueries({ queryKey: ['audit'] })
  }
}

/** Changes sharing; the group then displays the state from the reply. `onSaved` receives the `values` at the time of sending. */
export function useSaveNetwork<V>(onSaved: (network: Network, sent: V | undefined) => void, values?: V) {
  const show = useShowNetwork()
  return useFormMutation({
    mutationFn: (body: z.input<typeof UpdateNetworkBody>) => client.network.update({ body }),
    onMutate: () => values,
    onSuccess: ({ data }, _body, sent) => {
      show(data)
      onSaved(data, sent)
    },
  })
}
