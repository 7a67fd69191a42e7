import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import { useMayNot, type Verdict } from '../../../lib/session/me.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import type { MenuActions } from '../../resources/list/ResourceMenu.tsx'
import { callsOf, type Definition, type Kind, refreshDefinitions } from '../definition.ts'

/** The fields that the actions need, of a row or of a page's data. */
export type Subject = Pick<Definition, 'id' | 'key' | 'name' | 'workspace_id'>
type Asking = { readonly what: 'duplicate' | 'move'; readonly subject: Subject }

export type DefinitionActions = MenuActions<Subject> & {
  readonly kind: Kind
  readonly mayNotRun: Verdict
  /** The open dialog; null if none. */
  readonly asking: Asking | null
  readonly close: () => void
}

/** Returns the actions for whole agents or workflows. The object stays the same until a field changes. */
export function useDefinitionActions(kind: Kind): DefinitionActions {
  const queries = useQueryClient()
  const mayNot = useMayNot()
  const [asking, setAsking] = useState<Asking | null>(null)
  const mayNotWrite = mayNot('resources.write')
  const mayNotRun = mayNot('resources.run')
  return useMemo(
    () => ({
      kind,
      mayNotWrite,
      mayNotRun,
      mayNotMove: () => mayNotWrite,
      mayNotRemove: () => mayNotWrite,
      duplicate: (subject) => setAsking({ what: 'duplicate', subject }),
      move: (subject) => setAsking({ what: 'move', subject }),
      remove: ({ id, key }) =>
        confirm({
          title: t('definition:delete.title', { key }),
          body: tNode(`definition:${kind}.delete`, { key: <b className="mono">{key}</b> }),
          action: t('definition:delete.action'),
          isDangerous: true,
          run: async () => {
            await callsOf(kind).remove({ params: { id } })
            await refreshDefinitions(queries, kind)
            toast(t('definition:delete.done', { key }))
          },
        }),
      asking,
      close: () => setAsking(null),
    }),
    [kind, queries, mayNotWrite, mayNotRun, asking],
  )
}
