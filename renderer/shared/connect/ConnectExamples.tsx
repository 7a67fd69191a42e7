import { Button, SegmentedControl, Select, Switch, Tabs } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Environment, environments } from '../../../contract/live.ts'
import { defaultWorkspaceId } from '../../../contract/workspaces.ts'
import { addTexts, t, tNode } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import { session } from '../../lib/session/session.ts'
import texts from '../../locales/en/connect.json'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { builtInToken } from './ConnectSnippet.tsx'
import { clientSnippets, hasClient } from './connectClients.ts'
import {
  type SnippetFor,
  type SnippetLanguage,
  snippetLanguages,
  snippets,
  tokenVariable,
} from './connectSnippets.ts'
import { useFreshToken } from './useFreshToken.ts'

addTexts('connect', texts)

type Props = {
  readonly workspace: string | undefined
  /** True if shown beside other content: the code then scrolls within a few lines. */
  readonly isCompact?: boolean
}

/** Programs that connect an app to this service. They contain a token only if the user asks for it. */
export function ConnectExamples({ workspace, isCompact = false }: Props) {
  const me = useMe()
  const namespaceLabel = useId()
  const [namespace, setNamespace] = useState<Environment>('dev')
  const [chosen, setChosen] = useState(workspace ?? defaultWorkspaceId)
  const [withToken, setWithToken] = useState(false)
  const [withClient, setWithClient] = useState(false)
  const fresh = useFreshToken({ namespace, workspace: chosen })
  const mayMake = me.permissions.includes('tokens.manage')
  const workspaces = useQuery({
    queryKey: ['workspace', 'connect'],
    queryFn: async ({ signal }) =>
      (await client.workspaces.list({ query: { limit: 200, sort: 'name' } }, { signal })).data,
  })
  const own = me.defaults.token ? builtInToken : session.token()
  const token = mayMake ? fresh.token : withToken ? own : null
  const target = { origin: location.origin, namespace, workspace: chosen, token }
  const slugs = new Map([
    [chosen, chosen],
    ...(workspaces.data ?? []).map(({ slug, name }) => [slug, name] as const),
  ])
  const setting = `export ${tokenVariable}=…`
  return (
    <div className={styles['examples']} data-compact={isCompact || undefined}>
      <div className={styles['choices']}>
        <div>
          <div className={styles['label']} id={namespaceLabel}>
            {t('connect:environment')}
          </div>
          <SegmentedControl
            size="xs"
            aria-labelledby={namespaceLabel}
            data={[...environments]}
            value={namespace}
            onChange={setNamespace}
          />
        </div>
        <Select
          label={t('connect:workspace')}
          className={styles['select'] ?? ''}
          data={[...slugs].map(([value, label]) => ({ value, label }))}
          value={chosen}
          onChange={(value) => setChosen(value ?? defaultWorkspaceId)}
          searchable={slugs.size > 8}
        />
        {mayMake ? (
          <Button
            variant="default"
            size="xs"
            className={styles['switch'] ?? ''}
            leftSection={<IconKey size={14} />}
            loading={fresh.isPending}
            disabled={fresh.token !== null}
            onClick={fresh.make}
          >
            {t('connect:token_create')}
          </Button>
        ) : (
          <Switch
            size="xs"
            className={styles['switch'] ?? ''}
            label={t('connect:token_show')}
            checked={withToken}
            onChange={(event) => setWithToken(event.currentTarget.checked)}
          />
        )}
      </div>
      {fresh.error !== null && <FormFailure error={fresh.error} />}
      {token !== null ? (
        <p className={styles['note']} role="status">
          {mayMake
            ? t('connect:token_created', { namespace, workspace: slugs.get(chosen) ?? chosen })
            : t(me.defaults.token ? 'connect:token_built_in' : 'connect:token_shown_session')}
        </p>
      ) : (
        <div className={styles['note']}>
          {tNode('connect:token', { name: <span className="mono">{tokenVariable}</span> })}{' '}
          <code className="mono">{setting}</code>{' '}
          <CopyButton value={`export ${tokenVariable}=`} label={t('connect:token_copy')} />{' '}
          {t('connect:token_where')}
        </div>
      )}
      <Switch
        size="xs"
        label={t('connect:client')}
        description={t('connect:client_help')}
        checked={withClient}
        onChange={(event) => setWithClient(event.currentTarget.checked)}
      />
      <Tabs defaultValue="node" keepMounted={false}>
        <Tabs.List aria-label={t('connect:languages')}>
          {snippetLanguages.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {t(`connect:language.${language}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippetLanguages.map((language) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <Snippet language={language} withClient={withClient} target={target} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  )
}

type SnippetProps = {
  readonly language: SnippetLanguage
  /** True to use our client, where there is one for the language. */
  readonly withClient: boolean
  readonly target: SnippetFor
}

/** The program in one language. */
function Snippet({ language, withClient, target }: SnippetProps) {
  const packaged = withClient && hasClient(language) ? language : null
  const code = (packaged === null ? snippets[language] : clientSnippets[packaged])(target)
  const named = { language: t(`connect:language.${language}`) }
  return (
    <>
      <div className={styles['head']}>
        <span className={styles['note']}>
          {packaged === null
            ? t(`connect:instructions.${language}`)
            : t(`connect:client_instructions.${packaged}`)}
        </span>
        <CopyButton value={code} label={t('connect:copy', named)} />
      </div>
      <CodeBlock text={code.trimEnd()} label={named.language} />
    </>
  )
}
