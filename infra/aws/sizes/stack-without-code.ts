import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { endpoints as declared } from '../../../functions/index.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { listEntries } from '../conventions/entries.ts';
import { stackName } from '../conventions/names.ts';
import { parseSettings } from '../conventions/settings.ts';
import { teardownLambda } from '../lambdas/bundles.ts';
import { ServiceStack } from '../service-stack.ts';

interface Trial {
  /** Where the templates are written. */
  directory: string;
  /** The context values. */
  context: Readonly<Record<string, string>>;
  endpoints?: readonly AnyEndpoint[];
  /** What happens to the stack before it is synthesised. */
  change?: (stack: ServiceStack) => void;
}

/**
 * Synthesises a deployment with a stand-in for the code, since bundling takes longer than all else.
 * @throws when cdk-nag has an error that is not acknowledged with a reason.
 */
export function stackWithoutCode({ directory, context, endpoints = declared, change }: Trial): ServiceStack {
  const code = join(directory, 'code');
  mkdirSync(code, { recursive: true });
  writeFileSync(join(code, 'index.mjs'), 'export const handler = () => {};');
  const app = new App({ outdir: join(directory, 'out'), treeMetadata: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const settings = parseSettings(context);
  const bundles = Object.fromEntries([...listEntries(endpoints), teardownLambda].map(({ id }) => [id, code]));
  const stack = new ServiceStack(app, stackName(settings.env), { settings, bundles, endpoints });
  change?.(stack);
  app.synth();
  return stack;
}
