import { z } from 'zod'
import { clientSorts, clientStates, clientTypes } from '../../../contract/live/clients.ts'
import { listSearch, manyOf, oneOf, textListParam, textParam } from '../../lib/page/search.ts'

export const clientsSearch = z.object({
  ...listSearch,
  sort: oneOf(clientSorts),
  workspace: textParam(),
  client_type: manyOf(clientTypes),
  app: textListParam(),
  namespace: textListParam(),
  include: oneOf(['gone']),
  state: manyOf(clientStates),
  /** Without it, the list contains the clients of apps. */
  kind: oneOf(['console', 'all']),
  group: oneOf(['app']),
  /** The id of the open saved view. */
  view: textParam(),
})
export type ClientsSearch = z.output<typeof clientsSearch>
