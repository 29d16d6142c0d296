import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { entries } from '../../infra/aws/conventions/entries.ts';
import { stackName } from '../../infra/aws/conventions/names.ts';
import { parseSettings } from '../../infra/aws/conventions/settings.ts';
import { teardownLambda } from '../../infra/aws/lambdas/bundles.ts';
import { ServiceStack } from '../../infra/aws/service-stack.ts';
import type { EnvironmentName } from '../../infra/environments.ts';

export interface TemplateResource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has its own.
  Properties: Record<string, any>;
}
/** By the logical id, which is unique within a template. */
export type StackTemplate = Readonly<Record<string, TemplateResource>>;

/** The templates of an environment, nested ones included, with a stand-in for the code. */
export function environmentTemplates(env: EnvironmentName): readonly StackTemplate[] {
  const templates = made.get(env) ?? synthesise(env);
  made.set(env, templates);
  return templates;
}

const made = new Map<EnvironmentName, readonly StackTemplate[]>();

function synthesise(env: EnvironmentName): StackTemplate[] {
  using code = mkdtempDisposableSync(join(tmpdir(), 'bundle-'));
  using out = mkdtempDisposableSync(join(tmpdir(), 'cdk-'));
  writeFileSync(join(code.path, 'index.mjs'), 'export const handler = () => {};');
  const app = new App({ outdir: out.path });
  const bundles = Object.fromEntries([...entries, teardownLambda].map(({ id }) => [id, code.path]));
  new ServiceStack(app, stackName(env), { settings: parseSettings({ env }), bundles });
  app.synth();
  return readdirSync(out.path)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => JSON.parse(readFileSync(join(out.path, file), 'utf8')).Resources);
}
