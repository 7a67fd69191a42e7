import { z } from 'zod'
import { roles } from '../../../contract/common/roles.ts'
import { listSearch, manyOf, oneOf } from '../../lib/page/search.ts'

export const usersSearch = z.object({
  ...listSearch,
  role: manyOf(roles),
  disabled: oneOf(['true', 'false']),
})
export type UsersSearch = z.output<typeof usersSearch>
