import { join } from 'node:path'
import type { CommandContext } from '../io/command-context.ts'

/** Returns the folder of `servers.json`. The SDKs for Node, Python and Java read the same one. */
export function configFolder({
  env,
  platform,
  home,
}: Pick<CommandContext, 'env' | 'platform' | 'home'>): string {
  const custom = env['PROMPTDECK_CONFIG_DIR']
  if (custom) return custom
  if (platform === 'win32')
    return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'promptdeck', 'Config')
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'promptdeck')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'promptdeck')
}
