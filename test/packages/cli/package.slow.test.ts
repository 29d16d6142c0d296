import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const packageFolder = resolve(import.meta.dirname, '../../../packages/cli');
const npm = (parameters: string[]) => run('npm', parameters, { cwd: packageFolder });

test('the package could be published, and its program runs without any other package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  await npm(['pack', '--pack-destination', folder]);
  const { stdout } = await npm(['publish', '--dry-run', '--ignore-scripts', '--json']);
  const report = JSON.parse(stdout);
  const { files, filename } = report['agent-flow-cli'] ?? report;
  const paths = files.map(({ path }: { path: string }) => path).toSorted();
  expect(paths).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
  await run('tar', ['-xzf', filename, '--strip-components=1'], { cwd: folder });
  const help = await run(process.execPath, [join(folder, 'dist/main.js'), '--help'], { cwd: folder });
  expect(help.stdout).toContain('Usage: agent-flow');
});
