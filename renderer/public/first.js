// Runs before the first paint and before any module.

// The CSP forbids eval. zod tries it once per schema while modules load, unless this is set.
globalThis.__zod_globalConfig = { jitless: true }

// Sets the colour scheme. Key and values are the same as in lib/page/scheme.ts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('promptdeck.scheme')
  } catch {
    // Storage may be blocked; the system's preference applies.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : isDark ? 'dark' : 'light'
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
