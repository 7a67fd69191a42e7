import { type Import, packageOf } from './imports.ts'

/** The fields in use of a lock file's entry. */
export type Locked = {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
export type Lock = Readonly<Record<string, Locked>>

/** The fields in use of an installed package. */
export type Manifest = { readonly name: string; readonly scripts: Readonly<Record<string, string>> }

/**
 * Packages with an install script that is known to be unnecessary. fsevents: macOS only and optional; its
 * binary is included, and .npmrc prevents its script. @google/genai: for tests; its script only prints a line.
 */
const knownScripts: ReadonlySet<string> = new Set(['fsevents', '@google/genai'])

const atInstall = ['preinstall', 'install', 'postinstall']

export const installScripts = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .filter(({ name, scripts }) => !knownScripts.has(name) && atInstall.some((script) => script in scripts))
    .map(({ name }) => name)

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

export const lockedScripts = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([path, { hasInstallScript }]) => hasInstallScript === true && !knownScripts.has(nameOf(path)))
    .map(([path]) => path)

/** Returns packages with a `resolved` address, which would require that one registry. */
export const withAddress = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([path]) => path)

export const withoutIntegrity = (lock: Lock): readonly string[] =>
  Object.entries(lock)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .map(([path]) => path)

/**
 * Returns dependencies of locked packages that are not locked. `npm ci` refuses such a file. Cause: the
 * registry lacks a package of another system.
 */
export const unlocked = (lock: Lock): readonly string[] =>
  Object.entries(lock).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(lock, path, name))
      .map((name) => `${path} needs ${name}`),
  )

/** Searches like Node: in the package's own node_modules, then in each one above. */
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

/**
 * Returns packages that the service or the shell loads and that a packed app would not contain. Electron is
 * always included.
 */
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
