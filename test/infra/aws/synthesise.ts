import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { ServiceStack } from '../../../infra/aws/service-stack.ts';
import { stackWithoutCode } from '../../../infra/aws/sizes/stack-without-code.ts';
import { wholeTemplate } from '../../../infra/aws/sizes/whole-template.ts';
import type { EnvironmentName } from '../../../infra/environments.ts';

type Parameters = [
  name: EnvironmentName,
  context?: Record<string, string>,
  change?: (stack: ServiceStack) => void,
];

/** The template of an environment, with its nested stacks but for that of the alarms. */
export function synthesise(...parameters: Parameters): Template {
  const stack = environmentStack(...parameters);
  return Template.fromJSON({ ...wholeTemplate(stack, [stack.monitoring]) });
}

/**
 * The stack of an environment, with a stand-in for the code: bundling has a test of its own.
 * @param change What a test does to the stack before it is synthesised.
 */
export function environmentStack(...[name, context = {}, change]: Parameters): ServiceStack {
  const key = JSON.stringify([name, Object.entries(context).sort()]);
  const make = () => {
    const directory = mkdtempSync(join(tmpdir(), 'cdk-'));
    return stackWithoutCode({ directory, context: { env: name, ...context }, ...(change && { change }) });
  };
  const stack = (!change && made.get(key)) || make();
  if (!change) made.set(key, stack);
  return stack;
}

/** Tests only read a stack that they do not change. Test files that share a worker share it, with new modules each. */
const holder = globalThis as { madeStacks?: Map<string, ServiceStack> };
holder.madeStacks ??= new Map();
const made = holder.madeStacks;
