import { hash } from 'node:crypto'
import type { RunContext, RunReport } from '../../../contract/runs/run.ts'
import type { CallIntentsTable } from '../../db/schema/runs.ts'
import type { Actor, Context } from '../../lib/context.ts'
import { everyWorkspace } from '../../lib/scope.ts'
import type { CallRequest } from '../request/call.ts'
import type { Prepared } from '../request/prepare.ts'
import type { CallRecord } from './record.ts'

/** The fields of a run that are known before the call is made. */
type InitialFields = Pick<
  RunReport,
  | 'provider'
  | 'model'
  | 'source'
  | 'ref_key'
  | 'version'
  | 'env'
  | 'prompt_hash'
  | 'workspace_id'
  | 'parent_id'
  | 'variables'
  | 'params'
  | 'created_at'
  | keyof RunContext
> &
  Pick<CallRecord, 'counters'>

/** Returns the SHA-256 of a template, with which the run log identifies the text of a prompt. */
export const hashOf = (template: CallRequest['template']): string =>
  hash('sha256', typeof template === 'string' ? template : JSON.stringify(template), 'hex')

/** Returns the run fields that are known before the call. */
export function initialFields(request: CallRequest, prepared: Prepared, at: Date): InitialFields {
  return {
    provider: request.provider,
    model: prepared.generate.model,
    source: request.source,
    ref_key: request.refKey,
    version: request.version,
    env: request.env,
    // Only a prompt has an environment.
    prompt_hash: request.env === null ? null : hashOf(request.template),
    ...request.context,
    workspace_id: request.workspaceId,
    parent_id: request.parentId,
    variables: [...prepared.variables],
    params: request.params,
    created_at: at.toISOString(),
  }
}

/** Returns the row of an intent, which recovery turns into a run after a crash. */
export function intentOf(
  ctx: Context,
  call: { readonly id: string; readonly instanceId: string; readonly at: Date },
  fields: InitialFields,
): CallIntentsTable {
  const { id, instanceId, at } = call
  return {
    id,
    created_at: at.getTime(),
    actor: JSON.stringify({ ...ctx.actor, memberships: undefined }),
    request_id: ctx.requestId,
    run: JSON.stringify(fields),
    instance_id: instanceId,
  }
}

/** Returns the context of the stored actor. `now` is the current time, not the time of the call. */
export function contextOf(intent: CallIntentsTable, now: Date): Context {
  const actor: Actor = JSON.parse(intent.actor)
  // The call was allowed when it began, and its run is stored even if the access has changed since.
  return {
    actor,
    scope: everyWorkspace,
    requestId: intent.request_id,
    ip: '',
    userAgent: '',
    instanceId: null,
    now,
  }
}

/** Returns the run fields that `intentOf` stored. */
export const initialFieldsOf = (intent: CallIntentsTable): InitialFields => JSON.parse(intent.run)
