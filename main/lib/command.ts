/**
 * Returns the arguments of the command `promptdeck` if the app was started as a command, such as
 * `promptdeck lan on`; null if it was started with a window. Paths, links and flags are not commands.
 */
export function commandArguments(args: readonly string[]): readonly string[] | null {
  const [first] = args
  const isCommand =
    first !== undefined && (/^[a-z]+$/.test(first) || first === '--help' || first === '--version')
  return isCommand ? args : null
}
