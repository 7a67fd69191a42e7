import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWindowMemory, placementOf } from '../../../main/settings/window-state.ts'
import { manualClock } from '../support/clock.ts'
import { windowDouble } from '../support/window.ts'
import { folder, setUpFolder } from './temporary-folder.ts'

setUpFolder()

describe('the position of the window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1040 }
  const second = { x: 1920, y: 200, width: 1280, height: 984 }
  const saved = { x: 50, y: 60, width: 1000, height: 700, isMaximized: false }

  it('is the last one', () => {
    const { isMaximized: _, ...bounds } = saved
    expect(placementOf(saved, [screen])).toEqual({ bounds, isMaximized: false })
    const other = { ...saved, x: 2000, y: 300 }
    expect(placementOf(other, [screen, second]).bounds).toEqual({ x: 2000, y: 300, width: 1000, height: 700 })
    expect(placementOf({ ...saved, isMaximized: true }, [screen]).isMaximized).toBe(true)
    // A window may be partly outside, as long as its title bar can be reached.
    expect(placementOf({ ...saved, x: -880 }, [screen]).bounds).toMatchObject({ x: -880 })
  })

  it.each([
    ['its screen no longer exists', { ...saved, x: 2000, y: 300 }],
    ['no part of it would be visible', { ...saved, x: -5000 }],
    ['too small a part of it would be visible', { ...saved, x: -881 }],
    ['its title bar is above the screen', { ...saved, y: -10 }],
    ['its title bar is below the screen', { ...saved, y: 1030 }],
    ['the file is empty', undefined],
    ['the file has other content', 'x'],
    ['the file has no position', { width: 1000, height: 700 }],
    ['a number is a text', { ...saved, x: '50' }],
    ['a number is too large', { ...saved, width: 1e12 }],
    ['the size is missing', { ...saved, width: 0 }],
    ['a number is a fraction', { ...saved, y: 0.5 }],
  ])('is the default when %s', (_reason, saved) => {
    expect(placementOf(saved, [screen])).toEqual({
      bounds: { width: 1440, height: 900 },
      isMaximized: false,
    })
  })

  it('fits the screen, and works without any', () => {
    const small = { x: 0, y: 0, width: 1024, height: 700 }
    expect(placementOf(undefined, [small]).bounds).toEqual({ width: 1024, height: 700 })
    expect(placementOf({ ...saved, width: 3000, height: 100 }, [screen]).bounds).toMatchObject({
      width: 1920,
      height: 480,
    })
    expect(placementOf(saved, []).bounds).toEqual({ width: 1440, height: 900 })
  })

  it('is stored shortly after the last change, and on close', () => {
    const clock = manualClock()
    const file = join(folder, 'deep', 'window.json')
    const memory = createWindowMemory(file, clock)
    const window = windowDouble({})
    memory.follow(window)
    for (let x = 0; x < 100; x++) {
      window.bounds = { ...saved, x }
      window.events.emit('move')
      clock.pass(10)
    }
    expect(existsSync(file)).toBe(false)
    clock.pass(500)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...saved, x: 99 })
    window.bounds = { ...saved, x: 7 }
    window.closeByHand()
    expect(memory.placement([screen]).bounds).toMatchObject({ x: 7 })
    writeFileSync(file, '{"x":7,')
    expect(memory.placement([screen]).bounds).toEqual({ width: 1440, height: 900 })
    expect(clock.pendingTimers()).toBe(0)
  })

  it('is not stored, without an error, if the file cannot be written', () => {
    const file = join(folder, 'window.json')
    mkdirSync(file)
    const window = windowDouble({})
    createWindowMemory(file, manualClock()).follow(window)
    expect(() => window.events.emit('close', { preventDefault: () => {} })).not.toThrow()
  })
})
