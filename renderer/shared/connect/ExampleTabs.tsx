import { Tabs } from '@mantine/core'
import type { Environment } from '../../../contract/common/environments.ts'
import { t } from '../../lib/i18n.ts'
import { ConnectExample } from './ConnectExample.tsx'
import { GatewayExample } from './GatewayExample.tsx'
import { McpExample } from './McpExample.tsx'
import type { SnippetFor } from './snippets/promptLines.ts'
import { snippetLanguages } from './snippets/snippets.ts'

type Props = {
  /** True to use the SDK, if the language has one. */
  readonly withClient: boolean
  readonly target: SnippetFor & { readonly env: Environment }
}

/** The examples by language, those of the gateway, and those for MCP clients. */
export function ExampleTabs({ withClient, target }: Props) {
  return (
    <Tabs defaultValue="node" keepMounted={false}>
      <Tabs.List aria-label={t('connect:languages')}>
        {snippetLanguages.map((language) => (
          <Tabs.Tab key={language} value={language}>
            {t(`connect:language.${language}`)}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value="gateway">{t('connect:gateway.tab')}</Tabs.Tab>
        <Tabs.Tab value="mcp">{t('connect:mcp.tab')}</Tabs.Tab>
      </Tabs.List>
      {snippetLanguages.map((language) => (
        <Tabs.Panel key={language} value={language} pt="sm">
          <ConnectExample language={language} withClient={withClient} target={target} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="gateway" pt="sm">
        <GatewayExample target={target} />
      </Tabs.Panel>
      <Tabs.Panel value="mcp" pt="sm">
        <McpExample target={target} />
      </Tabs.Panel>
    </Tabs>
  )
}
