import type { Environment } from '../../../contract/common/environments.ts'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import styles from './ConnectExamples.module.css'

type Props = {
  /** True if the token was created for the examples. */
  readonly isCreated: boolean
  readonly env: Environment
  /** The name of the workspace. */
  readonly workspace: string
}

/** A note about the token that the examples contain. */
export function ContainedToken({ isCreated, env, workspace }: Props) {
  const me = useMe()
  return (
    <p className={styles['note']} role="status">
      {isCreated
        ? t('connect:token_created', { env, workspace })
        : t(me.defaults.token ? 'connect:token_built_in' : 'connect:token_shown_session')}
    </p>
  )
}
