import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { entries } from '../../../infra/aws/conventions/entries.ts';
import { parseSettings } from '../../../infra/aws/conventions/settings.ts';
import { teardownLambda } from '../../../infra/aws/lambdas/bundles.ts';
import { ServiceStack } from '../../../infra/aws/service-stack.ts';
import type { EnvironmentName } from '../../../infra/environments.ts';

type Parameters = [
  name: EnvironmentName,
  context?: Record<string, string>,
  change?: (stack: ServiceStack) => void,
];

/** The template of an environment, without those of its nested stacks. */
export const synthesise = (...parameters: Parameters) => Template.fromStack(environmentStack(...parameters));

/**
 * The stack of an environment, with a stand-in for the code: bundling has a test of its own.
 * @param change What a test does to the stack before it is synthesised.
 */
export function environmentStack(...[name, context = {}, change]: Parameters): ServiceStack {
  const key = JSON.stringify([name, Object.entries(context).sort()]);
  const stack = (!change && made.get(key)) || makeStack(name, context, change);
  if (!change) made.set(key, stack);
  return stack;
}

/** Tests only read a stack that they do not change. Test files that share a worker share it, with new modules each. */
const holder = globalThis as { madeStacks?: Map<string, ServiceStack> };
holder.madeStacks ??= new Map();
const made = holder.madeStacks;

function makeStack(...[name, context = {}, change = () => {}]: Parameters): ServiceStack {
  const code = mkdtempSync(join(tmpdir(), 'bundle-'));
  writeFileSync(join(code, 'index.mjs'), 'export const handler = () => {};');
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'cdk-')) });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const bundles = Object.fromEntries([...entries, teardownLambda].map(({ id }) => [id, code]));
  const settings = parseSettings({ env: name, ...context });
  const stack = new ServiceStack(app, 'Service', { settings, bundles });
  change(stack);
  // Throws when cdk-nag has an error that is not acknowledged with a reason.
  app.synth();
  return stack;
}
