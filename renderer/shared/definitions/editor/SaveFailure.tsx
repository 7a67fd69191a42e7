import { Alert } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'

type Props = {
  readonly error: unknown
  /** True for a field that shows its own error. */
  readonly isShown?: (path: string) => boolean
}

/** Reason why nothing was saved, without the errors that fields of the page show themselves. */
export function SaveFailure({ error, isShown = () => false }: Props) {
  const failure = asApiError(error)
  if (error === null) return null
  const errors = failure?.problem?.errors ?? []
  const otherErrors = errors.filter(({ path }) => !isShown(path.replace(/^body\./, '')))
  return (
    <Alert color="red" variant="light" role="alert" title={failure?.problem?.title}>
      {otherErrors.length > 0
        ? otherErrors.map(({ path, message }) => (
            <div key={`${path} ${message}`}>
              <span className="mono">{path.replace(/^body\./, '')}</span>: {message}
            </div>
          ))
        : (failure?.message ?? t('common:error.unknown'))}
    </Alert>
  )
}
