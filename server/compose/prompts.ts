import type { Db } from '../db/types.ts'
import {
  promptsRoutes,
  rolloutRoutes,
  sdkRoutes,
  transferRoutes,
  versionsRoutes,
} from '../features/prompts/prompts.routes.ts'
import { createPromptsService } from '../features/prompts/prompts.service.ts'
import { createRolloutService } from '../features/prompts/rollout/rollout.service.ts'
import { createSdkService } from '../features/prompts/served/sdk.service.ts'
import { createTransferService } from '../features/prompts/transfer/transfer.service.ts'
import { createTrash, startTrashMaintenance } from '../features/prompts/trash/trash.service.ts'
import { createVersionsService } from '../features/prompts/versions/versions.service.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import type { FrameResender, History } from '../history/history.ts'
import type { Share } from '../lib/async/shared-results.ts'
import type { Hub } from '../live/hub.ts'
import type { DeletionClock } from '../retention/deletion-clock.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Jobs } from './jobs/jobs.ts'

/**
 * Creates the services and routes of prompts: drafts, versions, delivery to apps, rollout, import and export,
 * trash.
 */
export function composePrompts(
  parts: {
    readonly db: Db
    readonly share: Share
    readonly history: History & FrameResender
    readonly runs: RunsService
    readonly hub: Pick<Hub, 'usage' | 'users'>
    readonly jobs: Pick<Jobs, 'compareLines' | 'readPrompts'>
    readonly deletion: Pick<DeletionClock, 'now'>
  },
  deps: ComposeDeps,
  onClose: OnClose,
) {
  const { db, share, history, runs, hub, jobs } = parts
  const { compareLines } = jobs
  const { newId, logger } = deps
  const prompts = createPromptsService({ db, share, history, newId, usage: () => hub.usage() })
  const versions = createVersionsService({ db, history, newId, compareLines })
  const rollout = createRolloutService({
    db,
    compareLines,
    resender: history,
    users: (place) => hub.users(place),
    runs: {
      sent: (of) => runs.usage(of),
      async count(ctx, { workspaceId, key, env, from }) {
        const ofKey = { workspace: [workspaceId], ref_key: [key], from, interval: 'auto' as const }
        const { total, error } = await runs.stats(ctx, { ...ofKey, env: [env] })
        const unknown = await runs.stats(ctx, { ...ofKey, has_no: ['env'] })
        return { total, error, unknownEnv: unknown.total }
      },
    },
  })
  const transfer = createTransferService({ db, history, newId, readFiles: jobs.readPrompts })
  const sdk = createSdkService({ db })
  const trash = createTrash({ db, history, deletion: parts.deletion, newId })
  const trashSchedule = startTrashMaintenance({
    trash,
    onError: (err) => logger.error({ err }, 'expired prompts could not be deleted'),
  })
  onClose(() => trashSchedule.close())
  return {
    services: { prompts, versions },
    erase: trash.erase,
    routes: [
      ...promptsRoutes(prompts),
      ...versionsRoutes(versions),
      ...rolloutRoutes(rollout),
      ...transferRoutes(transfer),
      ...sdkRoutes(sdk),
    ],
  }
}
