import { sleep } from './waiting.mjs'

/** What a fault server was told to do to requests, beyond answering them. */
export class Rules {
  #rules = []
  #held = []

  add(rule) {
    this.#rules.push({ ...rule })
  }

  clear() {
    this.#rules = []
  }

  /** Every upgrade is refused with that status; null: none is. */
  rejectUpgrades(status) {
    this.#rules = this.#rules.filter(({ path }) => path !== '/ws')
    if (status !== null) this.add({ path: '/ws', status })
  }

  /** The first rule for a request that is not used up; it counts as used. */
  of({ path, method }) {
    const rule = this.#rules.find(
      (one) =>
        one.path === path && (one.method ?? method) === method && (one.times === undefined || one.times > 0),
    )
    if (rule?.times !== undefined) rule.times -= 1
    return rule
  }

  /** Waits as a rule says; false when there is to be no answer at all. */
  async pass(rule) {
    if (rule?.hang === true) return false
    if (rule?.hold === true) await new Promise((resolve) => this.#held.push(resolve))
    if (rule?.delay_ms !== undefined) await sleep(rule.delay_ms)
    return true
  }

  /** Lets go of all requests that are held. */
  release() {
    for (const go of this.#held.splice(0)) go()
  }
}
