import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { measureDeployments } from '../aws/sizes/deployments.ts';
import { findTooLarge } from '../aws/sizes/sizes.ts';
import { sizeTable } from '../aws/sizes/table.ts';

/**
 * `npm run synth`: synthesises a deployment as `cdk deploy` would, and beside it every environment with a stand-in for the
 * code, whose sizes it compares with the quotas of AWS. Ends with 1 when something is too large.
 */
// Not the command of that name: Windows starts that by a shell alone.
const program = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
const cdk = spawn(process.execPath, [program, 'synth', '--quiet', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
const ended = once(cdk, 'close');
const measured = measureDeployments();
const [code] = await ended;
const problems = measured.flatMap(({ env, options, sizes }) =>
  findTooLarge(sizes).map((problem) => `${env} with options ${options}: ${problem}`),
);
process.stdout.write(`\n${sizeTable(measured)}\n\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(code || (problems.length > 0 ? 1 : 0));
