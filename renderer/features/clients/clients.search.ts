import { z } from 'zod'
import { clientSorts, clientTypes } from '../../../contract/live/clients.ts'
import { listSearch, manyOf, oneOf, textListParam, textParam } from '../../lib/page/search.ts'

export const clientsSearch = z.object({
  ...listSearch,
  sort: oneOf(clientSorts),
  workspace: textParam(),
  client_type: manyOf(clientTypes),
  app: textListParam(),
  namespace: textListParam(),
  include: oneOf(['gone']),
})
export type ClientsSearch = z.output<typeof clientsSearch>
