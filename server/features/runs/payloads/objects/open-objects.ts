import type { ObjectStore } from './object-store.ts'

/** Opens the store that PAYLOADS_URL names. Code for a bucket is loaded only if it names one. */
export async function openObjects(url: string): Promise<ObjectStore> {
  if (url.startsWith('s3:')) return (await import('./bucket.ts')).openBucket(url)
  return (await import('./shared-folder.ts')).openSharedFolder(url)
}
