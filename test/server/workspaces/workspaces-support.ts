import { expect } from 'vitest'
import { server } from '../service-with-roles.ts'

/** Creates workspaces, one after the other. */
export async function addWorkspaces(bodies: readonly object[]): Promise<void> {
  for (const body of bodies)
    expect(await server.call('POST /api/workspaces', { body })).toMatchObject({ status: 201 })
}
