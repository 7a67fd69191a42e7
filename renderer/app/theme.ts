import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type ModalProps,
  Popover,
  type SelectProps,
  Tooltip,
} from '@mantine/core'

const indigo: MantineColorsTuple = [
  '#eef2ff',
  '#e0e7ff',
  '#c7d2fe',
  '#a5b4fc',
  '#818cf8',
  '#6366f1',
  '#4f46e5',
  '#4338ca',
  '#3730a3',
  '#312e81',
]

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f3f4f6',
  '#e7e9ed',
  '#dcdfe4',
  '#c5c9d1',
  '#9097a3',
  '#636b78',
  '#4a515d',
  '#2f343d',
  '#1a1d23',
]

/**
 * Use of the shades by index: 0 text, 2 dimmed, 3 placeholder, 4 borders, 5 hover, 6 raised, 7 background.
 */
const dark: MantineColorsTuple = [
  '#e4e6eb',
  '#c4c8d1',
  '#9da4b1',
  '#868e9c',
  '#2c313b',
  '#232831',
  '#191d24',
  '#101318',
  '#0b0d11',
  '#07080a',
]

const font = "'Inter Variable', 'Inter Fallback', system-ui, -apple-system, 'Segoe UI', sans-serif"

/** The help of a field is below its input. Groups of radio buttons or checkboxes have it above. */
const helpBelow: Pick<SelectProps, 'inputWrapperOrder'> = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
}

const selectDefaults: Partial<SelectProps> = {
  ...helpBelow,
  size: 'xs',
  allowDeselect: false,
  checkIconPosition: 'right',
  // Long lists are searchable: typing finds the other options.
  limit: 100,
}

const modalDefaults: Partial<ModalProps> = {
  centered: true,
  transitionProps: { duration: 120 },
  padding: 'lg',
  shadow: 'xl',
  overlayProps: { backgroundOpacity: 0.45 },
  // Its <header> would be a second banner landmark of the page.
  attributes: { header: { role: 'presentation' } },
}

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  colors: { indigo, gray, dark },
  white: '#ffffff',
  black: '#1a1d23',
  fontFamily: font,
  fontFamilyMonospace:
    "'JetBrains Mono Variable', 'JetBrains Mono Fallback', ui-monospace, 'Cascadia Mono', monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'sm',
  headings: {
    fontFamily: font,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' } }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray', size: 28 },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 350,
        transitionProps: { duration: 100 },
        fz: 'xs',
        multiline: true,
        maw: 320,
        events: { hover: true, focus: true, touch: true },
      },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } }),
    // Not `Select.extend` and so on, which would load the components before a page needs them.
    Select: { defaultProps: selectDefaults },
    Autocomplete: { defaultProps: helpBelow },
    NativeSelect: { defaultProps: helpBelow },
    PasswordInput: { defaultProps: helpBelow },
    Textarea: { defaultProps: helpBelow },
    TextInput: { defaultProps: helpBelow },
    Modal: {
      defaultProps: modalDefaults,
      styles: {
        content: { background: 'var(--pd-raised)', border: '1px solid var(--pd-line-strong)' },
        header: { background: 'var(--pd-raised)' },
        title: { fontSize: 16, fontWeight: 600, overflowWrap: 'anywhere' },
      },
    },
    InputWrapper: {
      styles: { label: { marginBottom: 4 }, description: { fontSize: 12 }, error: { fontSize: 12 } },
    },
  },
})

/** Replaces Mantine's variables whose contrast is below 4.5. The other tokens are in tokens.css. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b626e',
    '--mantine-color-placeholder': '#6b727e',
    '--mantine-color-default-border': '#dcdfe4',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#4338ca',
  },
  dark: {
    '--mantine-color-dimmed': '#9da4b1',
    '--mantine-color-placeholder': '#868e9c',
    '--mantine-color-default-border': '#343a46',
    '--mantine-color-error': '#ff8d85',
    '--mantine-color-anchor': '#a5b4fc',
  },
})
