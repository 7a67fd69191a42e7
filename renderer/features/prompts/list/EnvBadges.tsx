import { Fragment } from 'react'
import type { Environment } from '../../../../contract/live/frames.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'

/** Badges of several environments, for use in a sentence. */
export function EnvBadges({ envs }: { readonly envs: readonly Environment[] }) {
  return envs.map((env, index) => (
    <Fragment key={env}>
      {index > 0 && ' '}
      <EnvBadge env={env} />
    </Fragment>
  ))
}
