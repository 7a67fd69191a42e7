import { useCallback } from 'react'
import type { Environment } from '../../../../contract/live/frames.ts'
import { t } from '../../../lib/i18n.ts'
import { type DisabledReason, useDisabledReason } from '../../../lib/session/me.ts'

type ServeTarget = { readonly env: Environment; readonly protected: boolean }

/**
 * Returns a function that returns the reason why the user may not change what is served; null if it is
 * allowed.
 */
export function useServeDisabledReason(): (target: ServeTarget) => DisabledReason {
  const disabledReasonOf = useDisabledReason()
  return useCallback(
    (target) => {
      if (!target.protected) return disabledReasonOf('resources.write')
      const reason = disabledReasonOf('environments.protected')
      return reason === null ? null : `${t('prompts:why.protected', { env: target.env })} ${reason}`
    },
    [disabledReasonOf],
  )
}
