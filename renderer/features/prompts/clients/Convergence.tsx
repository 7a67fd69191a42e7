import { Button } from '@mantine/core'
import { IconCheck, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Convergence as Rollout } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatDuration, formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { useDisabledReason } from '../../../lib/session/me.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { convergenceQuery } from '../prompts.queries.ts'
import { ConvergenceBar } from './ConvergenceBar.tsx'
import styles from './convergence.module.css'
import { LatencyStrip } from './LatencyStrip.tsx'
import { OutdatedClients } from './OutdatedClients.tsx'

type Props = {
  readonly id: string
  /** The served version known to the page; another version causes a new request. */
  readonly version: string | null
}

/**
 * The live convergence of a prompt: clients on the served version, outdated clients, and the time they took.
 */
export function Convergence({ id, version }: Props) {
  const query = useQuery(convergenceQuery(id, version))
  const rollout = query.data
  if (rollout === undefined) {
    return <QueryPending query={query} height={180} />
  }
  return (
    <section className={styles['panel']} aria-label={t('prompt:convergence.title')} data-testid="convergence">
      <Headline rollout={rollout} />
      {rollout.total > 0 && <ConvergenceBar rollout={rollout} />}
      {rollout.version !== null && rollout.total > 0 && (
        <div className={styles['facts']}>
          <Figures rollout={rollout} />
          <PushAgain id={id} rollout={rollout} />
        </div>
      )}
      <LatencyStrip rollout={rollout} />
      {rollout.behind > 0 && <OutdatedClients rollout={rollout} />}
      {rollout.silent > 0 && (
        <p className="note">
          {tNode('prompt:convergence.unreported', {
            clients: t('prompts:clients', { count: rollout.silent }),
            env: <EnvBadge env={rollout.env} />,
          })}
        </p>
      )}
    </section>
  )
}

/** The number of clients on the served version, such as "12 of 14 on v8", and the time of the publish. */
function Headline({ rollout }: { readonly rollout: Rollout }) {
  const { total, current, version, published_at: publishedAt } = rollout
  const isDone = total > 0 && current === total
  return (
    <div className={styles['head']}>
      <p className={styles['headline']} data-done={isDone || undefined} aria-live="polite">
        {isDone && <IconCheck size={22} stroke={2.25} aria-hidden="true" />}
        <span data-testid="convergence-headline">
          {version === null
            ? t('prompt:convergence.not_live')
            : total === 0
              ? t('prompt:convergence.nobody')
              : tNode('prompt:convergence.headline', {
                  current: formatNumber(current),
                  total: formatNumber(total),
                  version: <span className="mono">{version}</span>,
                })}
        </span>
      </p>
      {version !== null && (
        <span className={styles['when']}>
          <EnvBadge env={rollout.env} />
          <span>{tNode('prompt:convergence.published', { time: <Time at={publishedAt} /> })}</span>
        </span>
      )}
    </div>
  )
}

function Figures({ rollout }: { readonly rollout: Rollout }) {
  const { median_ms: median, slowest_ms: slowest, versions } = rollout
  const others = versions.filter(({ version }) => version !== rollout.version)
  return (
    <p className={styles['figures']} data-testid="convergence-figures">
      {median !== null && <span>{t('prompt:convergence.median', { time: formatDuration(median) })}</span>}
      {slowest !== null && <span>{t('prompt:convergence.slowest', { time: formatDuration(slowest) })}</span>}
      {others.map(({ version, count }) => (
        <span key={version ?? ''}>
          {version === null
            ? t('prompt:status.on_none', { count })
            : t('prompt:status.on', { count, version })}
        </span>
      ))}
    </p>
  )
}

/** A button that announces the served version again to outdated clients. Stores nothing. */
function PushAgain({ id, rollout }: { readonly id: string; readonly rollout: Rollout }) {
  const queries = useQueryClient()
  const writeDisabledReason = useDisabledReason()('resources.write')
  const push = useMutation({
    mutationFn: async () => (await client.promptRollout.push({ params: { id } })).data,
    onSuccess: async ({ pushed, version }) => {
      toast(t('prompt:convergence.pushed', { count: pushed, version }))
      await queries.invalidateQueries({ queryKey: ['client', 'convergence', id] })
    },
  })
  const disabledReason =
    writeDisabledReason ?? (rollout.behind === 0 ? t('prompt:convergence.all_current') : null)
  return (
    <>
      {push.isError && (
        <span className={styles['bad']} role="alert">
          {push.error.message}
        </span>
      )}
      <WhyDisabled reason={disabledReason}>
        <Button
          variant="default"
          size="compact-sm"
          fz="xs"
          leftSection={<IconRefresh size={14} />}
          loading={push.isPending}
          onClick={() => push.mutate()}
        >
          {t('prompt:convergence.push')}
        </Button>
      </WhyDisabled>
    </>
  )
}
