import type { CfnStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceStack } from '../../../infra/aws/service-stack.ts';
import { allOptions } from '../../../infra/aws/sizes/deployments.ts';
import { findNestedStacks } from '../../../infra/aws/sizes/whole-template.ts';
import { environments } from '../../../infra/environments.ts';
// What the templates of commit 938a20a5 have with all options, before the Lambdas moved to stacks of their groups.
import before from './deployed-2026-11-29.json' with { type: 'json' };
import { environmentStack } from './synthesise.ts';

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}
/** A nested stack, by its logical id in the stack of the service, which itself is ''. */
type Stacks = Map<string, Record<string, Resource>>;

function stacksOf(service: ServiceStack): Stacks {
  const resourcesOf = (stack: ServiceStack | CfnStack['stack']) =>
    Template.fromStack(stack).toJSON().Resources;
  return new Map([
    ['', resourcesOf(service)],
    ...findNestedStacks(service).map(
      (nested) =>
        [service.getLogicalId(nested.nestedStackResource as CfnStack), resourcesOf(nested)] as const,
    ),
  ]);
}

const names = Object.keys(environments) as (keyof typeof environments)[];
const stacks: Partial<Record<(typeof names)[number], Stacks>> = {};
beforeAll(() => {
  for (const name of names) stacks[name] = stacksOf(environmentStack(name, allOptions));
}, 120_000);

test.each(names)(
  'an upgrade of %s keeps every resource with data, an address or a place in one of them',
  (name) => {
    const kept: [string, { type: string; stack?: string }][] = Object.entries(before.kept[name]);
    expect(kept.length).toBeGreaterThan(40);
    for (const [id, { type, stack = '', ...lasting }] of kept) {
      const resource = stacks[name]?.get(stack)?.[id];
      expect(resource?.Type, `${stack} ${id}`).toBe(type);
      // A name, or what else CloudFormation replaces a resource for.
      expect(resource?.Properties ?? {}, id).toMatchObject(lasting);
    }
  },
);

test('nothing is created in one place under a name that it still has in another, which an upgrade could not', () => {
  const former: Record<string, string> = before.named;
  const named = [...(stacks.prod ?? [])].flatMap(([stack, resources]) =>
    Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) =>
      Object.entries(Properties).flatMap(([property, value]) =>
        /^Name$|[a-z]Name$/.test(property) && typeof value === 'string'
          ? [[`${Type} ${value}`, [stack, id].join(' ').trim()] as const]
          : [],
      ),
    ),
  );
  const known = named.filter(([what]) => Object.hasOwn(former, what));
  expect(known.length).toBeGreaterThan(50);
  expect(known.filter(([what, place]) => former[what] !== place)).toEqual([]);
});

test('the role that the API used stays until the API has another one', () => {
  const roles = Object.values(stacks.prod?.get('') ?? {}).filter(({ Type }) => Type === 'AWS::IAM::Role');
  const ofGateway = roles.filter(({ Properties }) =>
    JSON.stringify(Properties).includes('apigateway.amazon'),
  );
  // A role that gets a name is replaced, and its policy leaves the former one before the API has the new one.
  expect(Object.keys(stacks.prod?.get('') ?? {})).not.toContain('apiinvokerAB183ECC');
  expect(ofGateway).toHaveLength(1);
});
