import { sleep } from '../waiting.mjs'

/** Faults that a fault server injects into requests. */
export class Rules {
  #rules = []
  #delayed = []

  add(rule) {
    this.#rules.push({ ...rule })
  }

  clear() {
    this.#rules = []
  }

  /** Rejects every upgrade with that status; null: none. */
  rejectUpgrades(status) {
    this.#rules = this.#rules.filter(({ path }) => path !== '/ws')
    if (status !== null) this.add({ path: '/ws', status })
  }

  /** Returns the first rule for a request that still has uses left, and consumes one use. */
  of({ path, method }) {
    const rule = this.#rules.find(
      (candidate) =>
        candidate.path === path &&
        (candidate.method ?? method) === method &&
        (candidate.times === undefined || candidate.times > 0),
    )
    if (rule?.times !== undefined) rule.times -= 1
    return rule
  }

  /** Waits as the rule requires; returns false if there must be no reply. */
  async pass(rule) {
    if (rule?.hang === true) return false
    if (rule?.hold === true) await new Promise((resolve) => this.#delayed.push(resolve))
    if (rule?.delay_ms !== undefined) await sleep(rule.delay_ms)
    return true
  }

  /** Continues all delayed requests. */
  release() {
    for (const resume of this.#delayed.splice(0)) resume()
  }
}
