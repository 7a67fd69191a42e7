import { api } from '../../../contract/index.ts'
import type { WorkflowRunReply } from '../../../contract/workflows/workflow-run.ts'
import { eventsOf } from '../../http/events.ts'
import { fileRoute, type Route, route, streamRoute } from '../../http/route.ts'
import { fail } from '../../lib/fail.ts'
import type { ExecutionsService } from './executions/executions.service.ts'
import type { WorkflowsService } from './workflows.service.ts'

export function workflowsRoutes(workflows: WorkflowsService): Route[] {
  const { list, validate, create, get, update, remove, duplicate, versions, version, rollback } =
    api.workflows
  return [
    route(list, (ctx, { query }) => workflows.list(ctx, query)),
    fileRoute(api.workflows.export, (ctx, { query }) => workflows.export(ctx, query)),
    route(api.workflows.import, async (ctx, { body }) => ({ data: await workflows.import(ctx, body) })),
    route(validate, async (ctx, { body }) => ({ data: await workflows.validate(ctx, body) })),
    route(create, async (ctx, { body }) => ({ data: await workflows.create(ctx, body) })),
    route(get, async (ctx, { params }) => ({ data: await workflows.get(ctx, params.id) })),
    route(update, async (ctx, { params, body, ifMatch }) => ({
      data: await workflows.update(ctx, params.id, body, ifMatch),
    })),
    route(remove, (ctx, { params, ifMatch }) => workflows.remove(ctx, params.id, ifMatch)),
    route(duplicate, async (ctx, { params, body }) => ({
      data: await workflows.duplicate(ctx, params.id, body),
    })),
    route(versions, (ctx, { params, query }) => workflows.versions(ctx, params.id, query)),
    route(version, async (ctx, { params }) => ({
      data: await workflows.version(ctx, params.id, params.version),
    })),
    route(rollback, async (ctx, { params, body, ifMatch }) => ({
      data: await workflows.rollback(ctx, params.id, body, ifMatch),
    })),
  ]
}

export function workflowRunsRoutes(executions: ExecutionsService): Route[] {
  const { run, ofWorkflow, list, get, cancel, resume } = api.workflowRuns
  return [
    streamRoute(run, (ctx, { params, body }, signal) =>
      body.stream
        ? eventsOf(ctx, run.path.replace(':id', params.id), (events) =>
            executions.run(ctx, params.id, body, signal, events),
          )
        : unlessDisconnected(signal, executions.run(ctx, params.id, body, signal)),
    ),
    route(ofWorkflow, (ctx, { params, query }) => executions.listOf(ctx, params.id, query)),
    route(list, (ctx, { query }) => executions.list(ctx, query)),
    route(get, async (ctx, { params }) => ({ data: await executions.get(ctx, params.id) })),
    route(cancel, async (ctx, { params }) => ({ data: await executions.cancel(ctx, params.id) })),
    streamRoute(resume, (ctx, { params, body }, signal) =>
      body.stream
        ? eventsOf(ctx, resume.path.replace(':id', params.id), (events) =>
            executions.resume(ctx, params.id, body, signal, events),
          )
        : unlessDisconnected(signal, executions.resume(ctx, params.id, body, signal)),
    ),
  ]
}

/** Throws if the caller disconnected, which cancelled the execution: its reply is not that of a repeated request. */
async function unlessDisconnected(
  signal: AbortSignal,
  reply: Promise<WorkflowRunReply>,
): Promise<WorkflowRunReply> {
  const ended = await reply
  if (signal.aborted && ended.status === 'cancelled')
    throw fail('provider.failed', { detail: 'The caller disconnected before the execution ended.' })
  return ended
}
