import { z } from 'zod'
import { textParam } from '../../../lib/page/search.ts'

/** The ids of the compared runs. */
export const compareSearch = z.object({ a: textParam(), b: textParam() })
