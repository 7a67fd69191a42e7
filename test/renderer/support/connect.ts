import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

export type Language = 'curl' | 'Node' | 'Python' | 'Java' | 'WebSocket'

/** How a person runs what they saved; undefined arguments mean that this machine cannot. */
const programs: Readonly<Record<Language, { file: string; command: string; args: readonly string[] }>> = {
  curl: { file: 'run.sh', command: 'sh', args: [] },
  Node: { file: 'app.mjs', command: process.execPath, args: ['--experimental-websocket', '--no-warnings'] },
  Python: { file: 'app.py', command: 'python3', args: ['-u'] },
  Java: { file: 'App.java', command: 'java', args: [] },
  WebSocket: {
    file: 'page.mjs',
    command: process.execPath,
    args: ['--experimental-websocket', '--no-warnings'],
  },
}

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

const has = (language: Language): boolean => {
  if (language === 'curl') return works('curl', '--version')
  if (language === 'Python') return works('python3', '-c', 'import websockets.sync.client')
  if (language === 'Java') return works('java', '--version')
  return true
}

/** Whether to run what the language needs a tool for. CI has every tool, so there a missing one is a failure. */
export const canRun = (language: Language): boolean => Boolean(process.env['CI']) || has(language)

export type Program = { readonly said: () => string; stop(): Promise<void> }

/** Runs a snippet as it was copied, with the token where it says it looks for it. */
export async function runSnippet(language: Language, code: string, token: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-snippet-'))
  const { file, command, args } = programs[language]
  await writeFile(join(folder, file), code)
  const child: ChildProcess = spawn(command, [...args, file], {
    cwd: folder,
    env: { ...process.env, PROMPTDECK_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      said += part.toString()
    })
  }
  const ended = once(child, 'exit')
  return {
    said: () => said,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The snippets, in the dialog or in the panel. */
export const connectPart = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Connect your app' })
  return {
    dialog,
    namespace: (name: string): Locator => dialog.getByRole('radiogroup').getByText(name, { exact: true }),
    tab: (language: Language): Locator => dialog.getByRole('tab', { name: language, exact: true }),
    code: (language: Language): Locator => dialog.getByRole('region', { name: language, exact: true }),
    /** Copies as a person does. */
    async copy(language: Language): Promise<string> {
      await dialog.getByRole('tab', { name: language, exact: true }).click()
      await dialog.getByRole('button', { name: `Copy the ${language} snippet` }).click()
      return page.evaluate(() => navigator.clipboard.readText())
    },
  }
}
