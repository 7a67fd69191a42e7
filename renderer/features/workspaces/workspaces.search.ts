import { z } from 'zod'
import { listSearch } from '../../lib/page/search.ts'

export const workspacesSearch = z.object(listSearch)
export type WorkspacesSearch = z.output<typeof workspacesSearch>
