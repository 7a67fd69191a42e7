/**
 * Runs every step in order, even after a failure, then throws the first failure. For steps that release
 * resources.
 */
export async function endAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
