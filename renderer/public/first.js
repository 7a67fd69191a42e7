// Runs before the first paint and before any module.

// The CSP forbids code made from text. zod tries it once per schema as modules load, unless it finds this.
globalThis.__zod_globalConfig = { jitless: true }

// The colour scheme; the key and the values are those of lib/scheme.ts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('promptdeck.scheme')
  } catch {
    // Storage may be blocked; the system's preference stands.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : isDark ? 'dark' : 'light'
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
