import { checkTarget, OutboundRefused, pinTarget, type Resolve, systemResolve } from './targets.ts'

/** A name that is not found now may be found later; saving does not wait for it longer than this, ms. */
const lookUpLimitMs = 2_000

/** Why an address may not be saved; null when it may. A name nobody knows yet passes: each connection checks again. */
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
