import { ActionIcon, Button, Kbd, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMenu2, IconSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { type MouseEvent, useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { useShellSearch } from '../../lib/page/address.ts'
import { keyLabel } from '../../lib/page/keyLabel.ts'
import { lazyDialog, lazyPart, preloadWhenIdle } from '../../lib/page/lazyPart.tsx'
import { hasFirstData, watchFirstData } from '../../lib/service/firstData.ts'
import { type LiveConnection, startLive } from '../../lib/service/live.ts'
import { session } from '../../lib/session/session.ts'
import { useStore } from '../../lib/state/store.ts'
import { ResourcePagesContext } from '../../shared/audit/resourcePages.ts'
import { LazyConnectDialog } from '../../shared/connect/LazyConnect.tsx'
import { LazyConfirm } from '../../ui/dialog/ConfirmHost.tsx'
import { cancelConfirm } from '../../ui/dialog/confirm.tsx'
import { Exports } from '../../ui/export/Exports.tsx'
import { Deferred } from '../../ui/feedback/Deferred.tsx'
import { ErrorBoundary } from '../../ui/feedback/ErrorBoundary.tsx'
import { BusyBanner } from '../banners/BusyBanner.tsx'
import { DefaultsBanner } from '../banners/DefaultsBanner.tsx'
import { DeletionBanner } from '../banners/DeletionBanner.tsx'
import { LostBanner } from '../banners/LostBanner.tsx'
import { StoreBanner } from '../banners/StoreBanner.tsx'
import { ViewAsBanner } from '../banners/ViewAsBanner.tsx'
import { WorkspaceBanner } from '../banners/WorkspaceBanner.tsx'
import { resourcePages } from '../resources.ts'
import { Welcome } from '../Welcome.tsx'
import { Bell, LazyBellPanel } from './alerts/Bell.tsx'
import { useShellKeys } from './keys/useShellKeys.ts'
import { LiveIndicator } from './LiveIndicator.tsx'
import { SchemeToggle } from './menu/SchemeToggle.tsx'
import { UserMenu } from './menu/UserMenu.tsx'
import { Navigation } from './navigation/Navigation.tsx'
import { WorkspaceSelector } from './navigation/WorkspaceSelector.tsx'
import { ProgressLine } from './ProgressLine.tsx'
import styles from './Shell.module.css'

const Palette = lazyDialog(async () => (await import('../palette/Palette.tsx')).Palette)
const KeyList = lazyDialog(async () => (await import('./keys/KeyList.tsx')).KeyList)
const NavigationDrawer = lazyPart(
  async () => (await import('./navigation/NavigationDrawer.tsx')).NavigationDrawer,
)

const SignInNotices = lazyPart(
  async () => (await import('../../features/profile/sign-ins/SignInNotices.tsx')).SignInNotices,
)

/** Parts that a user may open next. Their code loads once the first page has its data. */
const soonNeeded = [LazyConfirm, Palette, KeyList, LazyBellPanel]

/**
 * Frame around every page of a signed-in user. Rendered in slices, because its first rendering is the
 * largest.
 */
export const Shell = () => (
  <Deferred>
    <Frame />
  </Deferred>
)

/** Banners whose data the page does not wait for. */
const LaterBanners = () => (
  <>
    <DeletionBanner />
    <StoreBanner />
    <SignInNotices />
  </>
)

const mainId = 'main'

/**
 * Moves the focus to the page. A history entry that the browser adds has no index, so the router cannot return to it
 * when an open form refuses Back, and loads the page again.
 */
function skipToContent(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById(mainId)?.focus()
}

function Frame() {
  const live = useLiveConnection()
  const page = useRouterState({ select: (state) => state.matches.at(-1)?.routeId ?? '' })
  useConfirmOfPage()
  const [isNavOpen, nav] = useDisclosure()
  const [areKeysOpen, keys] = useDisclosure()
  const [isPaletteOpen, palette] = useDisclosure()
  const [isConnecting, connect] = useDisclosure()
  const [{ workspace }] = useShellSearch()
  const isFirstDataThere = useFirstData()
  useShellKeys({ onKeys: keys.open, onPalette: palette.open })
  return (
    <div className={styles['shell']}>
      <a href={`#${mainId}`} className={styles['skip']} onClick={skipToContent}>
        {t('shell:skip')}
      </a>
      <aside className={styles['sidebar']}>
        <Navigation />
      </aside>
      {(isFirstDataThere || isNavOpen) && <NavigationDrawer opened={isNavOpen} onClose={nav.close} />}
      <header className={styles['header']}>
        <ActionIcon className={styles['burger'] ?? ''} aria-label={t('shell:nav.open')} onClick={nav.open}>
          <IconMenu2 size={18} />
        </ActionIcon>
        <WorkspaceSelector />
        <UnstyledButton className={styles['paletteButton'] ?? ''} onClick={palette.open}>
          <IconSearch size={14} />
          <span className={styles['paletteText']}>{t('shell:palette.open')}</span>
          <Kbd size="xs" aria-hidden="true">
            {keyLabel('mod+k')}
          </Kbd>
        </UnstyledButton>
        <span className={styles['end']}>
          <LiveIndicator onRetry={() => live.current?.retry()} />
          <Bell />
          <SchemeToggle />
          <UserMenu onKeys={keys.open} />
        </span>
      </header>
      <main id={mainId} className={styles['main']} tabIndex={-1}>
        <ProgressLine />
        <LostBanner
          action={
            <Button size="compact-xs" variant="default" onClick={() => live.current?.retry()}>
              {t('shell:live.retry')}
            </Button>
          }
        />
        <BusyBanner />
        <ViewAsBanner />
        <DefaultsBanner />
        <WorkspaceBanner />
        {isFirstDataThere && <LaterBanners />}
        <div className={styles['page']}>
          <Welcome />
          <ErrorBoundary resetKey={page}>
            <ResourcePagesContext value={resourcePages}>
              <Outlet />
            </ResourcePagesContext>
          </ErrorBoundary>
        </div>
        <Exports />
      </main>
      {areKeysOpen && <KeyList onClose={keys.close} />}
      {isPaletteOpen && <Palette onClose={palette.close} onConnect={connect.open} onKeys={keys.open} />}
      {isConnecting && <LazyConnectDialog workspace={workspace} onClose={connect.close} />}
    </div>
  )
}

/** Closes the confirmation of a page when the page is left. */
function useConfirmOfPage(): void {
  const router = useRouter()
  useEffect(
    () => router.subscribe('onBeforeLoad', ({ pathChanged }) => pathChanged && cancelConfirm()),
    [router],
  )
}

function useLiveConnection() {
  const queries = useQueryClient()
  const live = useRef<LiveConnection | null>(null)
  useEffect(() => {
    const connection = startLive(session, queries)
    live.current = connection
    return () => {
      live.current = null
      connection.stop()
    }
  }, [queries])
  return live
}

/** Returns whether the first page has its data. */
function useFirstData(): boolean {
  const queries = useQueryClient()
  const hasData = useStore(hasFirstData)
  useEffect(() => (hasData ? preloadWhenIdle(soonNeeded) : undefined), [hasData])
  const isPageRendered = useRouterState({ select: ({ status }) => status === 'idle' })
  const isWatching = isPageRendered && !hasData
  useEffect(() => (isWatching ? watchFirstData(queries) : undefined), [isWatching, queries])
  return hasData
}
