import { auth } from './accounts/auth.ts'
import { devices } from './accounts/devices.ts'
import { pairing } from './accounts/pairing-endpoints.ts'
import { passkeys } from './accounts/passkeys.ts'
import { passwordLinks } from './accounts/password-links.ts'
import { roleEndpoints } from './accounts/role-endpoints.ts'
import { secondFactor } from './accounts/second-factor.ts'
import { signIns } from './accounts/sign-ins.ts'
import { tokens } from './accounts/tokens.ts'
import { users } from './accounts/users.ts'
import { agents } from './agents/agents.ts'
import { alerts } from './alerts/alerts.ts'
import type { Endpoint } from './common/endpoint.ts'
import { budgets } from './gateway/budgets.ts'
import { clients } from './live/clients.ts'
import { providers } from './models/providers.ts'
import { playground } from './playground/playground.ts'
import { promptKeys } from './prompts/prompt-keys.ts'
import { promptRollout } from './prompts/prompt-rollout.ts'
import { promptTransfer } from './prompts/prompt-transfer.ts'
import { promptVersions } from './prompts/prompt-versions.ts'
import { prompts } from './prompts/prompts.ts'
import { sdk } from './prompts/sdk.ts'
import { runs } from './runs/runs.ts'
import { sessions } from './runs/sessions.ts'
import { spans } from './runs/spans.ts'
import { audit } from './system/audit.ts'
import { backups } from './system/backups.ts'
import { mcp } from './system/mcp.ts'
import { network } from './system/network.ts'
import { sampleData } from './system/sample-data.ts'
import { search } from './system/search.ts'
import { settings } from './system/settings.ts'
import { views } from './system/views.ts'
import { workspaces } from './system/workspaces.ts'
import { workflowRuns } from './workflows/workflow-runs.ts'
import { workflows } from './workflows/workflows.ts'

/** All endpoints, by group. */
export const api = {
  auth,
  secondFactor,
  passkeys,
  passwordLinks,
  signIns,
  roles: roleEndpoints,
  users,
  workspaces,
  prompts,
  promptKeys,
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
  alerts,
  sessions,
  spans,
  views,
  audit,
  clients,
  settings,
  network,
  mcp,
  budgets,
  sampleData,
  tokens,
  pairing,
  devices,
  backups,
  search,
}

/** All endpoints as one list, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = Object.values(api).flatMap(
  (group) => Object.values(group) as unknown as Endpoint[],
)
