import { afterEach, expect, test, vi } from 'vitest';
import { addLogFields, runInvocation, runWithLogFields } from '../../../shared/core/invocation.ts';
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
    level: 'error',
    message: 'It broke',
    requestId: 'r',
    error: 'Why',
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

test('fields that hold a credential by their name are redacted at any depth', () => {
  const [line = ''] = written(() =>
    log.warn('Called', { request: { headers: { Authorization: 'x', accept: '*/*' } }, plainKey: 'y' }),
  );
  expect(JSON.parse(line)).toMatchObject({
    request: { headers: { Authorization: '[redacted]', accept: '*/*' } },
    plainKey: '[redacted]',
  });
});

test('a credential at the beginning of a line of a text is redacted too', () => {
  const key = `tv_live_${'a1'.repeat(24)}b`;
  const [line = ''] = written(() =>
    log.error('It broke', { error: new Error(`Tried:\n${key}\tBearer\tabcdefgh`) }),
  );
  expect(JSON.parse(line).error).toBe('Tried:\ntv_live_[redacted]\tBearer [redacted]');
  expect(line).not.toContain(key);
});

test('lines state the fields of their invocation and of the work inside it, and of no other', async () => {
  const lines: string[] = [];
  const collect = (work: () => void) => lines.push(...written(work));
  await Promise.all([
    runInvocation({ requestId: 'a' }, async () => {
      await Promise.resolve();
      addLogFields({ tenant: 'user:ada' });
      runWithLogFields({ executionId: 'exec_1' }, () => collect(() => log.warn('inside')));
      collect(() => log.warn('outside'));
    }),
    runInvocation({ requestId: 'b' }, () => void collect(() => log.warn('other'))),
  ]);
  collect(() => log.warn('none'));
  expect(lines.map((line) => JSON.parse(line)).toSorted((a, b) => (a.message < b.message ? -1 : 1))).toEqual([
    { level: 'warn', message: 'inside', requestId: 'a', tenant: 'user:ada', executionId: 'exec_1' },
    { level: 'warn', message: 'none' },
    { level: 'warn', message: 'other', requestId: 'b' },
    { level: 'warn', message: 'outside', requestId: 'a', tenant: 'user:ada' },
  ]);
});
