import { existsSync } from 'node:fs';

/** The first one has no window to draw, which takes a third of the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium: that of the variable CHROMIUM, or one in a usual place. */
export const findBrowser = ({ CHROMIUM }: NodeJS.ProcessEnv): string | undefined =>
  [CHROMIUM ?? '', ...places].find((path) => existsSync(path));
