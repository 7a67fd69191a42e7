import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopChoice } from '../../contract/system/desktop.ts'
import type { ServiceState } from '../service/supervisor.ts'
import { texts } from './texts.ts'

export type Actions = {
  /** Shows the console of this computer. */
  open(path: string | null): void
  /** Opens a page of the console in the focused window. */
  go(path: string): void
  openServer(id: string): void
  showServers(): void
  openInBrowser(): void
  copyAddress(): void
  openDocs(path: '/docs' | '/openapi.json' | '/metrics'): void
  openLogFolder(): void
  tryAgain(): void
  choose(choice: DesktopChoice): void
  quit(): void
}

export type MenuState = {
  readonly service: ServiceState
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  /** Null: not available on this system. */
  readonly opensAtSignIn: boolean | null
  readonly keepsRunning: boolean | null
  /** The servers on other computers that this app is paired with. */
  readonly servers: readonly { readonly id: string; readonly name: string }[]
  /** The server whose window is focused; null: this computer. */
  readonly focused: string | null
}

type Item = MenuItemConstructorOptions
const separator: Item = { type: 'separator' }

const pages: readonly (readonly [label: string, path: string])[] = [
  ['Overview', '/'],
  ['Prompts', '/prompts'],
  ['Playground', '/playground'],
  ['Agents', '/agents'],
  ['Workflows', '/workflows'],
  ['Runs', '/runs'],
  ['Clients', '/clients'],
  ['Audit', '/audit'],
  ['Workspaces', '/workspaces'],
  ['Users', '/users'],
]

/** Returns the application menu in the form of each system. */
export function applicationMenu(state: MenuState, actions: Actions): Item[] {
  const { service, platform, isPackaged } = state
  const isMac = platform === 'darwin'
  const isUp = service.kind === 'running'
  const canGo = isUp || state.focused !== null
  const settings: Item = {
    label: texts.settings,
    accelerator: 'CommandOrControl+,',
    enabled: canGo,
    click: () => actions.go('/settings'),
  }
  const file: Item[] = [
    { label: texts.openInBrowser, enabled: isUp, click: actions.openInBrowser },
    { label: texts.copyAddress, enabled: isUp, click: actions.copyAddress },
    separator,
  ]
  const appMenu: Item[] = [{ role: 'about' }, separator, settings, separator, { role: 'services' }, separator]
  const hideItems: Item[] = [{ role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }, separator]
  return [
    ...(isMac
      ? [{ label: texts.product, submenu: [...appMenu, ...hideItems, { role: 'quit' } satisfies Item] }]
      : []),
    {
      label: '&File',
      submenu: isMac ? [...file, { role: 'close' }] : [...file, settings, separator, { role: 'quit' }],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        { role: 'forceReload' },
        ...(isPackaged ? [] : [{ role: 'toggleDevTools' } satisfies Item]),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    {
      label: `&${texts.go}`,
      submenu: pages.map(([label, path], index) => ({
        label,
        ...(index < 9 && { accelerator: `CommandOrControl+${index + 1}` }),
        enabled: canGo,
        click: () => actions.go(path),
      })),
    },
    { label: `&${texts.servers}`, submenu: serverItems(state, actions) },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: texts.apiDocs, enabled: isUp, click: () => actions.openDocs('/docs') },
        { label: texts.openApi, enabled: isUp, click: () => actions.openDocs('/openapi.json') },
        { label: texts.metrics, enabled: isUp, click: () => actions.openDocs('/metrics') },
        separator,
        { label: texts.openLogFolder, click: actions.openLogFolder },
        ...(isMac ? [] : [separator, { role: 'about' } satisfies Item]),
      ],
    },
  ]
}

/** Returns the items that change between this computer and the servers. */
const serverItems = ({ servers, focused }: MenuState, actions: Actions): Item[] => [
  {
    label: texts.thisComputer,
    type: 'radio',
    checked: focused === null,
    click: () => actions.open(null),
  },
  ...servers.map(
    ({ id, name }): Item => ({
      // In a menu, & underlines the next letter.
      label: name.replaceAll('&', '&&'),
      type: 'radio',
      checked: id === focused,
      click: () => actions.openServer(id),
    }),
  ),
  separator,
  { label: texts.connect, click: actions.showServers },
]

/** Returns the tray menu: the state of the service and the main actions. */
export function trayMenu(state: MenuState, actions: Actions): Item[] {
  const { service, opensAtSignIn, keepsRunning } = state
  const isUp = service.kind === 'running'
  return [
    { label: texts.status(service), enabled: false },
    ...(service.kind === 'failed' ? [{ label: texts.tryAgain, click: actions.tryAgain }] : []),
    separator,
    { label: texts.open, click: () => actions.open(null) },
    { label: texts.openInBrowser, enabled: isUp, click: actions.openInBrowser },
    { label: texts.copyAddress, enabled: isUp, click: actions.copyAddress },
    { label: texts.servers, submenu: serverItems(state, actions) },
    separator,
    {
      label: texts.opensAtSignIn,
      type: 'checkbox',
      checked: opensAtSignIn === true,
      enabled: opensAtSignIn !== null,
      click: (item) => actions.choose({ opensAtSignIn: item.checked }),
    },
    ...(keepsRunning === null
      ? []
      : [
          {
            label: texts.keepsRunning,
            type: 'checkbox',
            checked: keepsRunning,
            click: (item) => actions.choose({ keepsRunning: item.checked }),
          } satisfies Item,
        ]),
    { label: texts.openLogFolder, click: actions.openLogFolder },
    separator,
    { label: texts.quit, click: actions.quit },
  ]
}
