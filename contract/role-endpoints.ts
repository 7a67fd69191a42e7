import { z } from 'zod'
import { item } from './common.ts'
import { endpoint } from './endpoint.ts'
import { permissionsOf, RoleInfo, roleMeans } from './roles.ts'

export const roleEndpoints = {
  list: endpoint({
    tag: 'Roles',
    method: 'GET',
    path: '/api/roles',
    summary: 'List the roles, their permissions and their holders',
    description:
      'For anyone signed in, so that a refusal can say who can help. A few editors and admins are named; viewers are only counted, for nobody needs to find one.',
    permission: 'signed_in',
    reply: item(z.array(RoleInfo)),
    example: {
      reply: {
        data: [
          {
            role: 'admin',
            description: roleMeans.admin,
            permissions: permissionsOf('admin'),
            holders: ['edda'],
            holder_count: 1,
          },
        ],
      },
    },
  }),
}
