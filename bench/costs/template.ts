import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackWithoutCode } from '../../infra/aws/sizes/stack-without-code.ts';
import { type TemplateResource, wholeTemplate } from '../../infra/aws/sizes/whole-template.ts';
import type { EnvironmentName } from '../../infra/environments.ts';

/** By the logical id. */
export type StackResources = Readonly<Record<string, TemplateResource>>;

/** The resources of an environment, with those of its nested stacks. */
export function environmentResources(env: EnvironmentName): StackResources {
  const resources = made.get(env) ?? synthesise(env);
  made.set(env, resources);
  return resources;
}

const made = new Map<EnvironmentName, StackResources>();

function synthesise(env: EnvironmentName): StackResources {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'cdk-'));
  return wholeTemplate(stackWithoutCode({ directory: directory.path, context: { env } })).Resources;
}
