import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { addressOf } from '../../lib/service/base-path.ts'

type Props = {
  /** A path of the console, as the service returns it. */
  readonly path: string
  readonly className?: string | undefined
  readonly onOpen?: () => void
  readonly children: ReactNode
}

/** Link to a path that is known only at run time, so that its type cannot be checked. */
export function PathLink({ path, className, onOpen, children }: Props) {
  const router = useRouter()
  return (
    <a
      href={addressOf(path)}
      className={className}
      onClick={(event) => {
        const isForBrowser = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
        if (isForBrowser) return
        event.preventDefault()
        router.history.push(addressOf(path))
        onOpen?.()
      }}
    >
      {children}
    </a>
  )
}
