import { useCallback } from 'react'
import type { Environment } from '../../../../contract/common/environments.ts'
import { t } from '../../../lib/i18n.ts'
import { type DisabledReason, useDisabledReason } from '../../../lib/session/me.ts'

type ServeTarget = {
  readonly env: Environment
  readonly protected: boolean
  readonly workspace_id: string
}

/**
 * Returns a function that returns the reason why the user may not change what is served; null if it is
 * allowed.
 */
export function useServeDisabledReason(): (target: ServeTarget) => DisabledReason {
  const disabledReasonOf = useDisabledReason()
  return useCallback(
    (target) => {
      if (!target.protected) return disabledReasonOf('resources.write', target.workspace_id)
      const reason = disabledReasonOf('environments.protected', target.workspace_id)
      return reason === null ? null : `${t('prompts:why.protected', { env: target.env })} ${reason}`
    },
    [disabledReasonOf],
  )
}
