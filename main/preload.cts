// A sandboxed preload is CommonJS and may require nothing but Electron's own pieces.
const { contextBridge }: typeof import('electron') = require('electron')

/** What the page may know of its shell: that it is one. Verbs come with the features that need them. */
contextBridge.exposeInMainWorld('promptdeckDesktop', Object.freeze({ platform: process.platform }))
