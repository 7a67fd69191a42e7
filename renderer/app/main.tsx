import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
// Mantine is in a cascade layer of its own, so that our styles win in any order of loading.
import '@mantine/core/styles.layer.css'
import './tokens.css'
import './fonts.css'
// Loads the contract, which builds all its schemas. That takes as long as everything else together.
import '../lib/service/api.ts'

// Runs as a separate task, so that the browser can respond in between. The built index.html preloads its
// files.
void import('./console.tsx')
