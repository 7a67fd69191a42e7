import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Page } from 'playwright'
import { build } from 'vite'
import { runTool, tools } from '../../../scripts/lib/run.mjs'
import { top } from '../../support/source-tree.ts'

/** Below the repository, so that packages are found. */
const copy = `${top}.cache/new-resource-${process.pid}`
const noun = 'backups'

const manifest = `import { IconArchive } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { backupsSearch } from './backups.search.ts'

export const backups = defineResource({
  title: 'resources:backups.title',
  icon: IconArchive,
  permission: 'backups.manage',
  pages: [
    {
      path: '/backups/{-$id}',
      search: backupsSearch,
      component: lazyRouteComponent(() => import('./BackupsPage.tsx'), 'BackupsPage'),
    },
  ],
  navigation: { group: 'admin', jump: 'b' },
  items: {
    kind: 'backup',
    path: '/backups/{-$id}',
    find: {
      by: 'text',
      run: async (q, signal) => {
        const { data } = await client.backups.list({}, { signal })
        return data.filter(({ id }) => id.includes(q)).map(({ id }) => ({ id, label: id }))
      },
    },
    create: { label: 'resources:backups.create', icon: IconArchive, permission: 'backups.manage' },
  },
})
`
const search = `import { z } from 'zod'
import { oneOf } from '../../lib/page/search.ts'

export const backupsSearch = z.object({ size: oneOf(['small', 'large']) })
`
const texts = `import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/backups.json'

addTexts('backups', texts)
`
/** Displays the search parameter as an exact type, and has links that must not compile. */
const page = `import './backups.texts.ts'
import { Link } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { backupsSearch } from './backups.search.ts'

const shown: Record<'small' | 'large', string> = { small: 'Up to 1 MB', large: 'Over 1 MB' }

export function BackupsPage() {
  const [{ size }] = useSearchState('/backups/{-$id}', backupsSearch)
  const { openId } = useOpenRow('/backups')
  const [isCreating] = useCreateForm('backup')
  return (
    <Page>
      <PageHeader title={t('backups:title')} purpose={t('backups:purpose')} />
      <p>Size: {size === undefined ? 'any' : shown[size]}</p>
      <p>Open: {openId ?? 'none'}</p>
      <p>Form: {isCreating ? 'open' : 'closed'}</p>
      <Link to="/backups/{-$id}" search={{ size: 'small' }}>Small</Link>
      {/* @ts-expect-error: not a value of the parameter */}
      <Link to="/backups/{-$id}" search={{ size: 'huge' }}>Huge</Link>
      {/* @ts-expect-error: not a parameter of the page */}
      <Link to="/backups/{-$id}" search={{ colour: 'red' }}>Red</Link>
      {/* @ts-expect-error: not a page */}
      <Link to="/backup">None</Link>
    </Page>
  )
}
`

/** The files of the sample resource, by path. */
const added: Readonly<Record<string, string>> = {
  'renderer/features/backups/backups.resource.ts': manifest,
  'renderer/features/backups/backups.search.ts': search,
  'renderer/features/backups/BackupsPage.tsx': page,
  'renderer/features/backups/backups.texts.ts': texts,
  'renderer/locales/en/backups.json': '{ "title": "Backups", "purpose": "Copies of the store." }\n',
}
/** Changes of other files: a text that occurs once, and what replaces it. */
const changed: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  'renderer/locales/en/resources.json': [
    ['"overview": {', '"backups": { "title": "Backups", "create": "Make a backup" }, "overview": {'],
  ],
  'renderer/lib/i18n.ts': [
    [
      'type PageCatalogues = {\n',
      "type PageCatalogues = {\n  backups: typeof import('../locales/en/backups.json')\n",
    ],
  ],
  'renderer/app/resources.ts': [
    [
      'import { clients }',
      "import { backups } from '../features/backups/backups.resource.ts'\nimport { clients }",
    ],
    ['  clients,\n', '  backups,\n  clients,\n'],
  ],
}

/** Returns the files that add a resource, as paths with `<noun>` and `<Noun>`. */
export const touchedFiles = (): readonly string[] =>
  [...Object.keys(added), ...Object.keys(changed)].map((path) =>
    path.replaceAll(noun, '<noun>').replace('Backups', '<Noun>'),
  )

/** Copies the console, adds the sample resource, checks the types, and builds the copy. */
export async function buildSample(): Promise<void> {
  for (const path of ['renderer', 'contract', 'tsconfig.base.json'])
    await cp(`${top}${path}`, `${copy}/${path}`, { recursive: true })
  for (const [path, text] of Object.entries(added)) {
    await mkdir(dirname(`${copy}/${path}`), { recursive: true })
    await writeFile(`${copy}/${path}`, text)
  }
  for (const [path, replacements] of Object.entries(changed)) {
    let text = await readFile(`${copy}/${path}`, 'utf8')
    for (const [before, after] of replacements) {
      if (text.split(before).length !== 2) throw new Error(`${path} does not contain once: ${before}`)
      text = text.replace(before, () => after)
    }
    await writeFile(`${copy}/${path}`, text)
  }
  const [{ code, output }] = await Promise.all([
    // Several threads infer the same types again.
    runTool(tools.tsc, ['-b', `${copy}/renderer`, '--singleThreaded']),
    build({
      configFile: `${top}vite.config.ts`,
      root: `${copy}/renderer`,
      logLevel: 'error',
      build: { outDir: `${copy}/built` },
    }),
  ])
  if (code !== 0) throw new Error(`The sample resource does not compile:\n${output}`)
}

export const removeSample = (): Promise<void> => rm(copy, { recursive: true, force: true })

/** Returns the built page with absolute addresses, as the service serves it. */
const readPage = async (): Promise<string> =>
  (await readFile(`${copy}/built/index.html`, 'utf8')).replaceAll('"./', '"/')

/** Serves the files of the copy to a page in place of those of the console. */
export async function serveSample(page: Page): Promise<void> {
  await page.route(/^[^?]*\/assets\//, (route) =>
    route.fulfill({ path: `${copy}/built${new URL(route.request().url()).pathname}` }),
  )
  await page.route(
    (url) => !/^\/(?:api|ws|assets|health)\b|\.\w+$/.test(url.pathname),
    async (route) =>
      route.request().resourceType() === 'document'
        ? route.fulfill({ contentType: 'text/html', body: await readPage() })
        : route.fallback(),
  )
  // A document without a network address may not connect to loopback, so the live connection stays silent.
  await page.routeWebSocket(/\/ws$/, () => {})
}
