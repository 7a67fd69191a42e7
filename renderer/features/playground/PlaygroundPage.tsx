import './playground.texts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { useMe } from '../../lib/session/me.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { openPrompt, openRun } from './opening.ts'
import { Playground } from './Playground.tsx'
import { playgroundSearch } from './playground.search.ts'
import { openAgent } from './save/openAgent.ts'
import { openSession, type PlaygroundSession } from './session.ts'

/** The page that runs a prompt on several models or versions side by side. */
export function PlaygroundPage() {
  const { username } = useMe()
  const [session, setSession] = useState<PlaygroundSession | null>(null)
  useEffect(() => {
    let isShown = true
    void openSession(username).then((opened) => isShown && setSession(opened))
    return () => {
      isShown = false
    }
  }, [username])
  const opening = useOpening(session)
  if (session === null || opening.isOpening) return <PageLoading />
  if (opening.failure !== null) {
    const reset = { variant: 'default', to: '/playground', search: {} } as const
    return (
      <Page>
        {opening.failure === 'missing' ? (
          <EmptyState
            title={t('playground:missing.title')}
            text={t('playground:missing.text')}
            action={<LinkButton {...reset}>{t('playground:missing.back')}</LinkButton>}
          />
        ) : (
          <ErrorState
            error={opening.failure}
            onRetry={opening.retry}
            action={<LinkButton {...reset}>{t('playground:missing.back')}</LinkButton>}
          />
        )}
      </Page>
    )
  }
  return <Playground session={session} />
}

type Opening = { readonly isOpening: boolean; readonly failure: unknown; readonly retry: () => void }

/**
 * Opens the resource named in the URL once, then clears the parameters, so that a reload keeps later changes.
 */
function useOpening(session: PlaygroundSession | null): Opening {
  const queries = useQueryClient()
  const [search, setSearch] = useSearchState('/playground', playgroundSearch)
  const [failed, setFailed] = useState<{ readonly source: string; readonly reason: unknown } | null>(null)
  const { prompt, version, run, agent } = search
  const sourceKey = [prompt, version, run, agent].some((parameter) => parameter !== undefined)
    ? JSON.stringify([prompt, version, run, agent])
    : null
  const startedSource = useRef<string | null>(null)
  useEffect(() => {
    if (sourceKey === null) startedSource.current = null
    if (session === null || sourceKey === null) return
    if (failed?.source === sourceKey || startedSource.current === sourceKey) return
    startedSource.current = sourceKey
    const open = async (): Promise<boolean> => {
      if (run !== undefined) return openRun(session, queries, run).then(() => true)
      if (agent !== undefined) return openAgent(session, queries, agent).then(() => true)
      return prompt === undefined || openPrompt(session, queries, prompt, version)
    }
    open()
      .then((isFound) => {
        const noParameters = { prompt: undefined, version: undefined, run: undefined, agent: undefined }
        if (isFound) setSearch(noParameters, { replace: true })
        else setFailed({ source: sourceKey, reason: 'missing' })
      })
      .catch((reason: unknown) => setFailed({ source: sourceKey, reason }))
  }, [session, sourceKey, failed, prompt, version, run, agent, queries, setSearch])
  const isFailed = sourceKey !== null && failed?.source === sourceKey
  return {
    isOpening: sourceKey !== null && !isFailed,
    failure: isFailed ? failed.reason : null,
    retry: () => {
      startedSource.current = null
      setFailed(null)
    },
  }
}
