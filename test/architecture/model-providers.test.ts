import { describe, expect, it } from 'vitest'
import { offlineProvider, providerNames } from '../../contract/models/models.ts'
import { providers } from '../../server/models/providers.ts'
import { cases } from '../server/models/models-support.ts'
import { readTree, type SourceFile } from '../support/source-tree.ts'

/** Files with examples, in which an id is the value of a field. A new provider does not change them. */
const samples: ReadonlySet<string> = new Set([
  'contract/agents/agent.ts',
  'contract/agents/agents.ts',
  'contract/playground/playground.ts',
  'contract/models/providers.ts',
  'contract/runs/run.ts',
  'contract/runs/run-stats.ts',
  'contract/runs/runs.ts',
  'contract/system/settings.ts',
  'contract/workflows/workflow.ts',
  'contract/workflows/workflow-run.ts',
  'renderer/shared/connect/ConnectSnippet.tsx',
  'renderer/shared/connect/snippets/clientSnippets.ts',
  'renderer/shared/connect/snippets/snippets.ts',
])
/** Folders that may name any provider: sample data, and migrations, which are never changed. */
const exempt = /^server\/(?:tools\/seed-|features\/sample-data\/sample-run|db\/migrations\/)/
/** Fields that contain the id of a provider in examples. */
const sampleField = /\b(?:provider|name|kind)\\?["']?(?::|\()? ?\\?["'][a-z-]+\\?["']/g

/** The parameter `mock` of a request has the name of the offline provider, but is not an id. */
const parameterFiles: ReadonlySet<string> = new Set([
  'renderer/features/playground/column/parameters.ts',
  'renderer/shared/models/ParamsFields.tsx',
  'server/gateway/offline/read-request.ts',
])

/** The file format `openai` of prompts has the name of a provider, but is not an id. */
const formatFiles: ReadonlySet<string> = new Set([
  'contract/prompts/prompt-transfer.ts',
  'server/features/prompts/formats/parse.ts',
])

/** Snippets for clients whose packages have the name of a provider. */
const packageFiles: ReadonlySet<string> = new Set(['renderer/shared/connect/snippets/gatewaySnippets.ts'])

const providerFolder = new RegExp(`^server/models/providers/(?:${providerNames.join('|')})/`)
const quoted = (ids: readonly string[]): RegExp => new RegExp(`(["'\`])(?:${ids.join('|')})\\1`)

/** Returns the files that name a provider, although the recipe does not list them. */
function namingFiles(files: readonly SourceFile[], recipe: ReadonlySet<string>): readonly string[] {
  return files
    .filter(({ path, text }) => {
      if (recipe.has(path) || providerFolder.test(path) || exempt.test(path)) return false
      if (packageFiles.has(path)) return false
      if (!/\.(?:ts|tsx|cts|mjs)$/.test(path)) return false
      const ids = providerNames.filter(
        (name) =>
          !(parameterFiles.has(path) && name === offlineProvider) &&
          !(formatFiles.has(path) && name === 'openai'),
      )
      const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      return quoted(ids).test(samples.has(path) ? code.replace(sampleField, '') : code)
    })
    .map(({ path }) => path)
}

const files = ['contract', 'server', 'renderer', 'main', 'scripts', 'sdk/js/src'].flatMap(readTree)
const contributing = readTree('').find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? ''
const section = /## Add a model provider\n([\s\S]*?)\n## /.exec(contributing)?.[1] ?? ''
const listed = [...section.matchAll(/`([\w./<>-]+\.(?:ts|md))`/g)].map(([, path = '']) => path)
/** The files that the recipe lists, for every provider. */
const recipe = new Set(
  listed.flatMap((path) => providerNames.map((provider) => path.replace('<name>', provider))),
)

describe('the recipe to add a model provider', () => {
  it('lists all files that name one', () => {
    expect(namingFiles(files, recipe)).toEqual([])
  })

  it.each([
    'server/features/providers/state.ts',
    'renderer/features/providers/ProviderForm.tsx',
    'contract/agents/agents.ts',
  ])('finds an id added to %s', (path) => {
    const planted = { path, text: "if (id === 'openai-compatible') return" }
    expect(namingFiles([planted], recipe)).toEqual([path])
  })

  it('lists files that exist, except prices of providers without', () => {
    const existing = new Set(readTree('').map(({ path }) => path))
    const missing = [...recipe].filter((path) => !existing.has(path))
    const unpriced = providerNames.filter((name) => (providers[name].prices?.models.length ?? 0) <= 1)
    expect(listed.length).toBeGreaterThanOrEqual(7)
    expect(missing).toEqual(unpriced.map((name) => `server/models/providers/${name}/prices.ts`))
  })

  it('has a test case for each provider with a network protocol', () => {
    const expected = providerNames.filter((name) => name !== offlineProvider)
    expect(cases.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
  })

  it('has a row in docs/providers.md for each, with its address', () => {
    const docs = readTree('docs').find(({ path }) => path === 'docs/providers.md')?.text ?? ''
    const rows = [...docs.matchAll(/^\| `([a-z-]+)` \| (?:`([^`]+)`|none[^|]*) \| (yes|no) \| (yes|no)/gm)]
    expect(rows.map(([, name, address = null, key, local]) => ({ name, address, key, local }))).toEqual(
      providerNames.map((name) => ({
        name,
        address: providers[name].baseUrl,
        key: providers[name].needsKey ? 'yes' : 'no',
        local: providers[name].isLocal ? 'yes' : 'no',
      })),
    )
  })
})
