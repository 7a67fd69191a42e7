import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { defaultWorkspaceId, type Workspace } from '../../../contract/system/workspaces.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { workspaceQuery } from '../../lib/service/workspaces.ts'
import { type DisabledReason, useDisabledReason } from '../../lib/session/me.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { BudgetMeters } from '../../shared/budgets/BudgetMeters.tsx'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../ui/page/DetailDrawer.tsx'
import { Facts } from '../../ui/page/Facts.tsx'
import { Section } from '../../ui/page/Section.tsx'
import styles from './workspaces.module.css'

const WorkspaceForm = lazy(() =>
  import('./WorkspaceForm.tsx').then((module) => ({ default: module.WorkspaceForm })),
)

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
  readonly deletion: {
    readonly remove: (workspace: Workspace) => Promise<boolean>
    readonly disabledReason: (workspace: Workspace) => DisabledReason
  }
}

export function WorkspaceDrawer({ id, navigation, onClose, deletion }: Props) {
  const query = useQuery(workspaceQuery(id))
  const disabledReasonOf = useDisabledReason()
  const [isEditing, setEditing] = useDialogState<true>(`workspace.${id}`)
  const workspace = query.data
  return (
    <DetailDrawer
      title={workspace?.name ?? t('workspaces:one')}
      navigation={navigation}
      onClose={onClose}
      query={query}
      summary={
        workspace !== undefined && (
          <>
            <span className="mono dimmed">{workspace.slug}</span>
            {workspace.id === defaultWorkspaceId && <Badge>{t('workspaces:built_in')}</Badge>}
          </>
        )
      }
      actions={
        workspace !== undefined && (
          <>
            <WhyDisabled reason={disabledReasonOf('workspaces.edit', workspace.id)}>
              <Button variant="default" onClick={() => setEditing(true)}>
                {t('common:edit')}
              </Button>
            </WhyDisabled>
            <WhyDisabled reason={deletion.disabledReason(workspace)}>
              <Button
                variant="default"
                c="var(--pd-bad)"
                onClick={() => void deletion.remove(workspace).then((isRemoved) => isRemoved && onClose())}
              >
                {t('workspaces:delete.action')}
              </Button>
            </WhyDisabled>
            <LinkButton variant="subtle" to="/prompts" search={{ workspace: workspace.slug }}>
              {t('workspaces:show_prompts')}
            </LinkButton>
            <LinkButton
              variant="subtle"
              to="/runs/{-$id}"
              params={{ id: undefined }}
              search={{ workspace: workspace.slug }}
            >
              {t('workspaces:show_runs')}
            </LinkButton>
            <LinkButton
              variant="subtle"
              to="/audit/{-$id}"
              params={{ id: undefined }}
              search={{ resource_id: [workspace.id] }}
            >
              {t('workspaces:show_audit')}
            </LinkButton>
          </>
        )
      }
    >
      {workspace !== undefined && (
        <>
          {workspace.description !== '' && <p className={styles['description']}>{workspace.description}</p>}
          <Section title={t('workspaces:contents')}>
            <Facts
              facts={[
                { label: t('workspaces:column.prompts'), value: formatNumber(workspace.prompt_count) },
                {
                  label: t('workspaces:column.agents'),
                  value: (
                    <Link
                      to="/agents"
                      search={{ workspace: workspace.slug }}
                      className={styles['link'] ?? ''}
                    >
                      {formatNumber(workspace.agent_count)}
                    </Link>
                  ),
                },
                {
                  label: t('workspaces:column.workflows'),
                  value: (
                    <Link
                      to="/workflows"
                      search={{ workspace: workspace.slug }}
                      className={styles['link'] ?? ''}
                    >
                      {formatNumber(workspace.workflow_count)}
                    </Link>
                  ),
                },
              ]}
            />
          </Section>
          <Section title={t('workspaces:protected.title')}>
            <p className={styles['description']}>
              {workspace.protected_envs.length === 0
                ? t('workspaces:protected.none')
                : tNode('workspaces:protected.some', {
                    envs: (
                      <span className={styles['envs']}>
                        {workspace.protected_envs.map((env) => (
                          <EnvBadge key={env} env={env} />
                        ))}
                      </span>
                    ),
                  })}
            </p>
          </Section>
          {workspace.budget !== null && disabledReasonOf('settings.manage') === null && (
            <Section title={t('budgets:title')}>
              <BudgetMeters scope="workspace" id={workspace.id} />
            </Section>
          )}
          <Section title={t('common:details')}>
            <Facts
              facts={[
                { label: t('workspaces:column.created'), value: <Time at={workspace.created_at} /> },
                { label: t('workspaces:column.updated'), value: <Time at={workspace.updated_at} /> },
                {
                  label: t('workspaces:column.slug'),
                  value: <span className="mono">{workspace.slug}</span>,
                  copy: workspace.slug,
                },
                {
                  label: t('common:id'),
                  value: <span className="mono">{workspace.id}</span>,
                  copy: workspace.id,
                },
              ]}
            />
          </Section>
          {isEditing && (
            <Suspense>
              <WorkspaceForm workspace={workspace} onClose={() => setEditing(null)} />
            </Suspense>
          )}
        </>
      )}
    </DetailDrawer>
  )
}
