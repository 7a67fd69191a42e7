function elementWith(name: 'h1' | 'p' | 'button', text: string): HTMLElement {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

/** Shows that the console could not be loaded, the reason, and a button to reload it. Uses only code that is loaded. */
export function showNotLoaded(error: unknown): void {
  reportError(error)
  const main = document.createElement('main')
  main.ariaLive = 'assertive'
  main.style.cssText = 'max-width: 52ch; margin: 20vh auto; padding: 0 24px; text-align: center'
  const reload = elementWith('button', 'Reload')
  reload.addEventListener('click', () => location.reload())
  main.append(
    elementWith('h1', 'The console could not be loaded'),
    elementWith(
      'p',
      'The service may be restarting, or the network may be down. Check that the service is running, then reload the page.',
    ),
    elementWith('p', error instanceof Error ? error.message : String(error)),
    reload,
  )
  document.body.replaceChildren(main)
}
