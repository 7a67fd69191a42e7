import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
// In a layer of its own, so that ours wins whichever file a page loads first.
import '@mantine/core/styles.layer.css'
import './tokens.css'
import './fonts.css'
// Every schema of the contract is built as it loads, and takes as long as all the rest together.
import '../lib/api.ts'

// In a task of its own, so that the browser can answer in between. index.html names its files beforehand.
void import('./console.tsx')
