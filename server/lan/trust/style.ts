/** The style sheet of the trust page. It has the colours of the console, in light and dark. */
export const trustStyle = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --line: #dfe2e8; --text: #1b1e25;
  --text-2: #555c6b; --accent: #4052c9; --on-accent: #fff; --code: #f0f1f5; --warn: #7a4b00;
  --warn-page: #fff5e0; --warn-line: #ecd199 }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1b1e24; --line: #333842;
  --text: #e8eaef; --text-2: #a6adbb; --accent: #8c9bff; --on-accent: #11131a; --code: #262a33;
  --warn: #f2cf8d; --warn-page: #2b2415; --warn-line: #574620 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
main { max-width: 720px; margin: 0 auto; padding: 32px 16px 64px }
.brand { margin: 0 0 24px; font-weight: 600; color: var(--text-2) }
.brand svg { width: 20px; height: 20px; margin-right: 8px; vertical-align: -4px; color: var(--accent) }
h1 { margin: 0 0 8px; font-size: 28px; line-height: 1.25 }
h2 { margin: 0 0 4px; font-size: 18px }
h3 { margin: 32px 0 8px; font-size: 18px }
p { margin: 0 0 12px }
.lead, .note { color: var(--text-2) }
.note { font-size: 14px }
section > :last-child { margin-bottom: 0 }
section { margin-top: 24px; padding: 20px; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card) }
.words { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0; padding: 0; list-style: none }
.words li { padding: 6px 14px; border: 1px solid var(--line); border-radius: 999px; background: var(--code);
  font-size: 18px; font-weight: 600 }
code, pre, .hex { font: 13px/1.6 "JetBrains Mono", ui-monospace, Menlo, Consolas, monospace }
code { padding: 1px 4px; border-radius: 4px; background: var(--code) }
.hex { display: block; margin: 0; padding: 10px 12px; border-radius: 6px; background: var(--code) }
pre { margin: 8px 0 0; padding: 10px 12px; border-radius: 6px; background: var(--code); white-space: pre-wrap }
.warn { margin-top: 16px; padding: 12px 16px; border: 1px solid var(--warn-line); border-radius: 8px;
  background: var(--warn-page); color: var(--warn) }
.button { display: inline-block; margin: 4px 0 16px; padding: 10px 18px; border-radius: 8px;
  background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none }
a { color: var(--accent) }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
details { border-top: 1px solid var(--line) }
details:last-child { border-bottom: 1px solid var(--line) }
summary { padding: 12px 0; font-weight: 600; cursor: pointer }
details ol, details ul { margin: 0 0 12px; padding-left: 24px }
details pre { margin-bottom: 16px }
ul.addresses { margin: 8px 0 0; padding: 0; list-style: none }
ul.addresses li { padding: 6px 0 }
`
