import { CreateAgentBody } from '../../contract/agents/agent.ts'
import { CreatePromptBody } from '../../contract/prompts/prompts.ts'
import { CreateWorkspaceBody } from '../../contract/system/workspaces.ts'
import { CreateWorkflowBody } from '../../contract/workflows/workflow.ts'
import type { Db } from '../db/types.ts'
import type { AgentsService } from '../features/agents/agents.service.ts'
import type { PromptsService } from '../features/prompts/prompts.service.ts'
import type { VersionsService } from '../features/prompts/versions/versions.service.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import { sampleDataRoutes } from '../features/sample-data/sample-data.routes.ts'
import { createSampleData } from '../features/sample-data/sample-data.service.ts'
import type { WorkflowsService } from '../features/workflows/workflows.service.ts'
import type { WorkspacesService } from '../features/workspaces/workspaces.service.ts'
import type { Context } from '../lib/context.ts'
import { Problem } from '../lib/fail.ts'

type Parts = {
  readonly db: Db
  readonly workspaces: WorkspacesService
  readonly prompts: PromptsService
  readonly versions: VersionsService
  readonly erasePrompt: (ctx: Context, id: string) => Promise<void>
  readonly agents: AgentsService
  readonly workflows: WorkflowsService
  readonly runs: Pick<RunsService, 'report' | 'removal'>
  readonly runRetentionDays: () => number
}

/** Awaits a removal. Resolves also if the item was already deleted. */
const ignoreNotFound = async (removal: Promise<unknown>): Promise<void> => {
  try {
    await removal
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error
  }
}

/** Creates the service and the routes of sample data. Bodies are parsed like those of requests. */
export function composeSampleData(parts: Parts) {
  const { db, workspaces, prompts, versions, erasePrompt, agents, workflows, runs } = parts
  const sampleData = createSampleData({
    db,
    runRetentionDays: parts.runRetentionDays,
    services: {
      report: (ctx, reports) => runs.report(ctx, [...reports]),
      runs: runs.removal,
      workspace: async (ctx, body) => (await workspaces.create(ctx, CreateWorkspaceBody.parse(body))).id,
      prompt: async (ctx, body) => (await prompts.create(ctx, CreatePromptBody.parse(body))).id,
      async publish(ctx, id, { content, message }) {
        await prompts.update(ctx, id, { content }, null)
        await versions.publish(ctx, id, { message }, null)
      },
      promote: async (ctx, id) => (await versions.promote(ctx, id, { env: 'prod' }, null)).id,
      agent: async (ctx, body) => (await agents.create(ctx, CreateAgentBody.parse(body))).id,
      workflow: async (ctx, body) => (await workflows.create(ctx, CreateWorkflowBody.parse(body))).id,
      remove: {
        workspace: (ctx, id) => ignoreNotFound(workspaces.remove(ctx, id)),
        async prompt(ctx, id) {
          await ignoreNotFound(prompts.remove(ctx, id, null))
          await erasePrompt(ctx, id)
        },
        agent: (ctx, id) => ignoreNotFound(agents.remove(ctx, id, null)),
        workflow: (ctx, id) => ignoreNotFound(workflows.remove(ctx, id, null)),
      },
    },
  })
  return { routes: sampleDataRoutes(sampleData) }
}
