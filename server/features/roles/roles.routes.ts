import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { RoleList } from './roles.read.ts'

export function rolesRoutes(list: RoleList): Route[] {
  return [route(api.roles.list, async () => ({ data: await list() }))]
}
