import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTree, type SourceFile } from '../support/source-tree.ts'
import { eventually, patience, setUpConsole } from './support/console.ts'
import { auditPage } from './support/pages/audit.ts'
import { palettePart } from './support/palette.ts'
import { buildSample, removeSample, serveSample, touchedFiles } from './support/sample-resource.ts'
import { shell } from './support/shell.ts'
import { followPath } from './support/warm.ts'

const contributing = readTree('').find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? ''
const steps = /## Add a resource to the console\n[\s\S]*?\n\n(1\. [\s\S]*?)\n\n/.exec(contributing)?.[1] ?? ''
/** The files in the numbered steps of the recipe. */
const listed = [...steps.matchAll(/`(\w[\w./<>-]+\.(?:tsx?|json))`/g)].map(([, path = '']) => path)

const files = readTree('renderer').filter(({ path }) => /\.tsx?$/.test(path))
const manifests = files.filter(({ path }) => path.endsWith('.resource.ts'))
const namesIn = (pattern: RegExp): readonly string[] =>
  manifests.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = '']) => name))
const paths = namesIn(/\bpath: '([^']+)'/g).filter((path) => path !== '/')
const kinds = namesIn(/\bkind: '(\w+)'/g)

/** The parts of the console that show every resource. */
const shared = /^renderer\/(?:app\/|lib\/(?:page|state)\/|shared\/audit\/(?:AuditLinks|resourcePages))/
/** Names that these files may contain: addresses of links to one page, and words that are also kinds. */
const others: Readonly<Record<string, readonly string[]>> = {
  'renderer/app/banners/DefaultsBanner.tsx': ['/profile', '/settings', 'token'],
  'renderer/app/banners/DeletionBanner.tsx': ['/settings'],
  'renderer/app/desktop.ts': ['run'],
  'renderer/app/palette/usePages.tsx': ['/settings', 'token'],
  'renderer/app/router.tsx': ['workspace'],
  // The ARIA role.
  'renderer/app/shell/alerts/Bell.tsx': ['alert'],
  'renderer/app/shell/menu/UserMenu.tsx': ['/profile'],
  'renderer/app/shell/navigation/WorkspaceSelector.tsx': ['/workspaces/{-$id}', 'workspace'],
  'renderer/shared/audit/AuditLinks.tsx': ['/audit/{-$id}', '/prompts', '/prompts/$id', 'prompt'],
}

/** Returns the paths and kinds of resources that a shared file names, although only a manifest should. */
function namedIn({ path, text }: SourceFile): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const quoted = [...code.matchAll(/(["'`])([\w/{}$-]+)\1/g)].map(([, , name = '']) => name)
  const known = others[path] ?? []
  return [...new Set(quoted)].filter(
    (name) => (paths.includes(name) || kinds.includes(name)) && !known.includes(name),
  )
}

describe('the recipe "Add a resource to the console"', () => {
  it('lists the files that add the sample resource below', () => {
    expect(listed.toSorted()).toEqual(touchedFiles().toSorted())
  })

  it('is how every page of the console is registered', () => {
    const registry = files.find(({ path }) => path === 'renderer/app/resources.ts')?.text ?? ''
    const imported = [...registry.matchAll(/'\.\.\/(features\/.+\.resource\.ts)'/g)]
    expect(imported.map(([, path]) => `renderer/${path}`).toSorted()).toEqual(
      manifests.map(({ path }) => path).toSorted(),
    )
    expect(paths.length).toBeGreaterThan(15)
    expect(kinds.length).toBeGreaterThan(8)
    const jumps = namesIn(/\bjump: '(\w)'/g)
    expect(jumps).toHaveLength(new Set(jumps).size)
    const found = files.filter(({ path }) => shared.test(path)).map((file) => [file.path, namedIn(file)])
    expect(found.filter(([, names]) => names?.length !== 0)).toEqual([])
  })

  it.each([
    ['renderer/app/shell/navigation/nav.ts', "const to = '/users/{-$id}'", '/users/{-$id}'],
    ['renderer/app/palette/items.ts', "export const groups = ['recent', 'user']", 'user'],
    ['renderer/shared/audit/AuditLinks.tsx', "if (resource === 'agent') return", 'agent'],
  ])('finds a resource named in %s', (path, text, name) => {
    expect(namedIn({ path, text })).toEqual([name])
  })

  it('has typed search parameters only', () => {
    const untyped = files.filter(({ text }) => /\bstrict: false\b|\bas never\b|\bas any\b/.test(text))
    expect(untyped.map(({ path }) => path)).toEqual([])
  })
})

describe('a resource added by the recipe', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  let backup: string
  beforeAll(async () => {
    await buildSample()
    admin = (await console.server.signedIn('admin')).token
    backup = (await console.server.client(admin).backups.create({})).data.id
  }, 180_000)
  afterAll(removeSample)

  it('has a page with typed search parameters, a link and a key, and is in the palette and audit entries', async () => {
    const { page, faults, close } = await console.visit(admin)
    await serveSample(page)
    await page.goto('/backups/abc?size=large')
    await page.getByText('Size: Over 1 MB').waitFor()
    await page.getByText('Open: abc').waitFor()
    await page.getByRole('link', { name: 'Small' }).click()
    await page.getByText('Size: Up to 1 MB').waitFor()
    await shell(page).link('Runs').click()
    await shell(page).heading('Runs').waitFor()
    await shell(page).link('Backups').click()
    await page.getByText('Size: any').waitFor()
    expect(new URL(page.url()).pathname).toBe('/backups')
    await shell(page).keys('g', 'w')
    await shell(page).heading('Workspaces').waitFor()
    await shell(page).keys('g', 'b')
    await shell(page).heading('Backups').waitFor()
    expect(faults).toEqual([])

    // Its items and its form.
    const { data } = await console.server.client().audit.list({ query: { resource_id: backup } })
    await followPath(page, `/audit/${data[0]?.id}`)
    await auditPage(page).link('Open backup').click()
    await page.getByText(`Open: ${backup}`).waitFor()
    await page.getByText('Form: closed').waitFor()
    const palette = palettePart(page)
    await palette.open()
    await palette.group('Pages').getByText('Backups').click()
    await page.getByText('Open: none').waitFor()
    await palette.open()
    await palette.field.fill(backup)
    await palette.group('Backups').getByText(backup).click()
    await page.getByText(`Open: ${backup}`).waitFor()
    await palette.open()
    await palette.field.fill('make a')
    await eventually(palette.current).toContain('Make a backup')
    await page.keyboard.press('Enter')
    await page.getByText('Form: open').waitFor()
    await close()
  })
})
