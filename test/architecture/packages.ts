import { type Import, packageOf } from './imports.ts'

/** What is read of a lock file's entry. */
export type Locked = {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
export type Lock = Readonly<Record<string, Locked>>

/** What is read of an installed package. */
export type Manifest = { readonly name: string; readonly scripts: Readonly<Record<string, string>> }

/**
 * Packages that name an install script and are known not to need it.
 * fsevents: macOS only and optional; it carries its binary, and .npmrc keeps its script from running.
 */
export const knownScripts: ReadonlySet<string> = new Set(['fsevents'])

const atInstall = ['preinstall', 'install', 'postinstall']

export const installScripts = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .filter(({ name, scripts }) => !knownScripts.has(name) && atInstall.some((script) => script in scripts))
    .map(({ name }) => name)

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)

export const lockedScripts = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([path, { hasInstallScript }]) => hasInstallScript === true && !knownScripts.has(nameOf(path)))
    .map(([path]) => path)

/** An address of origin ties everyone to one registry. */
export const withAddress = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([path]) => path)

export const withoutIntegrity = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .map(([path]) => path)

/**
 * Needed by a locked package, but not locked. `npm ci` refuses such a file; it comes about when the registry at hand lacks
 * a package of another system.
 */
export const unlocked = (lock: Lock): readonly string[] =>
  Object.entries(lock).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(lock, path, name))
      .map((name) => `${path} needs ${name}`),
  )

/** Looks where Node would: in the package's own node_modules, then in each one above. */
function isFound(lock: Lock, path: string, name: string): boolean {
  for (let folder = path; ; ) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock) return true
    if (folder === '') return false
    const above = folder.lastIndexOf('/node_modules/')
    folder = above < 0 ? '' : folder.slice(0, above)
  }
}

const exact = /^(\d+\.\d+\.\d+(-[\w.]+)?|npm:.+@\d+\.\d+\.\d+)$/

export const inexact = (dependencies: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(dependencies)
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `${name}@${version}`)

/** Packages the service or the shell loads that a packed app would not hold. Electron holds itself. */
export const notShipped = (
  imports: readonly Import[],
  dependencies: Readonly<Record<string, string>>,
): readonly string[] =>
  imports
    .filter(
      ({ from, isOurs, isTypeOnly }) => /^(contract|server|main)\//.test(from) && !isOurs && !isTypeOnly,
    )
    .filter(({ to }) => !to.startsWith('node:') && packageOf(to) !== 'electron')
    .filter(({ to }) => !(packageOf(to) in dependencies))
    .map(({ from, to }) => `${from} → ${to}`)
