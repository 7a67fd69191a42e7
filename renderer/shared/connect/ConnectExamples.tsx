import { Button, Switch } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Environment } from '../../../contract/common/environments.ts'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { addTexts, t } from '../../lib/i18n.ts'
import { serviceUrl } from '../../lib/service/base-path.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { useMe } from '../../lib/session/me.ts'
import { session } from '../../lib/session/session.ts'
import texts from '../../locales/en/connect.json'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { AppChoice } from './AppChoice.tsx'
import styles from './ConnectExamples.module.css'
import { builtInToken } from './ConnectSnippet.tsx'
import { ContainedToken } from './ContainedToken.tsx'
import { ExampleTabs } from './ExampleTabs.tsx'
import { PromptChoice, useSnippetPrompt } from './PromptChoice.tsx'
import { TokenSetting } from './TokenSetting.tsx'
import { useFreshToken } from './token/useFreshToken.ts'

addTexts('connect', texts)

/** The prompt that the snippets use at first, and its place. */
export type ConnectedPrompt = Pick<Prompt, 'key' | 'env' | 'workspace_id'>

type Props = {
  readonly workspace: string | undefined
  readonly prompt?: ConnectedPrompt | undefined
  /** True if shown beside other content: the code then scrolls within a few lines. */
  readonly isCompact?: boolean
}

/** Programs that connect an app to this service. They contain a token only if the user asks for it. */
export function ConnectExamples({ workspace, prompt, isCompact = false }: Props) {
  const me = useMe()
  const [env, setEnv] = useState<Environment>(prompt?.env ?? 'dev')
  const [promptKey, setPromptKey] = useState(prompt?.key ?? null)
  const [chosenWorkspace, setSelectedWorkspace] = useState(
    prompt?.workspace_id ?? workspace ?? defaultWorkspaceId,
  )
  const [withToken, setWithToken] = useState(false)
  const [withClient, setWithClient] = useState(false)
  const mayCreateToken = me.permissions.includes('tokens.manage')
  const workspaces = useQuery(workspaceChoicesQuery)
  const selectedWorkspace = workspaces.data?.find(({ id }) => id === chosenWorkspace)?.slug ?? chosenWorkspace
  const fresh = useFreshToken({ env, workspace: selectedWorkspace })
  const used = useSnippetPrompt(promptKey, { workspace: selectedWorkspace, env })
  const currentToken = me.defaults.token ? builtInToken : session.token()
  const token = mayCreateToken ? fresh.token : withToken ? currentToken : null
  const target = {
    origin: serviceUrl,
    env,
    workspace: selectedWorkspace,
    token,
    prompt: used.prompt,
  }
  const slugs = new Map([
    [selectedWorkspace, selectedWorkspace],
    ...(workspaces.data ?? []).map(({ slug, name }) => [slug, name] as const),
  ])
  return (
    <div className={styles['examples']} data-compact={isCompact || undefined}>
      <div className={styles['choices']}>
        <AppChoice
          env={env}
          onEnv={setEnv}
          workspace={selectedWorkspace}
          onWorkspace={setSelectedWorkspace}
          slugs={slugs}
        />
        <PromptChoice
          workspace={selectedWorkspace}
          env={env}
          value={promptKey}
          onChange={setPromptKey}
          isMissing={used.isMissing}
        />
        <TokenChoice fresh={fresh} isShown={withToken} onShow={setWithToken} />
      </div>
      {fresh.error !== null && <FormFailure error={fresh.error} />}
      {token !== null ? (
        <ContainedToken
          isCreated={mayCreateToken}
          env={env}
          workspace={slugs.get(selectedWorkspace) ?? selectedWorkspace}
        />
      ) : (
        <TokenSetting />
      )}
      <Switch
        size="xs"
        label={t('connect:client')}
        description={t('connect:client_help')}
        checked={withClient}
        onChange={(event) => setWithClient(event.currentTarget.checked)}
      />
      <ExampleTabs withClient={withClient} target={target} />
    </div>
  )
}

type TokenChoiceProps = {
  readonly fresh: ReturnType<typeof useFreshToken>
  readonly isShown: boolean
  readonly onShow: (isShown: boolean) => void
}

/** Inserts a token into the snippets: a new one, or for those who may not create tokens their own. */
function TokenChoice({ fresh, isShown, onShow }: TokenChoiceProps) {
  const mayCreateToken = useMe().permissions.includes('tokens.manage')
  return mayCreateToken ? (
    <Button
      variant="default"
      size="xs"
      className={styles['switch'] ?? ''}
      leftSection={<IconKey size={14} />}
      loading={fresh.isPending}
      disabled={fresh.token !== null}
      onClick={fresh.create}
    >
      {t('connect:token_create')}
    </Button>
  ) : (
    <Switch
      size="xs"
      className={styles['switch'] ?? ''}
      label={t('connect:token_show')}
      checked={isShown}
      onChange={(event) => onShow(event.currentTarget.checked)}
    />
  )
}
