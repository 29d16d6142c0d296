import { readFileSync } from 'node:fs';
import { stackName } from '../aws/conventions/names.ts';
import { parseSettings, type Settings } from '../aws/conventions/settings.ts';
import { OperationError, parseOptions, printNote, runOperation } from './deployment/operation.ts';
import { type CheckResult, runChecks } from './doctor/check.ts';
import { localSizes } from './doctor/local-sizes.ts';
import { machineChecks } from './doctor/machine.ts';
import { formatReport } from './doctor/report.ts';

const usage = `npm run doctor [-- --json]                      checks this machine
       npm run doctor -- --local                       what the data of a service on this machine takes
       npm run doctor -- -c env=prod [-c name=value]…   checks a deployment; give the context values of cdk deploy`;

/** Checks this machine or a deployment, and prints what it found and what to do. Ends with 1 on a problem. */
async function doctor(): Promise<void> {
  const args = process.argv.slice(2);
  const json = args.includes('--json');
  const isLocal = args.includes('--local');
  const rest = args.filter((argument) => !['--json', '--local'].includes(argument));
  const results = isLocal ? localSizes(process.env) : await checked(rest);
  process.stdout.write(
    json ? `${JSON.stringify(results, null, 2)}\n` : formatReport(results, process.stdout),
  );
  const problems = results.filter(({ status }) => status === 'problem');
  if (problems.length > 0) process.exit(1);
}

const checked = (rest: readonly string[]): Promise<CheckResult[]> =>
  rest.length === 0 ? runChecks(machineChecks, process.env) : ofDeployment(rest);

async function ofDeployment(args: readonly string[]): Promise<CheckResult[]> {
  // Their packages are those of development, which a machine that only runs the service does not have.
  const { findDeployment } = await import('./deployment/deployment.ts');
  const { deploymentChecks } = await import('./doctor/deployment-checks.ts');
  const { listStackResources } = await import('./doctor/resources.ts');
  const { env, context } = parseOptions(usage, [], [], args);
  const settings = settingsFrom(context);
  const deployment = await findDeployment(env);
  printNote(`Deployment ${env} in ${deployment.region}: ${deployment.url}`);
  return runChecks(deploymentChecks, {
    deployment,
    settings,
    resources: await listStackResources(stackName(env)),
  });
}

/** As `cdk` does: the values of cdk.json, and over them those of the command line. */
function settingsFrom(context: Record<string, string>): Settings {
  const { context: stored = {} } = JSON.parse(
    readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
  );
  try {
    return parseSettings({ ...stored, ...context });
  } catch (error) {
    throw new OperationError((error as Error).message, { cause: error });
  }
}

await runOperation(doctor);
