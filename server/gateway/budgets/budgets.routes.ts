import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { Budgets } from './budgets.ts'

export const budgetRoutes = (budgets: Budgets): Route[] => [
  route(api.budgets.list, async () => ({ data: await budgets.list() })),
]
