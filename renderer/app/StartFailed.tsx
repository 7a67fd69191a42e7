import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/ErrorState.tsx'

/** Who is signed in could not be found out: the service is away. The address stays, so that Retry goes on from here. */
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
