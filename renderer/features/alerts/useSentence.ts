import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Alert } from '../../../contract/alerts/alert.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { sentenceOf } from '../../shared/alerts/wording.ts'

/** Returns a function that describes the condition of an alert as a sentence, with the name of its workspace. */
export function useSentence(): (alert: Alert) => string {
  const { data: workspaces } = useQuery(workspaceChoicesQuery)
  return useCallback(
    (alert) => {
      const { workspace_id: id } = alert
      const name = workspaces?.find((workspace) => workspace.id === id)?.name ?? id
      return sentenceOf({ ...alert, workspace: name })
    },
    [workspaces],
  )
}
