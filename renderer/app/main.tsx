import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
// Mantine is in a separate cascade layer, so that our styles take precedence in any order of loading.
import '@mantine/core/styles.layer.css'
import './controls.css'
import './tokens.css'
import './print.css'
import './fonts.css'
import { showNotLoaded } from './notLoaded.ts'

// The browser evaluates each step in a separate task, and can handle input in between. The built index.html
// preloads the files of all steps, so none waits for the network.
import('../../contract/client.ts')
  .then(() => import('../lib/service/api.ts'))
  .then(() => import('./theme.ts'))
  .then(() => import('./console.tsx'))
  .then(({ started }) => started)
  .catch(showNotLoaded)
