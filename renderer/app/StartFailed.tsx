import { Button, VisuallyHidden } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { t } from '../lib/i18n.ts'
import { asApiError } from '../lib/service/api.ts'
import { ErrorState } from '../ui/feedback/ErrorState.tsx'

/**
 * Shown instead of the console if the signed-in user or the code of a page could not be loaded. The address does not
 * change, so Retry and Reload continue from here.
 */
export function StartFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <main>
      <VisuallyHidden component="h1">Promptdeck</VisuallyHidden>
      {asApiError(error) === null ? (
        <ErrorState
          error={error}
          action={<Button onClick={() => location.reload()}>{t('common:error.reload')}</Button>}
        />
      ) : (
        <ErrorState error={error} onRetry={retry} />
      )}
    </main>
  )
}
