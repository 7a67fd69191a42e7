import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item } from '../common/fields.ts'
import { permissionsOf, RoleInfo, roleDescriptions } from '../common/roles.ts'

export const roleEndpoints = {
  list: endpoint({
    tag: 'Roles',
    method: 'GET',
    path: '/api/roles',
    workspaces: 'none',
    summary: 'List the roles, their permissions and their holders',
    description:
      'Available to every signed-in user, so that a rejected user can find somebody with the required role. Up to five editors and admins are named; viewers are only counted.',
    permission: 'signed_in',
    reply: item(z.array(RoleInfo)),
    example: {
      reply: {
        data: [
          {
            role: 'admin',
            description: roleDescriptions.admin,
            permissions: permissionsOf('admin'),
            holders: ['edda'],
            holder_count: 1,
          },
        ],
      },
    },
  }),
}
