import { expect, test } from 'vitest';
import { spawnGuarded } from '../../../../infra/local/runtime/guarded-process.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const isRunning = (process_: number) => {
  try {
    return process.kill(process_, 0);
  } catch {
    return false;
  }
};

test.each(['linux', 'darwin', 'win32'] as const)(
  'as on %s, a program ends when the pipe to this process closes',
  async (platform) => {
    const program = 'console.log(process.pid); setInterval(() => {}, 60_000)';
    const { output, stop, ended } = spawnGuarded(process.execPath, ['-e', program], platform);
    const id = await eventually(async () => {
      expect(output()).toMatch(/^\d+$/);
      return Number(output());
    });
    expect(isRunning(id)).toBe(true);
    await stop();
    await ended;
    await eventually(async () => expect(isRunning(id)).toBe(false));
  },
);

test.each(['linux', 'win32'] as const)(
  'as on %s, a program that cannot be started says why',
  async (platform) => {
    const { output, ended } = spawnGuarded('/no/such/program', [], platform);
    await ended;
    await eventually(async () => expect(output()).toMatch(/not found|ENOENT/));
  },
);
