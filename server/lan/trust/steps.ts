/** Steps of one operating system, browser or client. A text in backquotes is shown as code. */
export type Guide = {
  readonly title: string
  readonly steps: readonly string[]
  /** Commands to run, after the steps. */
  readonly code?: string
}

/** The file under which a browser saves the certificate. */
const file = 'promptdeck-ca.crt'

export const deviceGuides: readonly Guide[] = [
  {
    title: 'iPhone and iPad',
    steps: [
      'Open this page in Safari, download the certificate and allow the configuration profile.',
      'Open Settings › General › VPN & Device Management, select the profile and tap Install.',
      'Open Settings › General › About › Certificate Trust Settings and turn on the certificate.',
    ],
  },
  {
    title: 'Android',
    steps: [
      'Download the certificate.',
      'Open Settings and search for “CA certificate”. Select Install anyway, then the downloaded file.',
      'Use Chrome. Firefox uses the certificate after Settings › About Firefox › tap the logo five times › Secret Settings › Use third party CA certificates.',
    ],
  },
  {
    title: 'Windows: Chrome and Edge',
    steps: [
      'Download the certificate and open it. Select Install Certificate, then Current User.',
      'Select “Place all certificates in the following store”, then Trusted Root Certification Authorities.',
      'Confirm, and restart the browser. This command shows the fingerprint, because Windows itself shows a shorter one:',
    ],
    code: `certutil -dump ${file} | findstr sha256`,
  },
  {
    title: 'macOS: Safari and Chrome',
    steps: [
      'Download the certificate and open it. Add it to the keychain “login”.',
      'In Keychain Access, open the certificate, expand Trust and select Always Trust.',
      'Restart the browser.',
    ],
  },
  {
    title: 'Linux: Chrome and Chromium',
    steps: [
      'Download the certificate.',
      'Open `chrome://certificate-manager`. Under Custom › Trusted certificates, import the file.',
    ],
    code: `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n Promptdeck -i ${file}`,
  },
  {
    title: 'Firefox on any computer',
    steps: [
      'Download the certificate.',
      'Open Settings › Privacy & Security › Certificates › View Certificates › Authorities › Import.',
      'Select “Trust this CA to identify websites”.',
    ],
  },
]

export const clientGuides: readonly Guide[] = [
  {
    title: 'Promptdeck SDKs',
    steps: ['Give the SDK the file. It verifies the service with it.'],
    code: `export PROMPTDECK_CA=$PWD/${file}`,
  },
  {
    title: 'Node.js',
    steps: ['Set this variable before Node.js starts.'],
    code: `export NODE_EXTRA_CA_CERTS=$PWD/${file}`,
  },
  {
    title: 'Python',
    steps: ['`requests` and `httpx` read these variables. They replace the list of public authorities.'],
    code: `export SSL_CERT_FILE=$PWD/${file}\nexport REQUESTS_CA_BUNDLE=$PWD/${file}`,
  },
  {
    title: 'Java',
    steps: ['Create a trust store, then name it when the application starts.'],
    code: `keytool -importcert -noprompt -alias promptdeck -file ${file} -keystore promptdeck.p12 -storetype PKCS12 -storepass changeit\njava -Djavax.net.ssl.trustStore=promptdeck.p12 -Djavax.net.ssl.trustStorePassword=changeit …`,
  },
]
