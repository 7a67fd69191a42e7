import { Button, VisuallyHidden } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ApiError } from '../../contract/client.ts'
import { t } from '../lib/i18n.ts'
import { asApiError } from '../lib/service/api.ts'
import { liveState } from '../lib/service/live.ts'
import { ErrorState } from '../ui/feedback/ErrorState.tsx'

const notLoaded = 'Not loaded: '

/**
 * Handles code of a page that cannot be loaded. The router reloads the console after such an error, which it
 * recognizes by the message. While the service is down, the browser's error page would replace the console.
 */
export function keepWithoutService({ payload }: VitePreloadErrorEvent): void {
  if (liveState.get().lostAt !== null) payload.message = notLoaded + payload.message
}

/** Shown in place of a page that failed, or whose code could not be loaded. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isNotLoaded = error instanceof Error && error.message.startsWith(notLoaded)
  const shown = isNotLoaded ? new ApiError(0, error.message, null) : error
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <ErrorState
      error={shown}
      onRetry={asApiError(shown) === null ? undefined : retry}
      action={
        asApiError(error) === null && (
          <Button onClick={() => location.reload()}>{t('common:error.reload')}</Button>
        )
      }
    />
  )
}

/**
 * Shown in place of the console if the signed-in user could not be loaded, or a page outside of the frame. The
 * address does not change, so Retry and Reload continue from here.
 */
export const StartFailed = (props: ErrorComponentProps) => (
  <main>
    <VisuallyHidden component="h1">Promptdeck</VisuallyHidden>
    <PageFailed {...props} />
  </main>
)
