import { auditRoutes } from '../../features/audit/audit.routes.ts'
import { authRoutes } from '../../features/auth/auth.routes.ts'
import { backupsRoutes } from '../../features/backups/backups.routes.ts'
import { visibleClients } from '../../features/clients/clients.read.ts'
import { clientsRoutes } from '../../features/clients/clients.routes.ts'
import { devicesRoutes } from '../../features/devices/devices.routes.ts'
import { pairingRoutes } from '../../features/pairing/pairing.routes.ts'
import { createRoleList } from '../../features/roles/roles.read.ts'
import { rolesRoutes } from '../../features/roles/roles.routes.ts'
import { runRoutes } from '../../features/runs/runs.routes.ts'
import { searchRoutes } from '../../features/search/search.routes.ts'
import { createSearchService } from '../../features/search/search.service.ts'
import { settingsRoutes } from '../../features/settings/settings.routes.ts'
import { tokensRoutes } from '../../features/tokens/tokens.routes.ts'
import { tracesRoutes } from '../../features/traces/traces.routes.ts'
import { usersRoutes } from '../../features/users/users.routes.ts'
import { viewsRoutes } from '../../features/views/views.routes.ts'
import { workspacesRoutes } from '../../features/workspaces/workspaces.routes.ts'
import { budgetRoutes } from '../../gateway/budgets/budgets.routes.ts'
import type { Route } from '../../http/route.ts'
import type { Base } from '../base.ts'
import { composeSampleData } from '../sample-data.ts'
import type { Execution } from './execution.ts'
import type { Management } from './management.ts'

/** Returns the routes of the API, except those of alerts and the local network. */
export function routesOf(base: Base, execution: Execution, management: Management): Route[] {
  const { db, deletion } = base.foundation
  const { signIn, users, tokensService, pairing, pairedDevices, settings, permissionOverrides } =
    base.accounts
  const { prompts, workflows } = execution
  const sampleData = composeSampleData({
    db,
    workspaces: management.workspaces,
    ...prompts.services,
    erasePrompt: prompts.erase,
    ...workflows.services,
    runs: base.runs,
    runRetentionDays: () => settings.current().runRetentionDays,
  })
  return [
    ...authRoutes(signIn),
    ...rolesRoutes(createRoleList({ db, permissionOverrides })),
    ...usersRoutes(users),
    ...workspacesRoutes(management.workspaces),
    ...execution.prompts.routes,
    ...execution.models.routes,
    ...runRoutes(base.runs),
    ...tracesRoutes(base.traces),
    ...execution.calls.routes,
    ...execution.workflows.routes,
    ...auditRoutes(management.audit),
    ...viewsRoutes(management.views),
    ...clientsRoutes(management.clients),
    ...settingsRoutes(settings, deletion),
    ...sampleData.routes,
    ...tokensRoutes(tokensService),
    ...budgetRoutes(execution.budgets),
    ...pairingRoutes(pairing),
    ...devicesRoutes(pairedDevices),
    ...backupsRoutes(management.backups),
    ...searchRoutes(
      createSearchService({
        db,
        permissionOverrides,
        clients: (ctx) => visibleClients(ctx, base.live.live.clients({ includeDisconnected: false })),
      }),
    ),
  ]
}
