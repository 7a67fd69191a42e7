import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright'
import { clipboardText } from './clipboard.ts'

export type Language = 'curl' | 'Node' | 'Python' | 'Java' | 'WebSocket'

/** Commands to run a saved snippet. */
const programs: Readonly<Record<Language, { file: string; command: string; args: readonly string[] }>> = {
  curl: { file: 'run.sh', command: 'sh', args: [] },
  Node: { file: 'app.mjs', command: process.execPath, args: ['--experimental-websocket', '--no-warnings'] },
  Python: { file: 'app.py', command: 'python3', args: ['-u'] },
  // A program that lives for seconds does not gain from optimized code and concurrent collectors.
  Java: { file: 'App.java', command: 'java', args: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] },
  WebSocket: {
    file: 'page.mjs',
    command: process.execPath,
    args: ['--experimental-websocket', '--no-warnings'],
  },
}

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

const isInstalled = (language: Language): boolean => {
  if (language === 'curl') return succeeds('curl', '--version')
  if (language === 'Python') return succeeds('python3', '-c', 'import websockets.sync.client')
  if (language === 'Java') return succeeds('java', '--version')
  return true
}

/** Returns true if snippets of the language can run. CI has every tool, so a missing one fails there. */
export const canRun = (language: Language): boolean => Boolean(process.env['CI']) || isInstalled(language)

const root = fileURLToPath(new URL('../../../', import.meta.url))
const javaPath = [join(root, 'sdk/java/target/classes'), join(root, 'sdk/java/target/lib/*')].join(delimiter)

const clientLanguages = ['Node', 'Python', 'Java'] as const

/** Returns true if the language's client package is available; CI has built all of them. */
export const hasClient = (language: (typeof clientLanguages)[number]): boolean => {
  if (process.env['CI'] || language === 'Node') return true
  return language === 'Python'
    ? succeeds('python3', '-c', 'import httpx, websockets')
    : succeeds('java', '--version') && existsSync(join(root, 'sdk/java/target/lib'))
}

/** Installs the packages where the programs in a folder find them. */
async function provideClients(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules/@promptdeck'), { recursive: true })
  await symlink(join(root, 'sdk/js'), join(folder, 'node_modules/@promptdeck/sdk'), 'junction')
  await mkdir(join(folder, 'node_modules/@anthropic-ai'))
  for (const name of ['ws', 'openai', '@anthropic-ai/sdk'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
}

export type Program = { readonly output: () => string; stop(): Promise<void> }

/** Runs a snippet as copied, with the token in the environment. */
export async function runSnippet(language: Language, code: string, token: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-snippet-'))
  const { file, command, args } = programs[language]
  await writeFile(join(folder, file), code)
  await provideClients(folder)
  const child: ChildProcess = spawn(command, [...args, file], {
    cwd: folder,
    env: {
      ...process.env,
      PROMPTDECK_TOKEN: token,
      CLASSPATH: javaPath,
      PYTHONPATH: [join(root, 'sdk/python/src'), process.env['PYTHONPATH'] ?? ''].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      output += part.toString()
    })
  }
  const ended = once(child, 'exit')
  return {
    output: () => output,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Page object for the snippets, in the dialog or in the panel. */
export const connectPart = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Connect your app' })
  return {
    dialog,
    namespace: (name: string): Locator =>
      dialog.getByRole('radiogroup', { name: 'Environment' }).getByText(name, { exact: true }),
    tab: (language: Language): Locator => dialog.getByRole('tab', { name: language, exact: true }),
    code: (language: Language): Locator => dialog.getByRole('region', { name: language, exact: true }),
    /** Shows the snippet of a client of the gateway, and copies it with its button. */
    async copyGateway(client: string): Promise<string> {
      await dialog.getByRole('tab', { name: 'Gateway', exact: true }).click()
      await dialog.getByRole('combobox', { name: 'Client' }).click()
      await page.getByRole('option', { name: client, exact: true }).click()
      await dialog.getByRole('button', { name: `Copy ${client} snippet` }).click()
      return clipboardText(page)
    },
    mcpTab: dialog.getByRole('tab', { name: 'MCP', exact: true }),
    /** Copies the configuration of an MCP client. The tab must be open. */
    async copyMcp(client: string): Promise<string> {
      await dialog.getByRole('radiogroup', { name: 'MCP client' }).getByText(client, { exact: true }).click()
      await dialog.getByRole('button', { name: `Copy ${client} snippet` }).click()
      return clipboardText(page)
    },
    /** Copies a snippet with its button. */
    async copy(language: Language | 'OpenTelemetry'): Promise<string> {
      await dialog.getByRole('tab', { name: language, exact: true }).click()
      await dialog.getByRole('button', { name: `Copy ${language} snippet` }).click()
      return clipboardText(page)
    },
  }
}
