import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/feedback/ErrorState.tsx'

/**
 * Shown if the signed-in user could not be loaded. The address does not change, so Retry continues from here.
 */
export function StartFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <ErrorState
      error={error}
      onRetry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}
