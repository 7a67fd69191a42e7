import { z } from 'zod'
import { deviceKinds } from '../../../contract/accounts/devices.ts'
import { listSearch, manyOf, oneOf } from '../../lib/page/search.ts'

export const devicesSearch = z.object({
  ...listSearch,
  kind: manyOf(deviceKinds),
  state: oneOf(['active', 'expired']),
  owner: oneOf(['me', 'all']),
})
export type DevicesSearch = z.output<typeof devicesSearch>
