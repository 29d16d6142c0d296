import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { entries } from '../../infra/aws/conventions/entries.ts';
import { stackNameOf } from '../../infra/aws/conventions/names.ts';
import { settingsOf } from '../../infra/aws/conventions/settings.ts';
import { teardownLambda } from '../../infra/aws/lambdas/bundles.ts';
import { ServiceStack } from '../../infra/aws/service-stack.ts';
import type { EnvironmentName } from '../../infra/environments.ts';

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has its own.
  Properties: Record<string, any>;
}
/** By the logical id, which is unique within a template. */
export type Template = Readonly<Record<string, Resource>>;

/** The templates of an environment, nested ones included, with a stand-in for the code. */
export function templatesOf(env: EnvironmentName): readonly Template[] {
  const templates = made.get(env) ?? synthesise(env);
  made.set(env, templates);
  return templates;
}

const made = new Map<EnvironmentName, readonly Template[]>();

function synthesise(env: EnvironmentName): Template[] {
  using code = mkdtempDisposableSync(join(tmpdir(), 'bundle-'));
  using out = mkdtempDisposableSync(join(tmpdir(), 'cdk-'));
  writeFileSync(join(code.path, 'index.mjs'), 'export const handler = () => {};');
  const app = new App({ outdir: out.path });
  const bundles = Object.fromEntries([...entries, teardownLambda].map(({ id }) => [id, code.path]));
  new ServiceStack(app, stackNameOf(env), { settings: settingsOf({ env }), bundles });
  app.synth();
  return readdirSync(out.path)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => JSON.parse(readFileSync(join(out.path, file), 'utf8')).Resources);
}
