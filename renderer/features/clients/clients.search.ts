import { z } from 'zod'
import { clientSorts, clientTypes } from '../../../contract/live/clients.ts'
import { listSearch, many, manyOf, one, oneOf } from '../../lib/page/search.ts'

export const clientsSearch = z.object({
  ...listSearch,
  sort: oneOf(clientSorts),
  workspace: one(),
  client_type: manyOf(clientTypes),
  app: many(),
  namespace: many(),
  include: oneOf(['gone']),
})
export type ClientsSearch = z.output<typeof clientsSearch>
