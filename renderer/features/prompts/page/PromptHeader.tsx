import { Button } from '@mantine/core'
import { IconFlask, IconLock, IconRocket } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { ResourceMenu } from '../../../shared/resources/list/ResourceMenu.tsx'
import head from '../../../shared/resources/page/head.module.css'
import { SaveButtons } from '../../../shared/resources/page/SaveButtons.tsx'
import { WorkspaceCrumb } from '../../../shared/workspaces/WorkspaceCrumb.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import type { PromptEditing } from '../editor/usePromptEditing.ts'
import { ancestorsOf } from '../list/folders.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import styles from './prompt.module.css'
import { StatusLine } from './StatusLine.tsx'

type Props = {
  readonly prompt: Prompt
  readonly rollout: Convergence | undefined
  readonly editing: PromptEditing
  readonly actions: PromptActions
  readonly onPublish: () => void
}

/** The header of a prompt's page: key, served version, and the actions save and publish. */
export function PromptHeader({ prompt, rollout, editing, actions, onPublish }: Props) {
  const navigate = useNavigate()
  const subject = { ...prompt, client_count: rollout?.total ?? 0 }
  const serveDisabledReason = actions.serveDisabledReason(subject)
  const hasNothing = !prompt.has_draft && !editing.isDirty
  const publishDisabledReason = serveDisabledReason ?? (hasNothing ? t('prompt:publish.nothing') : null)
  const isLocked = prompt.protected && serveDisabledReason !== null
  return (
    <div className={head['head']}>
      <Breadcrumbs prompt={prompt} />
      <PageHeader
        title={prompt.key}
        purpose={<StatusLine prompt={prompt} rollout={rollout} editing={editing} />}
        actions={
          <>
            <ResourceMenu
              texts="prompts"
              subject={subject}
              actions={actions}
              onRemoved={() => void navigate({ to: '/prompts' })}
              size={28}
            />
            <LinkButton
              variant="subtle"
              color="gray"
              leftSection={<IconFlask size={14} />}
              to="/playground"
              search={{ prompt: prompt.id }}
            >
              {t('prompt:playground')}
            </LinkButton>
            <SaveButtons
              texts="prompt"
              editing={editing}
              writeDisabledReason={actions.writeDisabledReason}
              saveDisabledReason={null}
              label={t('prompt:edit.save')}
              variant="default"
            />
            <WhyDisabled reason={publishDisabledReason}>
              <Button
                leftSection={isLocked ? <IconLock size={14} /> : <IconRocket size={14} />}
                onClick={onPublish}
              >
                {t('prompt:publish.button')}
              </Button>
            </WhyDisabled>
            {isLocked && <span className={styles['locked']}>{serveDisabledReason}</span>}
          </>
        }
      />
    </div>
  )
}

/** Breadcrumbs such as "Prompts › workspace › folder › folder"; each links to its list. */
function Breadcrumbs({ prompt }: { readonly prompt: Prompt }) {
  const folders = prompt.folder === '' ? [] : [...ancestorsOf(prompt.folder), prompt.folder]
  return (
    <nav className={head['crumbs']} data-wrap aria-label={t('prompt:crumbs')}>
      <Link to="/prompts" activeOptions={{ exact: true }}>
        {t('prompts:title')}
      </Link>
      <WorkspaceCrumb workspace={prompt.workspace_id} list="/prompts" />
      {folders.map((folder) => (
        <Fragment key={folder}>
          <span aria-hidden="true">›</span>
          <Link to="/prompts" search={{ folder }}>
            {folder.slice(folder.lastIndexOf('/') + 1)}
          </Link>
        </Fragment>
      ))}
    </nav>
  )
}
