import { appIcons, writeIcons } from './lib/icons.mjs'
import { log, script } from './lib/root.mjs'

/**
 * `node scripts/icons.mjs`: generates the icons of the windows and of the tray from the console's logo. They are
 * committed; `npm run pack` draws those of the installers.
 */
await script(async () => {
  writeIcons(appIcons())
  log('icons created')
})
