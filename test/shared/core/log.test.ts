import { afterEach, expect, test, vi } from 'vitest';
import { log } from '../../../shared/core/log.ts';
import { rememberSecretValue } from '../../../shared/core/redaction/known-values.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The lines that are written meanwhile. */
function written(work: () => void): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  work();
  spy.mockRestore();
  return lines;
}

test('a log line is one JSON value, with the message and stack of an error', () => {
  const [line = ''] = written(() => log.error('It broke', { error: new Error('Why'), requestId: 'r' }));
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(line)).toEqual({
    ...{ level: 'error', message: 'It broke', requestId: 'r', error: 'Why' },
    stack: expect.stringContaining('log.test.ts'),
  });
});

test('LOG_LEVEL drops lines below its level', () => {
  const all = () => {
    log.info('a');
    log.warn('b');
    log.error('c');
  };
  const levels = ['info', 'warn', 'error', 'nonsense'].map((level) => {
    vi.stubEnv('LOG_LEVEL', level);
    return written(all).length;
  });
  expect(levels).toEqual([3, 2, 1, 3]);
});

test('log lines redact every secret value that the process has read', () => {
  const value = 'hush "my" dear/7351';
  rememberSecretValue(value);
  const url = `https://example.com/?q=${encodeURIComponent(value)}`;
  const lines = written(() =>
    log.warn(`Failed: ${value}`, { error: new Error(url), basic: btoa(`me:${value}`) }),
  );
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    message: 'Failed: [secret]',
    error: 'https://example.com/?q=[secret]',
  });
  expect(lines[0]).not.toContain(btoa('y" dear/73'));
});
