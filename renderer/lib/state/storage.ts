type Values = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Returns a storage of the browser; if the browser blocks it, one that lasts until the page is left. */
function orMemory(storage: () => Storage): Values {
  try {
    return storage()
  } catch {
    const values = new Map<string, string>()
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    }
  }
}

export const browserValues = orMemory(() => window.localStorage)
export const tabValues = orMemory(() => window.sessionStorage)
