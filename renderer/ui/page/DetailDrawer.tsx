import { ActionIcon, Skeleton, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useReducer, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { restoreFocus } from '../../lib/page/focus.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { asApiError } from '../../lib/service/api.ts'
import { UnsavedContext } from '../dialog/useLeaveGuard.ts'
import { HintContext } from '../display/Hint.tsx'
import { CopyLink } from '../display/link/CopyLink.tsx'
import { Banner } from '../feedback/Banner.tsx'
import { ErrorState } from '../feedback/ErrorState.tsx'
import styles from './DetailDrawer.module.css'

/** Moves from the open row to its neighbours; null at either end. Created by `useRowNavigation`. */
export type RowNavigation = {
  readonly previous: (() => void) | null
  readonly next: (() => void) | null
  /** True if the list is ordered newest first. */
  readonly isByTime: boolean
}

type Props = {
  readonly title: ReactNode
  /** Badges and key facts below the title. */
  readonly summary?: ReactNode
  /** Buttons below the title. */
  readonly actions?: ReactNode
  readonly navigation?: RowNavigation
  readonly onClose: () => void
  /** While it is loading, has failed or was deleted, the body shows the state, unless `children` has unsaved changes. */
  readonly query?: Pick<UseQueryResult, 'data' | 'isPending' | 'error' | 'refetch'>
  /** Sections of the body. */
  readonly children?: ReactNode
}

/**
 * Panel with a row's details, beside the list, which stays usable. The page gives it an address of its own.
 * The focus moves in when it opens, and back to the row when it closes.
 */
export function DetailDrawer(props: Props) {
  const { title, summary, actions, navigation, onClose, query, children } = props
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  const [unsaved, countUnsaved] = useReducer((count: number, change: 1 | -1) => count + change, 0)
  const isGone = asApiError(query?.error)?.status === 404
  const isFailed = query?.error != null && (query.data === undefined || (isGone && unsaved === 0))

  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
      restoreFocus([])
    }
  }, [])

  const previous = t(navigation?.isByTime === true ? 'common:drawer.newer' : 'common:keys.previous')
  const next = t(navigation?.isByTime === true ? 'common:drawer.older' : 'common:keys.next')
  useKeys([
    { keys: 'Escape', label: t('common:keys.close'), run: onClose },
    { keys: 'ArrowUp', label: previous, run: () => navigation?.previous?.() },
    { keys: 'ArrowDown', label: next, run: () => navigation?.next?.() },
  ])

  return (
    <HintContext value="detail">
      <section
        ref={panel}
        className={styles['drawer']}
        role="dialog"
        aria-labelledby={titleId}
        tabIndex={-1}
        data-testid="drawer"
      >
        <div className={styles['head']}>
          <div className={styles['bar']}>
            <h2 id={titleId} className={styles['title']}>
              {title}
            </h2>
            <span className={styles['tools']}>
              {navigation !== undefined && (
                <>
                  <Tool label={previous} onClick={navigation.previous}>
                    <IconChevronUp size={16} />
                  </Tool>
                  <Tool label={next} onClick={navigation.next}>
                    <IconChevronDown size={16} />
                  </Tool>
                </>
              )}
              <CopyLink label={t('common:drawer.copy_link')} />
              <Tool label={t('common:close')} onClick={onClose}>
                <IconX size={16} />
              </Tool>
            </span>
          </div>
          {summary !== undefined && !isGone && <div className={styles['summary']}>{summary}</div>}
          {actions !== undefined && !isGone && <div className={styles['actions']}>{actions}</div>}
        </div>
        <div className={styles['body']}>
          {isFailed ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query?.isPending ? (
            [60, 80, 45, 70, 55].map((width) => <Skeleton key={width} height={12} width={`${width}%`} />)
          ) : (
            <UnsavedContext value={countUnsaved}>
              {isGone && <Banner tone="warn">{t('common:form.deleted')}</Banner>}
              {children}
            </UnsavedContext>
          )}
        </div>
      </section>
    </HintContext>
  )
}

type ToolProps = {
  readonly label: string
  readonly onClick: (() => void) | null
  readonly children: ReactNode
}

function Tool({ label, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        // Not `disabled`, so that it keeps the focus at either end of the list.
        {...(onClick === null && { 'data-disabled': true, 'aria-disabled': true })}
        bg="transparent"
        onClick={() => onClick?.()}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
