import { agents } from './agents.ts'
import { audit } from './audit.ts'
import { auth } from './auth.ts'
import { backups } from './backups.ts'
import { clients } from './clients.ts'
import type { Endpoint } from './endpoint.ts'
import { playground } from './playground.ts'
import { promptRollout } from './prompt-rollout.ts'
import { promptTransfer } from './prompt-transfer.ts'
import { promptVersions } from './prompt-versions.ts'
import { prompts } from './prompts.ts'
import { providers } from './providers.ts'
import { roleEndpoints } from './role-endpoints.ts'
import { runs } from './runs.ts'
import { sdk } from './sdk.ts'
import { settings } from './settings.ts'
import { tokens } from './tokens.ts'
import { users } from './users.ts'
import { workflowRuns } from './workflow-runs.ts'
import { workflows } from './workflows.ts'
import { workspaces } from './workspaces.ts'

/** All endpoints, by group. */
export const api = {
  auth,
  roles: roleEndpoints,
  users,
  workspaces,
  prompts,
  promptVersions,
  promptRollout,
  promptTransfer,
  sdk,
  playground,
  agents,
  workflows,
  workflowRuns,
  providers,
  runs,
  audit,
  clients,
  settings,
  tokens,
  backups,
}

/** All endpoints as one list, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = Object.values(api).flatMap(
  (group) => Object.values(group) as unknown as Endpoint[],
)
