import { z } from 'zod'
import { listSearch } from '../../lib/page/search.ts'

export const viewsSearch = z.object(listSearch)
export type ViewsSearch = z.output<typeof viewsSearch>
