import { existsSync } from 'node:fs';

/** The first one has no window to draw, which takes a third of the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Without a window, a sandbox of its own (root has none), or requests of its own. */
export const browserFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a Chromium: that of the variable CHROMIUM, or one in a usual place. */
export const findBrowser = ({ CHROMIUM }: NodeJS.ProcessEnv): string | undefined =>
  [CHROMIUM ?? '', ...places].find((path) => existsSync(path));
