import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { killAll, killTree, launch, newDirectory } from '../../support/stack/processes.ts';
import { runCommand } from '../../support/stack/run-command.ts';

afterEach(killAll);

const script = 'infra/operations/restore-drill.ts';

/** Runs the drill until it prints a line. @returns all lines. */
async function killedAfter(line: RegExp, directory: string): Promise<string[]> {
  const child = launch(process.execPath, [script, '--directory', directory], {});
  if (!child.stderr) throw new Error('No pipe');
  const lines: string[] = [];
  for await (const printed of createInterface({ input: child.stderr })) {
    lines.push(printed);
    if (line.test(printed) && child.exitCode === null) killTree(child);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return lines;
}

test('the drill restores table and payloads, also after a kill in the middle of the restore and one before it', async () => {
  const directory = join(newDirectory(), 'drill');
  await killedAfter(/^The moment is/, directory);
  const lines = await killedAfter(/^Restored 25 of/, directory);
  expect(lines.at(-1)).not.toMatch(/^Restored (\d+) of \1 items/);

  const { code, stdout, stderr } = await runCommand(script, ['--directory', directory]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('the API returns what it returned then')]);
  expect(stderr).not.toContain('After it, the flow was deleted');
  const check = JSON.parse(stdout);
  expect(check).toMatchObject({ pointers: 4, missing: [], unreadable: [], keys: 3, unpairedKeys: [] });
  expect(check.items).toMatchObject({ record: 304, flow: 1, checkpoint: 4, secret: 1 });
  rmSync(directory, { recursive: true });
}, 120_000);

test('an unknown option is refused with the usage', async () => {
  const { code, stderr } = await runCommand(script, ['--dir', 'x']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('npm run restore-drill')]);
});
