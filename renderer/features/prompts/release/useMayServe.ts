import { useCallback } from 'react'
import type { Environment } from '../../../../contract/live/frames.ts'
import { t } from '../../../lib/i18n.ts'
import { useMayNot, type Verdict } from '../../../lib/session/me.ts'

type Place = { readonly env: Environment; readonly protected: boolean }

/**
 * Returns a function that gives the reason why the user may not change what is served; null if it is allowed.
 */
export function useMayNotServe(): (place: Place) => Verdict {
  const mayNot = useMayNot()
  return useCallback(
    (place) => {
      if (!place.protected) return mayNot('resources.write')
      const why = mayNot('environments.protected')
      return why === null ? null : `${t('prompts:why.protected', { env: place.env })} ${why}`
    },
    [mayNot],
  )
}
