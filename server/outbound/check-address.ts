import { checkTarget, OutboundRefused, pinTarget, type Resolve, systemResolve } from './targets.ts'

/** Maximum time that saving waits for a look-up, in milliseconds. An unknown name may be found later. */
const lookUpLimitMs = 2_000

/**
 * Returns why an address may not be saved, or null. A name that cannot be resolved is accepted, because each
 * connection checks again.
 */
export async function refusalOf(
  address: string,
  options: { readonly isLocal: boolean; readonly resolve?: Resolve },
): Promise<string | null> {
  const { isLocal, resolve = systemResolve } = options
  try {
    const url = checkTarget(address, { isLocal })
    await Promise.race([pinTarget(url, { isLocal }, resolve).then(() => {}), pause(lookUpLimitMs)])
    return null
  } catch (error) {
    return error instanceof OutboundRefused ? error.message : null
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
