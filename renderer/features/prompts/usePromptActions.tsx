import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { type DisabledReason, useDisabledReason } from '../../lib/session/me.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import type { MenuActions } from '../../shared/resources/list/ResourceMenu.tsx'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { refreshPrompts } from './prompts.queries.ts'
import { useServeDisabledReason } from './release/useServeDisabledReason.ts'

/** The fields that the actions need, from a row of the list or from the page of a prompt. */
export type Subject = Pick<Prompt, 'id' | 'key' | 'name' | 'env' | 'workspace_id' | 'protected'> & {
  readonly client_count: number
  readonly served: { readonly version: string } | null
}

export type OpenDialog = { readonly kind: 'duplicate' | 'move'; readonly prompt: Subject }

/**
 * The actions on a prompt. The object is stable until permissions change, so that tables are not rendered
 * again.
 */
export type PromptActions = MenuActions<Subject> & {
  /** The reason why the user may create nothing in the selected workspace, or in any while all are shown. */
  readonly writeDisabledReason: DisabledReason
  /** Returns the reason why the user may not change what is served. */
  readonly serveDisabledReason: (prompt: Subject) => DisabledReason
  /** Resolves to true if the user confirmed and the request succeeded. */
  readonly restore: (prompt: Subject) => Promise<boolean>
}

type PromptActionState = {
  readonly actions: PromptActions
  readonly openDialog: OpenDialog | null
  readonly close: () => void
}

/** Returns the actions on a whole prompt; confirmations name the prompt and the consequence. */
export function usePromptActions(): PromptActionState {
  const queries = useQueryClient()
  const disabledReasonOf = useDisabledReason()
  const serveDisabledReason = useServeDisabledReason()
  const [openDialog, setOpenDialog] = useDialogState<OpenDialog>('prompt')
  const actions = useMemo((): PromptActions => {
    // What was never published is served nowhere, so that moving or deleting it changes only a draft.
    const changeDisabledReason = (prompt: Subject) => disabledReasonOf('resources.write', prompt.workspace_id)
    const removeDisabledReason = (prompt: Subject) =>
      prompt.served === null ? changeDisabledReason(prompt) : serveDisabledReason(prompt)
    return {
      writeDisabledReason: disabledReasonOf('resources.write'),
      changeDisabledReason,
      serveDisabledReason,
      moveDisabledReason: removeDisabledReason,
      removeDisabledReason,
      duplicate: (prompt) => setOpenDialog({ kind: 'duplicate', prompt }),
      move: (prompt) => setOpenDialog({ kind: 'move', prompt }),
      remove: (prompt) => remove(queries, prompt),
      restore: (prompt) => restore(queries, prompt),
    }
  }, [queries, disabledReasonOf, serveDisabledReason, setOpenDialog])
  return { actions, openDialog, close: () => setOpenDialog(null) }
}

const restore = (queries: QueryClient, prompt: Subject): Promise<boolean> =>
  confirm({
    title: t('prompts:restore.title', { key: prompt.key }),
    body: tNode(prompt.served === null ? 'prompts:restore.draft' : 'prompts:restore.live', {
      key: <b className="mono">{prompt.key}</b>,
      version: <b className="mono">{prompt.served?.version}</b>,
      env: <EnvBadge env={prompt.env} />,
    }),
    action: t('prompts:restore.action'),
    run: async () => {
      await client.prompts.restore({ params: { id: prompt.id } })
      await refreshPrompts(queries)
      toast(t('prompts:restore.done', { key: prompt.key }))
    },
  })

const remove = (queries: QueryClient, prompt: Subject): Promise<boolean> =>
  confirm({
    title: t('prompts:delete.title', { key: prompt.key }),
    body: <DeleteConsequences prompt={prompt} />,
    action: t('prompts:delete.action'),
    isDangerous: true,
    run: async () => {
      await client.prompts.remove({ params: { id: prompt.id } })
      await refreshPrompts(queries)
      toast(t('prompts:delete.done', { key: prompt.key }), {
        label: t('prompts:restore.action'),
        run: () => void restore(queries, prompt),
      })
    },
  })

function DeleteConsequences({ prompt }: { readonly prompt: Subject }) {
  return (
    <>
      {tNode(prompt.served === null ? 'prompts:delete.draft' : 'prompts:delete.live', {
        key: <b className="mono">{prompt.key}</b>,
        env: <EnvBadge env={prompt.env} />,
      })}
      {prompt.served !== null && (
        <p>
          {prompt.client_count === 0
            ? t('prompts:delete.nobody')
            : tNode('prompts:delete.clients', {
                clients: <b>{t('prompts:clients', { count: prompt.client_count })}</b>,
              })}
        </p>
      )}
      <p className="dimmed">{t('prompts:delete.trash')}</p>
    </>
  )
}
