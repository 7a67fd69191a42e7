import { Alert, Group } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { CopyButton } from '../display/link/CopyButton.tsx'

type Props = {
  readonly error: unknown
  /** False for a question without fields. */
  readonly hasInput?: boolean
}

/** Message in a form about a failed request: the reason, the errors by field, and the request id. */
export function FormFailure({ error, hasInput = true }: Props) {
  const failure = asApiError(error)
  const problem = failure?.problem ?? null
  // Proxies reply with 502 and 504 themselves, without a problem.
  const isUnanswered =
    failure?.status === 0 || (failure !== null && failure.status >= 502 && problem === null)
  return (
    <Alert color="red" variant="light" role="alert" title={problem?.title}>
      {isUnanswered
        ? t(hasInput ? 'common:error.unreachable_form' : 'common:error.unreachable_action')
        : (failure?.message ?? t('common:error.unknown'))}
      {problem?.errors !== undefined && problem.errors.length > 0 && (
        <ul>
          {problem.errors.slice(0, 5).map(({ path, message }) => (
            <li key={path}>
              <span className="mono">{path.replace(/^body\./, '')}</span>: {message}
            </li>
          ))}
        </ul>
      )}
      {problem !== null && (
        <Group gap={4} mt={4} fz="xs">
          {t('common:error.request')} <span className="mono">{problem.request_id}</span>
          <CopyButton value={problem.request_id} label={t('common:error.copy_request')} />
        </Group>
      )}
    </Alert>
  )
}
