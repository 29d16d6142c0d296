import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openInBrowser } from '../../../packages/cli/src/terminal/browser.ts';

test.each(['linux', 'darwin', 'win32'])('on %s no shell reads an address', async (platform) => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'));
  const opened = join(folder, 'opened');
  for (const program of ['xdg-open', 'open', 'rundll32']) {
    const script = `#!/bin/sh\nfor each; do :; done; printf %s "$each" > ${opened}.new; /bin/mv ${opened}.new ${opened}\n`;
    writeFileSync(join(folder, program), script, { mode: 0o700 });
  }
  vi.stubEnv('PATH', folder);
  const own = process.platform;
  Object.defineProperty(process, 'platform', { value: platform });
  onTestFinished(() => {
    Object.defineProperty(process, 'platform', { value: own });
    vi.unstubAllEnvs();
  });
  const address = 'https://example.com/a&calc.exe/console#/$(id)';
  const onFailure = vi.fn();
  openInBrowser(address, onFailure);
  await vi.waitUntil(() => existsSync(opened) || onFailure.mock.calls.length > 0, { timeout: 5_000 });
  expect(onFailure).not.toHaveBeenCalled();
  expect(readFileSync(opened, 'utf8')).toBe(address);
});
