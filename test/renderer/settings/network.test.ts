import { beforeAll, describe, expect, it } from 'vitest'
import { lanOn, shareWith, testNetwork } from '../../support/lan/lan.ts'
import { multicastBus } from '../../support/lan/multicast.ts'
import { axeFaults, controlContrast } from '../support/axe.ts'
import { eventually, openConsole, patience, setUpConsole } from '../support/console.ts'
import { problem } from '../support/pages/runs.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { toast } from '../support/parts.ts'
import { followPath } from '../support/warm.ts'

describe('Settings › Network', { timeout: patience }, () => {
  const network = testNetwork('127.0.0.1', '127.0.0.2')
  const multicast = multicastBus().open
  const console = setUpConsole({ env: { LAN_PORT: '0' }, substitutes: { network, multicast } })

  /** Opens the group as an admin. */
  async function open() {
    const { page, faults, close } = await console.visit((await console.server.signedIn('admin')).token)
    const settings = settingsPage(page)
    await settings.goto('#network')
    return { page, faults, close, settings, group: settings.group('Network') }
  }
  const stored = async () => (await console.server.call('GET /api/network')).body.data

  it('lists the reasons why the service is not shared, and refuses to add a device', async () => {
    const { page, faults, close, group } = await open()
    await group.getByText('Not shared', { exact: true }).waitFor()
    const blockers = group.getByRole('list', { name: 'Reasons why the service is not shared' })
    await blockers.getByText('The default admin password is active.').waitFor()
    expect(
      await group.getByRole('button', { name: 'Share on the network' }).getAttribute('aria-disabled'),
    ).toBe('true')
    expect(await blockers.getByRole('link', { name: 'Open users' }).getAttribute('href')).toContain('/users')
    expect(await axeFaults(page, '#network')).toEqual([])
    // A device cannot be added meanwhile.
    await followPath(page, '/users')
    await page.getByRole('link', { name: 'Add device' }).click()
    await page.getByRole('button', { name: 'Show code' }).click()
    await page.getByText('Other devices cannot reach this service.').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  describe('once the built-in password was changed', () => {
    beforeAll(async () => {
      const token = await console.server.login('admin', 'admin')
      const body = { current_password: 'admin', new_password: 'a long phrase of the admin' }
      await console.server.call('PUT /api/me/password', { token, body })
    })

    it('shares the service, saves interfaces, the name and discovery, replaces the authority, and stops', async () => {
      const { page, faults, close, settings, group } = await open()
      await group.getByText('Not shared', { exact: true }).waitFor()
      const blockers = group.getByRole('list', { name: 'Reasons why the service is not shared' })
      expect(await blockers.count()).toBe(0)
      await group.getByRole('button', { name: 'Share on the network' }).click()
      await toast(page, 'Sharing turned on.').waitFor()
      await group.getByText('Shared', { exact: true }).waitFor()
      const state = await stored()
      await group.getByText(state.words.join(' · ')).waitFor()
      await group.getByText(state.fingerprint).waitFor()
      for (const address of state.addresses) await group.getByText(address, { exact: true }).waitFor()
      expect(await axeFaults(page, '#network')).toEqual([])

      await group.getByRole('radio', { name: 'Selected' }).check()
      await group.getByRole('checkbox', { name: 'eth1' }).uncheck()
      expect(await controlContrast(page, '#network')).toBeGreaterThanOrEqual(3)
      await group.getByRole('textbox', { name: 'Name' }).fill('Blue desk')
      await group.getByRole('switch', { name: 'Let desktop apps find this service' }).check()
      await settings.save('Network').click()
      await toast(page, 'Network saved.').waitFor()
      expect(await stored()).toMatchObject({
        name: 'Blue desk',
        chosen_interfaces: ['eth0'],
        state: 'listening',
        discoverable: true,
        discovery: 'announced',
      })
      await group.getByText('Announced on the local network.').waitFor()

      await group.getByRole('button', { name: 'Create new authority' }).click()
      await settings.dialog.button('Create new authority').click()
      await toast(page, 'Certificate authority created.').waitFor()
      await eventually(() => group.getByText(state.fingerprint).count()).toBe(0)

      await group.getByRole('button', { name: 'Stop sharing' }).click()
      await settings.dialog.button('Stop sharing').click()
      await toast(page, 'Sharing turned off.').waitFor()
      await group.getByText('Not shared', { exact: true }).waitFor()
      expect(faults).toEqual([])
      await close()
    })
  })

  it('shows why the service cannot listen', async () => {
    await console.server.call('PUT /api/network', { body: { enabled: true, interfaces: ['eth9'] } })
    const { page, close, group } = await open()
    await group.getByText('Not reachable', { exact: true }).waitFor()
    await group.getByText('No chosen network interface has a private address.').waitFor()
    await group.getByText('No private address at the moment').waitFor()
    expect(await axeFaults(page, '#network')).toEqual([])
    await close()
  })

  it('shows an error where the group would be', async () => {
    const { page, close } = await console.visit((await console.server.signedIn('admin')).token)
    await page.route('**/api/network', (route) => route.fulfill(problem(500, 'internal', 'Internal error')))
    const settings = settingsPage(page)
    await settings.goto('#network')
    const group = settings.group('Network')
    await group.getByTestId('error').waitFor()
    await page.unroute('**/api/network')
    await group.getByRole('button', { name: 'Retry' }).click()
    await group.getByText('State', { exact: true }).waitFor()
    await close()
  })

  it('shows which fields the environment determines, and has a trust page for a phone in both color schemes', async () => {
    const fixed = await openConsole({
      env: { ...lanOn, LAN_NAME: 'Team', LAN_INTERFACES: 'eth0' },
      substitutes: { network: testNetwork('127.0.0.1') },
    })
    const state = await shareWith(fixed.server)
    const { page, close } = await fixed.visit((await fixed.server.signedIn('admin')).token)
    await settingsPage(page).goto('#network')
    const group = settingsPage(page).group('Network')
    await group.getByText('LAN, LAN_INTERFACES, LAN_PORT, LAN_NAME', { exact: true }).waitFor()
    expect(await group.getByRole('textbox', { name: 'Name' }).getAttribute('readonly')).not.toBeNull()

    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`http://127.0.0.1:${state.port}/anything`)
    await page.getByRole('heading', { name: 'Connect to Team' }).waitFor()
    for (const word of state.words) await page.getByText(word, { exact: true }).waitFor()
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0)
    expect(await axeFaults(page)).toEqual([])
    await close()
    await fixed.close()
  })
})
